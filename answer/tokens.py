"""A message cleaned and cut into tokens, each with its place, so that words of scope can be taken out of
it.
"""

from __future__ import annotations

import html
import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

TokenKind = Literal["number", "word", "sign"]

# Marks that people paste with the text. Anything else in angle brackets is their own («<имя>», «x<y»).
_TAG = re.compile(
    r"</?(?:a|b|blockquote|br|code|div|em|h[1-6]|hr|i|li|ol|p|pre|s|span|strong|sub|sup|table|td|tr|u|ul)\b[^<>]{0,200}>",
    re.IGNORECASE,
)
_ENTITY = re.compile(r"&(?:#\d{1,7}|#x[0-9a-f]{1,6}|[a-z]{2,8});", re.IGNORECASE)
_TOKEN = re.compile(r"(?P<number>[0-9]+)|(?P<word>[^\W\d_]+)|(?P<sign>§+|\S)")
_DASHES = frozenset("-‐‑‒–—―−⁃﹘﹣－")
_KEPT_SYMBOLS = frozenset("№°")
# Latin letters that look like Cyrillic ones: «10 клаcс», «cтр. 57», «13a».
_LOOKALIKES = str.maketrans("abcehkmoptxyë", "авсенкмортхуе")


def word_set(text: str) -> frozenset[str]:
    """Words of a text as a set; vocabularies are written so."""
    return frozenset(text.split())


@dataclass(frozen=True, slots=True)
class Token:
    """A number, a run of letters, or one sign (a run of «§» is one sign)."""

    kind: TokenKind
    text: str
    key: str
    """Lower case, ё as е, each dash as «-», «§§» as «§», Latin look-alikes inside Cyrillic words replaced."""
    start: int
    end: int
    glued: bool
    """No space before it."""


def clean(message: str) -> str:
    """The message on one line: composed, without tags, invisible characters, stress marks and emoji.

    Never fails: lone surrogates and unassigned characters are dropped.
    """
    text = message.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "ignore")
    if "<" in text:
        text = _TAG.sub(" ", text)
    if "&" in text:
        text = _ENTITY.sub(lambda match: html.unescape(match.group()), text)
    text = unicodedata.normalize("NFC", text)
    return " ".join("".join(map(_clean_character, text)).split())


@lru_cache(maxsize=8192)
def _clean_character(char: str) -> str:
    category = unicodedata.category(char)
    if category in ("Zs", "Zl", "Zp", "Cc"):
        return " "
    if category == "Nd":
        return str(unicodedata.decimal(char))
    if category in ("Cf", "Co", "Cn", "Cs"):
        return ""
    if category in ("Mn", "Me"):
        # Stress marks, emoji variants and keycaps; what NFC could not compose is no part of a Russian word.
        return ""
    if category == "So" and char not in _KEPT_SYMBOLS:
        return " "
    if category == "Sk" and ord(char) > 0x1F000:
        return ""
    return char


def tokenize(text: str) -> list[Token]:
    """Tokens of a cleaned text in their order."""
    tokens: list[Token] = []
    for match in _TOKEN.finditer(text):
        raw = match.group()
        start = match.start()
        glued = start > 0 and text[start - 1] != " "
        if match.lastgroup == "number":
            tokens.append(Token("number", raw, raw, start, match.end(), glued))
        elif match.lastgroup == "word":
            tokens.append(Token("word", raw, word_key(raw), start, match.end(), glued))
        else:
            key = "-" if raw in _DASHES else raw[0]
            tokens.append(Token("sign", raw, key, start, match.end(), glued))
    return tokens


def word_key(word: str) -> str:
    """How a word is compared: lower case, ё as е, a mixed Latin-Cyrillic word wholly Cyrillic."""
    key = word.lower().replace("ё", "е")
    if key.isascii():
        return key
    return key.translate(_LOOKALIKES) if any("a" <= char <= "z" for char in key) else key
