"""What a question asks to list, and which sentences list it."""

from __future__ import annotations

import pytest

from answer.listing import listed, lists


@pytest.mark.parametrize(
    ("question", "nouns"),
    [
        ("Какие сферы общества бывают?", {"сфера"}),
        ("какие виды проступков бывают", {"проступок"}),
        ("какие теории происхождения государства", {"теория"}),
        ("Какие государства являются федерациями?", {"государство", "федерация"}),
        ("назови функции семьи", {"функция"}),
    ],
)
def test_what_is_to_be_listed(question: str, nouns: set[str]) -> None:
    assert listed(question) == nouns


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        (
            "Какие сферы общества бывают?",
            "Обычно выделяют четыре сферы: экономическую, социальную, духовную.",
        ),
        ("Какой бывает самооценка?", "Различают самооценку завышенную, заниженную и реалистичную."),
        ("Какие государства являются федерациями?", "К федерациям принадлежат Россия, Германия, Бразилия."),
        (
            "какие виды проступков бывают",
            "Проступки менее опасны; они бывают дисциплинарными и гражданскими.",
        ),
        ("функции семьи", "Функции семьи:\n— воспитательная;\n— хозяйственная."),
    ],
)
def test_lists_it(question: str, sentence: str) -> None:
    assert lists(question)(sentence)


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("Какие сферы общества бывают?", "Элементами общества являются люди, группы и институты."),
        ("какие виды проступков бывают", "Правонарушения делят на проступки и преступления."),
        ("Какие государства являются федерациями?", "Федерация — союзное государство."),
    ],
)
def test_lists_something_else(question: str, sentence: str) -> None:
    assert not lists(question)(sentence)
