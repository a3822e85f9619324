"""What a book is before it is set: chapters, paragraphs (§§) and their blocks, wherever they came from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias


@dataclass(frozen=True, slots=True)
class Run:
    """A stretch of text in one face."""

    text: str
    bold: bool = False
    italic: bool = False


Runs: TypeAlias = tuple[Run, ...]


def plain(runs: Runs) -> str:
    """Text of the runs without faces."""
    return "".join(run.text for run in runs)


@dataclass(frozen=True, slots=True)
class Prose:
    """A paragraph in the everyday sense of the word."""

    runs: Runs


@dataclass(frozen=True, slots=True)
class Subheading:
    text: str


@dataclass(frozen=True, slots=True)
class Listing:
    """A bullet list, or a numbered one that begins with `start`."""

    items: tuple[Runs, ...]
    start: int | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """The first row is the header."""

    caption: Runs
    rows: tuple[tuple[Runs, ...], ...]


@dataclass(frozen=True, slots=True)
class Dictionary:
    """«Словарь»: a tinted box of terms; each entry begins with its term in bold."""

    entries: tuple[Runs, ...]


@dataclass(frozen=True, slots=True)
class Document:
    """«Документ»: a source text in a frame."""

    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Columns:
    """A stretch set in two columns."""

    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Questions:
    """The block of questions after a §."""

    title: str
    blocks: tuple[Block, ...]


Block: TypeAlias = Prose | Subheading | Listing | Table | Dictionary | Document | Columns | Questions


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A §."""

    number: str
    title: str
    blocks: tuple[Block, ...]

    @property
    def heading(self) -> str:
        return f"§ {self.number}. {self.title}"


@dataclass(frozen=True, slots=True)
class Chapter:
    number: str
    title: str
    paragraphs: tuple[Paragraph, ...]

    @property
    def heading(self) -> str:
        return f"Глава {self.number}. {self.title}"


@dataclass(frozen=True, slots=True)
class Layout:
    """How books differ in the ways that trouble a reader of PDFs."""

    page_labels: bool = False
    """Write /PageLabels: roman front matter, then arabic from 1."""
    outline: bool = False
    """Write PDF bookmarks."""
    index: bool = False
    """Close the book with an alphabetical index."""
    even_front: bool = False
    """Pad the front matter to an even number of sheets: in print, page 1 is a right-hand page."""
    mirrored: bool = False
    """Numbers at the outer edge, chapters in left running heads; else numbers in the middle, the book."""
    furniture_first: bool = True
    """Running head and page number come before the body in the content stream, else after it."""
    hyphen: Literal["-", "\u2010"] = "-"
    """Drawn where a word is broken at a line end."""
    bullet: str = "•"


@dataclass(frozen=True, slots=True)
class Book:
    title: str
    chapters: tuple[Chapter, ...]
    subject: str = ""
    grade: int | None = None
    authors: str = ""
    year: int | None = None
    licence: str = ""
    layout: Layout = Layout()

    @property
    def paragraphs(self) -> tuple[Paragraph, ...]:
        return tuple(paragraph for chapter in self.chapters for paragraph in chapter.paragraphs)


def walk(blocks: Iterable[Block]) -> Iterator[Block]:
    """Every block, those inside boxes and columns too, in reading order."""
    for block in blocks:
        yield block
        if isinstance(block, Document | Columns | Questions):
            yield from walk(block.blocks)


def texts(book: Book) -> Iterator[str]:
    """Every piece of text that the book's setting draws."""
    yield from (book.title, book.authors, *(chapter.heading for chapter in book.chapters))
    for paragraph in book.paragraphs:
        yield paragraph.heading
        for block in walk(paragraph.blocks):
            match block:
                case Prose():
                    yield plain(block.runs)
                case Subheading():
                    yield block.text
                case Questions():
                    yield block.title
                case Listing():
                    yield from map(plain, block.items)
                case Dictionary():
                    yield from map(plain, block.entries)
                case Table():
                    yield from map(plain, (block.caption, *(cell for row in block.rows for cell in row)))
