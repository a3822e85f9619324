"""Ruled tables: cells from the strokes of a page, rows as lines of cells with an em space between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from index.sentences import CELL_GAP
from ingest.cells import TOUCH, Place, Span, merged_cells
from ingest.lines import Line, RawPage, Rect
from ingest.repair import Joiner, clean
from ingest.rows import Row, rows

_JOINER = Joiner()
_FRAME = 0.4  # of the page; the frame around a page of text is no cell
_MAX_RULES = 4_000


@dataclass(frozen=True, slots=True)
class Table:
    """Cells by row and column, each with its lines."""

    box: Rect
    cells: tuple[tuple[tuple[Line, ...], ...], ...]

    def rows(self, page: int) -> list[Row]:
        """One `Row` per table row."""
        out: list[Row] = []
        for line in self.cells:
            texts = [_JOINER.join(clean(row.text) for row in rows(cell, page)) for cell in line]
            pieces = [ln for cell in line for ln in cell]
            if not any(texts):
                continue
            text = CELL_GAP.join(texts).strip()  # an empty cell keeps its place between two gaps
            out.append(
                Row(
                    text=text,
                    x0=self.box[0],
                    y0=min(ln.y0 for ln in pieces),
                    x1=self.box[2],
                    y1=max(ln.y1 for ln in pieces),
                    base=max(ln.base for ln in pieces),
                    size=pieces[0].size,
                    bold=all(ln.bold for ln in pieces if not ln.blank),
                    italic=False,
                    bold_start=False,
                    raised=False,
                    page=page,
                    left=self.box[0],
                    right=self.box[2],
                )
            )
        return out


def find_tables(page: RawPage) -> tuple[list[Table], list[Line]]:
    """Tables of the page and the lines outside them."""
    if len(page.rules) < 5 or len(page.rules) > _MAX_RULES:
        return [], list(page.lines)
    tables: list[Table] = []
    rest = list(page.lines)
    for grid in _grids(page.rules):
        table, rest = _fill(grid, rest, page.width * page.height)
        if table is not None:
            tables.append(table)
    return tables, rest


def _grids(rules: Sequence[Rect]) -> list[list[Rect]]:
    """Groups of touching strokes with at least two across and three upright ones: two columns of cells."""
    groups: list[list[Rect]] = []
    for rule in sorted(rules, key=lambda r: (r[1], r[0])):
        touched = [g for g in groups if any(_touch(rule, other) for other in g)]
        merged = [rule] + [other for g in touched for other in g]
        groups = [g for g in groups if g not in touched] + [merged]
    return [g for g in groups if len(_levels(g, 1)) >= 2 and len(_levels(g, 0)) >= 3]


def _touch(a: Rect, b: Rect) -> bool:
    return a[0] - TOUCH <= b[2] and b[0] - TOUCH <= a[2] and a[1] - TOUCH <= b[3] and b[1] - TOUCH <= a[3]


def _levels(grid: Sequence[Rect], axis: int) -> list[float]:
    """Distinct places of the strokes that run along the other axis: axis 1 = heights of those across."""
    values = sorted(
        (r[axis] + r[axis + 2]) / 2 for r in grid if (r[axis + 2] - r[axis]) < (r[1 - axis + 2] - r[1 - axis])
    )
    out: list[float] = []
    for value in values:
        if not out or value - out[-1] > TOUCH:
            out.append(value)
    return out


def _fill(grid: list[Rect], lines: list[Line], page_area: float) -> tuple[Table | None, list[Line]]:
    xs, ys = _levels(grid, 0), _levels(grid, 1)
    spans = merged_cells(grid, xs, ys)
    homes = {place: span for span in spans for place in span.places}
    content: dict[Span, dict[Place, list[Line]]] = {}
    rest: list[Line] = []
    for line in lines:
        x, y = line.x0 + min(line.width / 2, 4), (line.y0 + line.y1) / 2
        column = next((i for i, (a, b) in enumerate(pairwise(xs)) if a - 1 <= x < b), None)
        level = next((i for i, (a, b) in enumerate(pairwise(ys)) if a <= y < b), None)
        span = None if column is None or level is None else homes[level, column]
        if span is None or column is None or level is None or span.area(xs, ys) > _FRAME * page_area:
            rest.append(line)
        else:
            content.setdefault(span, {}).setdefault((level, column), []).append(line)
    cells: list[list[list[Line]]] = [[[] for _ in range(len(xs) - 1)] for _ in range(len(ys) - 1)]
    for span, places in content.items():
        apart = span.bottom > span.top and _stands_in_rows(places, content, span)
        for (level, _), inside in places.items():
            cells[level if apart else span.top][span.left] += inside
    filled = [(i, j) for i, row in enumerate(cells) for j, cell in enumerate(row) if _inked(cell)]
    wordy = sum(sum(bool(cell) for cell in row) >= 2 for row in cells)
    if len(filled) < 4 or wordy < 2:
        return None, lines
    used = [homes[place] for place in filled]
    box = (
        xs[min(span.left for span in used)],
        ys[min(span.top for span in used)],
        xs[max(span.right for span in used) + 1],
        ys[max(span.bottom for span in used) + 1],
    )
    return Table(box, tuple(tuple(tuple(cell) for cell in row) for row in cells)), rest


def _inked(cell: Sequence[Line]) -> bool:
    return any(not line.blank for line in cell)


def _stands_in_rows(
    places: Mapping[Place, Sequence[Line]], content: Mapping[Span, Mapping[Place, Sequence[Line]]], span: Span
) -> bool:
    """Are these cells of their own, taken for one because a stroke is wanting?

    Then each row has a line level with another cell's; a text set once for several rows has not.
    """
    for level in range(span.top, span.bottom + 1):
        mine = [line.base for (i, _), inside in places.items() if i == level for line in inside]
        others = [
            line.base
            for other, theirs in content.items()
            if other is not span
            for (i, _), inside in theirs.items()
            if i == level
            for line in inside
        ]
        if not any(abs(a - b) < 1 for a in mine for b in others):
            return False
    return True
