"""The reading process: opens one PDF and sends its pages, one message each, down a pipe.

It says ("open", page count, outline, is the end cut off) or ("refused", kind), is told some pages to read and
what they may cost, answers each of them with ("page", RawPage), and waits for the next ones.
A page that fails here comes back with `failure`; one that stalls or eats all memory ends the process, and
the parent (`ingest/crew.py`) starts another one behind that page.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import signal
import sys
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Literal

from ingest.lines import OutlineEntry, RawPage

Refusal = Literal["not_pdf", "damaged", "encrypted", "empty"]
Way = Literal["full", "plain", "ocr", "picture"]
"""How to read a page: lines with their type; text alone; as a picture; a small picture of it and no text."""

PAGE_DAMAGED = "страница повреждена"
"""Why a page that MuPDF cannot read could not be read."""
_TAIL = 4096  # bytes at the end of a file, in which readers look for the mark of its end

Task = tuple[int, Way]
"""1-based page and how to read it."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one page may cost, beyond the memory and the seconds that are kept from outside."""

    content_mb: int
    image_mpx: int
    tesseract: str
    ocr_seconds: float


def serve(path: str, memory_mb: int, pipe: Connection) -> None:
    """Entry of the process."""
    _restrain(memory_mb)
    # What PyMuPDF loads along with itself is not used here and takes longer than all the rest: the model of
    # page layouts three times, the writer of Markdown (with numpy and onnxruntime) twice.
    for unused in ("pymupdf.layout", "pymupdf4llm"):
        sys.modules.setdefault(unused, None)  # type: ignore[arg-type]
    import pymupdf

    pymupdf.TOOLS.unset_quad_corrections(True)  # heights of lines as the fonts tell them
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
            pipe.send(("open", document.page_count, _outline(document), _is_cut(document, path)))
            while True:  # until the parent ends this process, or is no more
                tasks: list[Task]
                tasks, limits = pipe.recv()
                for number, way in tasks:
                    page = _read(document, number, way, limits)
                    pipe.send(("page", page))
                    if page.image_share > 0:
                        pymupdf.TOOLS.store_shrink(100)  # its pictures do not come again, the cache is large


def _read(document: Any, number: int, way: Way, limits: Limits) -> RawPage:
    """A page; one that MuPDF cannot read has `failure`. Running out of memory ends the process."""
    try:
        page = document[number - 1]
        if _unpacks_beyond(document, page, limits.content_mb << 20):
            failure = f"содержимое страницы распаковывается больше чем в {limits.content_mb} МБ"
            return RawPage(number, 0.0, 0.0, failure=failure)
        return _as_asked(page, number, way, limits)
    except MemoryError:
        raise
    except (AttributeError, IndexError, KeyError, TypeError) as exc:
        # Not the page's fault: the parser's answer has another shape than the one this program knows.
        from pymupdf import __version__ as version

        failure = f"PyMuPDF {version} отвечает не так, как ждёт программа ({type(exc).__name__}: {exc})"
        return RawPage(number, 0.0, 0.0, failure=failure)
    except Exception:
        return RawPage(number, 0.0, 0.0, failure=PAGE_DAMAGED)


def _as_asked(page: Any, number: int, way: Way, limits: Limits) -> RawPage:
    from ingest.extract import extract, extract_plain, thumbnail
    from ingest.pictures import large_picture, too_large

    if way == "ocr":
        from ingest.ocr import OcrLimits, recognise

        return recognise(
            page, number, OcrLimits(limits.tesseract, 0.45 * limits.ocr_seconds, limits.image_mpx)
        )
    if way == "picture":
        picture = b"" if too_large(page, limits.image_mpx) else thumbnail(page)
        return RawPage(number, float(page.rect.width), float(page.rect.height), picture=picture)
    if large_picture(page, limits.image_mpx):
        # MuPDF would load it whole only to tell where it lies.
        return replace(extract_plain(page, number), image_share=1.0, drawn=True)
    return extract_plain(page, number) if way == "plain" else extract(page, number)


def _unpacks_beyond(document: Any, page: Any, limit: int) -> bool:
    """Do the drawing commands of the page unpack to more than `limit` bytes? Unpacks no more than that."""
    import pymupdf

    pdf = pymupdf._as_pdf_document(document)
    left = limit
    for xref in {*page.get_contents(), *(form[0] for form in page.get_xobjects())}:
        stream = pymupdf.mupdf.pdf_open_stream_number(pdf, xref)
        left -= pymupdf.mupdf.fz_skip(stream, left + 1)
        if left < 0:
            return True
    return False


def _restrain(memory_mb: int) -> None:
    """Limits the memory; no core files of a gigabyte when the parser falls; no life after the parent's."""
    with contextlib.suppress(OSError, AttributeError):
        pr_set_pdeathsig = 1  # Linux: a killed parent cannot stop a page that stalls
        ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGKILL)
    limit = memory_mb * 1024 * 1024
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _refusal(document: Any) -> Refusal | None:
    try:
        if document.needs_pass:
            return "encrypted"
        if not document.is_pdf:
            return "not_pdf"
        if document.page_count == 0:
            return "damaged" if document.is_repaired else "empty"
    except MemoryError:
        raise
    except Exception:  # the objects that tell it are lost
        return "damaged"
    return None


def _is_cut(document: Any, path: str) -> bool:
    """Has MuPDF had to search for the pages because the file breaks off before its table of contents?"""
    if not document.is_repaired:
        return False
    with Path(path).open("rb") as file:
        file.seek(-min(_TAIL, os.fstat(file.fileno()).st_size), os.SEEK_END)
        return b"%%EOF" not in file.read()


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
