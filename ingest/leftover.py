"""Ink that recognition left out or took for letters: page numbers, numbers of list items, Roman numerals.

Tesseract takes a lone digit for dirt as long as a whole page is before it, and its Russian knows no Roman
numerals: «XIX в.» comes out as «ХХ в.» or not at all. Such pieces are cut out, set one below another and
shown to it once more. Pure functions over a grey picture and the lines found in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ingest.numbers import roman
from ingest.tesseract import Box, OcrLine, OcrWord

_T = TypeVar("_T", bound=np.generic)
Grey = NDArray[np.uint8]
_MAX_PIECES = 60  # more is the texture of a picture
_SURE = 40.0
_SURE_ROMAN = 60.0
_NUMBER = re.compile(r"[-–—]?\s*(?:\d{1,4}|[ivxlc]{1,7}|[IVXLC]{1,7})[.)]?\s*[-–—]?|\d{1,4}[.)]|§")
_ROMAN = re.compile(r"[IVXLCDM]{1,8}")
# What Russian recognition makes of Roman numerals, with the signs that stand beside them.
_LIKE_ROMAN = re.compile(
    r"(?P<before>[(«]?)(?P<numeral>[ХУГПШЛТСМІIVXхуг1!|\\/\[\]]{1,8})(?P<after>[.,;:)»]*)"
)
_COUNTED = re.compile(r"(?:в|вв|век\w*|столети\w*|тысячелети\w*|съезд\w*|созыв\w*)[.,;:)»]*", re.IGNORECASE)
# What the sign § is taken for: «8 2», «82», «$ 2».
_LIKE_SIGN = re.compile(r"[(«]?[8$&SБ563]")
_LIKE_SIGN_AND_NUMBER = re.compile(r"(?P<before>[(«]?)[8$&S](?P<number>\d{1,3})(?P<after>[.,;:)»]*)")
_BEFORE_SIGN = re.compile(r"(?:см\.|в|из|к|и|по)", re.IGNORECASE)
_SECTION = re.compile(r"§(\d{1,3})")
_HEADED = re.compile(r"(?:глав|раздел|част|том)\w*", re.IGNORECASE)
_EM = 6.0
"""Types of the line between a list number and its text, at most."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A cutting of the page that may be a number."""

    box: Box
    ink: Grey
    word: tuple[int, int] | None = None
    """Line and (first) word that it stands for; None for ink that no word covers."""


def pieces(grey: Grey, lines: Sequence[OcrLine]) -> list[Piece]:
    """What is worth another look: ink that no word covers, and words that may be Roman numerals or «§ 2»."""
    words = [word for line in lines for word in line.words]
    if not words:
        return []
    size = float(np.median([line.size for line in lines]))
    # Air above and below, as in a line; beside the word stand the next ones.
    above, beside = round(0.35 * size), round(0.15 * size)
    out = []
    for i, k, count in (*_like_roman(lines), *_like_sections(lines)):
        box = lines[i].words[k].box
        box = (box[0], box[1], lines[i].words[k + count - 1].box[2], box[3])
        wider = (box[0] - beside, box[1] - above, box[2] + beside, box[3] + above)
        out.append(Piece(box, _cut(grey, wider), (i, k)))
    blurred = _blurred(grey)
    ground = float(np.median(blurred))
    dark = float(np.percentile(np.concatenate([_cut(blurred, word.box).ravel() for word in words]), 5))
    ink = blurred < (ground + dark) / 2
    for word in words:
        _cut(ink, word.box, round(0.15 * size))[:] = False
    specks = _joined(sorted(_specks(ink, size)), size)
    if len(specks) <= _MAX_PIECES:
        for box in specks:
            alone = np.full_like(_cut(grey, box), 255)
            alone[_cut(ink, box)] = 0
            out.append(Piece(box, alone))
    return out


def stack(found: Sequence[Piece]) -> tuple[Grey, list[int]]:
    """The pieces one below another on white, and the y of the middle of each."""
    gap = max(piece.ink.shape[0] for piece in found)
    width = max(piece.ink.shape[1] for piece in found) + 2 * gap
    page = np.full((sum(piece.ink.shape[0] + gap for piece in found) + gap, width), 255, dtype=np.uint8)
    middles = []
    y = gap
    for piece in found:
        height, breadth = piece.ink.shape
        page[y : y + height, gap : gap + breadth] = piece.ink
        middles.append(y + height // 2)
        y += height + gap
    return page, middles


def read_off(lines: Sequence[OcrLine], middles: Sequence[int]) -> dict[int, OcrWord]:
    """Piece → what was read in it; none where it fell into several words."""
    out: dict[int, OcrWord] = {}
    twice: set[int] = set()
    for line in lines:
        for word in line.words:
            y = (word.box[1] + word.box[3]) / 2
            nearest = min(range(len(middles)), key=lambda i: abs(middles[i] - y))
            if nearest in out:
                twice.add(nearest)
            out[nearest] = word
    return {i: word for i, word in out.items() if i not in twice}


def merge(
    lines: Sequence[OcrLine],
    found: Sequence[Piece],
    russian: Mapping[int, OcrWord],
    numerals: Mapping[int, OcrWord],
) -> list[OcrLine]:
    """Puts the numbers where they stand. `russian`, `numerals`: the pieces as read by the two readings."""
    out = [OcrLine(line.box, line.size, line.base, list(line.words)) for line in lines]
    for i, piece in enumerate(found):
        if piece.word is not None and i in numerals:
            _replace(out[piece.word[0]].words, piece.word[1], numerals[i])
    for i, piece in enumerate(found):
        if piece.word is not None:
            continue
        numeral = numerals.get(i)
        if numeral is not None and _is_roman(numeral) and _insert(out, piece.box, numeral.text):
            continue
        seen = russian.get(i)
        if seen is not None and seen.text == "$":
            seen = OcrWord("§", seen.box, seen.confidence)
        elif numeral is not None and numeral.text.isdecimal() and _is_surer(numeral, seen):
            seen = numeral
        if seen is None or seen.confidence < _SURE or not _NUMBER.fullmatch(seen.text):
            continue
        _place(out, OcrWord(seen.text, piece.box, seen.confidence))
    return out


def _like_roman(lines: Sequence[OcrLine]) -> Iterator[tuple[int, int, int]]:
    """Line, word, 1: what looks like a misread Roman numeral and stands where one belongs."""
    for i, line in enumerate(lines):
        words = [word.text for word in line.words]
        for k, text in enumerate(words):
            match = _LIKE_ROMAN.fullmatch(text)
            if match is None:
                continue
            following = words[k + 1] if k + 1 < len(words) else ""
            counted = _COUNTED.fullmatch(following) and not match["after"]
            headed = k == 1 and _HEADED.fullmatch(words[0])
            if (counted and (len(match["numeral"]) > 1 or match["numeral"] in "ХУIVX!|\\/")) or headed:
                yield i, k, 1


def _like_sections(lines: Sequence[OcrLine]) -> Iterator[tuple[int, int, int]]:
    """Line, word, count of words: what looks like a misread «§ 2», at the start of a line or after «см.»."""
    for i, line in enumerate(lines):
        words = [word.text for word in line.words]
        for k, text in enumerate(words):
            if k and not text.startswith("(") and not _BEFORE_SIGN.fullmatch(words[k - 1].lstrip("(")):
                continue
            if _LIKE_SIGN_AND_NUMBER.fullmatch(text):
                yield i, k, 1
            elif _LIKE_SIGN.fullmatch(text) and k + 1 < len(words) and words[k + 1][:1].isdecimal():
                yield i, k, 2


def _is_surer(numeral: OcrWord, seen: OcrWord | None) -> bool:
    """Is the digit better than what the Russian reading made of it?"""
    return seen is None or not _NUMBER.fullmatch(seen.text) or numeral.confidence > seen.confidence


def _is_roman(word: OcrWord) -> bool:
    return bool(_ROMAN.fullmatch(word.text)) and roman(word.text) is not None


def _replace(words: list[OcrWord], k: int, numeral: OcrWord) -> None:
    """Takes the second reading of a word where it fits the first."""
    section = _SECTION.fullmatch(numeral.text)
    if section is not None:  # sure enough, as both readings agree on the number
        text, box = words[k].text, words[k].box
        whole = _LIKE_SIGN_AND_NUMBER.fullmatch(text)
        if whole is not None and whole["number"] == section[1]:
            words[k] = OcrWord(f"{whole['before']}§{section[1]}{whole['after']}", box, numeral.confidence)
        elif whole is None and re.sub(r"\D.*", "", words[k + 1].text) == section[1]:
            words[k] = OcrWord(text[:-1] + "§", box, numeral.confidence)
        return
    match = _LIKE_ROMAN.fullmatch(words[k].text)
    if match is None or not _is_roman(numeral) or numeral.confidence < _SURE_ROMAN:
        return
    words[k] = OcrWord(match["before"] + numeral.text + match["after"], words[k].box, numeral.confidence)


def _insert(lines: Sequence[OcrLine], box: Box, numeral: str) -> bool:
    """Sets a Roman numeral between the words of the line that has a gap for it, before «в.» and the like."""
    word = OcrWord(numeral, box, _SURE_ROMAN)
    for line in lines:
        if not _level(word, line):
            continue
        k = sum((word.box[0] + word.box[2]) / 2 < box[0] for word in line.words)
        if k < len(line.words) and line.words[k].box[0] > box[2] - 0.3 * line.size:
            counted = _COUNTED.fullmatch(line.words[k].text)
            if counted and line.words[k].box[0] - box[2] < line.size:
                line.words.insert(k, word)
                return True
    return False


def _place(lines: list[OcrLine], word: OcrWord) -> None:
    """Before the line that the number stands beside, or on a line of its own."""
    home = next((line for line in lines if _beside(word.box, line)), None)
    if home is None:
        if any(
            line.words[0].box[0] < word.box[0] < line.words[-1].box[2] and _level(word, line)
            for line in lines
        ):
            return  # a stroke of a letter inside a line
        size = 1.4 * (word.box[3] - word.box[1])
        lines.append(OcrLine(word.box, size, word.box[3], [word]))
    else:
        home.words.insert(0, word)
        home.words[:2] = _glued(*home.words[:2])


def _level(word: OcrWord, line: OcrLine) -> bool:
    return line.base - line.size < (word.box[1] + word.box[3]) / 2 < line.base + 0.2 * line.size


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


def _joined(boxes: Sequence[Box], size: float) -> list[Box]:
    """Digits and strokes that stand close together on one line are one number."""
    out: list[Box] = []
    for box in boxes:
        for i, other in enumerate(out):
            overlap = min(box[3], other[3]) - max(box[1], other[1])
            apart = max(box[0] - other[2], other[0] - box[2])
            if overlap > 0.5 * min(box[3] - box[1], other[3] - other[1]) and apart < 0.3 * size:
                out[i] = (
                    min(box[0], other[0]),
                    min(box[1], other[1]),
                    max(box[2], other[2]),
                    max(box[3], other[3]),
                )
                break
        else:
            out.append(box)
    return out


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
