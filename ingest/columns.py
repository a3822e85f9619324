"""Where a region of a page stands in two columns of running text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from ingest.lines import Line
from ingest.rows import band_text, bands, rows


@dataclass(frozen=True, slots=True)
class Gutter:
    x0: float
    x1: float
    stretches: tuple[tuple[float, float], ...]
    """y ranges in which the text stands in two columns."""


def find_gutter(lines: Sequence[Line]) -> Gutter | None:
    """The empty upright strip with columns of running text on both sides, or None."""
    solid = [ln for ln in _bridged(lines) if len(ln.text.strip()) > 1]
    if len(solid) < 6:
        return None
    left, right = min(ln.x0 for ln in solid), max(ln.x1 for ln in solid)
    span = right - left
    size = median(ln.size for ln in solid)
    best: tuple[float, Gutter] | None = None
    # A column begins where several lines begin.
    starts = sorted({round(ln.x0) for ln in solid if left + 0.2 * span < ln.x0 < left + 0.8 * span})
    for start in starts:
        begun = [ln for ln in solid if abs(ln.x0 - start) <= 1.5]
        if len(begun) < 2:
            continue
        edge = min(ln.x0 for ln in begun) - 0.5
        stretches = _two_column_ranges(solid, edge, left, right, size)
        if not stretches:
            continue
        cover = sum(y1 - y0 for y0, y1, _ in stretches)
        end = max(x for _, _, x in stretches)
        if best is None or cover > best[0] + 1:
            best = (cover, Gutter(end, edge, tuple((y0, y1) for y0, y1, _ in stretches)))
    return None if best is None else best[1]


def _two_column_ranges(
    solid: Sequence[Line], edge: float, left: float, right: float, size: float
) -> list[tuple[float, float, float]]:
    """Ranges of y, between lines that cross `edge`, in which both sides hold text columns.

    Each as y0, y1 and the right end of the left column.
    """
    crossing = sorted((ln.y0, ln.y1) for ln in solid if ln.x0 < edge - 1 and ln.x1 > edge + 1)
    bounds = [(-1e9, -1e9), *crossing, (1e9, 1e9)]
    out: list[tuple[float, float, float]] = []
    for (_, top), (bottom, _) in pairwise(bounds):
        here = [ln for ln in solid if ln.base > top and (ln.y0 + ln.y1) / 2 < bottom]
        lefts = [ln for ln in here if ln.x1 <= edge + 1]
        rights = [ln for ln in here if ln.x0 >= edge - 1]
        if len(lefts) < 3 or len(rights) < 3:
            continue
        end = max(ln.x1 for ln in lefts)
        if edge - end < 0.6 * size or not (_is_column(lefts, left, end) and _is_column(rights, edge, right)):
            continue
        if bottom < 1e9:
            bottom = _end_of_columns(lefts, rights, bottom, size)
            lefts = [ln for ln in lefts if ln.y0 < bottom]
            here = [*lefts, *rights]
        share = min(max(ln.y1 for ln in lefts), max(ln.y1 for ln in rights)) - max(
            min(ln.y0 for ln in lefts), min(ln.y0 for ln in rights)
        )
        if share > 2 * size:
            out.append((min(ln.y0 for ln in here), max(ln.y1 for ln in here), end))
    return out


def _end_of_columns(lefts: Sequence[Line], rights: Sequence[Line], bottom: float, size: float) -> float:
    """Columns above full-width text are of one height: a heading below them stands at the left alone."""
    end = max(ln.base for ln in rights)
    above = end
    for line in sorted(lefts, key=lambda ln: ln.base):
        if line.base > end + 0.5 * size and (
            line.bold or abs(line.size - size) > 0.07 * size or line.base - above > 1.9 * size
        ):
            return line.y0
        above = line.base
    return bottom


def _is_column(lines: Sequence[Line], left: float, right: float) -> bool:
    """Running text: most rows are long, most begin near the left edge, and there are words in them."""
    width = right - left
    if width <= 0:
        return False
    found = bands(lines)
    wide = sum(band[-1].x1 - band[0].x0 >= 0.55 * width for band in found)
    near = sum(band[0].x0 - left <= 0.35 * width for band in found)
    wordy = sum(sum(ch.isalpha() for ch in band_text(band)) >= 8 for band in found)
    return len(found) >= 3 and min(wide, wordy) >= 0.5 * len(found) and near >= 0.6 * len(found)


def _bridged(lines: Sequence[Line]) -> list[Line]:
    """Lines with the pieces of widely set justified text put together, so that word gaps are no gutters."""
    out: list[Line] = []
    for row in rows(lines, 0, reach=1.0):
        out.append(Line(row.text, row.x0, row.y0, row.x1, row.y1, row.base, row.size, row.bold, row.italic))
    return out
