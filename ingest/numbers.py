"""Numbers as books print them: Arabic, Roman, in words, with letters; ranges of § numbers."""

from __future__ import annotations

import re

_ROMAN_DIGITS = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100, "d": 500, "m": 1000}
_ROMAN = re.compile(r"m{0,3}(cm|cd|d?c{0,3})(xc|xl|l?x{0,3})(ix|iv|v?i{0,3})")
# Cyrillic letters that pass for Roman digits.
_ROMAN_ALIKE = str.maketrans("хсмХСМ", "xcmXCM")
_ORDINALS = {
    "перв": 1, "втор": 2, "трет": 3, "четверт": 4, "четвёрт": 4, "пят": 5, "шест": 6, "седьм": 7,
    "восьм": 8, "девят": 9, "десят": 10,
}  # fmt: skip
_DASHES = "-‐‑‒–—−"
_KEY_ALIKE = str.maketrans("aeopcxy", "аеорсху")


def roman(text: str) -> int | None:
    """«IV» → 4, «iv» → 4; None when it is no Roman number."""
    digits = text.translate(_ROMAN_ALIKE).lower()
    if not digits or _ROMAN.fullmatch(digits) is None:
        return None
    values = [_ROMAN_DIGITS[ch] for ch in digits]
    return sum(-v if v < w else v for v, w in zip(values, [*values[1:], 0], strict=True))


def to_roman(number: int) -> str:
    """4 → «iv»."""
    out = ""
    for value, digits in (
        (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"),
        (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
    ):  # fmt: skip
        out += digits * (number // value)
        number %= value
    return out


def ordinal_word(word: str) -> int | None:
    """«первая», «ПЕРВЫЙ» → 1, up to ten."""
    low = word.lower()
    return next(
        (number for stem, number in _ORDINALS.items() if low.startswith(stem) and len(low) <= 9), None
    )


def key(text: str) -> str:
    """Key of a § number: «13», «13а» (Cyrillic letter, lower case), «1.2»."""
    return text.strip().rstrip(".").lower().translate(_KEY_ALIKE).replace(" ", "")


def keys(text: str) -> tuple[str, ...]:
    """Keys of «13», «13а», «13–14», «13, 14», «13 и 14», «13–15» in order; () when there is no number."""
    found: list[str] = []
    for part in re.split(r"\s*(?:,|\bи\b)\s*", text.strip()):
        span = re.fullmatch(rf"(\d+)\s*[{_DASHES}]\s*(\d+)", part)
        if span is not None:
            first, last = int(span[1]), int(span[2])
            if not first < last <= first + 30:
                return ()
            found += [str(n) for n in range(first, last + 1)]
        elif re.fullmatch(r"\d+(?:\.\d+)*\s*[а-яёa-z]?\.?", part, re.IGNORECASE):
            found.append(key(part))
        else:
            return ()
    return tuple(found)


def ordinal(number: str) -> int:
    """Leading integer of a key, for comparing places: «13а» → 13, «2.10» → 10."""
    last = number.rpartition(".")[2]
    digits = re.match(r"\d+", last)
    return int(digits[0]) if digits else 0
