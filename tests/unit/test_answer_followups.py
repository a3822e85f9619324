"""Messages that go on about the last question, and what is asked again because of them."""

from __future__ import annotations

import pytest

from answer.followups import followup
from answer.incomplete import completed, lack


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
    [
        "подробнее",
        "Поподробнее!",
        "а можно подробнее?",
        "расскажи подробнее об этом",
        "ещё",
        "продолжай",
        "не понял",
        "Я ничего не поняла",
        "непонятно",
        "объясни проще",
        "а можно попроще?",
        "объясни своими словами пожалуйста",
    ],
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
        "проще говоря, что такое право",
        "не понимаю, что такое право",
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


@pytest.mark.parametrize(
    "message",
    ["а когда он родился?", "когда вышла его книга?", "чем она отличается от права", "а какой был первый?",
     "почему?", "а зачем?", "почему это важно?", "кто это?", "а как голосовать?", "кто придумал?"],
)  # fmt: skip
def test_a_message_that_leaves_its_topic_out(message: str) -> None:
    assert lack(message) == "topic"


@pytest.mark.parametrize(
    "message", ["что такое", "Кто такой?", "а что такое", "расскажи про", "что значит слово", "реши"]
)
def test_a_message_that_breaks_off(message: str) -> None:
    assert lack(message) == "object"


@pytest.mark.parametrize(
    "message", ["реши 2+2", "сколько будет 12 * 3", "2+2=?", "вычисли 10 - 4", "реши 7-5", "5x+3=8"]
)
def test_a_calculation(message: str) -> None:
    assert lack(message) == "sum"


@pytest.mark.parametrize(
    "message",
    [
        "что такое мораль и чем она отличается от права",
        "Когда родился Кант и где он жил?",
        "а какие бывают нормы?",
        "кто придумал теорию разделения властей",
        "что было в 1941-1945",
        "1941–1945",
        "налог 13% с 30 000 рублей",
        "как голосовать",
        "что такое хорошо",
        "выборы",
        "что такое CO2",
        "какие прямые называются параллельными",
        "какие потребнасти биалогические",
        "",
        "𗀀",
        "а 𗀀?",
    ],
)
def test_a_question_that_says_what_it_is_about(message: str) -> None:
    assert lack(message) is None


@pytest.mark.parametrize(
    ("message", "last", "asked"),
    [
        ("а когда он родился?", "кто такой Кант?", "когда Кант родился?"),
        ("что она?", "Что такое мораль?", "что мораль?"),
        ("когда вышла его книга?", "кто такой Дарвин", "когда вышла его книга: Дарвин"),
        ("а какой первый?", "какие теории происхождения", "какой первый: теории происхождения"),
        ("а почему?", "", "почему: Политика и власть"),
    ],
)  # fmt: skip
def test_it_is_asked_about_the_topic_before(message: str, last: str, asked: str) -> None:
    assert completed(message, last, ["Политика и власть"]) == asked
    assert completed(message, "") is None
