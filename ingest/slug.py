"""Book ids from titles."""

from __future__ import annotations

import re
from collections.abc import Sequence

_LETTERS = dict(
    zip(
        "абвгдеёжзийклмнопрстуфхцчшщъыьэюя",
        [
            "a",
            "b",
            "v",
            "g",
            "d",
            "e",
            "e",
            "zh",
            "z",
            "i",
            "y",
            "k",
            "l",
            "m",
            "n",
            "o",
            "p",
            "r",
            "s",
            "t",
            "u",
            "f",
            "kh",
            "ts",
            "ch",
            "sh",
            "shch",
            "_",
            "y",
            "_",
            "e",
            "yu",
            "ya",
        ],
        strict=True,
    )
)


def book_slug(title: str, grades: Sequence[int]) -> str:
    """«Обществознание», (10,) → «obshchestvoznanie-10»: ASCII letters, digits and hyphens."""
    text = "".join(_LETTERS.get(ch, ch) for ch in title.lower()).replace("_", "")
    words = re.findall(r"[a-z0-9]+", text)
    return "-".join([*words, *(str(grade) for grade in grades)])[:80] or "book"
