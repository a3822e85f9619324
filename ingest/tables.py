"""Ruled tables: cells from the strokes of a page, rows as lines of cells with an em space between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from index.sentences import CELL_GAP
from ingest.lines import Line, RawPage, Rect
from ingest.repair import Joiner, clean
from ingest.rows import Row, rows

_JOINER = Joiner()
_TOUCH = 2.5
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
        table, rest = _fill(grid, rest)
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
    return a[0] - _TOUCH <= b[2] and b[0] - _TOUCH <= a[2] and a[1] - _TOUCH <= b[3] and b[1] - _TOUCH <= a[3]


def _levels(grid: Sequence[Rect], axis: int) -> list[float]:
    """Distinct places of the strokes that run along the other axis: axis 1 = heights of those across."""
    values = sorted(
        (r[axis] + r[axis + 2]) / 2 for r in grid if (r[axis + 2] - r[axis]) < (r[1 - axis + 2] - r[1 - axis])
    )
    out: list[float] = []
    for value in values:
        if not out or value - out[-1] > _TOUCH:
            out.append(value)
    return out


def _fill(grid: list[Rect], lines: list[Line]) -> tuple[Table | None, list[Line]]:
    xs, ys = _levels(grid, 0), _levels(grid, 1)
    cells: list[list[list[Line]]] = [[[] for _ in range(len(xs) - 1)] for _ in range(len(ys) - 1)]
    rest: list[Line] = []
    held = 0
    for line in lines:
        x, y = line.x0 + min(line.width / 2, 4), (line.y0 + line.y1) / 2
        column = next((i for i, (a, b) in enumerate(pairwise(xs)) if a - 1 <= x < b), None)
        level = next((i for i, (a, b) in enumerate(pairwise(ys)) if a <= y < b), None)
        if column is None or level is None:
            rest.append(line)
        else:
            cells[level][column].append(line)
            held += not line.blank
    filled = sum(any(not ln.blank for ln in cell) for row in cells for cell in row)
    wordy = sum(sum(bool(cell) for cell in row) >= 2 for row in cells)
    if filled < 4 or wordy < 2 or not held:
        return None, lines
    box = (xs[0], ys[0], xs[-1], ys[-1])
    return Table(box, tuple(tuple(tuple(cell) for cell in row) for row in cells)), rest
