"""Text of a book or of a model, made safe to show: no invisible characters, no Markdown marks.

Both are pure functions. `clean` keeps what is read; `markdown_spans` finds the marks that are meant as marks.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Literal, NamedTuple

Style = Literal["plain", "bold", "italic"]

_HEADING = re.compile(r"^\s{0,3}#{1,6}\s+(?=[^a-z\s])(.+?)\s*#*\s*$")
_RULE = re.compile(r"^\s*([-*_])(?:\s*\1){2,}\s*$")
_TABLE_RULE = re.compile(r"^\s*\|?\s*:?-{2,}:?\s*(?:\|\s*:?-{2,}:?\s*)*\|?\s*$")
_TABLE_ROW = re.compile(r"^\s*\|(.+)\|\s*$")
_FENCE = re.compile(r"^\s*(?:```|~~~)\w*\s*$")
_BULLET = re.compile(r"^(\s*)[*-]\s+(?=\S)")
_LINK = re.compile(r"!?\[([^\]\n]+)\]\(https?://[^)\s]*\)")
_CODE = re.compile(r"`+([^`\n]+)`+")
_RING = re.compile(r"(?<=\d)[ \u00a0]?\u25e6")
"""TeX has no degree sign of its own: its books hold a ring."""
_MARKS = re.compile(
    r"\*\*\*(?=\S)(?P<both>[^\n]+?)(?<=\S)\*\*\*"
    r"|\*\*(?=\S)(?P<bold>[^\n]+?)(?<=\S)\*\*"
    r"|(?<!\w)__(?=\S)(?P<under>[^\n]*?\s[^\n]*?)(?<=\S)__(?!\w)"
    r"|(?<![\w*])\*(?=[^\s*])(?P<italic>[^*\n]+?)(?<=\S)\*(?![\w*])"
)


class Run(NamedTuple):
    """A stretch of text in one style."""

    text: str
    style: Style


def clean(text: str) -> str:
    """Without control characters, zero-width and direction marks, soft hyphens and lone surrogates.

    A ring behind a number becomes the degree sign that it stands for. Line ends become `\\n`, tabs a space;
    at most one empty line in a row; no white space at the ends.
    """
    text = re.sub(r"\r\n?|[\u2028\u2029\x0b\x0c\x85]", "\n", text).replace("\t", " ")
    kept = "".join(c for c in text if c == "\n" or unicodedata.category(c) not in ("Cc", "Cf", "Cs"))
    kept = re.sub(r"[ \u00a0]+\n", "\n", kept)
    kept = _RING.sub("°", kept)
    return re.sub(r"\n{3,}", "\n\n", kept).strip()


def markdown_spans(text: str) -> list[Run]:
    """`text` (cleaned) with Markdown read: emphasis and headings become styles, tables lines of cells.

    Marks that are part of the text stay: `2 * 3`, `__init__`, a shell prompt `# apt-get`.
    """
    runs: list[Run] = []
    for number, line in enumerate(_lines(text)):
        if number:
            runs.append(Run("\n", "plain"))
        heading = _HEADING.match(line)
        if heading:
            runs.append(Run(_MARKS.sub(_inner, heading.group(1)), "bold"))
        else:
            runs.extend(_inline(line))
    return [run for run in runs if run.text]


def _lines(text: str) -> list[str]:
    lines = []
    for line in text.split("\n"):
        if _FENCE.match(line) or _RULE.match(line) or ("|" in line and _TABLE_RULE.match(line)):
            continue
        row = _TABLE_ROW.match(line)
        if row:
            cells = [cell.strip() for cell in row.group(1).split("|")]
            line = " — ".join(cell for cell in cells if cell)
        line = _BULLET.sub(r"\1• ", line)
        lines.append(_CODE.sub(r"\1", _LINK.sub(r"\1", line)))
    return lines


def _inline(line: str) -> list[Run]:
    runs: list[Run] = []
    position = 0
    for mark in _MARKS.finditer(line):
        runs.append(Run(line[position : mark.start()], "plain"))
        runs.append(Run(_MARKS.sub(_inner, _inner(mark)), "italic" if mark.group("italic") else "bold"))
        position = mark.end()
    runs.append(Run(line[position:], "plain"))
    return runs


def _inner(mark: re.Match[str]) -> str:
    return next(group for group in mark.groups() if group is not None)
