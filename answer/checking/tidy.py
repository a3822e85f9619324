"""Cleaning up Russian text after something was taken out of it."""

from __future__ import annotations

import re

# Stands where something was taken out, so that only these places are mended.
GAP = "\ue000"

_RULES: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), new)
    for pattern, new in (
        (rf"[ \t]*[(\[][\s,;:.\-–—{GAP}]*{GAP}[\s,;:.\-–—{GAP}]*[)\]]", ""),  # empty brackets
        (rf"(?<=[(\[])\s*{GAP}[\s,;{GAP}]*", ""),
        (rf"[\s,;]*{GAP}\s*(?=[)\]])", ""),
        (rf"\s*[,;:–—-]?\s*{GAP}\s*(?=[.!?…](?:\s|$|{GAP}))", ""),  # «…, ⟂.», «… — ⟂.»
        (rf"\s*[,;:–—]?\s*{GAP}\s*$", ""),
        (rf",\s*{GAP}\s*,", ","),
        (rf"([;:])\s*{GAP}\s*,", r"\1"),
        (rf",\s*{GAP}\s*(?=[;:—–])", " "),
        (rf"\s*{GAP}\s*(?=[,;:])", ""),
    )
)
_AT_START = re.compile(rf"(^|(?<=[.!?…])\s+|(?<=\n)\s*|(?<=[.!?…][»)])\s+){GAP}[\s,;:.—–{GAP}-]*([а-яё]?)")
_BLANKS = re.compile(rf"[ \t{GAP}]*{GAP}[ \t{GAP}]*")


def tidy(text: str) -> str:
    """`text` with its GAP marks resolved: no empty brackets, doubled commas, dangling marks; capital
    at a new start.
    """
    if GAP not in text:
        return text
    text = _AT_START.sub(lambda m: m[1] + m[2].upper(), text)
    for pattern, new in _RULES:
        text = pattern.sub(new, text)
    text = _AT_START.sub(lambda m: m[1] + m[2].upper(), text)
    text = _BLANKS.sub(" ", text)
    text = re.sub(r" +([,.;:!?…)\]])", r"\1", text)
    text = re.sub(r"([(\[]) +", r"\1", text)
    return re.sub(r"[ \t]{2,}", " ", text).strip()
