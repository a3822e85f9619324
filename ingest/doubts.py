"""Pages whose reading order is unsure: what a person should look at before trusting the text of them.

Pure functions over the lines of a page and the blocks made of them. A column of running text has one row at a
height. Where rows stand side by side all the same, the page may be set in columns that were not told apart;
where two columns hold no running text, they may be a table without strokes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from ingest.layout import Block
from ingest.lines import Line, RawPage
from ingest.rows import Row

ORDER = "колонки на странице различаются неуверенно, порядок строк может быть нарушен"
SIDEWAYS = "часть текста стоит боком и не прочитана"
_WORDS = re.compile(r"[^\W\d_]{3,}")
_FEW = 3
"""So many rows side by side may be a formula, a signature or a label."""
_LONG = 5
"""So many rows with a gap in one place are more than chance."""
_UNEVEN = 0.02  # of the type: rows of a table share their baseline
_MIN_SIDEWAYS = 60  # letters
_SIDEWAYS_SHARE = 0.15

_Piece = tuple[float, float, str]
"""x0, x1 and text of a line or of a part of one."""


def doubt(page: RawPage, blocks: Sequence[Block]) -> str | None:
    """Russian reason to look at the page, or None where the order is sure."""
    read = sum(ch.isalpha() for line in page.lines for ch in line.text)
    if page.sideways >= max(_MIN_SIDEWAYS, _SIDEWAYS_SHARE * (page.sideways + read)):
        return SIDEWAYS
    running = [block for block in blocks if block.flow in ("main", "box")]
    beside = [row for block in blocks if block.flow == "side" for row in block.rows]
    unsure = (
        any(_abreast(block.rows) or _split_by_a_gap(block.rows, page.lines) for block in running)
        or any(_is_list_in_columns(a.rows, b.rows) for a, b in pairwise(running))
        or _torn(beside, [row for block in running for row in block.rows])
    )
    return ORDER if unsure else None


def _abreast(rows: Sequence[Row]) -> bool:
    """Are rows of words often followed by one that stands beside them?"""
    pairs = [
        (a, b)
        for a, b in pairwise(rows)
        if abs(a.base - b.base) < 0.6 * min(a.size, b.size) and _is_text(a.text) and _is_text(b.text)
    ]
    if len(pairs) <= _FEW:
        return False
    uneven = sum(abs(a.base - b.base) > _UNEVEN * a.size for a, b in pairs)
    left, right = ([(row.x0, row.x1, row.text) for row in side] for side in zip(*pairs, strict=True))
    return uneven > _FEW or (
        _runs_on(left, min(piece[0] for piece in right) - rows[0].size)
        and _runs_on(right, max(piece[1] for piece in right))
    )


def _split_by_a_gap(rows: Sequence[Row], lines: Sequence[Line]) -> bool:
    """Does one wide gap go down through many rows of running text, with words on both sides of it?"""
    before: list[_Piece] = []
    strip = (0.0, 0.0)
    for row in rows:
        gaps = _gaps(row, lines)
        fit = max(
            ((max(piece[1], strip[0]), min(end, strip[1]), piece) for piece, end in gaps),
            key=lambda shared: shared[1] - shared[0],
            default=None,
        )
        if before and fit is not None and fit[1] - fit[0] >= 0.5 * row.size:
            strip = (fit[0], fit[1])
            before.append(fit[2])
        elif gaps:
            piece, end = max(gaps, key=lambda gap: gap[1] - gap[0][1])
            before, strip = [piece], (piece[1], end)
        else:
            before = []
        if len(before) >= _LONG and _runs_on(before, strip[0]):
            return True
    return False


def _gaps(row: Row, lines: Sequence[Line]) -> list[tuple[_Piece, float]]:
    """Gaps within a row that are wider than between words, with a text on either side: what stands before
    the gap, and where the gap ends.
    """
    pieces = sorted(
        (
            line
            for line in lines
            if not line.blank
            and abs(line.base - row.base) < 0.3 * row.size
            and row.x0 - 1 <= line.x0
            and line.x1 <= row.x1 + 1
        ),
        key=lambda line: line.x0,
    )
    out: list[tuple[_Piece, float]] = []
    for i in range(1, len(pieces)):
        left, right = pieces[i - 1].x1, pieces[i].x0
        before, after = (" ".join(p.text for p in part) for part in (pieces[:i], pieces[i:]))
        if right - left >= 0.8 * row.size and _is_text(before) and _is_text(after):
            out.append(((pieces[0].x0, left, before), right))
    return out


def _is_list_in_columns(left: Sequence[Row], right: Sequence[Row]) -> bool:
    """May two columns be a table without strokes, to be read across? Row beside row, and no running text."""
    if len(left) <= _FEW or not right or right[0].x0 < max(row.x1 for row in left):
        return False
    level = sum(any(abs(a.base - b.base) < 1 for b in right) for a in left)
    edge = min(row.x0 for row in right) - left[0].size
    return level >= 0.8 * max(len(left), len(right)) and not _runs_on(
        [(row.x0, row.x1, row.text) for row in left], edge
    )


def _torn(beside: Sequence[Row], main: Sequence[Row]) -> bool:
    """Do lines of one column stand partly in the text and partly beside it?"""
    torn = sum(
        any(
            abs(other.x0 - row.x0) < 2
            and 0 < abs(other.base - row.base) < 3 * row.size
            and other.x0 - other.left > 0.3 * (other.right - other.left)
            and abs(other.size - row.size) < 0.5
            for other in main
        )
        for row in beside
    )
    return torn >= _FEW


def _runs_on(lines: Sequence[_Piece], edge: float) -> bool:
    """Is it running text: does a line mostly end where the next one's first word did not fit any more?"""
    full = sum(
        a[1] + (b[1] - b[0]) * (len(b[2].split(" ", 1)[0]) + 1) / max(len(b[2]), 1) >= edge
        for a, b in pairwise(lines)
    )
    return full >= 0.5 * (len(lines) - 1)


def _is_text(text: str) -> bool:
    return len(_WORDS.findall(text)) >= 2
