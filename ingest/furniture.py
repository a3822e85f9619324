"""Running heads and page numbers: found by their place and repetition over the book, taken off each page."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ingest.lines import Line, RawPage
from ingest.pagination import ALONE, AMONG_WORDS, Numeral, numeral
from ingest.rows import band_text, bands

_EDGE = 3  # bands looked at from each end of a page
_REACH = 0.14  # of the page's height
_NEAR = 3.0  # points: one place over the pages
_NEAR_ON_SCANS = 16.0  # no two sheets lie on the glass alike
_APART = 1.6  # of the body's size, from its baseline to the next
_NAMES_A_SECTION = re.compile(
    r"(?:^|\s)(?:§+|(?:параграф|глава|раздел|тема|урок|лекция|занятие|статья)\b)\s*(?:№\s*)?(?:\d|[ivxlc]+\b)",
    re.IGNORECASE,
)
_NOT_LETTERS = re.compile(r"[^\w]+|\d+")


@dataclass(frozen=True, slots=True)
class _Edge:
    """A band at the head or foot of a page."""

    page: int
    """Index into the pages."""
    top: bool
    depth: int
    """0 = outermost."""
    y: float
    """Of its baseline, as far from the page's own edge."""
    lines: tuple[Line, ...]
    text: str
    numbers: Mapping[Numeral, float]
    near: float
    """Points within which another edge stands in the same place."""
    gap: float
    """Points to the baseline of the next band inwards."""

    def heads_a_page(self, body_size: float) -> bool:
        """Does it name the § or chapter in type smaller than the text, apart from the text at the very top?

        No heading is set so, wherever a file of few pages says those words but once.
        """
        small = all(line.size < 0.93 * body_size and not line.bold for line in self.lines)
        apart = self.top and self.depth == 0 and self.gap > _APART * body_size
        return small and apart and _NAMES_A_SECTION.search(self.text) is not None

    def large(self, body_size: float) -> bool:
        return max(line.size for line in self.lines) > 1.2 * body_size


def page_numbers(pages: Sequence[RawPage]) -> list[dict[Numeral, float]]:
    """Per page, the numbers at its head and foot that may be its own, with their weights."""
    out: list[dict[Numeral, float]] = [{} for _ in pages]
    for edge in _edges(pages):
        if edge.depth < 2:
            for number, weight in edge.numbers.items():
                out[edge.page][number] = max(weight, out[edge.page].get(number, 0.0))
    return out


def strip(
    pages: Sequence[RawPage], printed: Sequence[str | None], body_size: float
) -> tuple[list[RawPage], list[str]]:
    """Pages without running heads and numbers, and the running heads taken off (texts, for checks).

    A place at the head or foot is furniture when over most pages that use it the printed number stands there,
    or a text that the book says elsewhere too: on other heads, or in the heading that the head repeats.
    `printed`: the numbers as paginated. Words in large type are never
    furniture.
    """
    edges = [
        edge for edge in _edges(pages) if not edge.large(body_size) or _is_number(edge, printed[edge.page])
    ]
    told = _Told(pages)
    doomed: dict[int, set[Line]] = {}
    heads: list[str] = []
    for place in _places(edges):
        numbered = [edge for edge in place if _shows(edge, printed[edge.page])]
        texts = Counter(_skeleton(edge.text) for edge in place)
        repeated = [
            edge
            for edge in place
            if _skeleton(edge.text) and (texts[_skeleton(edge.text)] >= 3 or told.again(edge, body_size))
        ]
        common = len(numbered) + len([e for e in repeated if e not in numbered])
        whole = len(place) >= 3 and common >= 0.6 * len(place)
        for edge in place:
            # Elsewhere only what certainly is none of the text: the page's own number standing alone.
            alone = edge in numbered and edge.depth == 0 and not _skeleton(edge.text)
            alone = alone and not edge.large(body_size)  # which may open a chapter
            alone = alone or edge.heads_a_page(body_size)
            if whole or alone or (edge in repeated and texts[_skeleton(edge.text)] >= 4 and edge.depth == 0):
                doomed.setdefault(edge.page, set()).update(edge.lines)
                heads.append(edge.text)
    stripped = [
        replace(page, lines=tuple(ln for ln in page.lines if ln not in doomed[i])) if i in doomed else page
        for i, page in enumerate(pages)
    ]
    return stripped, heads


class _Told:
    """Answers whether a running head's words occur in the book a second time."""

    def __init__(self, pages: Sequence[RawPage]) -> None:
        self._all = "".join(_squeezed(line.text) for page in pages for line in page.lines)
        self._known: dict[str, bool] = {}

    def again(self, edge: _Edge, body_size: float) -> bool:
        """Bold and large lines do not count: a § heading at the top of a page is told by the contents too."""
        if any(line.bold or line.size > 1.07 * body_size for line in edge.lines):
            return False
        return any(self._twice(line.text) for line in edge.lines)

    def _twice(self, text: str) -> bool:
        letters = _squeezed(text)
        if len(letters) < 8:
            return False
        if letters not in self._known:
            first = self._all.find(letters)
            self._known[letters] = self._all.find(letters, first + 1) >= 0
        return self._known[letters]


def _squeezed(text: str) -> str:
    return "".join(ch for ch in text.lower() if ch.isalpha())


def _edges(pages: Sequence[RawPage]) -> list[_Edge]:
    out: list[_Edge] = []
    for index, page in enumerate(pages):
        if not page.lines or page.height <= 0:
            continue
        all_bands = bands(page.lines)
        near = _NEAR_ON_SCANS if page.ocr else _NEAR
        for top in (True, False):
            ordered = all_bands if top else all_bands[::-1]
            for depth, band in enumerate(ordered[:_EDGE]):
                base = band[0].base
                y = base if top else page.height - base
                if y > _REACH * page.height or (len(all_bands) <= depth + 1 and not _numbers(band)):
                    break
                gap = abs(ordered[depth + 1][0].base - base) if depth + 1 < len(ordered) else 0.0
                out.append(
                    _Edge(index, top, depth, y, tuple(band), band_text(band), _numbers(band), near, gap)
                )
    return out


def _numbers(band: Sequence[Line]) -> dict[Numeral, float]:
    """Numbers at the outer ends of a band: the whole of it, its first and last piece, first and last word."""
    text = band_text(band)
    words = text.split()
    tokens = [(text, ALONE), (band[0].text, ALONE), (band[-1].text, ALONE)]
    if len(words) > 1:
        tokens += [(words[0], AMONG_WORDS), (words[-1], AMONG_WORDS)]
    found: dict[Numeral, float] = {}
    for token, weight in tokens:
        number = numeral(token)
        if number is not None:
            found[number] = max(weight, found.get(number, 0.0))
    return found


def _places(edges: Sequence[_Edge]) -> list[list[_Edge]]:
    """Edges by place: same end of the page, same distance from it."""
    out: list[list[_Edge]] = []
    for edge in sorted(edges, key=lambda e: (e.top, e.y)):
        if (
            out
            and out[-1][0].top == edge.top
            and edge.y - out[-1][-1].y <= edge.near / 2
            and edge.y - out[-1][0].y <= edge.near
        ):
            out[-1].append(edge)
        else:
            out.append([edge])
    return out


def _shows(edge: _Edge, printed: str | None) -> bool:
    if printed is None:
        return False
    return numeral(printed) in edge.numbers


def _is_number(edge: _Edge, printed: str | None) -> bool:
    """Is the printed number all that stands there?"""
    return printed is not None and numeral(edge.text) == numeral(printed)


def _skeleton(text: str) -> str:
    """Letters only, lower case: what stays the same on each page."""
    letters = _NOT_LETTERS.sub(" ", text.lower()).strip()
    return letters if sum(ch.isalpha() for ch in letters) >= 3 else ""
