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
