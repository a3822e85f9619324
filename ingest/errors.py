"""Errors of ingestion.

IngestError
├── Missing      no such file
├── NotPdf       not a PDF
├── Damaged      a PDF that cannot be opened, or whose pages are lost
├── Encrypted    needs a password
├── NoPages      opens, but has no pages
├── TooLarge     beyond the limits in `IngestSettings`
├── NoText       pages are there, but not one readable letter
├── OtherBook    another book is stored under the name that title and grade make
└── BadOptions   grade, title or offset make no sense
"""

from __future__ import annotations

from typing import ClassVar, Literal

Failure = Literal["failed", "missing", "not_pdf", "damaged", "encrypted", "empty", "too_large", "no_text"]


class IngestError(Exception):
    """Base. `str(error)` is one Russian sentence for the teacher; `status` goes into the report."""

    status: ClassVar[Failure] = "failed"


class Missing(IngestError):
    """No such file."""

    status = "missing"


class NotPdf(IngestError):
    """A directory, or not a PDF."""

    status = "not_pdf"


class Damaged(IngestError):
    """MuPDF cannot open it, dies while opening, or finds no whole page because the end is cut off."""

    status = "damaged"


class Encrypted(IngestError):
    """Opens with a password only."""

    status = "encrypted"


class NoPages(IngestError):
    """A file of zero bytes, or a PDF without pages."""

    status = "empty"


class TooLarge(IngestError):
    """More bytes or pages than the limits allow."""

    status = "too_large"


class NoText(IngestError):
    """A scan, or a text layer that cannot be read."""

    status = "no_text"


class OtherBook(IngestError):
    """It would take the place of a book with which it has nothing in common."""

    status = "failed"


class BadOptions(IngestError):
    """Wrong usage: raised before anything is read."""

    status = "failed"
