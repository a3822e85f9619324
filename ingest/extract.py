"""One PDF page → `RawPage`. Runs in the reading process only; needs nothing but PyMuPDF.

Works on single glyphs, because three faults of textbooks show in their places alone: glyphs painted twice
for a bold look, words spaced out letter by letter, and text that nobody can see.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import pymupdf

from ingest.lines import Line, RawPage, Rect
from ingest.rotation import Turn, turn_of
from ingest.spacing import Glyph, close_up

# Without IGNORE_ACTUALTEXT spaced-out words hide the § numbers beside them (412 found instead of 261).
FLAGS = pymupdf.TEXT_PRESERVE_WHITESPACE | pymupdf.TEXT_IGNORE_ACTUALTEXT | pymupdf.TEXT_MEDIABOX_CLIP
_MAX_LETTERS = 200_000  # of one page; more is no textbook page
_MAX_PATHS = 3_000  # a map: its strokes tell nothing about the text and take seconds
_BOLD, _ITALIC, _RAISED = 16, 2, 1
_CHAR_STROKED, _CHAR_BOLD, _CHAR_FILLED = 32, 8, 16
_WHITE = 0xF5
_THUMBNAIL = 220  # pixels of the longer side
_SCAN = 0.5  # share of the page covered by pictures


def extract(page: Any, file_page: int) -> RawPage:
    """Everything about one page, turned so that its text runs level. Raises whatever MuPDF raises."""
    textpage = page.get_textpage(flags=FLAGS)
    text = page.get_text("text", textpage=textpage)[:_MAX_LETTERS]
    bounds = pymupdf.Rect(page.rect) * page.derotation_matrix
    paint = _paint(page, bounds)
    lines: list[Line] = []
    hidden: list[str] = []
    letters = sideways = 0
    blocks = page.get_text("rawdict", textpage=textpage)["blocks"]
    paint.unpainted_is_text = _is_scan(blocks, paint)
    spaced = _writes_spaces(blocks)
    turn = turn_of(blocks, float(bounds.width), float(bounds.height))
    turn.level(blocks)
    paint.turn(turn)
    for block in blocks:
        for raw in block.get("lines", ()):
            if abs(raw["dir"][0] - 1) > 0.02:
                # Upright or slanted: spines of tables, stamps.
                sideways += sum(char["c"].isalpha() for span in raw["spans"] for char in span["chars"])
                continue
            line, unseen = _line(raw["spans"], paint, spaced)
            if unseen:
                hidden.append(unseen)
            if line is not None:
                letters += len(line.text)
                lines.append(line)
        if letters > _MAX_LETTERS:
            break
    return RawPage(
        file_page=file_page,
        width=turn.size[0],
        height=turn.size[1],
        text=text,
        lines=tuple(_without_doubles(lines)),
        boxes=tuple(paint.boxes),
        rules=tuple(paint.rules),
        image_share=paint.image_share,
        label=page.get_label() or "",
        hidden=_unseen(hidden, lines),
        sideways=sideways,
        drawn=paint.drawn,
        layered=paint.unpainted_is_text,
    )


def extract_plain(page: Any, file_page: int) -> RawPage:
    """The second try for a page on which `extract` failed: text only, no types, no drawings."""
    text = page.get_text("text", flags=FLAGS)[:_MAX_LETTERS]
    lines = [
        Line(row, 0.0, 12.0 * i, 6.0 * len(row), 12.0 * i + 10, 12.0 * i + 10, 10.0, False, False)
        for i, row in enumerate(text.splitlines())
    ]
    return RawPage(
        file_page,
        float(page.rect.width),
        float(page.rect.height),
        text,
        tuple(lines),
        label=page.get_label() or "",
    )


def thumbnail(page: Any) -> bytes:
    """Small JPEG of a page for the report."""
    zoom = _THUMBNAIL / max(page.rect.width, page.rect.height, 1.0)
    pixmap = page.get_pixmap(matrix=pymupdf.Matrix(zoom, zoom), alpha=False)
    picture: bytes = pixmap.tobytes("jpg", jpg_quality=60)
    return picture


@dataclass(slots=True)
class _Paint:
    """What is painted on a page besides text."""

    boxes: list[Rect]
    rules: list[Rect]
    dark: list[Rect]
    image_share: float = 0.0
    drawn: bool = False
    unpainted_is_text: bool = False
    """The page is a scan, and its text layer what a recognition program wrote behind the picture."""

    def turn(self, turn: Turn) -> None:
        if turn.degrees:
            self.boxes = [turn.rect(box) for box in self.boxes]
            self.rules = [turn.rect(rule) for rule in self.rules]
            self.dark = [turn.rect(box) for box in self.dark]

    def is_ground(self, x: float, y: float) -> bool:
        return any(r[0] <= x <= r[2] and r[1] <= y <= r[3] for r in self.dark)


def _is_scan(blocks: list[dict[str, Any]], paint: _Paint) -> bool:
    """A picture as large as the page, and most letters not painted: then those are what the picture shows."""
    if paint.image_share < _SCAN:
        return False
    spans = [span for block in blocks for line in block.get("lines", ()) for span in line["spans"]]
    unpainted = sum(len(span["chars"]) for span in spans if span.get("alpha", 255) == 0)
    return 2 * unpainted > sum(len(span["chars"]) for span in spans)


def _paint(page: Any, bounds: Any) -> _Paint:
    """`bounds`: of the page before its /Rotate, as are all places that MuPDF tells."""
    area = max(float(bounds.width * bounds.height), 1.0)
    paint = _Paint([], [], [])
    paths = 0
    for kind, box in page.get_bboxlog():
        if kind in ("fill-image", "fill-imgmask"):
            x0, y0, x1, y1 = (float(v) for v in pymupdf.Rect(box) & bounds)
            # A sum, as scanners cut pages into strips.
            paint.image_share = min(1.0, paint.image_share + max(x1 - x0, 0) * max(y1 - y0, 0) / area)
            paint.dark.append((x0, y0, x1, y1))
            paint.drawn = True
        elif kind in ("fill-path", "stroke-path", "fill-shade"):
            paths += 1
            if paths > _MAX_PATHS or kind == "fill-shade":
                paint.dark.append(tuple(float(v) for v in box))  # type: ignore[arg-type]
    paint.drawn = paint.drawn or paths > 0
    if 0 < paths <= _MAX_PATHS:
        for path in page.get_cdrawings():
            _path(path, paint, area)
    return paint


def _path(path: dict[str, Any], paint: _Paint, area: float) -> None:
    x0, y0, x1, y1 = (float(v) for v in path["rect"])
    width, height = x1 - x0, y1 - y0
    fill = path.get("fill")
    if fill is not None and sum(fill) / len(fill) < 0.85:
        paint.dark.append((x0, y0, x1, y1))
    if width > 40 and height > 14 and width * height < 0.8 * area:
        shapes = [item for item in path["items"] if item[0] in ("re", "qu")]
        corners = sum(item[0] in ("l", "c") for item in path["items"])
        if shapes or (4 <= corners <= 12 and (path.get("closePath") or fill is not None)):
            paint.boxes.append((x0, y0, x1, y1))
    for item in path["items"]:
        if item[0] == "l":
            (ax, ay), (bx, by) = item[1], item[2]
            rule = (min(ax, bx), min(ay, by), max(ax, bx), max(ay, by))
        elif item[0] == "re":
            rule = tuple(float(v) for v in item[1])[:4]  # type: ignore[assignment]
            if path.get("type") != "f" and rule[2] - rule[0] > 6 and rule[3] - rule[1] > 6:
                a, b, c, d = rule
                paint.rules += [(a, b, c, b), (a, d, c, d), (a, b, a, d), (c, b, c, d)]
                continue
        else:
            continue
        if (rule[2] - rule[0] > 6) != (rule[3] - rule[1] > 6) and min(
            rule[2] - rule[0], rule[3] - rule[1]
        ) < 2:
            paint.rules.append(rule)


def _writes_spaces(blocks: list[dict[str, Any]]) -> bool:
    """Are most word spaces of the page characters of the file, not gaps that MuPDF takes for spaces?"""
    written = made = 0
    for block in blocks:
        for line in block.get("lines", ()):
            for span in line["spans"]:
                for char in span["chars"]:
                    if char["c"] == " ":
                        made += bool(char.get("synthetic"))
                        written += not char.get("synthetic")
    return written > made


def _line(spans: list[dict[str, Any]], paint: _Paint, spaced: bool) -> tuple[Line | None, str]:
    """Line of the visible glyphs, and the text of the invisible ones."""
    glyphs: list[Glyph] = []
    hidden: list[str] = []
    sizes: Counter[float] = Counter()
    bases: dict[float, float] = {}
    letters = bold = italic = 0
    raised: bool | None = None
    bold_start: bool | None = None
    lead: int | None = None  # glyphs before the first one that is not bold
    for span in spans:
        chars = span["chars"]
        if not _visible(span, paint):
            hidden.append("".join(char["c"] for char in chars))
            continue
        size = round(float(span["size"]), 1)
        strong = bool(span["flags"] & _BOLD) or _painted_bold(span)
        slanted = bool(span["flags"] & _ITALIC)
        count = 0
        if lead is None and not strong and any(not char["c"].isspace() for char in chars):
            lead = len(glyphs)
        for char in chars:
            box = char["bbox"]
            glyphs.append(Glyph(char["c"], float(box[0]), float(box[2]), bool(char.get("synthetic"))))
            count += not char["c"].isspace()
        if not count:
            continue
        sizes[size] += count
        bases.setdefault(size, float(chars[0]["origin"][1]))
        letters += count
        bold += strong * count
        italic += slanted * count
        if bold_start is None and any(char["c"].isalpha() for char in chars):
            bold_start = strong
        if raised is None:
            raised = bool(span["flags"] & _RAISED)
    unseen = "".join(hidden).strip()
    if not glyphs:
        return None, unseen
    size = sizes.most_common(1)[0][0] if sizes else float(spans[0]["size"])
    text = close_up(glyphs, size, spaced)
    ink = [glyph for glyph in glyphs if not glyph.char.isspace()] or glyphs
    y0 = min(float(span["bbox"][1]) for span in spans)
    y1 = max(float(span["bbox"][3]) for span in spans)
    return (
        Line(
            text=text,
            x0=min(glyph.x0 for glyph in ink),
            y0=y0,
            x1=max(glyph.x1 for glyph in ink),
            y1=y1,
            base=bases.get(size, y1),
            size=size,
            bold=letters > 0 and bold >= 0.97 * letters,
            italic=letters > 0 and italic >= 0.9 * letters,
            bold_start=bool(bold_start),
            raised=bool(raised) and len(sizes) > 1,
            lead=close_up(glyphs[:lead], size, spaced).strip() if lead else "",
        ),
        unseen,
    )


def _painted_bold(span: dict[str, Any]) -> bool:
    flags = int(span.get("char_flags", 0))
    return bool(flags & _CHAR_BOLD) or (bool(flags & _CHAR_STROKED) and bool(flags & _CHAR_FILLED))


def _visible(span: dict[str, Any], paint: _Paint) -> bool:
    """Can a reader see the span? A text layer over a scan is not painted, yet it is what the reader sees."""
    if span.get("alpha", 255) == 0:
        return paint.unpainted_is_text
    if span["size"] < 2.5:
        return False
    colour = int(span["color"])
    if min(colour >> 16 & 255, colour >> 8 & 255, colour & 255) < _WHITE:
        return True
    x0, y0, x1, y1 = span["bbox"]
    return paint.is_ground((x0 + x1) / 2, (y0 + y1) / 2)


def _unseen(hidden: list[str], lines: list[Line]) -> str:
    """What is invisible and stands nowhere in sight; the white outline of a label is no secret."""
    seen = "".join("".join(line.text.split()) for line in lines)
    secret = [text for text in hidden if sum(ch.isalpha() for ch in text) >= 8]
    return " ".join(text for text in secret if len(set(text)) > 4 and "".join(text.split()) not in seen)[:200]


def _without_doubles(lines: list[Line]) -> list[Line]:
    """Drops a line painted a second time a hair's breadth aside."""
    kept: list[Line] = []
    places: dict[str, list[Line]] = {}
    for line in lines:
        twins = places.setdefault(line.text, [])
        near = 0.3 * line.size
        if not line.blank and any(
            abs(t.x0 - line.x0) < near and abs(t.base - line.base) < near for t in twins
        ):
            continue
        twins.append(line)
        kept.append(line)
    return kept
