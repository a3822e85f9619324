"""Cells of a ruled table that reach over several rows or columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ingest.lines import Rect

TOUCH = 2.5
"""Points within which strokes meet."""

Place = tuple[int, int]
"""Row and column of a table, from 0."""


@dataclass(frozen=True, slots=True)
class Span:
    """Places that one cell covers: rows `top` to `bottom` and columns `left` to `right`, both included."""

    top: int
    left: int
    bottom: int
    right: int

    @property
    def places(self) -> list[Place]:
        return [(i, j) for i in range(self.top, self.bottom + 1) for j in range(self.left, self.right + 1)]

    def area(self, xs: Sequence[float], ys: Sequence[float]) -> float:
        """Square points, where the columns end at `xs` and the rows at `ys`."""
        return (xs[self.right + 1] - xs[self.left]) * (ys[self.bottom + 1] - ys[self.top])


def merged_cells(grid: Sequence[Rect], xs: Sequence[float], ys: Sequence[float]) -> list[Span]:
    """The cells of a grid of strokes; places with no stroke between them are one cell.

    What is no rectangle then is no cell: strokes are left out there, and each place is taken for itself.
    """
    upright = [r for r in grid if r[2] - r[0] < r[3] - r[1]]
    across = [r for r in grid if r[2] - r[0] > r[3] - r[1]]
    home = {(i, j): (i, j) for i in range(len(ys) - 1) for j in range(len(xs) - 1)}

    def root(place: Place) -> Place:
        while home[place] != place:
            place = home[place]
        return place

    for i, j in home:
        x, y = (xs[j] + xs[j + 1]) / 2, (ys[i] + ys[i + 1]) / 2
        neighbours: list[Place] = []
        if j + 2 < len(xs) and not any(_parts(rule, 0, xs[j + 1], y) for rule in upright):
            neighbours.append((i, j + 1))
        if i + 2 < len(ys) and not any(_parts(rule, 1, ys[i + 1], x) for rule in across):
            neighbours.append((i + 1, j))
        for neighbour in neighbours:
            first, second = sorted((root((i, j)), root(neighbour)))
            home[second] = first
    groups: dict[Place, list[Place]] = {}
    for place in home:
        groups.setdefault(root(place), []).append(place)
    out: list[Span] = []
    for group in groups.values():
        rows, columns = [i for i, _ in group], [j for _, j in group]
        span = Span(min(rows), min(columns), max(rows), max(columns))
        if len(group) == len(span.places):
            out.append(span)
        else:
            out += [Span(i, j, i, j) for i, j in group]
    return out


def _parts(rule: Rect, axis: int, at: float, along: float) -> bool:
    """Does a stroke that runs along the other axis stand at `at` and reach over `along`?"""
    middle = (rule[axis] + rule[axis + 2]) / 2
    other = 1 - axis
    return abs(middle - at) <= TOUCH and rule[other] - TOUCH <= along <= rule[other + 2] + TOUCH
