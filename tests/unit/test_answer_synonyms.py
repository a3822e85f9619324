"""Names that the books use take the place of those that they do not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest

from answer.synonyms import Synonyms, synonym_lists
from index.lemmas import lemmas


def frequency(text: str, times: int = 10) -> Callable[[str], int]:
    """Every word of the text stands in so many chunks, every other one in none."""
    return Counter(dict.fromkeys(lemmas(text), times)).__getitem__


def test_the_books_name_takes_the_place_of_the_askers() -> None:
    war = Synonyms(["История России"], frequency("Великая Отечественная война"))
    assert war.in_the_books_words("когда началась вов?") == "когда началась Великая Отечественная война?"
    short = Synonyms(["история"], frequency("ВОВ началась в 1941 году"))
    assert short.in_the_books_words("Начало Великой Отечественной войны") == "Начало ВОВ"


def test_a_name_that_the_books_use_stays() -> None:
    both = Synonyms(["история"], frequency("ВОВ — Великая Отечественная война"))
    assert both.in_the_books_words("когда началась вов?") == "когда началась вов?"
    assert Synonyms(["история"], frequency("")).in_the_books_words("что такое НЭП") == "что такое НЭП"


def test_a_name_gives_way_to_one_that_is_far_more_frequent() -> None:
    counts = Counter({"рф": 1, "российский": 40, "федерация": 30})
    assert Synonyms([], counts.__getitem__).in_the_books_words("глава РФ") == "глава Российская Федерация"
    counts["рф"] = 20
    assert Synonyms([], counts.__getitem__).in_the_books_words("глава РФ") == "глава РФ"


def test_lists_of_other_subjects_are_left_out() -> None:
    physics = Synonyms(["Физика"], frequency("Великая Отечественная война. Коэффициент полезного действия"))
    assert physics.in_the_books_words("вов и кпд") == "вов и коэффициент полезного действия"


@pytest.mark.parametrize("listed", synonym_lists())
def test_lists_are_well_made(listed: object) -> None:
    from answer.synonyms import SynonymList

    assert isinstance(listed, SynonymList)
    names = [name for group in listed.groups for name in group]
    assert all(len(group) >= 2 for group in listed.groups)
    assert len(names) == len(set(names)), "a name stands for one thing in a list"
    assert all(name == name.strip() and lemmas(name) for name in names)
    assert all(subject == subject.lower() for subject in listed.subjects)
