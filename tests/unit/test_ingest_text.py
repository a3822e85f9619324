"""Repair of lines, numbers of sections and pages, readability, options: the pure parts of ingestion."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.errors import BadOptions
from ingest.headings import kind_of_block
from ingest.lines import RawPage
from ingest.numbers import keys, ordinal_word, roman, to_roman
from ingest.options import BookOptions, parse_grades
from ingest.pagination import Candidates, numeral, paginate
from ingest.quality import assess
from ingest.repair import Joiner, clean, undouble
from ingest.slug import book_slug
from ingest.spacing import Glyph, close_up


@pytest.mark.parametrize(
    ("lines", "whole"),
    [
        ("индустриа\u00ad\nлизация", "индустриализация"),
        ("госу-\nдарство", "государство"),
        ("аграр -\nный строй", "аграрный строй"),
        ("социально-\nэкономический", "социально-экономический"),
        ("социально-эко-\nномический", "социально-экономический"),
        ("Ростов-на-\nДону", "Ростов-на-Дону"),
        ("1941-\n1945 гг.", "1941-1945 гг."),
        ("1941–\n1945 гг.", "1941–1945 гг."),
        ("миф -\nэто", "миф - это"),
        ("что-\nбы", "чтобы"),
        ("кое-\nчто", "кое-что"),
        ("какой-\nнибудь", "какой-нибудь"),
        ("по-\nрусски", "по-русски"),
        ("по-\nэтому", "поэтому"),
        ("инженер-\nфизик", "инженер-физик"),
        ("пост\u2010\nиндустриальный", "постиндустриальный"),
        ("ОБЩЕ-\nСТВО", "ОБЩЕСТВО"),
        ("Тело движется\nпо кругу", "Тело движется по кругу"),
    ],
)
def test_lines_are_joined_as_the_word_is_spelt(lines: str, whole: str) -> None:
    assert Joiner().join(lines.split("\n")) == whole


def test_the_book_itself_says_how_a_word_is_spelt() -> None:
    unknown = ["квазикластер", "мегафобия-синдром"]
    joiner = Joiner([f"слово {word} здесь" for word in unknown])
    assert joiner.join(["квази-", "кластер"]) == "квазикластер"
    assert joiner.join(["мегафобия-", "синдром"]) == "мегафобия-синдром"


def test_a_doubled_line_is_halved_and_real_doubles_stay() -> None:
    assert undouble("§§  1133..  ЗЗааккоонн  ООммаа") == "§ 13. Закон Ома"
    for line in ("Россия", "класс", "11 класс", "1133 год", "§§ 13–14", "1133", "ААББ"):
        assert undouble(line) == line


@pytest.mark.parametrize(
    ("line", "repaired"),
    [
        ("oбщecтвo", "общество"),
        ("Рoccия и Newton, H2O", "Россия и Newton, H2O"),
        ("ﬁnal ﬂow", "final flow"),
        ("за\u200bкон\u00a0 Ома", "закон Ома"),
        ("это  о п р е д е л е н и е", "это определение"),
        ("а и б в", "а и б в"),
    ],
)
def test_a_line_is_cleaned(line: str, repaired: str) -> None:
    assert clean(line) == repaired


def test_spaced_out_words_are_closed_up_by_their_gaps() -> None:
    glyphs: list[Glyph] = []
    x = 0.0
    for word in ("новое", "слово"):
        for ch in word:
            glyphs += [Glyph(ch, x, x + 5), Glyph(" ", x + 5, x + 8, synthetic=True)]
            x += 8
        x += 7
    glyphs += [Glyph(ch, x + 5 * i, x + 5 * i + 5) for i, ch in enumerate("дома")]
    assert close_up(glyphs, 10) == "новое слово дома"


def test_glyphs_painted_twice_are_read_once_by_their_place() -> None:
    glyphs = [
        g
        for i, ch in enumerate("§ 1133 Россия")
        for g in (Glyph(ch, 7 * i, 7 * i + 6), Glyph(ch, 7 * i + 1, 7 * i + 7))
    ]
    assert " ".join(close_up(glyphs, 10).split()) == "§ 1133 Россия"


@given(st.integers(1, 3999))
def test_roman_numbers_come_back(number: int) -> None:
    assert roman(to_roman(number)) == number
    assert roman(to_roman(number).upper()) == number


def test_numbers_of_sections() -> None:
    assert keys("13") == ("13",)
    assert keys("13а") == keys("13A".lower()) == ("13а",)
    assert keys("13–15") == ("13", "14", "15")
    assert keys("13 — 14") == keys("13, 14") == keys("13 и 14") == ("13", "14")
    assert keys("1.10") == ("1.10",)
    assert keys("15–13") == keys("1–400") == keys("Ома") == ()
    assert ordinal_word("Первая") == 1
    assert ordinal_word("первобытность") is None


@pytest.mark.parametrize(
    ("token", "number"),
    [
        ("57", ("arabic", 57)),
        ("— 57 —", ("arabic", 57)),
        ("стр. 57", ("arabic", 57)),
        ("2 / 63", ("arabic", 2)),
        ("iv", ("roman", 4)),
        ("12 декабря", None),
        ("3,14", None),
    ],
)
def test_a_page_number_is_known_by_its_looks(token: str, number: tuple[str, int] | None) -> None:
    assert numeral(token) == number


@given(st.integers(-30, 300), st.integers(4, 60), st.data())
def test_sheets_are_numbered_from_most_of_their_numbers(first: int, count: int, data: st.DataObject) -> None:
    """One course of numbering, a fifth of the sheets without a number, a tenth with a year instead."""
    sheets: list[Candidates] = []
    for i in range(count):
        kind = data.draw(st.integers(0, 9))
        number = first + i
        if number < 1 or kind < 2:
            sheets.append({})
        elif kind == 2:
            sheets.append({("arabic", 1800 + 7 * i): 1.0})
        else:
            sheets.append({("arabic", number): 1.0})
    seen = [i for i in range(count) if ("arabic", first + i) in sheets[i]]
    if len(seen) < max(2, count // 2):
        return
    pagination = paginate(sheets, [""] * count)
    assert pagination.printed == tuple(str(first + i) if first + i > 0 else None for i in range(count))
    assert pagination.offset == 1 - first


@given(st.integers(0, 400), st.integers(1, 40))
def test_a_given_offset_wins(offset: int, count: int) -> None:
    sheets: list[Candidates] = [{("arabic", 500 + i): 1.0} for i in range(count)]
    labels = [str(900 + i) for i in range(count)]
    printed = paginate(sheets, labels, offset).printed
    assert printed == tuple(str(i - offset) if i > offset else None for i in range(1, count + 1))


def test_labels_that_only_count_sheets_say_nothing() -> None:
    assert set(paginate([{}] * 5, ["1", "2", "3", "4", "5"]).printed) == {None}
    assert paginate([{}] * 3, ["i", "1", "2"]).printed == ("i", "1", "2")


def page(text: str, **more: object) -> RawPage:
    return RawPage(1, 400, 600, text, **more)  # type: ignore[arg-type]


def test_pages_that_cannot_be_read_are_told_from_those_that_can() -> None:
    lost = "\ufffd" * 180 + " 1812 " + "\ufffd" * 120
    good = "Общество возникло давно. " * 20
    assert (assess(page(good)).quality, assess(page(good)).reason) == (1.0, None)
    for bad in (lost, "Ðàáîòà èäåò ñâîèì ÷åðåäîì, è êíèãà " * 3, "ывфап щшкен гшлор дбьта " * 20):
        verdict = assess(page(bad))
        assert verdict.quality < 0.7
        assert verdict.reason
    assert assess(page("", image_share=0.9)).reason is not None
    assert assess(page("")).reason is None
    assert assess(page("E = mc², ∑ x = 5, H₂O → O₂")).reason is None
    assert assess(page("This page is in English, and can be read all the same.")).reason is None


def test_grades_are_numbers_from_one_to_eleven() -> None:
    assert parse_grades(["10 "]) == parse_grades([10]) == parse_grades([10.0]) == (10,)
    assert parse_grades(["11,10", "10"]) == (10, 11)
    for wrong in (["12"], ["0"], [None], ["десятый"], [], ["10.5"], ["-1"]):
        with pytest.raises(BadOptions):
            parse_grades(wrong)


def test_options_of_a_book() -> None:
    options = BookOptions.checked(["10"], " обществознание ", "Обществознание")
    assert (options.book_id, options.subject) == ("obshchestvoznanie-10", "обществознание")
    assert book_slug("Алгебра и начала анализа, ч. 2", (10, 11)) == "algebra-i-nachala-analiza-ch-2-10-11"
    for wrong in ({"book_id": "../x"}, {"book_id": "Книга"}, {"title": "  "}):
        with pytest.raises(BadOptions):
            BookOptions.checked(["10"], "физика", **({"title": "Физика"} | wrong))


@pytest.mark.parametrize(
    ("title", "kind"),
    [
        ("Вопросы и задания", "questions"),
        ("ВОПРОСЫ ДЛЯ САМОПРОВЕРКИ", "questions"),
        ("Вопросы к § 13", "questions"),
        ("Проверьте себя", "questions"),
        ("В классе и дома", "questions"),
        ("Упражнения", "questions"),
        ("Словарь", "glossary"),
        ("Словарь терминов", "glossary"),
        ("Основные понятия", "glossary"),
        ("Документ", "document"),
        ("Вопросы, которые волновали философов древности", "text"),
        ("Задачи государства", "text"),
        ("Словарный запас", "text"),
    ],
)
def test_blocks_are_known_by_their_names(title: str, kind: str) -> None:
    assert kind_of_block(title) == kind
