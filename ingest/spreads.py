"""Spreads: two printed pages on one sheet. Read as two pages, so that each half keeps its own number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from index.book import Book, Page, Section
from index.chunk import Chunk, PageSpan
from ingest.furniture import page_numbers
from ingest.lines import Line, RawBook, RawPage

_MIN_SHARE = 0.6  # of the sheets with text
_MAX_CROSSING = 0.08  # of the lines of a sheet: a heading or picture over both pages
_WIDE = 1.15


@dataclass(frozen=True, slots=True)
class Halves:
    """A book with each spread cut in two."""

    raw: RawBook
    """Its pages are counted anew."""
    sheets: tuple[int, ...]
    """Sheet of the file for each of them."""


def cut(raw: RawBook) -> Halves | None:
    """None for a book that is no scan or print of spreads.

    A wide page whose lines keep clear of its middle may be a slide or a two-column leaflet; it is a spread
    where the halves of most sheets bear neighbouring numbers.
    """
    wide = [page for page in raw.pages if page.lines and _is_wide(page)]
    filled = [page for page in raw.pages if page.lines]
    if len(wide) < 2 or len(wide) < _MIN_SHARE * len(filled):
        return None
    pairs = [(page, *_halves(page)) for page in wide]
    numbers = page_numbers([half for _, left, right in pairs for half in (left, right)])
    agreeing = sum(
        any((style, value + 1) in numbers[i + 1] for style, value in numbers[i])
        for i in range(0, len(numbers), 2)
    )
    if agreeing < 2 or agreeing < _MIN_SHARE * len(pairs):
        return None
    halves = {page.file_page: (left, right) for page, left, right in pairs}
    pages: list[RawPage] = []
    sheets: list[int] = []
    for page in raw.pages:
        for part in halves.get(page.file_page, (page,)):
            sheets.append(page.file_page)
            pages.append(replace(part, file_page=len(pages) + 1))
    first = {sheet: i for i, sheet in reversed(list(enumerate(sheets, 1)))}
    outline = tuple(
        replace(entry, file_page=first[entry.file_page]) for entry in raw.outline if entry.file_page in first
    )
    return Halves(replace(raw, pages=tuple(pages), outline=outline), tuple(sheets))


def join_book(book: Book, sheets: Sequence[int], raw: RawBook) -> Book:
    """The book by sheets again; a sheet is called by both its numbers, «12–13»."""
    pages = [
        _joined([page for _, page in both], raw.pages[sheet - 1])
        for sheet, both in groupby(zip(sheets, book.pages, strict=True), key=lambda item: item[0])
    ]
    return replace(
        book,
        page_offset=None,
        pages=tuple(pages),
        sections=tuple(_section(section, sheets) for section in book.sections),
    )


def join_chunk(chunk: Chunk, sheets: Sequence[int]) -> Chunk:
    """Its spans keep the number of their half."""
    spans = tuple(
        PageSpan(span.start, span.end, sheets[span.file_page - 1], span.printed_page) for span in chunk.spans
    )
    return replace(chunk, spans=spans)


def _is_wide(page: RawPage) -> bool:
    """Wider than high, with text on both sides and hardly any across the middle."""
    if page.width < _WIDE * page.height:
        return False
    lines = [line for line in page.lines if not line.blank]
    middle = page.width / 2
    crossing = sum(line.x0 < middle - 4 and line.x1 > middle + 4 for line in lines)
    left = sum(line.x1 <= middle + 4 for line in lines)
    return crossing <= _MAX_CROSSING * len(lines) and 0 < left < len(lines)


def _halves(page: RawPage) -> tuple[RawPage, RawPage]:
    """Lines of the right half keep their place on the sheet; margins matter only within a half."""
    middle = page.width / 2

    def half(right: bool) -> RawPage:
        def here(line: Line) -> bool:
            return ((line.x0 + line.x1) / 2 >= middle) == right

        return replace(
            page,
            width=middle,
            lines=tuple(line for line in page.lines if here(line)),
            boxes=tuple(box for box in page.boxes if ((box[0] + box[2]) / 2 >= middle) == right),
            rules=tuple(rule for rule in page.rules if ((rule[0] + rule[2]) / 2 >= middle) == right),
            text="\n".join(line.text for line in page.lines if here(line)),
            label="",
            words=(),
        )

    return half(False), half(True)


def _joined(halves: Sequence[Page], raw: RawPage) -> Page:
    if len(halves) == 1:
        return replace(halves[0], file_page=raw.file_page)
    numbers = [half.printed_page for half in halves if half.printed_page is not None]
    kinds = [half.kind for half in halves if half.kind != "blank"]
    return replace(
        halves[0],
        file_page=raw.file_page,
        printed_page="–".join(numbers) or None,
        kind="body" if "body" in kinds or not kinds else kinds[0],
        markdown="\n\n".join(half.markdown for half in halves if half.markdown),
        text=raw.text,
        quality=min(half.quality for half in halves),
        warning=next((half.warning for half in halves if half.warning), None),
        words=raw.words,
    )


def _section(section: Section, sheets: Sequence[int]) -> Section:
    return replace(
        section,
        file_page=sheets[section.file_page - 1],
        last_file_page=sheets[section.last_file_page - 1],
    )
