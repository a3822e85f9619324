"""Misspelt words of a question, put right by the words of the books."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from rapidfuzz import process
from rapidfuzz.distance import OSA

from answer.morphology import is_dictionary_word
from answer.terms import is_plain
from index.lemmas import analyser, lemmas, words

SHORTEST = 5
"""Shorter words have too many neighbours to guess the right one."""
USED = 1000
"""As how frequent in the books a word counts that questions are made of («назвали»)."""
_WORD = re.compile(r"[А-Яа-яЁё]+")
# Letters that sound alike where pupils mix them up: «сацыальный», «лигитимность», «рэспублика».
_SOUND = str.maketrans("оеэяыёъ", "аииииии")


_LETTERS = "абвгдежзийклмнопрстуфхцчшщъыьэюя"


def correct(text: str, vocabulary: Mapping[str, int], frequency: Callable[[str], int]) -> str:
    """`text` with each word that neither books nor dictionary know replaced by the nearest that both know.

    `vocabulary`: word form (lower case, ё as е) → how often the books hold it; `frequency`: how often they
    hold any form of a lemma. Nearest: a form of the books at most one edit away, or two in words of seven
    letters and more; or one edit away a dictionary word that the books hold in another form («суперкбуок»
    where they have «суперкубка») or that questions are made of. Among these, what sounds most alike, then
    the fewest edits, then the most frequent. Words without such a neighbour stay.
    """
    return _WORD.sub(lambda match: _correct(match.group(), vocabulary, frequency), text)


def _correct(word: str, vocabulary: Mapping[str, int], frequency: Callable[[str], int]) -> str:
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
    forms = {form: distance for form, distance, _ in found if form[0].isalpha()}
    near = {form: (0, distance, -frequency(lemmas(form)[0])) for form, distance in forms.items()}
    sure = {lemmas(form)[0] for form in forms}
    known = analyser().word_is_known  # too many words to remember each
    for candidate in _one_edit_away(plain):
        if candidate not in near and known(candidate):
            lemma = lemmas(candidate)[0]
            if is_plain(lemma):
                near[candidate] = (0, 1, -USED)
            elif uses := frequency(lemma):
                near[candidate] = (int(lemma not in sure), 1, -uses)
    if not near:
        return word
    sound = plain.translate(_SOUND)

    def cost(form: str) -> tuple[int, int, int, str]:
        elsewhere, distance, uses = near[form]
        # A word of which the books have only other forms must sound nearer.
        return OSA.distance(sound, form.translate(_SOUND)) + elsewhere, distance, uses, form

    best = min(near, key=cost)
    return best.capitalize() if word[0].isupper() else best


def _one_edit_away(word: str) -> Iterator[str]:
    """Words with one letter swapped with the next, left out, put in or replaced."""
    for at in range(len(word) + 1):
        left, right = word[:at], word[at:]
        if len(right) > 1:
            yield left + right[1] + right[0] + right[2:]
        if right:
            yield left + right[1:]
        for letter in _LETTERS:
            yield left + letter + right
            if right:
                yield left + letter + right[1:]
