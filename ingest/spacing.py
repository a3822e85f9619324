"""Glyphs of a line → its text: doubled glyphs dropped, spaced-out words closed up. Pure functions."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

# Letters of one alphabet: «G с B и A с K» are words of one letter each.
_SPACED_OUT = re.compile(
    r"(?<![^\W_])(?:(?:[а-яё][ \u00a0]){4,}[а-яё]|(?:[a-z][ \u00a0]){4,}[a-z])(?![^\W_])", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Glyph:
    """A painted character and its horizontal extent, points."""

    char: str
    x0: float
    x1: float
    synthetic: bool = False
    """A space that MuPDF inserted because of a gap."""


def close_up(glyphs: list[Glyph], size: float, spaced: bool = False) -> str:
    """Text of a line from its glyphs in their order.

    `spaced`: the file writes its word spaces as characters, so a mere gap parts no words.
    """
    glyphs = _undouble(glyphs)
    text = "".join(glyph.char for glyph in glyphs)
    if _SPACED_OUT.search(" ".join(text.split())):
        return _close(glyphs, size, spaced)
    return text


def _undouble(glyphs: list[Glyph]) -> list[Glyph]:
    """Drops a glyph that lies on an equal one: real double letters stand side by side."""
    kept: list[Glyph] = []
    last: Glyph | None = None
    for glyph in glyphs:
        if glyph.char.isspace():
            kept.append(glyph)
            continue
        if last is not None and glyph.char == last.char:
            near = 0.65 * (last.x1 - last.x0)
            if abs(glyph.x0 - last.x0) < near:
                continue
        kept.append(glyph)
        last = glyph
    return kept


def _close(glyphs: list[Glyph], size: float, spaced: bool) -> str:
    """Rebuilds the words of a line that has spaced-out ones, from the gaps between its letters.

    Within a spaced-out run a word ends where the gap is far wider than the usual one of that run.
    """
    last = max((i for i, glyph in enumerate(glyphs) if not glyph.char.isspace()), default=0)
    # Soft hyphens inside the line are neither letters nor gaps; one at its end cuts a word.
    glyphs = [glyph for i, glyph in enumerate(glyphs) if glyph.char != "\u00ad" or i == last]
    ink = [glyph for glyph in glyphs if not glyph.char.isspace()]
    spaces = _spaces_before(glyphs)
    written = _spaces_before([glyph for glyph in glyphs if not glyph.synthetic])
    gaps = [0.0] + [b.x0 - a.x1 for a, b in pairwise(ink)]
    out: list[str] = []
    start = 0
    while start < len(ink):
        end = start + 1
        # A run: letters that all stand apart by more than a hair, some of them with a space between.
        while (
            end < len(ink) and 0.08 * size < gaps[end] < 1.6 * size and _one_alphabet(ink[end - 1], ink[end])
        ):
            end += 1
        run = range(start + 1, end)
        if len(run) >= 3 and sum(bool(spaces[i]) for i in run) >= 0.4 * len(run):
            usual = median(sorted(gaps[i] for i in run)[: max(3, (len(run) * 3) // 4)])
            wide = max(1.7 * usual, usual + 0.12 * size)
            pieces = [ink[start].char]
            for i in run:
                parted = bool(written[i]) if spaced else gaps[i] > wide
                pieces.append((" " if parted else "") + ink[i].char)
            word = "".join(pieces)
        else:
            end = start + 1
            word = ink[start].char
        out.append((" " if spaces[start] and out else "") + word)
        start = end
    return "".join(out)


def _one_alphabet(a: Glyph, b: Glyph) -> bool:
    """May the two belong to one spaced-out word? A sign before a letter may, «G с B» may not."""
    if not b.char.isalpha():
        return False
    return not a.char.isalpha() or a.char.isascii() == b.char.isascii()


def _spaces_before(glyphs: list[Glyph]) -> list[int]:
    """For each painted glyph: how many spaces stand before it."""
    counts: list[int] = []
    pending = 0
    for glyph in glyphs:
        if glyph.char.isspace():
            pending += 1
        else:
            counts.append(pending)
            pending = 0
    return counts
