"""Blocks → paragraphs: where one begins, and which continue over a column or page break."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median

from ingest.layout import Block, Flow
from ingest.rows import Row

_TERM = re.compile(r"^[^—–.?!]{2,70}\s[—–]\s")
_BULLET = re.compile(r"^(?:[•▪●○■□◦‣∙·*]|[–—-]\s)")
_NUMBERED = re.compile(r"^(?:\(?\d{1,3}[.)]|\(?[а-яёa-z]\))\s")
_ENDS = re.compile(r"[.!?…:;»\")\]]\s*$")
_STOPS = re.compile(r"[.!?…:;]['»\")\]]*\s*$")
SECTION_START = re.compile(
    r"^\W?\s*(?:§+\s*\d|параграф\s+\d|(?:глава|раздел|часть|тема|урок|лекция|занятие)\s+(?:\d|[ivxlc]+\b)|\d+\.\d)",
    re.IGNORECASE,
)
"""A line that may begin a numbered heading."""
_HYPHEN_END = re.compile("[-\u2010\u2011\u00ad]$")


@dataclass(slots=True)
class Para:
    """A paragraph of the book before repair."""

    flow: Flow
    rows: list[Row] = field(default_factory=list)

    @property
    def page(self) -> int:
        return self.rows[0].page

    @property
    def size(self) -> float:
        return self.rows[0].size

    @property
    def bold(self) -> bool:
        return all(row.bold for row in self.rows)

    @property
    def raw(self) -> str:
        """Unrepaired text, for patterns."""
        return " ".join(row.text for row in self.rows)


@dataclass(frozen=True, slots=True)
class Habits:
    """How the book sets its text, over all its pages."""

    body_size: float
    indent: float
    """First-line indent in points; 0 where the book sets none."""


def habits(blocks: Iterable[Block]) -> Habits:
    """Counts letters by size, and indents by how often they occur."""
    sizes: Counter[float] = Counter()
    indents: Counter[float] = Counter()
    total = 0
    for block in blocks:
        if block.flow != "main":
            continue
        for row in block.rows:
            sizes[row.size] += len(row.text)
        for a, b, c in zip(block.rows, block.rows[1:], block.rows[2:], strict=False):
            total += 1
            step = b.x0 - c.x0
            if a.size == b.size == c.size and abs(c.x0 - c.left) < 2 and 0.6 * b.size < step < 5 * b.size:
                indents[round(step * 2) / 2] += 1
    body = sizes.most_common(1)[0][0] if sizes else 10.0
    common = indents.most_common(1)
    indent = common[0][0] if common and common[0][1] >= max(2, 0.01 * total) else 0.0
    return Habits(body, indent)


def paragraphs(blocks: Sequence[Block], book: Habits, lost: Collection[int] = ()) -> list[Para]:
    """All paragraphs in reading order; those cut by a column or page break are whole again.

    What interrupts a cut paragraph (box, table, caption, footnote) comes before it: pages never run back.
    Nothing is continued over one of the `lost` sheets: what stood there is not known.
    """
    out: list[Para] = []
    last_main: int | None = None
    last_box: int | None = None
    for block in blocks:
        parts = _split(block, book)
        if block.flow == "box" and parts and last_box is not None and _box_goes_on(out[last_box], parts[0]):
            out[last_box].rows += parts.pop(0).rows
            out.append(out.pop(last_box))
        if block.flow in ("box", "main", "table"):
            last_box = len(out) + len(parts) - 1 if block.flow == "box" else None
        if block.flow == "main" and parts and last_main is not None:
            before = out[last_main]
            between = range(before.rows[-1].page + 1, parts[0].page)
            if not any(sheet in lost for sheet in between) and _continues(before, parts[0], book):
                before.rows += parts.pop(0).rows
                out.append(out.pop(last_main))
                last_main = len(out) - 1
        if not parts:
            continue
        out += parts
        if block.flow == "main":
            last_main = len(out) - 1
    return out


def _box_goes_on(before: Para, after: Para) -> bool:
    """Is `after`, first on its page, the rest of `before`, last on the page before, in a box over the turn?

    Two boxes of their own may meet at a page turn: only a sentence that is cut in two tells.
    """
    a, b = before.rows[-1], after.rows[0]
    if b.page != a.page + 1 or abs(a.size - b.size) > 0.07 * a.size:
        return False
    return bool(_HYPHEN_END.search(a.text)) or (not _STOPS.search(a.text) and b.text[:1].islower())


def _split(block: Block, book: Habits) -> list[Para]:
    if block.flow == "table":
        return [Para("table", list(block.rows))] if block.rows else []
    out: list[Para] = []
    rows = block.rows
    leading = _leading(rows)
    for i, row in enumerate(rows):
        following = rows[i + 1] if i + 1 < len(rows) else None
        if i == 0 or _breaks(rows, i, following, leading, book):
            out.append(Para(block.flow, [row]))
        else:
            out[-1].rows.append(row)
    return out


def _leading(rows: Sequence[Row]) -> float:
    steps = [b.base - a.base for a, b in pairwise(rows) if 0 < b.base - a.base < 3 * b.size]
    return median(steps) if steps else 0.0


def _breaks(rows: Sequence[Row], i: int, following: Row | None, leading: float, book: Habits) -> bool:
    """Does a paragraph begin at `rows[i]`?"""
    a, b = rows[i - 1], rows[i]
    size = max(a.size, b.size)
    step = b.base - a.base
    if abs(a.size - b.size) > 0.07 * size and (len(a.text) > 3 and len(b.text) > 3):
        return True
    hyphened = bool(_HYPHEN_END.search(a.text))
    goes_on = hyphened or b.text[:1].islower()
    if a.bold != b.bold and not goes_on and _heading_like(a, b):
        return True
    # Headings have a leading of their own.
    usual = leading if leading > 0 and abs(size - book.body_size) < 0.15 * book.body_size else 1.3 * size
    if step > 1.9 * max(usual, 1.1 * size) or step < -size:
        return True
    if _BULLET.match(b.text) and not hyphened and (b.text[0] not in "-–—" or _ENDS.search(a.text)):
        return True
    if _NUMBERED.match(b.text) and (_STOPS.search(a.text) or _short(rows, i)) and b.x0 <= a.x0 + 3.0 * size:
        return True
    if goes_on:
        return step > 1.6 * usual and bool(_STOPS.search(a.text)) and not hyphened
    if step > 1.3 * usual and (step - usual) > 0.25 * size:
        return True
    if b.bold_start and not b.bold and _STOPS.search(a.text) and _TERM.match(b.text):
        return True  # the next entry of a glossary, which may be set without an indent
    display = a.bold and b.bold and a.size == b.size
    if (display or size > 1.15 * book.body_size) and not SECTION_START.match(b.text):
        return False  # the lines of one heading end where the sense does
    if _first_line(a, b, following, book):
        return True
    return _short(rows, i)


def _heading_like(a: Row, b: Row) -> bool:
    """A change between bold and plain rows parts heading and text, not a term set bold over a line's end."""
    bold = a if a.bold else b
    return bold.width < 0.98 * (bold.right - bold.left) or bold.text[-1:] not in ",;-"


def _first_line(a: Row, b: Row, following: Row | None, book: Habits) -> bool:
    """Is `b` set in against the row below it, or by the book's indent against its column?"""
    if book.indent <= 0:
        return False
    near = 0.25 * b.size
    if abs((b.x0 - b.left) - book.indent) <= near and (
        a.x0 < b.x0 - near or abs((a.x0 - a.left) - book.indent) <= near
    ):
        # A list item's further rows may stand at the indent too.
        return not (_BULLET.match(a.text) or _NUMBERED.match(a.text)) or bool(_STOPS.search(a.text))
    return (
        following is not None
        and abs((b.x0 - a.x0) - book.indent) <= near
        and b.x0 - following.x0 >= book.indent - near
        and following.size == b.size
    )


def _short(rows: Sequence[Row], i: int) -> bool:
    """Did the row before `i` end early, though the first word of row `i` would have fitted?"""
    a, b = rows[i - 1], rows[i]
    around = [row for row in rows[max(0, i - 3) : i + 2] if abs(row.size - a.size) < 0.5]
    right = max(row.x1 for row in around)
    if len(around) <= 2:
        right = max(right, a.right)
    letters = max(len(b.text), 1)
    first = len(b.text.split(" ", 1)[0])
    needed = b.width * (first + 1) / letters
    return a.x1 + needed + 0.4 * a.size < right


def _continues(before: Para, after: Para, book: Habits) -> bool:
    """Is `after`, first in its block, the rest of `before`, last in its own?"""
    a, b = before.rows[-1], after.rows[0]
    if abs(a.size - b.size) > 0.07 * a.size or before.bold != after.bold:
        return False
    if a.page == b.page and abs(a.left - b.left) < 3 and b.base > a.base:
        # Same column, parted by a box or table only.
        return not _STOPS.search(a.text) and b.text[:1].islower()
    if b.page - a.page > 4:
        return False
    if _HYPHEN_END.search(a.text):
        return True
    if _BULLET.match(b.text) or _NUMBERED.match(b.text):
        return False
    if before.bold and before.size > 1.05 * book.body_size:
        return False
    if b.text[:1].islower():
        return True
    full = a.right - a.x1 < 1.0 * a.size
    if not full:
        return False
    if not _ENDS.search(a.text):
        return not before.bold
    if book.indent <= 0:
        return False
    near = 0.25 * b.size
    return b.x0 - b.left < near and bool(_STOPS.search(a.text)) and len(after.rows) + len(before.rows) > 2
