"""Misspelt words of a question are put right by the words of the books, and only they."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answer.spelling import correct
from index.lemmas import lemmas, words

VOCABULARY = {
    "социальная": 5,
    "социальной": 4,
    "группа": 9,
    "республика": 3,
    "республик": 1,
    "происхождение": 2,
    "происхождения": 4,
    "человека": 20,
    "договор": 6,
    "легитимность": 1,
    "столыпин": 2,
    "выборов": 3,
    "голосования": 2,
}


def frequency(lemma: str) -> int:
    """How often the vocabulary holds forms of a lemma."""
    return sum(count for form, count in VOCABULARY.items() if lemmas(form)[0] == lemma)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("что такое сацыальная группа", "что такое социальная группа"),
        ("теории происхаждения человека", "теории происхождения человека"),
        ("брачный дагавор", "брачный договор"),
        ("Лигитимность власти", "Легитимность власти"),
        ("реформы Столыпена", "реформы Столыпина"),
        ("как проходит голосвание", "как проходит голосование"),  # a form that the books do not have
        ("как назали этот договор", "как назвали этот договор"),  # a word that questions are made of
        ("результаты выбров", "результаты выборов"),  # not «выбрав»
    ],
)
def test_corrected(typed: str, meant: str) -> None:
    assert correct(typed, VOCABULARY, frequency) == meant


@pytest.mark.parametrize(
    "typed",
    [
        "как сварить борщ",  # in the dictionary, not in the books
        "что такое договоры",  # another form of a word of the books
        "кто такой Путирас",  # near to nothing
        "ввп и внп",  # too short to guess
        "newton 1687",
    ],
)
def test_left_alone(typed: str) -> None:
    assert correct(typed, VOCABULARY, frequency) == typed


@given(st.text(max_size=80))
def test_keeps_everything_but_russian_words(text: str) -> None:
    corrected = correct(text, VOCABULARY, frequency)
    assert len(words(corrected)) == len(words(text))
