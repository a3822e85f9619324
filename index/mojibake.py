"""Russian text whose letters were taken for another alphabet: «Ïàðàãðàô», cp1251 read as Latin-1.

Pure functions, used twice: ingestion repairs what it reads, and the page picture repairs the words of the PDF
in the same way, else no quote would be found on the page. Which page needs which repair is in `Page.repair`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

# What LaTeX's T2A puts below the letters; А..я stand where cp1251 has them.
_T2A = {
    **dict(zip(range(0x10, 0x20), "“”„«»–—\u200b0ıȷﬀﬁﬂﬃﬄ", strict=True)),
    0x7F: "-",
    **dict(zip((0x9C, 0xBC, 0x9D, 0x9F, 0xBD, 0xBE, 0xBF), "Ёё№§„«»", strict=True)),
    **{0xC0 + i: chr(0x410 + i) for i in range(64)},
}
# Single-byte: the repaired text has as many characters as the page, each in its place.
_SINGLE_BYTE = ("cp1251", "t2a", "koi8-r", "cp866", "mac_cyrillic", "iso8859_5")
REPAIRS = (*_SINGLE_BYTE, "utf-8")
"""Names of the known faults, the encodings that the letters were really in."""

_HIGH = "\u0080-\u00ff€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ"
_RUN = re.compile(f"[A-Za-z{_HIGH}]+")
_HIGH_ONLY = re.compile(f"[{_HIGH}]+")


def repair(text: str, name: str | None) -> str:
    """`text` as its author wrote it; unchanged where `name` is None. Raises ValueError for an unknown name.

    A word with more Latin letters than foreign ones («naïve» on a page of such a book) stays as it is.
    """
    if name is None:
        return text
    if name == "utf-8":
        return _HIGH_ONLY.sub(_utf8, text)
    if name not in _SINGLE_BYTE:
        raise ValueError(f"Unknown repair {name!r}; known are {', '.join(REPAIRS)}.")
    table = _table(name)
    text = _RUN.sub(_each(table), text)
    return text.translate({code: to for code, to in table.items() if code < 0x80})


def foreign_letters(text: str) -> int:
    """How many letters are such that a text in this fault is made of."""
    return sum("\u0080" <= ch <= "\u00ff" and (ch.isalpha() or ch in "÷×") for ch in text)


def _each(table: dict[int, str]) -> Callable[[re.Match[str]], str]:
    def translated(match: re.Match[str]) -> str:
        run = match[0]
        high = sum(ord(ch) >= 0x80 for ch in run)
        return run.translate(table) if 2 * high >= len(run) else run

    return translated


def _utf8(match: re.Match[str]) -> str:
    try:
        return _bytes(match[0]).decode("utf-8")
    except (UnicodeEncodeError, UnicodeDecodeError):
        return match[0]


def _bytes(text: str) -> bytes:
    """What was read as Latin-1, or as cp1252, which has other signs at 0x80..0x9F."""
    return b"".join(
        ch.encode("cp1252") if ord(ch) > 0xFF else ch.encode("latin-1")
        for ch in text
    )  # fmt: skip


@cache
def _table(name: str) -> dict[int, str]:
    table: dict[int, str] = dict(_T2A) if name == "t2a" else {}
    for byte in range(0x80, 0x100):
        raw = bytes([byte])
        if name != "t2a":
            table[byte] = raw.decode(name, "replace")
        try:
            seen = ord(raw.decode("cp1252"))
        except UnicodeDecodeError:
            continue
        if byte in table:
            table.setdefault(seen, table[byte])
    return {code: to for code, to in table.items() if to != "\ufffd"}
