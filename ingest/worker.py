"""The reading process: opens one PDF and sends its pages, one message each, down a pipe.

It says ("open", page count, outline) or ("refused", kind), is told the pages to read,
and answers each of them with ("page", RawPage).
A page that fails here comes back with `failure`; one that stalls or eats all memory ends the process, and
the parent (`ingest/reader.py`) starts another one behind that page.
"""

from __future__ import annotations

import contextlib
import resource
import sys
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Literal

from ingest.lines import OutlineEntry, RawPage

Refusal = Literal["not_pdf", "damaged", "encrypted", "empty"]


Task = tuple[int, bool]
"""1-based page, and whether to read its plain text only."""


def serve(path: str, memory_mb: int, pipe: Connection) -> None:
    """Entry of the process."""
    _restrain(memory_mb)
    import pymupdf

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
            pipe.send(("open", document.page_count, _outline(document)))
            tasks: list[Task] = pipe.recv()
            for number, plain in tasks:
                pipe.send(("page", _read(document, number, plain)))


def _read(document: Any, number: int, plain: bool) -> RawPage:
    """A page; one that MuPDF cannot read has `failure`. Running out of memory ends the process."""
    from ingest.extract import extract, extract_plain

    try:
        page = document[number - 1]
        return extract_plain(page, number) if plain else extract(page, number)
    except MemoryError:
        raise
    except Exception as exc:
        return RawPage(number, 0.0, 0.0, failure=f"страница повреждена ({type(exc).__name__})")


def _restrain(memory_mb: int) -> None:
    """Limits the memory; no core files of a gigabyte when the parser falls."""
    limit = memory_mb * 1024 * 1024
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


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


if __name__ == "__main__":
    serve(sys.argv[2], int(sys.argv[3]), Connection(int(sys.argv[1])))
