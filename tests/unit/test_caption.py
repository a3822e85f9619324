"""What a teacher writes to a PDF: its name, said politely, in part, or with the name in quotes."""

from __future__ import annotations

import pytest

from bot.caption import is_half, read_caption


@pytest.mark.parametrize(
    ("caption", "grades", "subject", "title"),
    [
        ("Вот физика 10", (10,), "физика", "Физика"),
        ("Держите учебник по физике, 10 класс", (10,), "физика", "Физика"),
        ("Учебник по русскому языку 7 класс", (7,), "русский язык", "Русский язык"),
        ("9 класс обществознание «Человек и общество»", (9,), "обществознание", "Человек и общество"),
        ("Учебник «История России» 9 класс", (9,), "история", "История России"),
        ("«Алгебра» Мерзляк 8 класс", (8,), "алгебра", "«Алгебра» Мерзляк"),
        ("Книга для чтения 5 класс", (5,), "книга для чтения", "Книга для чтения"),
        ("История России, 9 класс, ч. 2", (9,), "история", "История России, ч. 2"),
    ],
)
def test_the_name_is_what_is_no_word_to_the_bot(
    caption: str, grades: tuple[int, ...], subject: str, title: str
) -> None:
    wish = read_caption(caption)
    assert wish is not None
    assert (wish.grades, wish.subject, wish.title) == (grades, subject, title)


@pytest.mark.parametrize("caption", ["вот держи учебник 10 кл", "наш учебник 9 класс", "10 класс", "право"])
def test_a_caption_without_a_name_or_a_grade_names_no_book(caption: str) -> None:
    assert read_caption(caption) is None


@pytest.mark.parametrize("text", ["9", "9 класс", "10-11", "Обществознание"])
def test_half_a_name(text: str) -> None:
    assert is_half(text)


@pytest.mark.parametrize("text", ["§ 9", "что такое право", "9 класс физика", "стр. 10"])
def test_what_is_no_half_of_a_name(text: str) -> None:
    assert not is_half(text)
