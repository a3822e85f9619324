"""A page's lines → blocks in reading order: columns, boxes, tables, footnotes, what stands beside text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ingest.columns import Gutter, find_gutter
from ingest.lines import Line, RawPage, Rect
from ingest.rows import Row, rows
from ingest.tables import Table, find_tables

Flow = Literal["main", "box", "table", "note", "side"]
_MARGIN = 0.6  # of the width of the text beside it


@dataclass(frozen=True, slots=True)
class Block:
    """Rows of one column, box or table. Only `main` blocks may continue one another."""

    flow: Flow
    rows: tuple[Row, ...]
    page: int


def arrange(page: RawPage, body_size: float) -> list[Block]:
    """Blocks of the page as they are read. Footnotes and texts beside the column come after it."""
    tables, lines = find_tables(page)
    boxes = _boxes(page.boxes, lines, page)
    items: list[_Item] = []
    loose: list[Line] = []
    boxed: dict[Rect, list[Line]] = {box: [] for box in boxes}
    for line in lines:
        home = next((box for box in boxes if _inside(line, box)), None)
        (loose if home is None else boxed[home]).append(line)
    items += [_Item(table.box, (_table_block(table, page.file_page),)) for table in tables]
    for box, content in boxed.items():
        inner: list[Block] = []
        for block in _flow([], content, page.file_page, body_size):
            inner.append(Block("box" if block.flow == "main" else block.flow, block.rows, block.page))
        if inner:
            items.append(_Item(box, tuple(inner)))
    notes, loose = _footnotes(loose, page, body_size)
    blocks = _flow(items, loose, page.file_page, body_size)
    if notes:
        blocks += [Block("note", tuple(rows(notes, page.file_page)), page.file_page)]
    return blocks


@dataclass(frozen=True, slots=True)
class _Item:
    """A box or table: laid out already, placed as a whole."""

    box: Rect
    blocks: tuple[Block, ...]


def _inside(line: Line, box: Rect) -> bool:
    return box[0] - 1 <= line.x0 and line.x1 <= box[2] + 1 and box[1] <= (line.y0 + line.y1) / 2 <= box[3]


def _boxes(found: Sequence[Rect], lines: Sequence[Line], page: RawPage) -> list[Rect]:
    """Outermost frames and grounds with text in them; a ground under a single heading line is none."""
    out: list[Rect] = []
    for box in sorted(set(found), key=lambda b: (b[0] - b[2]) * (b[3] - b[1])):
        if any(
            o[0] - 2 <= box[0] and box[2] <= o[2] + 2 and o[1] - 2 <= box[1] and box[3] <= o[3] + 2
            for o in out
        ):
            continue
        content = [line for line in lines if not line.blank and _inside(line, box)]
        baselines = {round(line.base) for line in content}
        tall = box[3] - box[1] > 0.75 * page.height and box[2] - box[0] > 0.7 * page.width
        if len(baselines) >= 2 and not tall:
            out.append(box)
    return out


def _table_block(table: Table, page: int) -> Block:
    return Block("table", tuple(table.rows(page)), page)


def _flow(items: Sequence[_Item], lines: Sequence[Line], page: int, body_size: float) -> list[Block]:
    """Blocks of a region: bands of one column and stretches of two, from top to bottom."""
    if not lines and not items:
        return []
    gutter = find_gutter(lines)
    if gutter is None:
        return _column(items, lines, page, body_size)
    out: list[Block] = []
    for part in _stretches(items, lines, gutter):
        if part.two:
            left = _flow(part.left_items, part.left, page, body_size)
            right = _flow(part.right_items, part.right, page, body_size)
            margin = _margin(part.left, part.right)
            out += (
                [*right, *_aside(left)]
                if margin == "left"
                else [*left, *(_aside(right) if margin else right)]
            )
        else:
            out += _column(part.left_items, part.left, page, body_size)
    return out


def _margin(left: Sequence[Line], right: Sequence[Line]) -> Literal["left", "right"] | None:
    """Which of two columns is a margin with notes beside the running text: far narrower than the other one,
    which is one column. Columns of one text are of one width.
    """
    widths = [
        max(ln.x1 for ln in part) - min(ln.x0 for ln in part) if part else 0.0 for part in (left, right)
    ]
    narrow, wide = min(widths), max(widths)
    if narrow == 0 or narrow > _MARGIN * wide or find_gutter(left if widths[0] == wide else right):
        return None
    return "left" if widths[0] == narrow else "right"


def _aside(blocks: Sequence[Block]) -> list[Block]:
    return [Block("side", b.rows, b.page) if b.flow == "main" else b for b in blocks]


# --- columns ---------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Part:
    two: bool
    left: list[Line]
    right: list[Line]
    left_items: list[_Item]
    right_items: list[_Item]


def _stretches(items: Sequence[_Item], lines: Sequence[Line], gutter: Gutter) -> list[_Part]:
    """Cuts the region at the borders of its two-column ranges."""
    parts: list[_Part] = []
    y = -1e9
    for top, bottom in [*gutter.stretches, (1e9, 1e9)]:
        parts.append(_part(items, lines, y, top, None))
        if top < 1e9:
            parts.append(_part(items, lines, top, bottom, gutter))
        y = bottom
    return [part for part in parts if part.left or part.right or part.left_items or part.right_items]


def _part(
    items: Sequence[_Item], lines: Sequence[Line], top: float, bottom: float, gutter: Gutter | None
) -> _Part:
    part = _Part(gutter is not None, [], [], [], [])
    middle = (gutter.x0 + gutter.x1) / 2 if gutter else 1e9
    for line in lines:
        if top <= (line.y0 + line.y1) / 2 < bottom:
            (part.left if (line.x0 + line.x1) / 2 < middle else part.right).append(line)
    for item in items:
        if top <= (item.box[1] + item.box[3]) / 2 < bottom:
            (part.left_items if (item.box[0] + item.box[2]) / 2 < middle else part.right_items).append(item)
    return part


# --- one column ------------------------------------------------------------------------------------------

_WORD = re.compile(r"[^\W\d_]{3,}")


def _column(items: Sequence[_Item], lines: Sequence[Line], page: int, body_size: float) -> list[Block]:
    """Rows of one column, boxes and tables at their height; figure labels left out; captions at the end."""
    found = rows(lines, page)
    main, side = _beside(found, body_size)
    main = _edges(main)
    out: list[Block] = []
    pending = sorted(items, key=lambda item: item.box[1])
    current: list[Row] = []
    for row in main:
        while pending and (pending[0].box[1] + pending[0].box[3]) / 2 < row.base:
            if current:
                out.append(Block("main", tuple(current), page))
                current = []
            out += pending.pop(0).blocks
        current.append(row)
    if current:
        out.append(Block("main", tuple(current), page))
    for item in pending:
        out += item.blocks
    out += [Block("side", (row,), page) for row in side]
    return out


def _beside(found: list[Row], body_size: float) -> tuple[list[Row], list[Row]]:
    """Splits off what stands beside the running text: labels of figures (dropped) and captions."""
    main: list[Row] = []
    side: list[Row] = []
    for row in found:
        wider = [
            other
            for other in found
            if other is not row
            and other.width > 1.5 * row.width
            and min(other.y1, row.y1) - max(other.y0, row.y0) > 0.3 * row.size
            and (other.x0 >= row.x1 or row.x0 >= other.x1)
            and _WORD.search(other.text)
        ]
        if wider or _is_label(row, found, body_size):
            if _WORD.search(row.text):
                side.append(row)
        else:
            main.append(row)
    return main, _stacked(side)


def _is_label(row: Row, found: Sequence[Row], body_size: float) -> bool:
    """A letter or number in a figure: no word, and not set in line with the text above or below."""
    if _WORD.search(row.text) or len(row.text) > 6 or row.size > 1.07 * body_size:
        return False
    for other in found:
        if other is row or not _WORD.search(other.text):
            continue
        leading = abs(other.base - row.base)
        if other.text[-1:] in "-\u2010\u00ad" and 0 < row.base - other.base <= 1.6 * row.size:
            return False  # the end of a word
        aligned = abs(other.x0 - row.x0) <= 2 or 0 < row.x0 - other.x0 < 2.5 * body_size
        if aligned and leading <= 1.6 * max(row.size, other.size):
            return False
    return True


def _stacked(side: list[Row]) -> list[Row]:
    """Rows beside the text by groups: what stands closely one below the other goes together."""
    groups: list[list[Row]] = []
    for row in side:
        home = next(
            (
                g
                for g in groups
                if 0 < row.base - g[-1].base < 1.7 * row.size
                and min(g[-1].x1, row.x1) > max(g[-1].x0, row.x0)
            ),
            None,
        )
        if home is None:
            groups.append([row])
        else:
            home.append(row)
    return [row for group in groups for row in group]


def _edges(found: list[Row]) -> list[Row]:
    """Gives each row the edges of its column."""
    if not found:
        return []
    left, right = min(row.x0 for row in found), max(row.x1 for row in found)
    return [row.within(left, right) for row in found]


def _footnotes(lines: list[Line], page: RawPage, body_size: float) -> tuple[list[Line], list[Line]]:
    """The run of smaller rows at the foot of the page that begins with a raised mark."""
    found = rows(lines, page.file_page)
    start: float | None = None
    for row in reversed(found):
        if row.size > 0.93 * body_size:
            break
        if (row.raised and re.match(r"[\d*†]", row.text)) or re.match(r"[*†]+\s?\S", row.text):
            start = row.y0
    if start is None or start < 0.4 * page.height:
        return [], lines
    cut = start - 0.2
    return [ln for ln in lines if ln.y0 >= cut], [ln for ln in lines if ln.y0 < cut]
