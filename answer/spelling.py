"""Misspelt words of a question, put right by the words of the books."""

from __future__ import annotations

import re
from collections.abc import Mapping

from rapidfuzz import process
from rapidfuzz.distance import OSA

from answer.morphology import is_dictionary_word
from index.lemmas import lemmas, words

SHORTEST = 5
"""Shorter words have too many neighbours to guess the right one."""
_WORD = re.compile(r"[А-Яа-яЁё]+")
# Letters that sound alike where pupils mix them up: «сацыальный», «лигитимность», «рэспублика».
_SOUND = str.maketrans("оеэяыёъ", "аииииии")


def correct(text: str, vocabulary: Mapping[str, int]) -> str:
    """`text` with each word that neither books nor dictionary know replaced by the nearest of the books.

    `vocabulary`: word form (lower case, ё as е) → how often it occurs. Nearest: at most one edit, or two in
    words of seven letters and more; then what sounds most alike, then the most frequent. Words without such
    a neighbour stay.
    """
    return _WORD.sub(lambda match: _correct(match.group(), vocabulary), text)


def _correct(word: str, vocabulary: Mapping[str, int]) -> str:
    if len(word) < SHORTEST:
        return word
    plain = words(word)[0]
    if plain in vocabulary or is_dictionary_word(plain) or lemmas(plain)[0] in vocabulary:
        return word
    limit = 1 if len(plain) < 7 else 2
    # OSA counts swapped neighbours as one edit.
    found = process.extract(
        plain, vocabulary.keys(), scorer=OSA.distance, score_cutoff=limit, limit=8, processor=None
    )
    near = [(candidate, distance) for candidate, distance, _ in found if candidate[:1].isalpha()]
    if not near:
        return word
    sound = plain.translate(_SOUND)
    best = min(
        near,
        key=lambda pair: (
            OSA.distance(sound, pair[0].translate(_SOUND)),
            pair[1],
            -vocabulary[pair[0]],
            pair[0],
        ),
    )[0]
    return best.capitalize() if word[0].isupper() else best
