"""The kinds of things that stand on a page, as platypus flowables that can be split at a page end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Protocol

from reportlab.lib.colors import Color
from reportlab.platypus import Flowable

from typesetting.lines import Face, Line, break_lines, natural_width
from typesetting.model import Run, Runs

Black = Color(0, 0, 0)


class PageLog(Protocol):
    """Learns from the layout engine which text was set on which sheet."""

    def __call__(self, file_page: int, text: str) -> None: ...


@dataclass(frozen=True, slots=True)
class Style:
    face: Face
    leading: float
    align: Literal["justify", "left", "center"] = "justify"
    indent: float = 0.0
    """Of the first line."""
    left: float = 0.0
    right: float = 0.0
    before: float = 0.0
    after: float = 0.0
    glued: bool = False
    """Never left at the foot of a box or column without what follows."""
    colour: Color = field(default=Black)


class Text(Flowable):  # type: ignore[misc]
    """A paragraph of text; split at a page end so that no single line is left on either side."""

    def __init__(
        self,
        runs: Runs,
        style: Style,
        *,
        bullet: str = "",
        log: PageLog | None = None,
        on_page: Callable[[Any], None] | None = None,
    ) -> None:
        """`bullet` hangs left of the first line; `on_page` gets the canvas where the text begins."""
        super().__init__()
        self.runs, self.style, self.bullet, self.log, self.on_page = runs, style, bullet, log, on_page
        self.lines: tuple[Line, ...] | None = None
        self.width = 0.0
        self.begins = True

    def wrap(self, width: float, height: float) -> tuple[float, float]:
        if self.lines is None or (self.begins and self.width != width):
            measure = width - self.style.left - self.style.right
            self.lines = break_lines(self.runs, self.style.face, measure - self.style.indent, measure)
        self.width = width
        self.height = len(self.lines) * self.style.leading
        return width, self.height

    def split(self, width: float, height: float) -> list[Flowable]:
        self.wrap(width, height)
        lines = self.lines or ()
        fitting = min(int((height + 0.01) // self.style.leading), len(lines) - 2)
        if fitting < 2 or self.style.glued:
            return []
        return [self._part(lines[:fitting], self.begins), self._part(lines[fitting:], False)]

    def _part(self, lines: tuple[Line, ...], begins: bool) -> Text:
        style = replace(self.style, before=self.style.before if begins else 0)
        part = Text(self.runs, style, bullet=self.bullet, log=self.log, on_page=self.on_page)
        part.lines, part.begins, part.width = lines, begins, self.width
        return part

    def getSpaceBefore(self) -> float:
        return self.style.before

    def getSpaceAfter(self) -> float:
        return self.style.after

    def draw(self) -> None:
        style, page = self.style, self.canv.getPageNumber()
        if self.begins and self.on_page:
            self.on_page(self.canv)
        measure = self.width - style.left - style.right
        self.canv.setFillColor(style.colour)
        baseline = (
            self.height - style.leading + (style.leading - style.face.size) / 2 + 0.22 * style.face.size
        )
        for number, line in enumerate(self.lines or ()):
            opens = self.begins and number == 0
            indent = style.indent if opens else 0
            x = style.left + indent
            spare = measure - indent - line.width
            stretched = style.align == "justify" and line.spaces and (not line.closes or spare < 0)
            if style.align == "center":
                x += spare / 2
            if opens and self.bullet:
                bullet = natural_width((Run(self.bullet),), style.face)
                self._put(x - bullet - 0.45 * style.face.size, baseline, self._regular(self.bullet), 0)
            self._put(x, baseline, line.pieces, spare / line.spaces if stretched else 0)
            if self.log:
                self.log(page, line.text)
            baseline -= style.leading

    def _regular(self, text: str) -> tuple[tuple[str, str], ...]:
        return break_lines((Run(text),), self.style.face, 1e6, 1e6)[0].pieces

    def _put(self, x: float, y: float, pieces: Sequence[tuple[str, str]], word_space: float) -> None:
        text = self.canv.beginText(x, y)
        text.setWordSpace(word_space)
        for name, piece in pieces:
            text.setFont(name, self.style.face.size)
            text.textOut(piece)
        text.setWordSpace(0)
        self.canv.drawText(text)


class ContentsLine(Text):
    """Entry of a contents page: dot leaders, then the page number at the right edge."""

    def __init__(self, runs: Runs, style: Style, number: str) -> None:
        super().__init__(runs, style)
        self.number = number

    def draw(self) -> None:
        super().draw()
        style, size = self.style, self.style.face.size
        if not self.lines:
            return
        number, dot = (Run(self.number),), natural_width((Run("."),), style.face)
        baseline = (style.leading - size) / 2 + 0.22 * size
        right = self.width - natural_width(number, style.face)
        indent = style.indent if len(self.lines) == 1 else 0
        left = style.left + indent + self.lines[-1].width
        dots = int((right - left - size * 0.6) / dot)
        if dots > 0:
            self._put(right - dots * dot - size * 0.2, baseline, self._regular("." * dots), 0)
        self._put(right, baseline, self._regular(self.number), 0)


def stack_height(flowables: Sequence[Flowable], canv: Any, width: float) -> float:
    """Height of flowables one under the other; the space above the first and below the last is dropped."""
    total = after = 0.0
    for number, flowable in enumerate(flowables):
        gap = max(after, flowable.getSpaceBefore()) if number else 0
        total += gap + flowable.wrapOn(canv, width, 1e6)[1]
        after = flowable.getSpaceAfter()
    return total


def take(
    flowables: Sequence[Flowable], canv: Any, width: float, height: float
) -> tuple[list[Flowable], list[Flowable]]:
    """What fits into the height, and the rest; a glued text is not left last."""
    taken: list[Flowable] = []
    rest = list(flowables)
    while rest:
        whole = stack_height([*taken, rest[0]], canv, width)
        if whole <= height + 0.01:
            taken.append(rest.pop(0))
            continue
        room = height - (whole - rest[0].wrapOn(canv, width, 1e6)[1])
        if parts := rest[0].splitOn(canv, width, room):
            taken.append(parts[0])
            rest[:1] = parts[1:]
        break
    while rest and taken and isinstance(taken[-1], Text) and taken[-1].style.glued:
        rest.insert(0, taken.pop())
    return taken, rest


def draw_stack(flowables: Sequence[Flowable], canv: Any, x: float, top: float, width: float) -> None:
    after = 0.0
    for number, flowable in enumerate(flowables):
        top -= max(after, flowable.getSpaceBefore()) if number else 0
        top -= flowable.wrapOn(canv, width, 1e6)[1]
        flowable.drawOn(canv, x, top)
        after = flowable.getSpaceAfter()


@dataclass(frozen=True, slots=True)
class BoxStyle:
    fill: Color | None
    stroke: Color
    line: float = 0.6
    padding: float = 9.0
    before: float = 12.0
    after: float = 12.0


class Box(Flowable):  # type: ignore[misc]
    """Flowables on a tinted or framed ground, which goes on over a page end."""

    def __init__(self, content: Sequence[Flowable], style: BoxStyle) -> None:
        super().__init__()
        self.content, self.style = list(content), style

    def wrap(self, width: float, height: float) -> tuple[float, float]:
        self.width = width
        inner = stack_height(self.content, self.canv, width - 2 * self.style.padding)
        self.height = inner + 2 * self.style.padding
        return width, self.height

    def split(self, width: float, height: float) -> list[Flowable]:
        inner, room = width - 2 * self.style.padding, height - 2 * self.style.padding
        taken, rest = take(self.content, self.canv, inner, room)
        return [Box(taken, self.style), Box(rest, self.style)] if taken and rest else []

    def getSpaceBefore(self) -> float:
        return self.style.before

    def getSpaceAfter(self) -> float:
        return self.style.after

    def draw(self) -> None:
        style = self.style
        if style.fill is not None:
            self.canv.setFillColor(style.fill)
        self.canv.setStrokeColor(style.stroke)
        self.canv.setLineWidth(style.line)
        self.canv.rect(0, 0, self.width, self.height, stroke=1, fill=int(style.fill is not None))
        inner = self.width - 2 * style.padding
        draw_stack(self.content, self.canv, style.padding, self.height - style.padding, inner)


class TwoColumns(Flowable):  # type: ignore[misc]
    """Flowables in two columns of even height."""

    def __init__(
        self, content: Sequence[Flowable], gap: float = 16.0, before: float = 8.0, after: float = 10.0
    ) -> None:
        super().__init__()
        self.content, self.gap, self.before, self.after = list(content), gap, before, after
        self.columns: tuple[list[Flowable], list[Flowable]] | None = None

    def wrap(self, width: float, height: float) -> tuple[float, float]:
        self.width, column = width, (width - self.gap) / 2
        if self.columns is None:
            high = stack_height(self.content, self.canv, column) / 2
            while (parts := self._fill(column, high))[2]:
                high += 1
            self.columns = parts[:2]
        self.height = max(stack_height(part, self.canv, column) for part in self.columns)
        return width, self.height

    def _fill(self, column: float, height: float) -> tuple[list[Flowable], list[Flowable], list[Flowable]]:
        left, rest = take(self.content, self.canv, column, height)
        right, rest = take(rest, self.canv, column, height)
        return left, right, rest

    def split(self, width: float, height: float) -> list[Flowable]:
        left, right, rest = self._fill((width - self.gap) / 2, height)
        if not (left and right):
            return []
        full = TwoColumns(left + right, self.gap, self.before, self.after)
        full.columns = (left, right)
        return [full, TwoColumns(rest, self.gap, self.before, self.after)] if rest else [full]

    def getSpaceBefore(self) -> float:
        return self.before

    def getSpaceAfter(self) -> float:
        return self.after

    def draw(self) -> None:
        column = (self.width - self.gap) / 2
        for number, part in enumerate(self.columns or ()):
            draw_stack(part, self.canv, number * (column + self.gap), self.height, column)
