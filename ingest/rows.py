"""Lines of a page → rows: pieces that stand on one baseline and belong to one line of type."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from ingest.lines import Line

_NUMBER_LIKE = re.compile(
    r"^\W*(?:§+\s*)?(?:\d+(?:\.\d+)*|[ivxlcIVXLC]+|[а-яa-z•–—▪●○■*])[.)]?\s*$", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Row:
    """One line of type in its column."""

    text: str
    x0: float
    y0: float
    x1: float
    y1: float
    base: float
    size: float
    bold: bool
    italic: bool
    bold_start: bool
    raised: bool
    page: int
    """1-based sheet."""
    left: float = 0.0
    """Edges of its column."""
    right: float = 0.0
    lead: str = ""
    """Its bold beginning where the rest is not bold."""

    @property
    def width(self) -> float:
        return self.x1 - self.x0

    def within(self, left: float, right: float) -> Row:
        return replace(self, left=left, right=right)


def bands(lines: Iterable[Line]) -> list[list[Line]]:
    """All pieces of a page by baseline, whatever the column; from top to bottom, each from left to right."""
    out: list[list[Line]] = []
    for line in sorted((ln for ln in lines if not ln.blank), key=lambda ln: (ln.base, ln.x0)):
        if out and abs(out[-1][0].base - line.base) <= 0.35 * max(min(line.size, out[-1][0].size), 4):
            out[-1].append(line)
        else:
            out.append([line])
    for band in out:
        band.sort(key=lambda ln: ln.x0)
    return out


def band_text(band: Sequence[Line]) -> str:
    return " ".join(line.text.strip() for line in band)


def rows(lines: Sequence[Line], page: int, reach: float = 2.5) -> list[Row]:
    """Rows of one column, top to bottom. Pieces join over gaps up to `reach` ems, or over a blank."""
    pool = sorted(lines, key=lambda ln: (ln.x0, ln.base))
    blanks = [ln for ln in pool if ln.blank]
    groups: list[list[Line]] = []
    for line in pool:
        if line.blank:
            continue
        home = next((g for g in reversed(groups) if _continues(g[-1], line, blanks, reach)), None)
        if home is None:
            groups.append([line])
        else:
            home.append(line)
    found = [_row(part, page) for group in _with_numerators(groups) for part in _unlabelled(group, groups)]
    return sorted(found, key=lambda row: (round(row.base, 1), row.x0))


def _with_numerators(groups: list[list[Line]]) -> list[list[Line]]:
    """Puts a small piece above or below the middle of a text line (the 1 of 1/360) into that line."""
    out = [group for group in groups if not _small(group)]
    for group in groups:
        if not _small(group):
            continue
        piece = group[0]
        middle = (piece.y0 + piece.y1) / 2
        home = next(
            (
                g
                for g in out
                if g[0].x0 - 1 <= piece.x0
                and piece.x1 <= g[-1].x1 + 1
                and piece.size < 0.86 * max(line.size for line in g)
                and min(line.y0 for line in g) - 1 <= middle <= max(line.y1 for line in g) + 1
                and any(ch.isalpha() for line in g for ch in line.text)
            ),
            None,
        )
        if home is None:
            out.append(group)
            continue
        at = next((i for i, line in enumerate(home) if line.x1 > (piece.x0 + piece.x1) / 2), len(home))
        home.insert(at, piece)
    return out


def _small(group: Sequence[Line]) -> bool:
    return len(group) == 1 and len(group[0].text.strip()) <= 5


def _unlabelled(group: list[Line], groups: Sequence[list[Line]]) -> list[list[Line]]:
    """Parts a figure's letter from a text line that happens to stand on its baseline.

    The letter stands clear of the text, and the text begins (or ends) where other lines of its column do.
    """
    if len(group) < 2:
        return [group]
    others = [g for g in groups if g is not group]
    first, (last, rest) = group[0], (group[-1], group[-2])
    for cut in range(1, min(3, len(group))):  # a letter, or a letter and its index
        before, second = group[cut - 1], group[cut]
        clear = second.x0 - before.x1 > 0.3 * second.size
        if cut > 1 and len(before.text.strip()) > 2:
            break
        if _is_letter(first) and clear and _shared(second.x0, first.x0, [g[0].x0 for g in others]):
            return [group[:cut], group[cut:]]
    clear = last.x0 - rest.x1 > 0.3 * rest.size
    if _is_letter(last) and clear and _shared(rest.x1, last.x1, [g[-1].x1 for g in others]):
        return [group[:-1], group[-1:]]
    return [group]


def _is_letter(line: Line) -> bool:
    text = line.text.strip()
    return len(text) <= 2 and text[:1].isalpha() and text[:1].isascii()


def _shared(edge: float, other: float, edges: Sequence[float]) -> bool:
    """Do at least two lines share `edge`, and more than share the `other` one?"""
    mine = sum(abs(x - edge) < 1.5 for x in edges)
    return mine >= 2 and mine > sum(abs(x - other) < 1.5 for x in edges)


def _continues(left: Line, right: Line, blanks: Sequence[Line], reach: float) -> bool:
    size = max(left.size, right.size)
    gap = right.x0 - left.x1
    if gap < -0.5 * size or gap > 4.5 * size:
        return False
    apart = abs(left.base - right.base)
    same = apart <= 0.25 * size
    if not same:
        # Pieces of a formula sit a little higher or lower, but touch.
        overlap = min(left.y1, right.y1) - max(left.y0, right.y0)
        return gap <= 0.6 * size and apart <= 0.55 * size and overlap > 0.4 * min(left.size, right.size)
    if gap <= reach * size * (1.0 if _NUMBER_LIKE.match(left.text) else 0.5):
        return True
    return any(
        abs(blank.base - right.base) <= 0.25 * size and left.x1 - 1 <= blank.x0 and blank.x1 <= right.x0 + 1
        for blank in blanks
    )


def _row(group: Sequence[Line], page: int) -> Row:
    main = max(group, key=lambda ln: len(ln.text.strip()))
    # Pieces are lines of their own in the text layer: a blank between them keeps quotes literal.
    text = " ".join(ln.text.strip() for ln in group)
    words = [ln for ln in group if any(ch.isalnum() for ch in ln.text)] or list(group)
    return Row(
        text=text,
        x0=group[0].x0,
        y0=min(ln.y0 for ln in group),
        x1=max(ln.x1 for ln in group),
        y1=max(ln.y1 for ln in group),
        base=main.base,
        size=main.size,
        bold=all(ln.bold for ln in words),
        italic=all(ln.italic for ln in words),
        bold_start=words[0].bold_start or words[0].bold,
        raised=group[0].raised
        or (len(group) > 1 and group[0].size < 0.8 * main.size and group[0].base < main.base),
        page=page,
        lead=_lead(group),
    )


def _lead(group: Sequence[Line]) -> str:
    """The bold run that a row begins with; «» for a row that is bold throughout."""
    lead: list[str] = []
    for line in group:
        if not line.bold:
            return " ".join([*lead, line.lead]).strip()
        lead.append(line.text.strip())
    return ""
