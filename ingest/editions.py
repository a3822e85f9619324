"""Is a file a new edition of a stored book, or another book under the same name?

A name made of title and grade is easily given twice: «Алгебра», 9 класс, часть 1 и часть 2. The second part
must not silently take the place of the first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from rapidfuzz import fuzz

from index.book import Book
from index.chunk import Chunk
from index.locate import normalise
from index.sentences import split_sentences

_FEW_SECTIONS = 3  # two titles may agree or differ by chance
_FEW_SENTENCES = 20
_SAME_TITLE = 80.0  # of 100, as a scan spells a letter otherwise
_SAME_SECTIONS = 0.5
_SAME_SENTENCES = 0.2  # a scan and a file from the publisher share half of them word for word


class Content(Protocol):
    """A book with its text, read just now or stored."""

    @property
    def book(self) -> Book: ...

    @property
    def chunks(self) -> Sequence[Chunk]: ...


def is_other_book(new: Content, old: Content) -> bool:
    """Do the two have hardly a § title or a sentence in common? False for books too small to tell."""
    sections = _common_sections(new.book, old.book)
    if sections is not None and sections >= _SAME_SECTIONS:
        return False
    sentences = _common_sentences(new.chunks, old.chunks)
    if sentences is not None:
        return sentences < _SAME_SENTENCES
    return sections is not None


def _common_sections(new: Book, old: Book) -> float | None:
    """Share of the §§ of the smaller book that the other one has with number and title; None with few §§."""
    mine, theirs = list(_titles(new)), list(_titles(old))
    if min(len(mine), len(theirs)) < _FEW_SECTIONS:
        return None
    if len(mine) > len(theirs):
        mine, theirs = theirs, mine
    known: dict[str, list[str]] = {}
    for number, title in theirs:
        known.setdefault(number, []).append(title)
    same = sum(
        any(fuzz.ratio(t, title) >= _SAME_TITLE for t in known.get(number, ())) for number, title in mine
    )
    return same / len(mine)


def _titles(book: Book) -> Iterator[tuple[str, str]]:
    for section in book.paragraphs:
        title = normalise(section.title)
        if title:
            yield "–".join(section.numbers), title


def _common_sentences(new: Sequence[Chunk], old: Sequence[Chunk]) -> float | None:
    """Share of the sentences of the smaller book that stand in the other one; None with few sentences."""
    mine, theirs = _sentences(new), _sentences(old)
    least = min(len(mine), len(theirs))
    return len(mine & theirs) / least if least >= _FEW_SENTENCES else None


def _sentences(chunks: Sequence[Chunk]) -> set[str]:
    found = (
        normalise(chunk.text[start:end]) for chunk in chunks for start, end in split_sentences(chunk.text)
    )
    return {text for text in found if len(text) >= 15}
