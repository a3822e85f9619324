"""Whatever is typed, understanding answers, and quickly."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from answer.query import EMPTY_MEMORY, Memory, ScopeOptions
from answer.sections import paragraph_keys
from answer.tokens import clean, tokenize
from answer.understand import MAX_SEARCH_TEXT, understand
from index.book import Book, Section

SECTIONS = tuple(
    Section("paragraph", "§", (str(n),), f"Тема {n}", "Глава I", 5, 6, "3") for n in range(1, 13)
)
BOOKS = {"ob10": Book("ob10", "Обществознание", "обществознание", (10,), "0" * 64, None, (), SECTIONS)}

PIECES = st.sampled_from(
    ["§", "§§", "10", "13", "13а", "1812", "999999", "2.3", "-", "—", ",", ".", "и", "с", "по", "до",
    "от", "класс", "класса", "кл.",
     "параграф", "параграфы", "пораграф", "п.", "пункт", "стр.", "вопрос", "вопросы", "№", "#", "глава",
     "тема", "десятый", "двадцать",
     "одинадцатый", "один", "сто", "X", "Х", "IV", "в", "за", "«", "»", "(", ")", "?", "дз", "о чём",
     "перескажи", "оглавление", "привет",
     "пожалуйста", "что такое", "общество", "обществознание", "по", "учебник", "этом", "а", "\u00a0",
     "\u200b", "🙂", "\ud800", "<b>", "&nbsp;",
     "десятиклассников", "10А", "%", "век", "года", "…", "..", "/", "или", "0",
     "٣", "²", "½", "ё", "\n", "\x00", "\u202e", "и\u0306"]
)  # fmt: skip


@given(st.text(max_size=300))
@settings(max_examples=300, deadline=None)
def test_any_text_is_understood(message: str) -> None:
    query = understand(message, EMPTY_MEMORY, BOOKS).query
    assert len(query.text) <= MAX_SEARCH_TEXT
    assert all(1 <= grade <= 11 for grade in query.scope.grades)


@given(st.lists(PIECES, max_size=25), st.sampled_from(["", " "]))
@settings(max_examples=500, deadline=None)
def test_any_heap_of_scope_words_is_understood(pieces: list[str], glue: str) -> None:
    message = glue.join(pieces)
    memory = Memory(grade=9, last_question="что такое дума", pending=message, pending_kind="grade")
    for kept in (EMPTY_MEMORY, memory):
        understood = understand(message, kept, BOOKS)
        query = understood.query
        assert all(1 <= grade <= 11 for grade in query.scope.grades)
        assert len(query.scope.paragraphs) == len(set(query.scope.paragraphs))
        assert not set(query.text) & set("\u200b\u202e\x00\n")
        query.text.encode()


@given(st.text(max_size=40), st.text(max_size=40))
@settings(max_examples=200, deadline=None)
def test_any_option_is_understood(message: str, paragraph: str) -> None:
    options = ScopeOptions(grade=10, paragraph=paragraph, book_id=paragraph)
    query = understand(
        message, Memory(pending="что такое дума § 5", pending_kind="question"), BOOKS, options
    ).query
    assert query.scope.grades == (10,)
    assert query.scope.book_id == paragraph


@given(st.text(max_size=200))
@settings(max_examples=300, deadline=None)
def test_cleaning_is_stable_and_tokens_cover_the_text(message: str) -> None:
    text = clean(message)
    assert clean(text) == text or "<" in text or "&" in text
    assert "".join(token.text for token in tokenize(text)) == text.replace(" ", "")


@given(st.integers(1, 400), st.integers(1, 400))
@settings(max_examples=200, deadline=None)
def test_ranges_are_read_either_way(low: int, high: int) -> None:
    books = list(BOOKS.values())
    upwards, _ = paragraph_keys([(str(low), str(high))], books)
    downwards, _ = paragraph_keys([(str(high), str(low))], books)
    assert upwards == downwards
    assert list(upwards) == sorted(upwards, key=int)
    if low == high or abs(low - high) < 20:
        assert list(upwards) == [str(number) for number in range(min(low, high), max(low, high) + 1)]


LONG = {
    "section signs": "§" * 4096,
    "spaced section signs": "§ " * 2048,
    "numbers": "10 " * 1365,
    "list": "§ " + "10, " * 1000,
    "list without unit": "10, " * 1000,
    "range": "10-" * 1300,
    "dots": "1." * 2048,
    "units": "класс " * 680,
    "alternating": "10 класс 5 параграф " * 200,
    "units and numbers": "параграф 5 вопрос 3 " * 200,
    "openers": "с " * 2048,
    "number words": "двадцать " * 450,
    "hyphens": "-" * 4096,
    "one word": "п" * 4096,
    "one number": "1" * 4096,
    "brackets": "(" * 2048 + ")" * 2048,
    "tags": "<b " * 1300,
    "entities": "&" * 4096,
    "polite": "пожалуйста " * 370,
    "greetings": "привет " * 580,
    "subjects": "обществознание " * 270,
    "conjunctions": "и " * 2048,
    "unknown words": " ".join(f"абырвалг{chr(1072 + i % 32)}{chr(1072 + i // 32)} 5" for i in range(300)),
    "misspelt numerals": "одинадцатый пораграф " * 190,
}


@pytest.mark.parametrize("message", LONG.values(), ids=LONG.keys())
def test_a_message_of_any_length_takes_little_time(message: str) -> None:
    started = time.perf_counter()
    understand(message, EMPTY_MEMORY, BOOKS)
    assert time.perf_counter() - started < 2.0


def test_time_grows_with_the_length_and_not_its_square() -> None:
    """Eight times the text takes about eight times as long; squared it would be 64 times."""

    def seconds(message: str) -> float:
        best = 9.0
        for _ in range(3):
            started = time.perf_counter()
            understand(message, EMPTY_MEMORY, BOOKS)
            best = min(best, time.perf_counter() - started)
        return best

    for unit in ("10, ", "§ 5 и ", "10 класс ", "общество и право ", "§"):
        short, long = unit * 60, unit * 480
        assert seconds(long) < 30 * max(seconds(short), 0.0005), unit
