"""What a model is shown of an extractive answer's evidence, and how its sentences are cited afterwards."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from answer import wording
from answer.answer import Answer, Citation
from answer.checking.drafts import CheckedSentence, Fragment
from answer.citations import Span, cite, merge, section_of
from answer.orders import is_order, without_orders
from answer.terms import Terms
from index.book import Book
from index.chunk import Chunk
from index.sentences import split_sentences

QUOTES = 2
"""Sentences of a fragment that are quoted for one sentence of a model at most."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A fragment and where it comes from: a chunk, or a quote whose chunk is not among the hits."""

    fragment: Fragment
    chunk: Chunk | None
    quotes: tuple[Citation, ...]
    """Quotes of the extractive answer that stand in it."""
    book_id: str


def pieces_of(answer: Answer, books: Mapping[str, Book]) -> list[Piece]:
    """Fragments that a model may use, the quoted ones first; only from books that the answer quotes.

    Raises KeyError for a book that is no longer loaded.
    """
    quoted_books = {source.book_id for source in answer.sources}
    chunks = [hit.chunk for hit in answer.hits if hit.chunk.book_id in quoted_books]
    quotes = {chunk.chunk_id: tuple(s for s in answer.sources if _stands_in(s, chunk)) for chunk in chunks}
    found = {source.id for sources in quotes.values() for source in sources}
    pieces = [
        Piece(
            Fragment("", without_orders(chunk.text), header_of(chunk, books[chunk.book_id]), chunk.chunk_id),
            chunk,
            quotes[chunk.chunk_id],
            chunk.book_id,
        )
        for chunk in chunks
    ]
    pieces += [
        Piece(Fragment("", source.quote, _header_of_quote(source)), None, (source,), source.book_id)
        for source in answer.sources
        if source.id not in found
    ]
    pieces.sort(key=lambda piece: not piece.quotes)
    return [
        replace(piece, fragment=replace(piece.fragment, id=f"f{number}"))
        for number, piece in enumerate(pieces, start=1)
    ]


def header_of(chunk: Chunk, book: Book) -> str:
    """«[10 класс | § 13 «Трудовое право» | стр. 57–58]»; what is unknown is left out."""
    section = section_of(chunk, book)
    place = wording.section_name(section) if section else chunk.chapter
    pages = [span.printed_page for span in chunk.spans if span.printed_page is not None]
    return _header(chunk.grades, place, pages)


def cited(
    sentences: Iterable[CheckedSentence], pieces: Sequence[Piece], books: Mapping[str, Book]
) -> tuple[Citation, ...]:
    """Quotes that bear out the sentences: of each fragment the book's sentences nearest to what was said."""
    by_id = {piece.fragment.id: piece for piece in pieces}
    spans: list[Span] = []
    quotes: list[Citation] = []
    for sentence in sentences:
        for key in sentence.fragment_ids:
            piece = by_id[key]
            if piece.chunk is None:
                quotes += piece.quotes
            else:
                spans += nearest(sentence.text, piece.chunk)
    citations = list(cite(merge(spans), books))
    for quote in dict.fromkeys(quotes):
        citations.append(replace(quote, id=f"s{len(citations) + 1}"))
    return tuple(citations)


def nearest(text: str, chunk: Chunk) -> list[Span]:
    """The one or two sentences of the chunk that hold most of the words of `text`; at least one."""
    wanted = content_words(text)
    spans = [Span(chunk, start, end) for start, end in split_sentences(chunk.text)]
    spans = [span for span in spans if not is_order(span.text)] or spans
    words = [content_words(span.text) for span in spans]
    chosen: list[Span] = []
    while spans and len(chosen) < QUOTES:
        gains = [len(wanted & own) - len(own) / 1000 for own in words]
        best = max(range(len(spans)), key=gains.__getitem__)
        if chosen and gains[best] < 1:
            break
        chosen.append(spans.pop(best))
        wanted -= words.pop(best)
    return chosen


def content_words(text: str) -> set[str]:
    """Lemmas that say something about the subject."""
    return set(Terms.of(text).lemmas)


def _stands_in(source: Citation, chunk: Chunk) -> bool:
    first, last = chunk.file_pages
    return (
        source.book_id == chunk.book_id and first <= source.file_page <= last and source.quote in chunk.text
    )


def _header_of_quote(source: Citation) -> str:
    place = None if source.paragraph is None else f"{source.unit} {source.paragraph}"
    if place and source.paragraph_title:
        place = f"{place} «{source.paragraph_title}»"
    return _header(source.grades, place or source.chapter, [source.page] if source.page else [])


def _header(grades: Iterable[int], place: str | None, pages: Sequence[str]) -> str:
    page = f"стр. {'–'.join(dict.fromkeys((pages[0], pages[-1])))}" if pages else None
    parts = (wording.grades_name(grades), place, page)
    return f"[{' | '.join(part for part in parts if part)}]"
