"""What an answer must hold, told from the question's words."""

from __future__ import annotations

import pytest

from answer.sought import asks_for_example, sought


@pytest.mark.parametrize(
    ("question", "right", "wrong"),
    [
        (
            "кто ввел понятие социальная мобильность",
            "Термин ввёл Питирим Сорокин.",
            "Мобильность — это переход.",
        ),
        ("Кто придумал теорию Дарвина?", "Её развил позже Томас Гексли.", "Теория Дарвина верна."),
        ("когда россия вступила в вто", "Это случилось в 2012 г.", "Россия вступила в эту организацию."),
        (
            "Почему люди не голосуют?",
            "Одни не верят, другим безразлично.",
            "Уклонение называют абсентеизмом.",
        ),
        ("Почему небо синее?", "Оно синее, потому что свет рассеивается.", "Небо синее."),
        ("Приведите пример нормы", "Например, нельзя лгать.", "Норма — это правило."),
    ],
)
def test_what_is_sought(question: str, right: str, wrong: str) -> None:
    holds = sought(question)
    assert holds is not None
    assert holds(right)
    assert not holds(wrong)


@pytest.mark.parametrize("question", ["Что такое мораль?", "Кто такой Столыпин?", "Какие бывают нормы?"])
def test_nothing_can_be_told(question: str) -> None:
    assert sought(question) is None


def test_an_example_is_asked_for() -> None:
    assert asks_for_example("Приведите примеры социальных норм")
    assert asks_for_example("пример нормы")
    assert not asks_for_example("примерно сколько лет длилась война")


def test_a_number_counts_the_asked_noun() -> None:
    holds = sought("сколько депутатов в Думе")
    assert holds is not None
    assert holds("В Думе 450 народных депутатов.")
    assert holds("Четыреста депутатов избраны.")
    assert not holds("Депутатом может стать гражданин старше 21 года.")
