"""From spans of chunks to citations: each quote a literal span of one page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from answer.answer import Citation
from index.book import Book, Section
from index.chunk import Chunk, PageSpan

LEAST = 3
"""Words before or behind a page turn that are worth a source of their own."""


@dataclass(frozen=True, slots=True)
class Span:
    """Characters `[start, end)` of a chunk's text."""

    chunk: Chunk
    start: int
    end: int

    @property
    def text(self) -> str:
        return self.chunk.text[self.start : self.end]


def merge(spans: Iterable[Span]) -> list[Span]:
    """Spans in reading order; those of one chunk that touch or overlap become one.

    Spans touch when only white space stands between them. A sentence that stands in two overlapping chunks
    is kept once.
    """
    ordered = sorted(spans, key=lambda span: (span.chunk.book_id, span.chunk.ordinal, span.start))
    merged: list[Span] = []
    for span in ordered:
        last = merged[-1] if merged else None
        if last is not None and last.chunk.chunk_id == span.chunk.chunk_id:
            between = span.chunk.text[last.end : span.start]
            if span.start <= last.end or not between.strip():
                merged[-1] = Span(last.chunk, last.start, max(last.end, span.end))
                continue
        if any(span.text in other.text for other in merged):
            continue
        merged.append(span)
    return merged


def cite(
    spans: Sequence[Span], books: Mapping[str, Book], first: int = 1, best: Span | None = None
) -> tuple[Citation, ...]:
    """One citation per span and page, ids `s<first>`, `s<first + 1>`…; the same quote is cited once.

    In the order of the spans, but the page that holds most of `best` (the sentence that answers) comes
    first: what opens the list of sources is where to look.
    """
    places = [(span, page) for span in spans for page in span.chunk.spans]
    if best is not None:
        first_place = max(places, key=lambda place: _shared(place[0], place[1], best))
        places.remove(first_place)
        places.insert(0, first_place)
    citations: list[Citation] = []
    seen: set[tuple[str, int, str]] = set()
    for span, page in places:
        chunk, book = span.chunk, books[span.chunk.book_id]
        section = section_of(chunk, book)
        quote = _quote(span, page, book)
        key = (chunk.book_id, page.file_page, quote)
        if not quote or key in seen or (len(quote.split()) < LEAST and _is_scrap(span, page)):
            continue
        seen.add(key)
        citations.append(
            Citation(
                id=f"s{first + len(citations)}",
                book_id=chunk.book_id,
                title=book.title,
                grades=book.grades,
                chapter=chunk.chapter,
                paragraph=chunk.paragraph,
                paragraph_title=chunk.paragraph_title,
                page=page.printed_page,
                file_page=page.file_page,
                quote=quote,
                unit=section.unit if section else "§",
            )
        )
    return tuple(citations)


def _is_scrap(span: Span, page: PageSpan) -> bool:
    """Whether the page holds only the smaller end of a span that crosses its border."""
    if page.start <= span.start and span.end <= page.end:
        return False
    return 2 * (min(span.end, page.end) - max(span.start, page.start)) < span.end - span.start


def _quote(span: Span, page: PageSpan, book: Book) -> str:
    """The part of the span on the page; a word that the page border cuts keeps the hyphen it has there."""
    text = span.chunk.text
    start, end = max(span.start, page.start), min(span.end, page.end)
    quote = text[start:end].strip()
    if quote and end < span.end and text[end - 1].isalpha() and text[end : end + 1].isalpha():
        cut = f"{quote.split()[-1]}-"
        if cut in book.page(page.file_page).text:
            quote += "-"
    return quote


def _shared(span: Span, page: PageSpan, best: Span) -> int:
    """Characters of `best` that stand in the span's part on the page."""
    if span.chunk.chunk_id != best.chunk.chunk_id:
        return 0
    return max(0, min(span.end, page.end, best.end) - max(span.start, page.start, best.start))


def section_of(chunk: Chunk, book: Book) -> Section | None:
    """The § of a chunk, None outside every §."""
    for section in book.paragraphs:
        if chunk.paragraphs and section.numbers == chunk.paragraphs:
            return section
    for section in book.paragraphs:
        if set(section.numbers) & set(chunk.paragraphs):
            return section
    return None
