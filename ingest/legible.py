"""Is there text in a picture in which nothing was read? Told from its rows, as an eye tells from afar.

Pure functions over a grey picture whose lines of type run level, 0 black, 255 white.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Grey = NDArray[np.uint8]
_SHORT_SIDE = 600  # pixels that tell lines from one another and blur letters
_LINES = range(6, 41)  # pixels from one line to the next at that size: 15 to 100 lines on a page
_LEAST_INK = 6.0  # grey levels by which rows of type and the gaps between them differ; blank paper has 0.2
_LEAST_BEAT = 0.35  # of 1; type has 0.4 to 0.9, pictures hardly 0.2
_NOT_PAPER = 225
_BLANK = 0.05
"""Share of a blank page that is darker: its edges, a hole, a stain."""


def has_lines(grey: Grey) -> bool:
    """Do rows of ink follow one another in a steady beat?"""
    small = _small(grey)
    height, width = small.shape
    rows = small[int(0.05 * height) : int(0.95 * height), int(0.1 * width) : int(0.9 * width)].mean(axis=1)
    if len(rows) < 3 * _LINES.stop:
        return False
    ground = np.convolve(np.pad(rows, 20, mode="edge"), np.ones(41) / 41, mode="valid")
    beat = rows - ground
    if float(beat.std()) < _LEAST_INK:
        return False
    echo = np.correlate(beat, beat, mode="full")[len(beat) - 1 :]
    return float(echo[_LINES.start : _LINES.stop].max()) > _LEAST_BEAT * float(echo[0])


def is_blank(grey: Grey) -> bool:
    """Hardly anything is drawn."""
    return float(np.mean(_small(grey) < _NOT_PAPER)) < _BLANK


def _small(grey: Grey) -> NDArray[np.float64]:
    step = max(1, round(min(grey.shape) / _SHORT_SIDE))
    height, width = grey.shape[0] // step, grey.shape[1] // step
    cells = grey[: height * step, : width * step].reshape(height, step, width, step)
    mean: NDArray[np.float64] = cells.mean(axis=(1, 3))
    return mean
