"""A page as a picture → `RawPage` with recognised words. Runs in the reading process only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Any

import numpy as np
import pymupdf
from numpy.typing import NDArray

from index.locate import Word
from ingest import tesseract
from ingest.glyphs import parted, sized, stroke
from ingest.leftover import merge, pieces, read_off, stack
from ingest.legible import has_lines, is_blank
from ingest.lighting import even
from ingest.lines import Line, RawPage
from ingest.pictures import MAX_PIXELS, too_large
from ingest.repair import section_sign
from ingest.tesseract import OcrLine, OcrWord, TesseractFailed

DPI = 300
_MAX_SKEW = 5.0  # degrees; more is no slip of the scanner
_POOR = 60.0  # confidence below which the page may lie on its side
_SURE, _DOUBTFUL = 60.0, 40.0  # of a sign that is no letter, of a line
_MANY_WORDS, _FEW_WORDS = 12, 5  # of three letters and more
_LEGIBLE = 0.3  # of the words seen; a clean page has 0.97, a map with labels may have half
_BOLD_RATIO = 1.22  # of the page's usual stroke

Grey = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class OcrLimits:
    """What recognising one page may cost."""

    program: str
    seconds: float
    image_mpx: int


@dataclass(frozen=True, slots=True)
class _View:
    """A drawing of the page and the way back."""

    grey: Grey
    dpi: int
    zoom: float
    corner: tuple[float, float]
    """Pixel 0, 0 on the drawing board."""
    board: Any
    """Page → board."""

    def picture(self) -> bytes:
        """The drawing as PGM."""
        height, width = self.grey.shape
        return b"P5 %d %d 255\n" % (width, height) + self.grey.tobytes()


def recognise(page: Any, file_page: int, limits: OcrLimits) -> RawPage:
    """The page as Tesseract reads it, freed of skew. Where it cannot be recognised it has its `failure`."""
    width, height = float(page.rect.width), float(page.rect.height)
    refusal = too_large(page, limits.image_mpx)
    if refusal is not None:
        return RawPage(file_page, width, height, failure=refusal, image_share=1.0)
    try:
        upright = _draw(page, 0.0)
        angle = skew(upright.grey)
        view = _draw(page, angle) if abs(angle) >= 0.15 else upright
        lines = _read(view, limits)
        if _confidence(lines) < _POOR or _lies(lines):
            turned = tesseract.turn(limits.program, upright.picture(), upright.dpi, limits.seconds)
            if turned:
                other = _draw(page, turned + skew(_draw(page, turned).grey))
                found = _read(other, limits)
                if not _lies(found) and (_lies(lines) or _confidence(found) > _confidence(lines)):
                    view, lines = other, found
    except TesseractFailed as exc:
        return RawPage(file_page, width, height, failure=str(exc), image_share=1.0)
    sound = parted(view.grey, _sound(lines))
    if _illegible(view, lines, sound):
        failure = "на листе есть строки, но прочесть их не удалось (нечёткий скан или рукопись)"
        return RawPage(file_page, width, height, failure=failure, image_share=1.0)
    return _page(page, file_page, view, _second_look(view, sound, limits))


def _draw(page: Any, angle: float) -> _View:
    """The page turned clockwise by `angle` degrees, in grey."""
    area = max(page.rect.width * page.rect.height, 1.0)
    zoom = min(DPI / 72, (MAX_PIXELS / area) ** 0.5)
    matrix = pymupdf.Matrix(zoom, zoom).prerotate(angle)
    pixmap = page.get_pixmap(matrix=matrix, colorspace=pymupdf.csGRAY, alpha=False, annots=False)
    grey = np.frombuffer(pixmap.samples, dtype=np.uint8).reshape(pixmap.height, pixmap.stride)
    return _View(
        grey=even(grey[:, : pixmap.width]),
        dpi=round(72 * zoom),
        zoom=zoom,
        corner=(float(pixmap.x), float(pixmap.y)),
        board=page.rotation_matrix * matrix,
    )


def skew(grey: Grey) -> float:
    """Degrees clockwise by which to turn the picture so that its lines of type lie level; 0 when unsure.

    The rows of a level page are either full of ink or empty: the angle with the most uneven rows wins.
    """
    step = max(1, min(grey.shape) // 700)
    small = grey[: grey.shape[0] // step * step, : grey.shape[1] // step * step]
    small = small.reshape(small.shape[0] // step, step, -1, step).mean(axis=(1, 3))
    ink = small < (float(small.min()) + float(np.median(small))) / 2
    ys, xs = np.nonzero(ink)
    if len(ys) < 200:
        return 0.0
    if len(ys) > 60_000:
        keep = np.random.default_rng(0).choice(len(ys), 60_000, replace=False)
        ys, xs = ys[keep], xs[keep]

    def unevenness(angle: float) -> float:
        rows = (ys + xs * np.tan(np.radians(angle))).astype(np.int32)
        return float(np.square(np.bincount(rows - rows.min()).astype(np.float64)).sum())

    coarse = max(np.arange(-_MAX_SKEW, _MAX_SKEW + 0.01, 0.5), key=unevenness)
    best = float(max(np.arange(coarse - 0.4, coarse + 0.41, 0.1), key=unevenness))
    return best if unevenness(best) > 1.02 * unevenness(0.0) else 0.0


def _read(view: _View, limits: OcrLimits) -> list[OcrLine]:
    return tesseract.recognise(limits.program, view.picture(), view.dpi, limits.seconds)


def _second_look(view: _View, lines: list[OcrLine], limits: OcrLimits) -> list[OcrLine]:
    """With the numbers that stand apart from the text, and Roman numerals in the place of look-alikes."""
    found = pieces(view.grey, lines)
    if not found:
        return lines
    page, middles = stack(found)
    picture = replace(view, grey=page).picture()
    arguments = (limits.program, picture, view.dpi, limits.seconds)
    try:
        russian = read_off(tesseract.recognise(*arguments, tesseract.BLOCK), middles)
        return merge(lines, found, russian, read_off(tesseract.numerals(*arguments), middles))
    except TesseractFailed:
        return lines


def _confidence(lines: Sequence[OcrLine]) -> float:
    letters = sum(len(line.text) for line in lines)
    return sum(line.confidence * len(line.text) for line in lines) / max(letters, 1)


def _lies(lines: Sequence[OcrLine]) -> bool:
    """Do most words run upwards or downwards? Tesseract reads them, but in no order that makes sense."""
    boxes = [word.box for line in lines for word in line.words if len(word.text) >= 4]
    return 2 * sum(y1 - y0 > x1 - x0 for x0, y0, x1, y1 in boxes) > len(boxes)


def _sound(lines: Sequence[OcrLine]) -> list[OcrLine]:
    """Without specks, rules and the texture of pictures that were taken for letters.

    A whole word inside a line that is sure is no speck, however rare it is: names are doubted often, and a
    sentence without one of its words says something else.
    """
    kept = []
    for line in lines:
        words = [
            word
            for word in line.words
            if word.confidence >= (_DOUBTFUL if any(map(str.isalnum, word.text)) else _SURE)
            or (line.confidence >= _SURE and _is_word(word))
        ]
        if words and line.confidence >= _DOUBTFUL and any(ch.isalnum() for w in words for ch in w.text):
            kept.append(OcrLine(line.box, line.size, line.base, words))
    return kept


def _illegible(view: _View, lines: Sequence[OcrLine], sound: Sequence[OcrLine]) -> bool:
    """Is there text on the page of which hardly anything was read? A picture is no such page."""
    seen, kept = _words(lines), _words(sound)
    if seen >= _MANY_WORDS:
        return kept < _LEGIBLE * seen
    return kept < _FEW_WORDS and has_lines(view.grey)


def _words(lines: Sequence[OcrLine]) -> int:
    return sum(_is_word(word) for line in lines for word in line.words)


def _is_word(word: OcrWord) -> bool:
    return sum(map(str.isalpha, word.text)) >= 3


def _page(page: Any, file_page: int, view: _View, found: Sequence[OcrLine]) -> RawPage:
    found = sized(view.grey, found)
    strokes = [stroke(view.grey, line) for line in found]
    usual = median([s for s, line in zip(strokes, found, strict=True) for _ in line.text] or [0.0])
    body = median([line.size for line in found for _ in line.text] or [0.0])
    lines: list[Line] = []
    words: list[Word] = []
    for line, weight in zip(found, strokes, strict=True):
        size, base = line.size / view.zoom, line.base / view.zoom
        x0 = min(word.box[0] for word in line.words) / view.zoom
        x1 = max(word.box[2] for word in line.words) / view.zoom
        bold = len(found) >= 6 and weight > _BOLD_RATIO * usual
        text = section_sign(line.text, heading=bold or line.size > 1.15 * body)
        y0, y1 = base - 0.8 * size, base + 0.25 * size
        lines.append(Line(text, x0, y0, x1, y1, base, size, bold, italic=False, bold_start=bold))
        words += [_placed(word.text, word.box, view) for word in line.words]
    return RawPage(
        file_page=file_page,
        width=view.grey.shape[1] / view.zoom,
        height=view.grey.shape[0] / view.zoom,
        text="\n".join(line.text for line in lines),
        lines=tuple(lines),
        image_share=1.0,
        label=page.get_label() or "",
        drawn=True,
        ocr=True,
        words=tuple(words),
        remark=None if lines else _emptiness(view.grey),
    )


def _placed(text: str, box: tuple[float, float, float, float], view: _View) -> Word:
    """The word with its box on the page as the PDF counts it, unturned."""
    x, y = view.corner
    rect = pymupdf.Rect(box[0] + x, box[1] + y, box[2] + x, box[3] + y) * ~view.board
    return Word(text, *(round(float(v), 1) for v in (rect.x0, rect.y0, rect.x1, rect.y1)))


def _emptiness(grey: Grey) -> str | None:
    """A note where something is drawn, though nothing can be read."""
    return None if is_blank(grey) else "картинка без текста"
