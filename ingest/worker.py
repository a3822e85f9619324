"""The reading process: opens one PDF and sends its pages, one message each, down a pipe.

Messages: ("open", page count, outline) or ("refused", kind), then ("page", RawPage) for each page asked for.
A page that fails here comes back with `failure`; one that stalls or eats all memory ends the process, and
the parent (`ingest/reader.py`) starts another one behind that page.
"""

from __future__ import annotations

import contextlib
import os
import resource
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Literal

from ingest.lines import OutlineEntry, RawPage

Refusal = Literal["not_pdf", "damaged", "encrypted", "empty"]


def serve(path: str, pages: list[tuple[int, bool]] | None, memory_mb: int, pipe: Connection) -> None:
    """Entry of the process. `pages`: 1-based numbers with True = plain text only; None = just open."""
    _restrain(memory_mb)
    import pymupdf

    from ingest.extract import extract, extract_plain

    pymupdf.TOOLS.mupdf_display_errors(False)
    pymupdf.TOOLS.mupdf_display_warnings(False)
    with contextlib.suppress(BrokenPipeError, EOFError):
        try:
            document = pymupdf.open(path, filetype="pdf")
        except Exception as exc:
            pipe.send(("refused", "empty" if "empty" in str(exc).lower() else "damaged"))
            return
        with document:
            refusal = _refusal(document)
            if refusal is not None:
                pipe.send(("refused", refusal))
                return
            pipe.send(("open", document.page_count, _outline(document) if pages is None else ()))
            for number, plain in pages or ():
                try:
                    page = document[number - 1]
                    read = extract_plain(page, number) if plain else extract(page, number)
                except MemoryError:
                    raise
                except Exception as exc:
                    read = RawPage(number, 0.0, 0.0, failure=f"страница повреждена ({type(exc).__name__})")
                pipe.send(("page", read))


def _restrain(memory_mb: int) -> None:
    """Limits the memory and keeps the parser's chatter out of the parent's output."""
    limit = memory_mb * 1024 * 1024
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(null, 2)
    os.close(null)


def _refusal(document: Any) -> Refusal | None:
    if document.needs_pass:
        return "encrypted"
    if not document.is_pdf:
        return "not_pdf"
    if document.page_count == 0:
        return "empty"
    return None


def _outline(document: Any) -> tuple[OutlineEntry, ...]:
    try:
        return tuple(
            OutlineEntry(int(level), str(title), int(page))
            for level, title, page, *_ in document.get_toc(simple=True)
        )
    except Exception:  # a broken outline is no reason to lose the book
        return ()


def header_is_pdf(path: Path) -> bool:
    """Looks for the mark of a PDF in its first kilobyte, where readers look for it."""
    with path.open("rb") as file:
        return b"%PDF-" in file.read(1024)
