"""What the dictionary knows about a word."""

from __future__ import annotations

from functools import lru_cache

from index.lemmas import analyser


@lru_cache(maxsize=50_000)
def is_dictionary_word(word: str) -> bool:
    """Whether `word` (lower case) is in the dictionary, so that it is no misspelling."""
    return bool(analyser().word_is_known(word))


@lru_cache(maxsize=50_000)
def tags(word: str) -> tuple[frozenset[str], ...]:
    """Grammemes of each reading of `word`, the likeliest first: ({"NOUN", "plur", "gent", …}, …)."""
    return tuple(frozenset(parse.tag.grammemes) for parse in analyser().parse(word))


@lru_cache(maxsize=50_000)
def part_of_speech(word: str) -> str | None:
    """«NOUN», «VERB»… of the likeliest reading; None for what is no Russian word."""
    if not "а" <= word[:1].lower() <= "я" and word[:1].lower() != "ё":
        return None  # the analyser fails on letters that Unicode has no name for
    part = analyser().parse(word)[0].tag.POS
    return None if part is None else str(part)
