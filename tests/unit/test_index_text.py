"""Lemmas, sentence borders and places of quotes: the text functions of the index."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from index.lemmas import lemmas
from index.locate import Rect, Word, locate
from index.sentences import split_sentences


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("обществоведы", "обществоведов"),
        ("ёжик", "ежик"),
        ("ВСЁ ЕЩЁ", "все еще"),
        ("за\u0301мок", "замок"),
        ("соци\u00adальный", "социального"),
        ("людей", "люди"),
        ("трудовым договором", "трудовой договор"),
    ],
)
def test_forms_of_one_word_share_a_lemma(left: str, right: str) -> None:
    assert lemmas(left) == lemmas(right)


def test_lemmas_keep_numbers_and_both_halves_of_a_compound() -> None:
    assert lemmas("В 1941–1945 гг. социально-экономический, H2O!") == [
        "в", "1941", "1945", "год", "социально", "экономический", "h", "2", "o",
    ]  # fmt: skip


def test_different_words_have_different_lemmas() -> None:
    assert lemmas("право") != lemmas("правило")


@pytest.mark.parametrize(
    "sentences",
    [
        ["В 1861 г. было отменено крепостное право.", "Реформу провёл Александр II."],
        ["В 1861 г. Александр II подписал манифест."],
        ["Поэт родился в г. Москве в 1799 г.", "Он умер рано."],
        ["Это т. е. так, и т. д.", "Они ушли."],
        ["См. рис. 5 и табл. 2.", "Дальше — текст."],
        ["А. С. Пушкин и П. А. Столыпин жили в разное время.", "Это известно."],
        ["В 44 г. до н. э. Цезарь был убит."],
        ["«Что делать?» — спросил он.", "Ему ответили."],
        ["В городе живёт 5 тыс. чел. и работает завод."],
        ["Перейдём к § 13.", "В нём говорится о труде."],
        ["1. Что такое общество?", "2. Почему оно меняется?"],
        ["Как жил И. И. Мечников?"],
    ],
)
def test_sentences_end_where_a_reader_ends_them(sentences: list[str]) -> None:
    text = " ".join(sentences)
    assert [text[start:end] for start, end in split_sentences(text)] == sentences


def test_lines_and_list_items_end_sentences() -> None:
    text = "Различают:\n1) труд умственный;\n2) труд физический\n\nВывод"
    found = [text[start:end] for start, end in split_sentences(text)]
    assert found == ["Различают:", "1) труд умственный;", "2) труд физический", "Вывод"]


@given(st.text(alphabet="абвАБВ .,!?«»()1№\n…—\u00a0", max_size=200))
def test_sentences_are_ordered_and_leave_out_blanks_alone(text: str) -> None:
    spans = split_sentences(text)
    position = 0
    for start, end in spans:
        assert position <= start < end <= len(text)
        assert text[position:start].strip() == ""
        assert text[start:end] == text[start:end].strip()
        position = end
    assert text[position:].strip() == ""


def page(*lines: str) -> list[Word]:
    """Words of a page set in lines 12 pt apart, 6 pt a letter."""
    words = []
    for row, line in enumerate(lines):
        x = 0.0
        for text in line.split():
            words.append(Word(text, x, row * 12.0, x + 6 * len(text), row * 12.0 + 10))
            x += 6 * (len(text) + 1)
    return words


PAGE = page(
    "Глава 1 Человек и обще-",
    "ство. Об щ е с т в о — это часть мира, обосо-",
    "бившаяся от природы. Оно изменя\u00adется.",
)


@pytest.mark.parametrize(
    ("quote", "rows"),
    [
        ("Общество — это часть мира, обособившаяся от природы.", [1, 2]),
        ("Оно изменяется.", [2]),
        ("ОНО ИЗМЕНЯЕТСЯ", [2]),
        ("Человек и общество.", [0, 1]),
        ("Oбщество — это чаcть мирa", [1]),  # Latin letters
        ("Государство — это власть, право и суд.", []),
        ("", []),
        ("— …", []),
    ],
)
def test_a_quote_is_found_through_hyphens_spacing_and_look_alikes(quote: str, rows: list[int]) -> None:
    assert [rect.y0 / 12 for rect in locate(quote, PAGE)] == rows


def test_a_rectangle_spans_its_words_and_no_others() -> None:
    assert locate("от природы.", PAGE) == [Rect(54.0, 24.0, 120.0, 34.0)]


def test_a_short_quote_is_preferably_a_whole_word() -> None:
    [rect] = locate("нет", page("кабинет монета", "ответ: нет, никогда"))
    assert rect == Rect(42.0, 12.0, 66.0, 22.0)


def test_a_quote_with_a_misread_letter_is_still_found() -> None:
    assert len(locate("Общество — это часть мира, обособившанся от природы.", PAGE)) == 2


def test_a_quote_that_a_footnote_interrupts_is_found_on_both_sides() -> None:
    words = page(
        "Производительность труда растёт вместе со знаниями,",
        "1 Примечание: здесь и далее имеются в виду средние величины за десять лет наблюдений.",
        "которые люди накопили в школе и на производстве.",
    )
    quote = (
        "Производительность труда растёт вместе со знаниями, которые люди накопили в школе и на производстве."
    )
    assert [rect.y0 for rect in locate(quote, words)] == [0.0, 24.0]


def test_nothing_is_found_on_an_empty_page() -> None:
    assert locate("Общество", []) == []
