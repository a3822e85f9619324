"""Rows of a table that a question tells apart."""

from __future__ import annotations

import pytest

from answer.table_rows import asked_rows, row_lemmas
from index.chunk import Chunk, PageSpan, Sentence
from index.lemmas import lemmas
from index.sentences import split_sentences

TEXT = (
    "Таблица 3. Длина рек. Сведения за год\n"
    "Река\u2003Длина, км\u2003Глубина; наибольшая\n"
    "Волга\u20033530 км\u200318 м\n"
    "Кама\u20031800—1810 км. По карте\u200330 м; у плотины\n"
    "Ока\u20031500 км\u200311 м"
)


@pytest.fixture
def table() -> Chunk:
    spans = (PageSpan(0, len(TEXT), 1, "1"),)
    return Chunk("b:1", "b", 1, TEXT, "table", (8,), None, ("1",), "Реки", None, spans)


def _rows(chunk: Chunk, question: str, whole: bool = False) -> list[str]:
    sentences = [Sentence(0, a, b) for a, b in split_sentences(chunk.text)]
    return [span.text.split("\u2003")[0] for span in asked_rows(chunk, sentences, lemmas(question), whole)]


def test_a_row_is_one_sentence() -> None:
    texts = [TEXT[a:b] for a, b in split_sentences(TEXT)]
    assert texts == ["Таблица 3.", "Длина рек.", "Сведения за год", *TEXT.split("\n")[1:]]


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("какова длина Камы", ["Река", "Кама"]),
        ("сравни Волга и Кама", ["Река", "Волга", "Кама"]),
        ("какая река длиной 1805 км", ["Река", "Кама"]),
        ("реки и их длина в км", ["Река", "Волга", "Кама", "Ока"]),
    ],
)
def test_rows_that_the_question_tells_apart(table: Chunk, question: str, rows: list[str]) -> None:
    assert _rows(table, question) == rows


def test_all_rows_of_a_list(table: Chunk) -> None:
    assert _rows(table, "перечислите реки, такие как Ока", whole=True) == ["Река", "Волга", "Кама", "Ока"]


def test_a_table_without_cells_has_no_rows(table: Chunk) -> None:
    plain = Chunk("b:2", "b", 2, "Таблица 1. Схема\nодна строка", "table", (8,), None, ("1",), None, None, ())
    assert _rows(plain, "строка") == []


def test_a_range_holds_what_lies_inside() -> None:
    assert {"16", "17", "18"} <= row_lemmas("16—18 лет")
    assert "2500" not in row_lemmas("1000—5000 руб.")
