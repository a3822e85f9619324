"""Russian lemmas for word search and word coverage."""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache
from importlib.metadata import version
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pymorphy3

# Runs of letters, or runs of digits: «10-й» gives «10» and «й», «социально-экономический» both halves.
_WORD = re.compile(r"[^\W\d_]+|\d+")
# Stress marks and soft hyphens stand inside words and are no part of them.
_INVISIBLE = str.maketrans("", "", "\u0301\u0300\u00ad\u200b\u2060\ufeff")


def lemmas(text: str) -> list[str]:
    """Normal forms of the words of `text` in their order, numbers as they stand; lower case, ё as е.

    «Что изучают обществоведы?» → ["что", "изучать", "обществовед"]. Unknown words are guessed by ending.
    """
    return [_lemma(word) for word in words(text)]


def words(text: str) -> list[str]:
    """Words and numbers of `text` as `lemmas` sees them: lower case, ё as е, stress marks dropped."""
    plain = unicodedata.normalize("NFKC", text).translate(_INVISIBLE)
    return _WORD.findall(plain.lower().replace("ё", "е"))


def lemmatiser_id() -> str:
    """Names program and dictionary: lemmas stored under another id are made anew."""
    return f"pymorphy3-{version('pymorphy3')}/ru-{version('pymorphy3-dicts-ru')}/1"


@lru_cache(maxsize=200_000)
def _lemma(word: str) -> str:
    if not "а" <= word[0] <= "я":
        return word
    normal: str = analyser().parse(word)[0].normal_form
    return normal.replace("ё", "е")


@cache
def analyser() -> pymorphy3.MorphAnalyzer:
    """The one analyser of the process."""
    import pymorphy3

    return pymorphy3.MorphAnalyzer(lang="ru")
