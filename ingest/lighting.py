"""A photographed page → black type on white paper: shadows evened out, what lies around the page made white.

Tesseract parts ink from paper by one limit for the whole picture; in the shadow of a gutter it then sees
nothing but ink. Pure functions over a grey picture, 0 black, 255 white.
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

_T = TypeVar("_T", bound=np.generic)
Grey = NDArray[np.uint8]
_Cells = NDArray[np.float32]
_CELL = 24
"""Pixels; at 300 dpi two letters of body text, so that a cell of text holds paper as well."""
_PAPER = 90  # percentile of a cell's pixels that is its paper
_SURROUND = 0.4  # of the paper's brightness; a table top, the lid of a scanner
_WHITE = 245.0


def even(grey: Grey) -> Grey:
    """The page as if its light were even; its ink as dark against the paper as it was."""
    cells = _paper(grey)
    if min(cells.shape) < 4:
        return grey
    usual = float(np.percentile(cells, 75))
    if usual < 40:  # white on black, or no page at all
        return grey
    outside = _from_edges(cells < _SURROUND * usual)
    # A picture or a tinted box is no shadow: its paper is lighter than this or looks darker all the same.
    # What lies around the page tells nothing about the light on it.
    light = _lightest(np.where(outside, 0, np.maximum(cells, _SURROUND * usual)).astype(np.float32))
    known = (light > 0).astype(np.float32)
    share = _smooth(known)
    light = np.where(share > 0, _smooth(light) / np.maximum(share, 0.1), usual).astype(np.float32)
    out: Grey = np.empty_like(grey)
    columns = _positions(grey.shape[1], light.shape[1])
    rows = _positions(grey.shape[0], light.shape[0])
    wide = _between(light, columns)
    # By strips: a page of thirty megapixels as floats is a hundred megabytes.
    for start in range(0, grey.shape[0], 256):
        strip = slice(start, min(start + 256, grey.shape[0]))
        ground = _between(wide.T, rows[strip]).T
        out[strip] = np.clip(grey[strip] * (_WHITE / ground), 0, 255)
    # One cell more: at its rim the page shares cells with what lies around it.
    outside = _neighbours(outside, np.logical_or)
    for y, x in zip(*np.nonzero(outside), strict=True):
        out[y * _CELL : (y + 1) * _CELL, x * _CELL : (x + 1) * _CELL] = 255
    if outside[-1].any():
        out[outside.shape[0] * _CELL :] = 255
    if outside[:, -1].any():
        out[:, outside.shape[1] * _CELL :] = 255
    return out


def _paper(grey: Grey) -> _Cells:
    """Brightness of the paper in each cell."""
    rows, columns = grey.shape[0] // _CELL, grey.shape[1] // _CELL
    if not rows or not columns:
        return np.zeros((0, 0), dtype=np.float32)
    cells = grey[: rows * _CELL : 2, : columns * _CELL : 2]  # a quarter of the pixels tells as much
    half = _CELL // 2
    blocks = cells.reshape(rows, half, columns, half).transpose(0, 2, 1, 3).reshape(rows, columns, -1)
    at = blocks.shape[2] * _PAPER // 100
    light: _Cells = np.partition(blocks, at, axis=2)[..., at].astype(np.float32)
    return light


def _from_edges(dark: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The dark cells that hang together with the edge of the picture."""
    reached = np.zeros_like(dark)
    reached[0], reached[-1] = dark[0], dark[-1]
    reached[:, 0] |= dark[:, 0]
    reached[:, -1] |= dark[:, -1]
    while True:
        grown = _neighbours(reached, np.logical_or) & dark
        if np.array_equal(grown, reached):
            return reached
        reached = grown


def _lightest(cells: _Cells) -> _Cells:
    """Of each cell and its neighbours: a cell full of bold type has no paper of its own."""
    return _neighbours(cells, np.maximum)


def _neighbours(cells: NDArray[_T], join: np.ufunc) -> NDArray[_T]:
    padded = np.pad(cells, 1, mode="edge")
    rows = join(join(padded[:-2], padded[1:-1]), padded[2:])
    joined: NDArray[_T] = join(join(rows[:, :-2], rows[:, 1:-1]), rows[:, 2:])
    return joined


def _smooth(cells: _Cells) -> _Cells:
    padded = np.pad(cells, 1, mode="edge")
    rows = padded[:-2] + padded[1:-1] + padded[2:]
    mean: _Cells = (rows[:, :-2] + rows[:, 1:-1] + rows[:, 2:]) / np.float32(9)
    return mean


def _positions(pixels: int, cells: int) -> NDArray[np.float32]:
    """For each pixel its place between the middles of the cells."""
    return np.clip((np.arange(pixels, dtype=np.float32) + 0.5) / _CELL - 0.5, 0, cells - 1)


def _between(cells: _Cells, positions: NDArray[np.float32]) -> _Cells:
    """Columns at fractional `positions`, linearly."""
    low = np.minimum(positions.astype(np.int32), max(cells.shape[1] - 2, 0))
    share = (positions - low).astype(np.float32)
    wide: _Cells = cells[:, low] * (1 - share) + cells[:, low + 1] * share
    return wide
