"""A model's text as plain text: no Markdown, no HTML, no invisible characters."""

from __future__ import annotations

import re
import unicodedata

_LINE_END = re.compile(r"\r\n?|[\u2028\u2029\x0b\x0c\x85]")
_FENCE = re.compile(r"^\s*(?:```|~~~)\w*\s*$")
_RULE = re.compile(r"^\s*([-*_=])(?:\s*\1){2,}\s*$")
_TABLE_RULE = re.compile(r"^\s*\|?\s*:?-{2,}:?\s*(?:\|\s*:?-{2,}:?\s*)*\|?\s*$")
_TABLE_ROW = re.compile(r"^\s*\|(.+)\|\s*$")
_HEADING = re.compile(r"^\s{0,3}#{1,6}\s+(?=\S)|\s+#{1,6}\s*$")
_QUOTE = re.compile(r"^\s*>+\s+(?=\S)")
_BULLET = re.compile(r"^(\s*)[*+-]\s+(?=\S)")
_LINK = re.compile(r"!?\[([^\]\n]+)\]\([^)\s]*(?:\s+\"[^\"]*\")?\)")
_CODE = re.compile(r"(`+)([^`\n]+)\1")
_STRONG = re.compile(r"(\*{2,3})(?=\S)([^\n]+?)(?<=\S)\1")
# `__init__` is a name: between underscores stands something Russian, or more than a word.
_UNDERLINED = re.compile(
    r"(?<!\w)__(?=\S)(?=[^\n]*?[\sа-яё][^\n]*?__)([^\n]+?)(?<=\S)__(?!\w)", re.IGNORECASE
)
_EMPHASIS = re.compile(
    r"(?<![\w*])\*(?=[^\s*])([^*\n]+?)(?<=\S)\*(?![\w*])|(?<!\w)_(?=[^\s_])([^_\n]+?)(?<=\S)_(?!\w)"
)
_STRIKE = re.compile(r"~~(?=\S)([^~\n]+?)(?<=\S)~~")
_STRAY = re.compile(r"\*\*+|(?<!\w)__+(?!\w)|```+")
_MARKS = frozenset("\u0301\u0306\u0308")
_TAG = re.compile(
    r"</?(?:a|b|i|u|s|p|em|br|hr|h[1-6]|li|ul|ol|tr|td|th|sub|sup|div|img|pre|code|span|html|body|table|tbody|thead|"
    r"strong|blockquote|details|summary)(?:\s[^<>]*)?/?>",
    re.IGNORECASE,
)


def plain(text: str) -> str:
    """What is read of `text`, marks taken off; at most one empty line in a row, no white space at the ends.

    Marks that belong to the text stay: «2 * 3», «x < y», «имя_файла».
    """
    text = _LINE_END.sub("\n", text).replace("\t", " ")
    text = "".join(_letter(c) for c in text if c == "\n" or not _unseen(c))
    lines = []
    for line in _TAG.sub(" ", text).split("\n"):
        if _FENCE.match(line) or _RULE.match(line) or ("|" in line and _TABLE_RULE.match(line)):
            continue
        lines.append(_inline(_line(line)))
    text = re.sub(r"[ \u00a0]{2,}", " ", "\n".join(line.strip() for line in lines))
    return re.sub(r"\n{3,}", "\n\n", re.sub(r" +([,.;:!?])", r"\1", text)).strip()


def _unseen(char: str) -> bool:
    """Control, format and private characters; marks over a letter, except the stress and those of й, ё."""
    category = unicodedata.category(char)
    return category in ("Cc", "Cf", "Cs", "Co", "Cn", "Me") or (category == "Mn" and char not in _MARKS)


def _letter(char: str) -> str:
    """«Ｐ» and «𝐏» are a P: look-alikes of whole alphabets hide words and addresses."""
    styled = "\uff01" <= char <= "\uff5e" or "\U0001d400" <= char <= "\U0001d7ff"
    return unicodedata.normalize("NFKC", char) if styled else char


def _line(line: str) -> str:
    row = _TABLE_ROW.match(line)
    if row:
        return " — ".join(cell for cell in map(str.strip, row[1].split("|")) if cell)
    return _BULLET.sub(r"\1• ", _QUOTE.sub("", _HEADING.sub("", line)))


def _inline(line: str) -> str:
    line = _CODE.sub(r"\2", _LINK.sub(r"\1", line))
    line = _STRIKE.sub(r"\1", _UNDERLINED.sub(r"\1", _STRONG.sub(r"\2", _STRONG.sub(r"\2", line))))
    line = _EMPHASIS.sub(lambda match: match[1] or match[2], line)
    return _STRAY.sub("", line)
