"""Pages set sideways, by /Rotate or by their typesetter: turned so that their text runs level.

MuPDF hands over text and drawings as if the page had no /Rotate, so the direction of the text alone decides.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ingest.lines import Rect

_TURNS = {(0, -1): 90, (0, 1): 270, (-1, 0): 180}
"""Direction in which text runs → degrees, clockwise, that turn it level."""
_MIN_SHARE = 0.6
_MIN_LETTERS = 40


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn of a page of `width` by `height` points."""

    degrees: int
    width: float
    height: float

    @property
    def size(self) -> tuple[float, float]:
        """Width and height after the turn."""
        return (self.height, self.width) if self.degrees % 180 else (self.width, self.height)

    def point(self, x: float, y: float) -> tuple[float, float]:
        if self.degrees == 90:
            return self.height - y, x
        if self.degrees == 270:
            return y, self.width - x
        if self.degrees == 180:
            return self.width - x, self.height - y
        return x, y

    def rect(self, box: Sequence[float]) -> Rect:
        (ax, ay), (bx, by) = self.point(box[0], box[1]), self.point(box[2], box[3])
        return min(ax, bx), min(ay, by), max(ax, bx), max(ay, by)

    def level(self, blocks: Sequence[Mapping[str, Any]]) -> None:
        """Turns the text of a "rawdict" in place."""
        if not self.degrees:
            return
        for block in blocks:
            for line in block.get("lines", ()):
                line["dir"] = _turned(line["dir"], self.degrees)
                for span in line["spans"]:
                    span["bbox"] = self.rect(span["bbox"])
                    for char in span["chars"]:
                        char["bbox"] = self.rect(char["bbox"])
                        char["origin"] = self.point(*char["origin"])


def turn_of(blocks: Sequence[Mapping[str, Any]], width: float, height: float) -> Turn:
    """The turn that sets most of the text of a "rawdict" level; 0 degrees for nearly all pages."""
    count: Counter[tuple[int, int]] = Counter()
    for block in blocks:
        for line in block.get("lines", ()):
            x, y = line["dir"]
            count[round(x), round(y)] += sum(len(span["chars"]) for span in line["spans"])
    way, letters = count.most_common(1)[0] if count else ((1, 0), 0)
    sure = letters > _MIN_SHARE * count.total() and letters >= _MIN_LETTERS
    return Turn(_TURNS.get(way, 0) if sure else 0, width, height)


def _turned(way: tuple[float, float], degrees: int) -> tuple[float, float]:
    x, y = way
    return {90: (-y, x), 180: (-x, -y), 270: (y, -x)}.get(degrees, way)
