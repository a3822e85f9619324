"""Questions the page opens with, taken from the loaded books themselves."""

from __future__ import annotations

import re

from index.library import Library
from index.search import Filter

TERM_LINE = re.compile(r"^([А-ЯЁ][а-яё-]+(?: [а-яё-]+){0,2}) [—–-] ", re.MULTILINE)
MAX_BOOKS = 3


def example_questions(library: Library) -> list[str]:
    """Up to two questions a book: a term of its glossary, and the questions or the gist of a §."""
    examples = []
    for book in list(library.books.values())[:MAX_BOOKS]:
        grade = book.grades[0]
        only_this = Filter(books=frozenset({book.book_id}), kinds=frozenset({"glossary"}))
        term = next(
            (match for chunk in library.chunks(only_this) if (match := TERM_LINE.search(chunk.text))), None
        )
        if term is not None:
            examples.append(f"Что такое {term[1].lower()}? {grade} класс")
        if book.paragraphs:
            section = book.paragraphs[len(book.paragraphs) // 3]
            ask = "Ответы на вопросы" if len(examples) < 2 else "О чём"
            examples.append(f"{ask} {section.label}, {grade} класс")
    return examples
