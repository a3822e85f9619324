"""The page buttons under an answer: in the order of the quotes, and wide enough for their labels."""

from __future__ import annotations

import pytest

from answer.query import Scope
from bot.rendering import PageRef
from bot.telegram.answer_buttons import Saved
from bot.telegram.keyboards import answer_keyboard


def rows(*labels: str) -> list[list[str]]:
    """The rows of page buttons; the pages are given best first, as an answer has them."""
    pages = tuple(PageRef("book", int(label.split()[1]), label, "", ()) for label in labels)
    keyboard = answer_keyboard("token", Saved("case", "вопрос", "summary", Scope(), pages))
    assert keyboard is not None
    return [[one.text for one in row] for row in keyboard.inline_keyboard[:-1]]


def test_pages_stand_in_the_order_of_the_book() -> None:
    assert rows("стр. 35", "стр. 2", "стр. 34") == [["📖 стр. 2", "📖 стр. 34", "📖 стр. 35"]]


@pytest.mark.parametrize(
    ("labels", "shape"),
    [
        (["стр. 11"], [1]),
        (["стр. 1", "стр. 2", "стр. 3", "стр. 4"], [2, 2]),
        (["лист 101 файла", "лист 102 файла", "лист 103 файла"], [2, 1]),
    ],
)
def test_labels_are_not_cut(labels: list[str], shape: list[int]) -> None:
    assert [len(row) for row in rows(*labels)] == shape
