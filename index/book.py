"""A textbook as the store keeps it: pages, section tree, particulars."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from index.locate import Word

PageKind = Literal["body", "contents", "index", "front", "blank", "unreadable"]
SectionKind = Literal["chapter", "paragraph", "subsection"]


@dataclass(frozen=True, slots=True)
class Page:
    """One sheet of the PDF after reading."""

    file_page: int
    """1-based."""
    printed_page: str | None
    """«57», «iv»; «12–13» for a sheet that holds two pages, whose chunks know the half."""
    kind: PageKind
    markdown: str
    """Repaired page, headings marked; running heads and page numbers removed."""
    text: str
    """What can be read on the page, before any repair of lines and words; quotes are mapped back to it.

    The text layer as extracted; with `repair`, that layer in its right letters; with `ocr`, the recognised
    text.
    """
    ocr: bool = False
    quality: float = 1.0
    """Share of letters that are plausible Russian or Latin text, 0..1."""
    warning: str | None = None
    """Russian sentence for the report, when something is wrong with the page."""
    repair: str | None = None
    """How the PDF's own words become readable (`index.mojibake.repair`); None where they are."""
    words: tuple[Word, ...] = ()
    """Recognised words with their boxes; empty where the PDF's own text layer serves."""


@dataclass(frozen=True, slots=True)
class Section:
    """A node of the book's section tree, in reading order.

    A `paragraph` is the unit that students name: a § where the book has them, else its numbered
    chapter, topic or section. Chunks refer to it by the keys in `numbers`.
    """

    kind: SectionKind
    unit: str
    """How the book calls it: «§», «глава», «тема», «урок», «раздел», «статья»."""
    numbers: tuple[str, ...]
    """Keys: («13»,), («13», «14») for a joint «§ 13–14», () for an unnumbered chapter."""
    title: str
    """As printed, without number and final stop; «» for a § that has none («36. Теорема. …»)."""
    chapter: str | None
    """Title of the enclosing chapter, with its number as printed; a section inside the chapter follows it."""
    file_page: int
    last_file_page: int
    printed_page: str | None

    @property
    def label(self) -> str:
        """«§ 13», «§ 13–14», «глава 2»."""
        return f"{self.unit} {'–'.join(self.numbers)}" if self.numbers else self.unit


@dataclass(frozen=True, slots=True)
class Book:
    """Particulars, pages and sections of one loaded textbook."""

    book_id: str
    title: str
    subject: str
    grades: tuple[int, ...]
    sha256: str
    """Of the PDF file; the same file again is recognised by it."""
    page_offset: int | None
    """Sheet number minus printed number where it is the same through the book, else None."""
    pages: tuple[Page, ...]
    sections: tuple[Section, ...]
    warnings: tuple[str, ...] = ()

    @property
    def paragraphs(self) -> tuple[Section, ...]:
        """The sections that students name, in reading order."""
        return tuple(s for s in self.sections if s.kind == "paragraph")

    def page(self, file_page: int) -> Page:
        """Page by its 1-based sheet number."""
        return self.pages[file_page - 1]
