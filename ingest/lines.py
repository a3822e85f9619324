"""What the reading process hands over: lines with their place and type, before any repair of the layout."""

from __future__ import annotations

from dataclasses import dataclass

from index.locate import Word

Rect = tuple[float, float, float, float]
"""x0, y0, x1, y1 in points; y grows downwards."""


@dataclass(frozen=True, slots=True)
class Line:
    """A piece of one text line as MuPDF groups it: one font size, one baseline, no wide gap inside."""

    text: str
    x0: float
    y0: float
    x1: float
    y1: float
    base: float
    """y of the baseline."""
    size: float
    """Font size of most of its letters, points."""
    bold: bool
    """All its letters (but for a stray sign) are bold."""
    italic: bool
    bold_start: bool = False
    """Its first letter is bold: a term being defined, or a heading run into the text."""
    raised: bool = False
    """Begins with a superscript: a footnote mark when at the foot of a page."""
    lead: str = ""
    """The bold run at its beginning where the rest is not bold: «27. Теоремы, аксиомы.»"""

    @property
    def width(self) -> float:
        return self.x1 - self.x0

    @property
    def blank(self) -> bool:
        return not self.text.strip()


@dataclass(frozen=True, slots=True)
class RawPage:
    """One sheet as read. A failed page has `failure` and no lines."""

    file_page: int
    width: float
    height: float
    text: str = ""
    """Text layer as extracted, or text as recognised; never repaired but for `repair`."""
    lines: tuple[Line, ...] = ()
    boxes: tuple[Rect, ...] = ()
    """Frames and tinted grounds that are neither a rule nor the whole page."""
    rules: tuple[Rect, ...] = ()
    """Thin straight strokes, horizontal or vertical."""
    image_share: float = 0.0
    """Part of the page covered by pictures, 0..1."""
    label: str = ""
    """Page label of the PDF, «» where it has none."""
    hidden: str = ""
    """Beginning of text that nobody can see on the page (white on white, too small, not painted)."""
    sideways: int = 0
    """Letters that stand upright or aslant on a page whose text is level, and are left out."""
    drawn: bool = False
    """Something other than text is painted."""
    failure: str | None = None
    """Russian reason why the page could not be read."""
    repair: str | None = None
    """Encoding that the text layer was taken for another one of; text and lines are repaired already."""
    ocr: bool = False
    """Read by optical recognition."""
    layered: bool = False
    """Its text is what another recognition program wrote behind a picture of the page."""
    words: tuple[Word, ...] = ()
    """Recognised words; boxes in the coordinates of the page, whatever skew `lines` were freed of."""
    remark: str | None = None
    """Russian note for the report about a page that is read all the same."""
    picture: bytes = b""
    """JPEG of the page, where a small picture was asked for and nothing else."""


@dataclass(frozen=True, slots=True)
class OutlineEntry:
    """A bookmark of the PDF."""

    level: int
    """1 = top."""
    title: str
    file_page: int


@dataclass(frozen=True, slots=True)
class RawBook:
    """The whole PDF as read."""

    pages: tuple[RawPage, ...]
    outline: tuple[OutlineEntry, ...] = ()
    cut: bool = False
    """The end of the file is missing; these are the pages that could be gathered from the rest."""
