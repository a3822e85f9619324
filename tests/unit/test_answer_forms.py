"""What form of answer a question asks for, and which sentences define a term."""

from __future__ import annotations

import pytest

from answer.definitions import defined_terms
from answer.forms import asks_for_list, asks_for_number, definition_request, holds_number
from answer.terms import Terms


@pytest.mark.parametrize(
    ("question", "term"),
    [
        ("Что такое общество", "общество"),
        ("а что это такое гражданское общество?", "гражданское общество"),
        ("что такое «трудовой договор»?", "трудовой договор"),
        ("Что понимают под культурой?", "культурой"),
        ("дай определение понятия право", "право"),
        ("Определение права", "права"),
        ("понятие социального института", "социального института"),
        ("инфляция это", "инфляция"),
        ("глобализация это что?", "глобализация"),
        ("кто такой индивид", "индивид"),
        ("Что называется прогрессом?", "прогрессом"),
        ("что такое соц. институт", "соц. институт"),
    ],
)
def test_term_of_a_definition(question: str, term: str) -> None:
    request = definition_request(question)
    assert request is not None
    assert request.term == term
    assert request.alone


@pytest.mark.parametrize(
    ("question", "term"),
    [
        ("Что такое право и чем оно отличается от морали?", "право"),
        ("что такое политическая партия и какие у неё признаки", "политическая партия"),
    ],
)
def test_second_request_is_noticed(question: str, term: str) -> None:
    request = definition_request(question)
    assert request is not None
    assert (request.term, request.alone) == (term, False)


@pytest.mark.parametrize(
    "question",
    [
        "Кто ввёл понятие социальная мобильность?",
        "откуда произошло слово культура",
        "Почему общество называют системой?",
        "Когда приняли Конституцию?",
        "Какие сферы общества бывают?",
    ],
)
def test_no_definition_asked(question: str) -> None:
    assert definition_request(question) is None


@pytest.mark.parametrize(
    ("sentence", "term"),
    [
        ("Общество — это обособившаяся от природы часть мира.", ("общество",)),
        ("В узком смысле слова общество — это группа людей.", ("общество",)),
        ("Под обществом в широком смысле понимают часть материального мира.", ("общество",)),
        ("Трудовым договором называется соглашение о труде.", ("договор", "трудовой")),
        ("Соглашение о труде называют трудовым договором.", ("договор", "трудовой")),
        ("Прогресс (от лат. progressus — движение вперёд) — направление развития.", ("прогресс",)),
        ("Наука представляет собой систему знаний о мире.", ("наука",)),
        (
            "Определение. Две прямые называются параллельными, если не пересекаются.",
            ("параллельный", "прямой"),
        ),
        (
            "Треугольник, у которого две стороны равны, называется равнобедренным.",
            ("равнобедренный", "треугольник"),
        ),
        ("Цену, при которой спрос равен предложению, называют равновесной.", ("равновесный", "цена")),
        ("• Подсистема — часть системы, которая сама состоит из элементов.", ("подсистема",)),
    ],
)
def test_defining_sentences(sentence: str, term: tuple[str, ...]) -> None:
    assert term in defined_terms(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "Сфера жизни общества — это область отношений между людьми.",
        "Он — человек очень хороший и добрый.",
        "Что такое общество — вопрос непростой?",
        "Общество изменяется всё быстрее.",
        "Гражданское общество — это объединения граждан, независимые от государства.",
    ],
)
def test_sentences_that_do_not_define_society(sentence: str) -> None:
    assert ("общество",) not in defined_terms(sentence)


def test_lists_and_numbers() -> None:
    assert asks_for_list("Перечислите сферы общества")
    assert asks_for_list("какие бывают общества")
    assert not asks_for_list("Почему общество изменяется?")
    assert asks_for_number("Сколько сфер выделяют?")
    assert asks_for_number("в каком году отменили крепостное право")
    assert not asks_for_number("Какой год назван переломным и почему?")
    assert holds_number("выделяют четыре сферы")
    assert holds_number("в 1861 г.")
    assert holds_number("в XIX в.")
    assert not holds_number("семья воспитывает детей")
    assert not holds_number("однако стороны одновременно взошли на трибуну")
    assert holds_number("двенадцатью голосами")
    assert holds_number("несколько тысяч человек")


def test_terms_leave_out_the_words_of_asking() -> None:
    terms = Terms.of("Назовите, какие сферы жизни общества выделяют учёные в России")
    assert "сфера" in terms.lemmas
    assert not {"назвать", "какой", "в"} & set(terms.lemmas)
    assert terms.names == {"россия"}
    assert Terms.of("Кто он?").lemmas, "a question of function words alone keeps them"
    assert Terms.of("КОГДА РОССИЯ ВСТУПИЛА").names == frozenset()
