"""Text that knows the page of each of its characters."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from index.chunk import PageSpan


@dataclass(frozen=True, slots=True)
class PagedText:
    """`bounds`: (offset, sheet) where a page begins, offsets rising from 0."""

    text: str
    bounds: tuple[tuple[int, int], ...]

    def page_at(self, offset: int) -> int:
        """1-based sheet of the character at `offset`."""
        return self.bounds[bisect_right(self.bounds, (offset, 1 << 30)) - 1][1]

    def cut(self, start: int, end: int) -> PagedText:
        """Characters `[start, end)`."""
        bounds = [(0, self.page_at(start))]
        bounds += [(at - start, page) for at, page in self.bounds if start < at < end]
        return PagedText(self.text[start:end], tuple(bounds))

    def spans(self, printed: Sequence[str | None]) -> tuple[PageSpan, ...]:
        """The whole text by pages; `printed` is indexed by sheet − 1."""
        out: list[PageSpan] = []
        for i, (at, page) in enumerate(self.bounds):
            end = self.bounds[i + 1][0] if i + 1 < len(self.bounds) else len(self.text)
            if end <= at:
                continue
            if out and out[-1].file_page == page:
                out[-1] = PageSpan(out[-1].start, end, page, out[-1].printed_page)
            else:
                out.append(PageSpan(at, end, page, printed[page - 1]))
        return tuple(out)


def concat(pieces: Sequence[PagedText], between: str) -> PagedText:
    """Pieces one after another; `between` belongs to the page before it."""
    text = ""
    bounds: list[tuple[int, int]] = []
    for piece in pieces:
        if text:
            text += between
        for at, page in piece.bounds:
            if not bounds or bounds[-1][1] != page:
                bounds.append((len(text) + at, page))
        text += piece.text
    return PagedText(text, tuple(bounds) or ((0, 1),))
