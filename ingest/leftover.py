"""Ink that recognition left out: page numbers and numbers of list items, which stand apart from the text.

Tesseract takes a lone digit for dirt as long as a whole page is before it. What it left is shown to it once
more, on an empty page. Pure functions over a grey picture and the lines found in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ingest.tesseract import Box, OcrLine, OcrWord

_T = TypeVar("_T", bound=np.generic)
Grey = NDArray[np.uint8]
_MAX_SPECKS = 60  # more is the texture of a picture
_SURE = 40.0
_NUMBER = re.compile(r"[-–—]?\s*(?:\d{1,4}|[ivxlc]{1,7}|[IVXLC]{1,7})[.)]?\s*[-–—]?|\d{1,4}[.)]|§")
_EM = 6.0
"""Types of the line between a list number and its text, at most."""


def leftover(grey: Grey, lines: Sequence[OcrLine]) -> Grey | None:
    """Black on white, the small pieces of ink that no word of `lines` covers; None where there are none."""
    words = [word for line in lines for word in line.words]
    if not words:
        return None
    size = float(np.median([line.size for line in lines]))
    blurred = _blurred(grey)
    ground = float(np.median(blurred))
    dark = float(np.percentile(np.concatenate([_cut(blurred, word.box).ravel() for word in words]), 5))
    ink = blurred < (ground + dark) / 2
    for word in words:
        _cut(ink, word.box, round(0.15 * size))[:] = False
    specks = list(_specks(ink, size))
    if not specks or len(specks) > _MAX_SPECKS:
        return None
    page = np.full(grey.shape, 255, dtype=np.uint8)
    for box in specks:
        _cut(page, box)[_cut(ink, box)] = 0
    return page


def merge(lines: Sequence[OcrLine], found: Sequence[OcrLine]) -> list[OcrLine]:
    """Puts the numbers of `found` before the lines that they stand beside, or on lines of their own."""
    out = list(lines)
    for extra in found:
        for word in extra.words:
            if word.confidence < _SURE or not _NUMBER.fullmatch(word.text):
                continue
            home = next((line for line in out if _beside(word.box, line)), None)
            if home is None:
                size = 1.4 * (word.box[3] - word.box[1])
                out.append(OcrLine(word.box, size, word.box[3], [word]))
            else:
                home.words.insert(0, word)
                home.words[:2] = _glued(*home.words[:2])
    return out


def _glued(number: OcrWord, following: OcrWord) -> list[OcrWord]:
    """A lone full stop belongs to the number before it."""
    if following.text not in (".", ")") or not number.text.isdecimal():
        return [number, following]
    (x0, y0, _, y1), x1 = number.box, following.box[2]
    return [OcrWord(number.text + following.text, (x0, y0, x1, y1), number.confidence)]


def _beside(box: Box, line: OcrLine) -> bool:
    overlap = min(box[3], line.box[3]) - max(box[1], line.box[1])
    gap = min(word.box[0] for word in line.words) - box[2]
    return overlap > 0.5 * (box[3] - box[1]) and -0.3 * line.size < gap < _EM * line.size


def _blurred(grey: Grey) -> NDArray[np.float32]:
    """Mean over 3 × 3 pixels: the noise of the scanner goes, strokes stay."""
    padded = np.pad(grey.astype(np.float32), 1, mode="edge")
    rows = padded[:-2] + padded[1:-1] + padded[2:]
    mean: NDArray[np.float32] = (rows[:, :-2] + rows[:, 1:-1] + rows[:, 2:]) / 9
    return mean


def _cut(picture: NDArray[_T], box: Box, margin: int = 0) -> NDArray[_T]:
    x0, y0, x1, y1 = (int(v) for v in box)
    return picture[max(0, y0 - margin) : y1 + margin, max(0, x0 - margin) : x1 + margin]


def _specks(ink: NDArray[np.bool_], size: float) -> Iterator[Box]:
    """Boxes of connected pieces about as high as a digit and no longer than a short word."""
    cell = max(2, round(0.25 * size))
    rows, columns = ink.shape[0] // cell, ink.shape[1] // cell
    coarse = ink[: rows * cell, : columns * cell].reshape(rows, cell, columns, cell).sum(axis=(1, 3))
    # A single dark pixel is dirt.
    todo = {(int(y), int(x)) for y, x in zip(*np.nonzero(coarse >= 3), strict=True)}
    if len(todo) > 0.1 * rows * columns:
        return
    while todo:
        piece = [todo.pop()]
        for y, x in piece:
            near = {(y + dy, x + dx) for dy in (-1, 0, 1) for dx in (-1, 0, 1)} & todo
            todo -= near
            piece.extend(near)
        ys, xs = [y for y, _ in piece], [x for _, x in piece]
        height, width = (max(ys) - min(ys) + 1) * cell, (max(xs) - min(xs) + 1) * cell
        if 0.5 * size <= height <= 2.2 * size and width <= 5 * size:
            x0, y0 = min(xs) * cell, min(ys) * cell
            yield float(x0), float(y0), float(x0 + width), float(y0 + height)
