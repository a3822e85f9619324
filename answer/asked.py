"""Whether what is asked of a thing is spoken of at all near it: «когда умер Пушкин» where nobody dies."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from answer.corpus import Corpus
from answer.morphology import is_dictionary_word, part_of_speech
from answer.terms import Terms

ALL = 0.9
"""idf-weighted share of what is asked about: as much of it unspoken of means that nothing answers it."""
MOST = 0.65
"""The same for a time or a place, which books state with the word that is asked by."""

FEW = 2
"""Of so few words, without a name, each noun is what the question is about."""

_FACT = re.compile(
    r"^\W*(?:(?:а|и|ну|скажи)\s+)*(?:где|куда|откуда|когда|(?:в|с|до|к)\s+как\w+\s+(?:год\w*|век\w*)|кто|кем|кого|"
    r"кому|чей|чья|сколько|как(?:ой|ая|ое|ов|ова|ово|ую)\s+\w+\s+(?:у|в|на|[А-ЯЁA-Z])|реши\w*)(?!\w)",
    re.IGNORECASE,
)
_TIME_OR_PLACE = re.compile(
    r"^\W*(?:(?:а|и|ну|скажи)\s+)*(?:где|когда|(?:в|с|до|к)\s+как\w+\s+(?:год\w*|век\w*))\b", re.IGNORECASE
)
_YEAR = re.compile(r"\b(?:1\d{3}|20\d\d)\b")
_UNITS = frozenset(["год", "век", "время", "дата", "день", "процент", "рубль", "метр", "километр"])
_ROOT = 4
_ENDING = 3


def unspoken(question: str, terms: Terms, near: Collection[str], corpus: Corpus) -> bool:
    """Whether the found text cannot hold the answer, whatever it resembles.

    `near`: lemmas of the found chunks. True where a fact is asked and no word of what is asked (the words
    beside names and numbers) stands there, not even in a kindred form; where a figure of a year is asked that
    no book mentions; where the question has no words of its own («что такое»).
    """
    if terms.empty:
        return True
    named = any(lemma in terms.names or lemma in corpus.names for lemma in terms.lemmas)
    if not named and any(not corpus.knows(year) for year in _YEAR.findall(question)):
        return True
    asked = [lemma for lemma in terms.lemmas if _asks(lemma, terms, corpus)]
    total = sum(map(corpus.library.idf, asked))
    if not total:
        return False
    missing = sum(corpus.library.idf(lemma) for lemma in asked if not kindred(lemma, near)) / total
    if not named and len(asked) <= FEW and any(_unheard_of(lemma, near, corpus) for lemma in asked):
        return True
    return _FACT.search(question) is not None and missing >= (
        MOST if _TIME_OR_PLACE.search(question) else ALL
    )


def kindred(lemma: str, others: Iterable[str]) -> bool:
    """Whether a lemma or one that begins like it («борьба», «бороться») is among others."""
    return any(_kin(lemma, other) for other in others)


def _unheard_of(lemma: str, near: Collection[str], corpus: Corpus) -> bool:
    """A noun of the language that no book holds and nothing found is kindred to."""
    noun = is_dictionary_word(lemma) and part_of_speech(lemma) == "NOUN"
    return noun and not corpus.knows(lemma) and not kindred(lemma, near)


def _asks(lemma: str, terms: Terms, corpus: Corpus) -> bool:
    return not (
        lemma in terms.names or lemma in corpus.names or lemma in _UNITS or any(map(str.isdigit, lemma))
    )


def _kin(one: str, other: str) -> bool:
    if one == other:
        return True
    shared = 0
    for mine, theirs in zip(one, other, strict=False):
        if mine != theirs:
            break
        shared += 1
    return shared >= _ROOT and shared >= min(len(one), len(other)) - _ENDING
