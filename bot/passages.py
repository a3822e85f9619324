"""An answer cut at its quotes: what is quoted, from where, and the words around it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from answer.answer import Citation

_CUT_OFF = re.compile(r"[^\S\n]?[^\s.!?…]+(?:[^\S\n][^\s.!?…]+)?[.!?…]+(?=\s|\Z)")
# One word or two (or the letters of one) that open a sentence; nearest first.
_OPENINGS = tuple(
    re.compile(rf"(?:\A|(?<=\n)|(?<=[.!?…:]\s)(?<!\b\w\.\s))\S+{more}(?<![!?…:])(?<!\w{{3}}\.)[^\S\n]?\Z")
    for more in ("", r"[^\S\n]\S+")
)


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of the answer: words around the quotes (no sources), or quotes of one place."""

    texts: tuple[str, ...]
    sources: tuple[Citation, ...] = ()


def passages_of(text: str, sources: Sequence[Citation]) -> list[Passage] | None:
    """The answer cut at its quotes; None where a quote is not in it.

    Quotes of one § stand over one source line. Where at most a space is between two of them, they are the
    halves of a sentence that crosses a page border, and stay one quotation.
    """
    found = [_find(source.quote.strip(), text) for source in sources]
    places = [_with_opening(_with_cut_off(place, text, found), text, found) for place in found]
    passages: list[Passage] = []
    position = 0
    # The best source comes first in the list, the quotes stand in the book's order.
    for (start, quote), source in sorted(zip(places, sources, strict=True), key=lambda place: place[0][0]):
        if start < position:
            return None
        between = text[position:start]
        last = passages[-1] if passages else Passage(())
        if between.strip():
            passages.append(Passage((between,)))
        if between.strip() or not last.sources or not same_place(last.sources[-1], source):
            passages.append(Passage((quote,), (source,)))
        else:
            joined = (*last.texts[:-1], last.texts[-1] + between + quote)
            texts = (*last.texts, quote) if "\n" in between else joined
            passages[-1] = Passage(texts, (*last.sources, source))
        position = start + len(quote)
    if text[position:].strip():
        passages.append(Passage((text[position:],)))
    return passages


def _find(quote: str, text: str) -> tuple[int, str]:
    """Where a quote stands in the answer (-1: nowhere), and how; words cut by a page border are whole."""
    for wording in (quote, quote.rstrip("-\u2010\u00ad")):
        if wording and (start := text.find(wording)) >= 0:
            return start, wording
    return -1, quote


def _with_cut_off(place: tuple[int, str], text: str, found: Sequence[tuple[int, str]]) -> tuple[int, str]:
    """A quote with the last word or two of its sentence that a page turn has cut off.

    They are no source of their own (`answer.citations.LEAST`), unless one of `found` begins there.
    """
    start, quote = place
    end = start + len(quote)
    rest = _CUT_OFF.match(text, end) if start >= 0 and (quote[-1].isalnum() or quote[-1] == ",") else None
    if rest is None or any(end <= beginning < rest.end() for beginning, _ in found):
        return place
    return start, text[start : rest.end()]


def _with_opening(place: tuple[int, str], text: str, found: Sequence[tuple[int, str]]) -> tuple[int, str]:
    """A quote with the first letters, word or two of its sentence that stand before the page turn."""
    start, quote = place
    for opening in _OPENINGS if start > 0 else ():
        head = opening.search(text, 0, start)
        if head is not None and not any(
            beginning < start and head.start() < beginning + len(other) for beginning, other in found
        ):
            return head.start(), text[head.start() : start] + quote
    return place


def same_place(one: Citation, other: Citation) -> bool:
    """Whether two quotes stand over one source line."""
    return (one.book_id, one.paragraph, one.chapter) == (other.book_id, other.paragraph, other.chapter)
