"""Where a quote stands on its page: the rectangles to highlight.

Page and quote are compared as streams of letters and digits, so that hyphens at line ends, letter-spacing,
ligatures, stress marks and Latin look-alikes make no difference.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rapidfuzz import fuzz

# Share of equal letters from which a stretch of the page counts as the quote.
_FLOOR = 90.0
# Pieces below this many letters are not looked for on their own: they match by chance.
_SHORTEST_PIECE = 24
_STEP = 1.4  # heights of a word that the mark of one line may have
_LOOK_ALIKES = str.maketrans("abcehkmoptxyё", "авсенкмортхуе")


@dataclass(frozen=True, slots=True)
class Word:
    """A word of the page's text layer, in reading order, with its box in PDF points (y grows downwards)."""

    text: str
    x0: float
    y0: float
    x1: float
    y1: float


@dataclass(frozen=True, slots=True)
class Rect:
    """A box in PDF points, y grows downwards."""

    x0: float
    y0: float
    x1: float
    y1: float


def locate(quote: str, words: Sequence[Word]) -> list[Rect]:
    """One rectangle per printed line that the quote covers, in reading order; empty where it is not found.

    A line that is not level has several, one behind another.
    """
    letters = [normalise(word.text) for word in words]
    starts: list[int] = []
    length = 0
    for text in letters:
        starts.append(length)
        length += len(text)
    stream = "".join(letters)
    covered: set[int] = set()
    for start, end in _find(quote.split(), stream, frozenset(starts)):
        first = bisect_right(starts, start) - 1
        last = bisect_right(starts, end - 1) - 1
        covered.update(range(first, last + 1))
    return _lines([words[i] for i in sorted(covered) if letters[i]])


def normalise(text: str) -> str:
    """Letters and digits alone: compatibility forms resolved, lower case, ё as е, look-alikes as Cyrillic."""
    plain = unicodedata.normalize("NFKC", text).lower().translate(_LOOK_ALIKES)
    return "".join(filter(str.isalnum, plain))


def _find(quote: Sequence[str], stream: str, starts: frozenset[int]) -> Iterator[tuple[int, int]]:
    """Spans of the stream. A quote that other text interrupts on the page is found in pieces."""
    wanted = normalise("".join(quote))
    if not wanted:
        return
    if (start := _exact(wanted, stream, starts)) is not None:
        yield start, start + len(wanted)
    elif len(wanted) < _SHORTEST_PIECE:
        return
    elif len(wanted) <= len(stream) and (
        match := fuzz.partial_ratio_alignment(wanted, stream, score_cutoff=_FLOOR)
    ):
        yield match.dest_start, match.dest_end
    else:
        middle = len(quote) // 2
        for piece in (quote[:middle], quote[middle:]):
            if len(piece) < len(quote) and len(normalise("".join(piece))) >= _SHORTEST_PIECE:
                yield from _find(piece, stream, starts)


def _exact(wanted: str, stream: str, starts: frozenset[int]) -> int | None:
    """First place where the letters stand as whole words, else first place at all."""
    first = found = stream.find(wanted)
    while found >= 0:
        end = found + len(wanted)
        if found in starts and (end in starts or end == len(stream)):
            return found
        found = stream.find(wanted, found + 1)
    return first if first >= 0 else None


def _lines(words: Sequence[Word]) -> list[Rect]:
    rects: list[Rect] = []
    tallest = 0.0
    for word in words:
        last = rects[-1] if rects else None
        tallest = max(tallest, word.y1 - word.y0)
        if last is not None and _same_line(last, word):
            joined = Rect(
                min(last.x0, word.x0), min(last.y0, word.y0), max(last.x1, word.x1), max(last.y1, word.y1)
            )
            # A line that climbs, on a sheet photographed askew, is marked in steps, not with its neighbours.
            if joined.y1 - joined.y0 <= _STEP * tallest:
                rects[-1] = joined
                continue
        rects.append(Rect(word.x0, word.y0, word.x1, word.y1))
        tallest = word.y1 - word.y0
    return rects


def _same_line(rect: Rect, word: Word) -> bool:
    overlap = min(rect.y1, word.y1) - max(rect.y0, word.y0)
    return overlap > 0.5 * min(rect.y1 - rect.y0, word.y1 - word.y0) and word.x1 > rect.x0
