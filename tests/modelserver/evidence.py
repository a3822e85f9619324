"""A hand-made book and extractive answers over it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from answer.answer import Answer
from answer.citations import Span, cite
from answer.query import Scope
from index.book import Book, Page, Section
from index.chunk import Chunk, Hit, PageSpan

FOUNDED = (
    "Петербург основан Петром I в 1703 году. Город строили солдаты, пленные шведы и крестьяне, "
    "которых сгоняли со всей страны."
)
MOSCOW = "Москва впервые упомянута в летописи в 1147 году. Её основателем считают князя Юрия Долгорукого."
CAPITAL = "В 1712 году столицу перенесли из Москвы в Петербург."
QUESTION = "Когда основан Петербург?"


def book(texts: Sequence[str] = (FOUNDED, MOSCOW, CAPITAL)) -> tuple[Book, list[Chunk]]:
    """One § per text, one text per page: § 5 on page 21, § 6 on page 22…"""
    numbers = [str(5 + i) for i in range(len(texts))]
    titles = ["Основание Петербурга", "Древняя Москва", "Новая столица", "Разное", "Прочее"]
    book = Book(
        book_id="history",
        title="История России",
        subject="история",
        grades=(8,),
        sha256="0" * 64,
        page_offset=0,
        pages=tuple(Page(i + 1, str(21 + i), "body", text, text) for i, text in enumerate(texts)),
        sections=tuple(
            Section("paragraph", "§", (number,), titles[i], "Глава 1. Начало", i + 1, i + 1, str(21 + i))
            for i, number in enumerate(numbers)
        ),
    )
    chunks = [
        Chunk(
            chunk_id=f"history-{i}",
            book_id="history",
            ordinal=i,
            text=text,
            kind="text",
            grades=(8,),
            chapter="Глава 1. Начало",
            paragraphs=(numbers[i],),
            paragraph_title=titles[i],
            heading=None,
            spans=(PageSpan(0, len(text), i + 1, str(21 + i)),),
        )
        for i, text in enumerate(texts)
    ]
    return book, chunks


def supported(
    texts: Sequence[str] = (FOUNDED, MOSCOW, CAPITAL), quote: str = "Петербург основан Петром I в 1703 году."
) -> tuple[Answer, Book]:
    """The extractive answer that quotes `quote`, all texts among its hits."""
    one, chunks = book(texts)
    chunk = next(chunk for chunk in chunks if quote in chunk.text)
    start = chunk.text.index(quote)
    answer = Answer(
        status="supported",
        intent="question",
        answer=quote,
        scope=Scope(grades=(8,)),
        sources=cite([Span(chunk, start, start + len(quote))], {one.book_id: one}),
        hits=tuple(Hit(chunk, 1.0 - i / 10, "both") for i, chunk in enumerate(chunks)),
        elapsed_ms=5,
    )
    return answer, one


def refused() -> Answer:
    """An answer without evidence."""
    answer, _ = supported()
    return replace(answer, status="insufficient", sources=(), answer="Ответа нет.")
