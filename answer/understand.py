"""From a message and what is remembered to the `Query` that is searched.

`reading` reads the message by itself, `dialogue` puts it into its context, and here the scope is settled:
options over words, words over memory.
"""

from __future__ import annotations

from collections.abc import Mapping

from answer.dialogue import Turn, bare_number_note, place, remember
from answer.intent import asks_for_whole
from answer.query import Memory, Query, Scope, ScopeOptions, Understood
from answer.reading import read
from index.book import Book

NO_OPTIONS = ScopeOptions()
MAX_SEARCH_TEXT = 500
"""Characters of a question that are searched; the embedding would not read many more."""


def understand(
    message: str, memory: Memory, books: Mapping[str, Book], options: ScopeOptions = NO_OPTIONS
) -> Understood:
    """Understand `message`; never fails, whatever it holds.

    The returned memory is the one to keep; open a pending question on it with `dialogue.wait_for` when the
    answer asks back.
    """
    turn = place(message, memory, books, options)
    reading = turn.reading
    notes = [reading.note] if reading.note else []

    grades, book_id = _grades_and_book(turn, memory, books, options)
    paragraphs, explicit = reading.paragraphs, bool(reading.paragraphs)
    intent = reading.intent
    if options.paragraph is not None and options.paragraph.strip():
        here = [book for key, book in books.items() if book_id in (None, key)]
        paragraphs, note = _option_paragraphs(options.paragraph, here)
        notes = [note] if note else []
        explicit = True
        if not reading.text and intent in ("question", "smalltalk") and reading.number is None:
            intent = "summary"
    elif not paragraphs:
        paragraphs = turn.carried
        if paragraphs and reading.same_section and not reading.text:
            intent = "summary"

    text = reading.text
    if len(text) > MAX_SEARCH_TEXT:
        text = _shorten(text)
        notes.append(f"Вопрос длинный: ищу по первым {MAX_SEARCH_TEXT} знакам.")
    if reading.number is not None and not text and not paragraphs:
        notes.append(bare_number_note(reading.number))

    query = Query(
        message=turn.message,
        text=text,
        scope=Scope(grades, paragraphs, reading.items, reading.pages, book_id, " ".join(notes) or None),
        intent=intent,
        explicit_paragraph=explicit,
        detailed=turn.detailed,
        unclear=turn.unclear,
        own_words=turn.own_words,
        whole=intent == "summary" and asks_for_whole(turn.message),
    )
    return Understood(query, remember(memory, turn, query, options))


def _grades_and_book(
    turn: Turn, memory: Memory, books: Mapping[str, Book], options: ScopeOptions
) -> tuple[tuple[int, ...], str | None]:
    """Grades and book of the scope. A book is set only where it is chosen, or where the words leave one."""
    reading = turn.reading
    stated = (options.grade,) if options.grade is not None else reading.grades
    kept = (memory.grade,) if memory.grade is not None else ()
    if options.book_id is not None:
        book = books.get(options.book_id)
        grades = stated or kept
        if book is not None and options.grade is None:
            grades = tuple(grade for grade in grades if grade in book.grades)
        return grades, options.book_id
    if reading.named_books:
        named = {key: books[key] for key in reading.named_books}
        grades = stated or tuple(
            grade for grade in kept if any(grade in book.grades for book in named.values())
        )
        fitting = [key for key, book in named.items() if not grades or set(grades) & set(book.grades)]
        return grades, fitting[0] if len(fitting) == 1 else None
    grades = stated or kept
    remembered = books.get(memory.book_id) if memory.book_id is not None else None
    if remembered is not None and reading.paragraphs and set(grades) <= set(remembered.grades):
        return grades, remembered.book_id
    return grades, None


def _option_paragraphs(option: str, books: list[Book]) -> tuple[tuple[str, ...], str | None]:
    """Keys of «13», «§ 13», «13а», «13-15», «2.3»; what is no number is taken as it stands."""
    reading = read(f"§ {option.replace('§', ' ')}", {book.book_id: book for book in books})
    if reading.paragraphs:
        return reading.paragraphs, reading.note
    return (option.strip(),), None


def _shorten(text: str) -> str:
    """The first characters of a long question, cut at a word."""
    head = text[: MAX_SEARCH_TEXT + 1]
    cut = head.rfind(" ")
    return head[:cut] if cut > MAX_SEARCH_TEXT // 2 else text[:MAX_SEARCH_TEXT]
