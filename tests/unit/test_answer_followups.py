"""Messages that go on about the last question, and what is asked again because of them."""

from __future__ import annotations

import pytest

from answer.followups import followup


@pytest.mark.parametrize(
    ("last", "message", "asked"),
    [
        ("Что такое мораль?", "а что насчёт права?", "Что такое право?"),
        ("Кто такой Гегель?", "А что насчет Канта?", "Кто такой Кант?"),
        ("Кто такой Столыпин?", "а Витте?", "Кто такой Витте?"),
        ("Что писал Гегель о государстве?", "а Кант?", "Что писал Кант о государстве?"),
        ("Какие функции выполняет мораль?", "а право?", "Какие функции выполняет право?"),
        ("Что такое мораль?", "что насчёт правового государства", "Что такое правовое государство?"),
        ("Что такое мораль?", "а у Маркса?", "Что такое мораль у Маркса?"),
        (
            "Какие признаки правового государства выделяют?",
            "а гражданского общества?",
            "Какие признаки гражданского общества выделяют?",
        ),
    ],
)
def test_the_last_question_about_another_topic(last: str, message: str, asked: str) -> None:
    found = followup(message, last)
    assert found is not None
    assert (found.kind, found.text) == ("topic", asked)


@pytest.mark.parametrize(
    "message",
    ["подробнее", "Поподробнее!", "а можно подробнее?", "расскажи подробнее об этом", "ещё", "продолжай"],
)
def test_more_of_the_same(message: str) -> None:
    found = followup(message, "Что такое мораль?")
    assert found is not None
    assert (found.kind, found.text) == ("more", "Что такое мораль?")


@pytest.mark.parametrize(
    "message", ["приведи пример", "Приведите примеры", "а пример?", "например?", "дай пример"]
)
def test_an_example_of_it(message: str) -> None:
    found = followup(message, "Что такое социальный институт?")
    assert found is not None
    assert (found.kind, found.text) == ("example", "приведи пример: социальный институт")


@pytest.mark.parametrize(
    "message",
    [
        "а почему?",
        "а в 11 классе?",
        "что такое право",
        "а какие бывают нормы?",
        "спасибо",
        "а он?",
        "а § 14?",
        "приведи пример того, что результат не совпал с целью",
        "расскажи подробнее о нормах морали",
        "а как общество влияет на природу?",
        "а " + "очень " * 50 + "длинное сообщение",
    ],
)
def test_a_question_of_its_own_is_left_alone(message: str) -> None:
    assert followup(message, "Что такое мораль?") is None


def test_a_last_question_without_a_topic_is_not_changed() -> None:
    assert followup("а право?", "Почему?") is None
