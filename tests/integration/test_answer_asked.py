"""What is asked of a thing that the books name must be spoken of near it."""

from __future__ import annotations

import pytest

from answer.assistant import Assistant
from answer.query import ScopeOptions


@pytest.mark.parametrize(
    ("grade", "question"),
    [
        (9, "когда умер Пушкин"),
        (9, "когда родился маслоу"),
        (9, "какая завтра погода"),
        (9, "реши 2+2"),
        (9, "что такое общество"),
        (10, "что такое мораль"),
    ],
)
def test_unspoken_of(assistant: Assistant, grade: int, question: str) -> None:
    answer = assistant.ask(question, options=ScopeOptions(grade=grade)).answer
    assert answer.status == "insufficient"
    assert not answer.sources


@pytest.mark.parametrize(
    ("grade", "question", "found"),
    [
        (9, "какой возраст у Люси", "3,2"),
        (10, "Сколько глав в Конституции?", "девять глав"),
        (10, "что такое общество", "обособившаяся"),
        (9, "что такое мораль", "Мораль"),
        (9, "чему учит мономах", "Не забывайте бедных"),
    ],
)
def test_spoken_of(assistant: Assistant, grade: int, question: str, found: str) -> None:
    answer = assistant.ask(question, options=ScopeOptions(grade=grade)).answer
    assert answer.status == "supported"
    assert found in answer.answer


@pytest.mark.parametrize(
    ("grade", "question", "found"),
    [
        (10, "кто придумал разделение властей", "Монтескьё"),
        (10, "когда россия вступила в вто", "22 августа 2012"),
        (10, "какие виды проступков бывают", "дисциплинарными"),
        (10, "Какие сферы общества бывают?", "экономическую, социальную, политическую и духовную"),
        (9, "Какие государства являются федерациями?", "Россия, Германия, Бразилия"),
        (9, "какие теории происхождения государства", "По договорной теории"),
    ],
)
def test_the_sentence_that_holds_what_is_asked_comes_before_a_definition(
    assistant: Assistant, grade: int, question: str, found: str
) -> None:
    answer = assistant.ask(question, options=ScopeOptions(grade=grade)).answer
    assert found in answer.answer


def test_refusal_names_the_book_that_defines_the_term(assistant: Assistant) -> None:
    answer = assistant.ask("что такое общество", options=ScopeOptions(grade=9)).answer
    assert "10 класс" in answer.answer


@pytest.mark.parametrize(
    ("grade", "question", "sides"),
    [
        (9, "чем прямые налоги отличаются от косвенных", ("Прямыми называют", "Косвенн")),
        (10, "чем умысел отличается от неосторожности", ("Умысел означает", "неосторожност")),
    ],
)
def test_both_sides_of_a_comparison(
    assistant: Assistant, grade: int, question: str, sides: list[str]
) -> None:
    answer = assistant.ask(question, options=ScopeOptions(grade=grade)).answer
    assert all(side in answer.answer for side in sides)


def test_an_announced_list_is_quoted_with_what_it_announces(assistant: Assistant) -> None:
    answer = assistant.ask("какие бывают формы культуры", options=ScopeOptions(grade=10)).answer.answer
    assert all(name in answer for name in ("Народная", "Элитарной", "Массовая"))


def test_a_table_answers_by_the_row_and_the_names_of_its_columns(assistant: Assistant) -> None:
    options = ScopeOptions(grade=10)
    answer = assistant.ask("сколько часов в неделю работают в 17 лет", options=options).answer.answer
    assert answer.split() == [
        "Возраст",
        "В",
        "неделю",
        "В",
        "день",
        "16—18",
        "лет",
        "35",
        "часов",
        "7",
        "часов",
    ]
