"""The Tesseract program: is it there, and what does it read in a picture. Russian only, on purpose.

No page is ever read in another language than `rus`: English recognition of a Russian page is confident
nonsense. Only for numbers that are cut out of the page the English model is asked, as the Russian one knows
no Roman digits; no sign but those and § may come of it.
Pictures go in and text comes out through pipes, so nothing is left on the disk.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import dataclass, field
from html.parser import HTMLParser

LANGUAGE = "rus"
_DIGITS = "0123456789IVXLCDM§"
INSTALL = "sudo apt install tesseract-ocr tesseract-ocr-rus"
_LINE_KINDS = frozenset({"ocr_line", "ocr_header", "ocr_caption", "ocr_textfloat"})
Box = tuple[float, float, float, float]


class TesseractFailed(Exception):
    """It gave no text: crashed, or took too long."""


@dataclass(frozen=True, slots=True)
class OcrWord:
    """A word in the picture; pixels, y grows downwards."""

    text: str
    box: Box
    confidence: float
    """0..100."""


@dataclass(slots=True)
class OcrLine:
    """A line of type in the picture, pixels."""

    box: Box
    size: float
    """Height of the type from the lowest descender to the highest ascender."""
    base: float
    """y of the baseline in the middle of the line."""
    words: list[OcrWord] = field(default_factory=list)

    @property
    def text(self) -> str:
        return " ".join(word.text for word in self.words)

    @property
    def confidence(self) -> float:
        letters = sum(len(word.text) for word in self.words)
        return sum(word.confidence * len(word.text) for word in self.words) / max(letters, 1)


def missing(program: str) -> str | None:
    """Russian sentence with the cure where Russian recognition is not installed, else None."""
    if shutil.which(program) is None:
        return f"Программа распознавания Tesseract не установлена. Установите её: {INSTALL}."
    try:
        listed = _run([program, "--list-langs"], b"", 30).decode("utf-8", "replace").split()
    except TesseractFailed:
        return f"Программа распознавания {program} не запускается. Переустановите её: {INSTALL}."
    if LANGUAGE not in listed:
        return f"У Tesseract нет русского языка. Установите его: {INSTALL}."
    return None


PAGE, BLOCK = "3", "6"
"""Segmentation: find columns and blocks; or take the whole for one block, and leave nothing out."""


def recognise(program: str, picture: bytes, dpi: int, seconds: float, mode: str = PAGE) -> list[OcrLine]:
    """Lines of a PNG or PNM picture in reading order. Raises TesseractFailed."""
    command = [program, "stdin", "stdout", "-l", LANGUAGE, "--psm", mode, "--dpi", str(dpi), "hocr"]
    return _lines(_run(command, picture, seconds))


def numerals(program: str, picture: bytes, dpi: int, seconds: float) -> list[OcrLine]:
    """The same for a picture with nothing but numbers, Roman ones too, and signs of §."""
    command = [program, "stdin", "stdout", "-l", "eng", "--psm", BLOCK, "--dpi", str(dpi)]
    command += ["-c", f"tessedit_char_whitelist={_DIGITS}", "hocr"]
    try:
        return _lines(_run(command, picture, seconds))
    except TesseractFailed:  # the English model is not installed
        return []


def _lines(hocr: bytes) -> list[OcrLine]:
    parser = _Hocr()
    parser.feed(hocr.decode("utf-8", "replace"))
    parser.close()
    return [line for line in parser.lines if line.words]


def turn(program: str, picture: bytes, dpi: int, seconds: float) -> int:
    """Degrees clockwise by which the picture must be turned to stand upright, in steps of 90; 0: unsure."""
    command = [program, "stdin", "stdout", "-l", "osd", "--psm", "0", "--dpi", str(dpi)]
    try:
        said = _run(command, picture, seconds).decode("utf-8", "replace")
    except TesseractFailed:  # too few letters, or the model of orientations is not installed
        return 0
    degrees = re.search(r"^Rotate: (\d+)", said, re.MULTILINE)
    return int(degrees[1]) % 360 if degrees else 0


def _run(command: list[str], data: bytes, seconds: float) -> bytes:
    # One thread each: the pages run in parallel, and Tesseract's own threads only slow one another down.
    environment = os.environ | {"OMP_THREAD_LIMIT": "1", "LC_ALL": "C"}
    try:
        done = subprocess.run(  # noqa: S603
            command, input=data, capture_output=True, timeout=seconds, env=environment, check=False
        )
    except subprocess.TimeoutExpired as exc:
        raise TesseractFailed("распознавание заняло слишком много времени") from exc
    except OSError as exc:
        raise TesseractFailed(f"программа распознавания не запускается ({exc.strerror})") from exc
    if done.returncode != 0:
        raise TesseractFailed("программа распознавания завершилась с ошибкой")
    return done.stdout


class _Hocr(HTMLParser):
    """Reads hOCR, the one output of Tesseract that tells baseline and size of type."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.lines: list[OcrLine] = []
        self._word: tuple[Box, float] | None = None
        self._text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        kind, title = given.get("class"), given.get("title") or ""
        if kind in _LINE_KINDS:
            box = _box(title)
            slope, offset = (_numbers(title, "baseline") + [0.0, 0.0])[:2]
            size = (_numbers(title, "x_size") or [box[3] - box[1]])[0]
            base = box[3] + offset + slope * (box[2] - box[0]) / 2
            self.lines.append(OcrLine(box, size, base))
        elif kind == "ocrx_word":
            self._word = _box(title), (_numbers(title, "x_wconf") or [0.0])[0]
            self._text = []

    def handle_data(self, data: str) -> None:
        if self._word is not None:
            self._text.append(data)

    def handle_endtag(self, tag: str) -> None:
        if tag != "span" or self._word is None:
            return
        text = "".join(self._text).strip()
        if text and self.lines:
            self.lines[-1].words.append(OcrWord(text, *self._word))
        self._word = None


def _numbers(title: str, name: str) -> list[float]:
    match = re.search(rf"(?:^|; )\s*{name}((?: -?[\d.]+)+)", title)
    return [float(number) for number in match[1].split()] if match else []


def _box(title: str) -> Box:
    x0, y0, x1, y1 = (_numbers(title, "bbox") + [0.0] * 4)[:4]
    return x0, y0, x1, y1
