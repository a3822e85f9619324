"""One self-contained HTML file about the loaded books, for a teacher to read. No scripts, nothing fetched."""

from __future__ import annotations

import base64
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from index.book import Book, Page, Section
from index.chunk import Chunk
from ingest.errors import IngestError
from ingest.reader import read_again
from ingest.report import WORDS, IngestReport
from ingest.settings import IngestSettings

_TEMPLATES = Path(__file__).with_name("templates")
_MAX_THUMBNAILS = 60
_SAMPLE = 600
_BIN, _BINS = 100, 11
_KINDS = {
    "body": "текст",
    "contents": "оглавление",
    "index": "указатель",
    "front": "вводная часть",
    "blank": "без текста",
    "unreadable": "не прочитана",
}
# Neighbours differ clearly; the circle of colours closes after seven §§.
_HUES = (210, 30, 140, 280, 60, 180, 330)


@dataclass(frozen=True, slots=True)
class Cell:
    """A page in the strip."""

    tip: str
    section: str
    """CSS colour."""
    quality: str
    mark: str
    """«с» recognised, «к» letters repaired, «!» not read, else empty."""


@dataclass(frozen=True, slots=True)
class SectionRow:
    """A § of the list."""

    label: str
    title: str
    chapter: str
    printed: str
    sheets: str
    chunks: int
    sample: str
    colour: str


@dataclass(frozen=True, slots=True)
class BadPage:
    """A page that was not read, with its picture as a data URI where it can be drawn."""

    sheet: int
    reason: str
    picture: str


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar of the histogram."""

    height: int
    """Pixels."""
    count: int
    label: str


@dataclass(frozen=True, slots=True)
class BookView:
    """Everything the template shows of one file."""

    report: IngestReport
    name: str
    status: str
    cells: list[Cell]
    sections: list[SectionRow]
    missing: list[str]
    bad: list[BadPage]
    bars: list[Bar]
    said: str
    """One sentence about how it ended."""
    unshown: int = 0
    """Unreadable pages beyond those in `bad`."""


def write_html(reports: Sequence[IngestReport], target: Path, settings: IngestSettings) -> None:
    """Writes the file in one step. Raises OSError where it cannot be written."""
    html = render([view(report, _pictures(report, settings)) for report in reports])
    temporary = target.with_name(f".{target.name}.new")
    try:
        temporary.write_text(html, encoding="utf-8")
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


def render(books: Sequence[BookView]) -> str:
    """The page; everything that comes from a book is escaped."""
    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    return environment.get_template("report.html").render(books=books)


def view(report: IngestReport, pictures: Mapping[int, bytes]) -> BookView:
    """What is shown of one file; `pictures` are JPEGs by sheet."""
    book = report.book
    name, status = Path(report.file).name, WORDS[report.status]
    if book is None:
        return BookView(report, name, status, [], [], [], [], [], "Книга не загружена.")
    colours = {id(section): _colour(i) for i, section in enumerate(book.paragraphs)}
    bad = [page for page in book.pages if page.kind == "unreadable"]
    return BookView(
        report=report,
        name=name,
        status=status,
        cells=list(_cells(book, colours)),
        sections=list(_sections(book, report.content, colours)),
        missing=missing_numbers(book.paragraphs),
        bad=[
            BadPage(page.file_page, page.warning or "", _data_uri(pictures.get(page.file_page, b"")))
            for page in bad[:_MAX_THUMBNAILS]
        ],
        bars=_bars(report.content),
        said=_said(report, len(bad)),
        unshown=max(0, len(bad) - _MAX_THUMBNAILS),
    )


def _said(report: IngestReport, unread: int) -> str:
    if report.status == "unchanged":
        return "Этот файл уже загружен, ничего не изменилось."
    if unread:
        return f"Книга загружена, но не все страницы прочитаны (не прочитано: {unread} из {report.pages})."
    return "Книга загружена, по ней можно спрашивать."


def missing_numbers(sections: Sequence[Section]) -> list[str]:
    """Numbers that are skipped: §§ 1, 2, 4 → ["§ 3"]; 2.1, 2.3 → ["2.2"]. Each chapter may count anew."""
    groups: dict[tuple[str, str], list[int]] = defaultdict(list)
    for section in sections:
        for key in section.numbers:
            match = re.fullmatch(r"(.*?)(\d+)", key)
            if match is not None:
                groups[section.unit, match[1]].append(int(match[2]))
    out = []
    for (unit, prefix), numbers in groups.items():
        found = set(numbers)
        out += [f"{unit} {prefix}{number}" for number in range(min(found), max(found)) if number not in found]
    return out


def _pictures(report: IngestReport, settings: IngestSettings) -> dict[int, bytes]:
    if report.book is None:
        return {}
    bad = [page.file_page for page in report.book.pages if page.kind == "unreadable"][:_MAX_THUMBNAILS]
    try:
        pages = read_again(Path(report.file), settings, bad, "picture")
    except IngestError:  # the file has gone meanwhile
        return {}
    return {number: page.picture for number, page in pages.items()}


def _colour(i: int) -> str:
    return f"hsl({_HUES[i % len(_HUES)]} 55% {70 if i // len(_HUES) % 2 else 60}%)"


def _cells(book: Book, colours: Mapping[int, str]) -> Iterator[Cell]:
    for page in book.pages:
        here = [s for s in book.paragraphs if s.file_page <= page.file_page <= s.last_file_page]
        own = here[-1] if here and page.kind in ("body", "unreadable") else None
        words = [f"лист {page.file_page}"]
        if page.printed_page is not None:
            words.append(f"стр. {page.printed_page}")
        words.append(_KINDS[page.kind])
        words += [f"{section.label} {section.title}".strip() for section in here if own]
        if page.ocr:
            words.append("распознана")
        if page.repair:
            words.append("кодировка исправлена")
        words.append(f"качество {page.quality:.2f}".replace(".", ","))
        if page.warning:
            words.append(page.warning)
        yield Cell(" · ".join(words), colours[id(own)] if own else "#e3e3e3", _quality(page), _mark(page))


def _quality(page: Page) -> str:
    if page.kind == "unreadable":
        return "#b3261e"
    if page.kind == "blank":
        return "#e3e3e3"
    # 0,7 and less is red, 1 is green.
    return f"hsl({round(max(0.0, min(1.0, (page.quality - 0.7) / 0.3)) * 130)} 55% 55%)"


def _mark(page: Page) -> str:
    if page.kind == "unreadable":
        return "!"
    return "с" if page.ocr else "к" if page.repair else ""


def _sections(book: Book, chunks: Sequence[Chunk], colours: Mapping[int, str]) -> Iterator[SectionRow]:
    for section in book.paragraphs:
        own = [
            chunk
            for chunk in chunks
            if chunk.paragraphs == section.numbers
            and chunk.file_pages[0] <= section.last_file_page
            and section.file_page <= chunk.file_pages[1]
        ]
        first, last = section.file_page, section.last_file_page
        yield SectionRow(
            label=section.label,
            title=section.title,
            chapter=section.chapter or "",
            printed=section.printed_page or "—",
            sheets=str(first) if first == last else f"{first}–{last}",
            chunks=len(own),
            sample=own[0].text[:_SAMPLE] if own else "",
            colour=colours[id(section)],
        )


def _bars(chunks: Sequence[Chunk]) -> list[Bar]:
    counts = Counter(min(len(chunk.text) // _BIN, _BINS - 1) for chunk in chunks)
    most = max(counts.values(), default=1)
    out = []
    for i in range(_BINS):
        label = f"{i * _BIN}–{(i + 1) * _BIN - 1}" if i < _BINS - 1 else f"{i * _BIN} и больше"
        out.append(Bar(round(100 * counts[i] / most), counts[i], label))
    return out


def _data_uri(jpeg: bytes) -> str:
    return f"data:image/jpeg;base64,{base64.b64encode(jpeg).decode('ascii')}" if jpeg else ""
