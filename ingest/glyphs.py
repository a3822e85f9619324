"""What the ink of a recognised line tells beyond its letters: how bold it is, how large, where it has a gap.

Pure functions over a grey picture, 0 black, 255 white.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from statistics import median

import numpy as np
from numpy.typing import NDArray

from ingest.tesseract import Box, OcrLine, OcrWord

Grey = NDArray[np.uint8]
# «§ 2.» read as one number: the sign is taken for a digit.
_SIGN_GLUED = re.compile(r"[(«]?[8$&S]\d{1,3}[.,;:)»]*")
_GAP = 0.35  # of the size of type; digits of one number stand less than 0.2 apart
_MOSTLY = 0.7  # of the letters
_MISJUDGED = 1.15


def stroke(grey: Grey, line: OcrLine) -> float:
    """Mean length of the horizontal runs of ink, against the size of type: about how bold it is."""
    ink = _ink(grey, line.box)
    runs = int(np.count_nonzero(ink[:, 1:] & ~ink[:, :-1])) + int(np.count_nonzero(ink[:, :1]))
    return float(np.count_nonzero(ink)) / max(runs, 1) / max(line.size, 1.0)


def sized(grey: Grey, lines: Sequence[OcrLine]) -> list[OcrLine]:
    """With the size of type put right where Tesseract took small letters for capitals.

    In blocks of two or three lines it may mistake the height of a capital for that of «х», so that the type
    seems a quarter smaller than it is, and bolder. The page's other lines tell how high «х» is for a size.
    """
    shares = [_low_height(grey, line) / max(line.size, 1.0) for line in lines]
    known = [share for share, line in zip(shares, lines, strict=True) if share for _ in line.text]
    usual = median(known) if known else 0.0
    return [
        OcrLine(line.box, line.size * share / usual, line.base, line.words)
        if share > _MISJUDGED * usual > 0
        else line
        for line, share in zip(lines, shares, strict=True)
    ]


def parted(grey: Grey, lines: Sequence[OcrLine]) -> list[OcrLine]:
    """With «82.» as «8 2.» where a wide gap shows that the first sign is none of the number's digits."""
    return [
        OcrLine(
            line.box, line.size, line.base, [part for word in line.words for part in _parts(grey, word, line)]
        )
        for line in lines
    ]


def _parts(grey: Grey, word: OcrWord, line: OcrLine) -> list[OcrWord]:
    if not _SIGN_GLUED.fullmatch(word.text):
        return [word]
    columns = np.flatnonzero(_ink(grey, word.box).any(axis=0))
    gaps = np.diff(columns)
    if not len(gaps) or gaps.max() < _GAP * line.size:
        return [word]
    at = int(gaps.argmax())
    x0, y0, x1, y1 = word.box
    head = 2 if word.text[0] in "(«" else 1
    return [
        OcrWord(word.text[:head], (x0, y0, x0 + float(columns[at]) + 1, y1), word.confidence),
        OcrWord(word.text[head:], (x0 + float(columns[at + 1]), y0, x1, y1), word.confidence),
    ]


def _low_height(grey: Grey, line: OcrLine) -> float:
    """Height of «х» in a line of mostly small letters, pixels; 0 where it cannot be told."""
    letters = [ch for ch in line.text if ch.isalpha()]
    if len(letters) < 8 or sum(ch.islower() for ch in letters) < _MOSTLY * len(letters):
        return 0.0
    x0, y0, x1, _ = line.box
    rows = _ink(grey, (x0, y0, x1, line.base)).sum(axis=1)
    # Between the baseline and the top of «х» a line is dense; a few capitals and tails rise above.
    dense = np.flatnonzero(rows > 0.5 * np.percentile(rows, 75)) if len(rows) else rows
    return float(len(rows) - dense[0]) if len(dense) else 0.0


def _ink(grey: Grey, box: Box) -> NDArray[np.bool_]:
    x0, y0, x1, y1 = (max(int(v), 0) for v in box)
    cut = grey[y0:y1, x0:x1]
    if not cut.size:
        return np.zeros((0, 0), dtype=np.bool_)
    # Headings may be set in colour, which is grey here: half-way between the darkest and the paper.
    dark, light = np.percentile(cut, (2, 90))
    ink: NDArray[np.bool_] = cut < (float(dark) + float(light)) / 2
    return ink
