"""What is remembered between messages, and how a message that only makes sense after another one is read.

The rules:

* A grade that the user stated is kept until another one is stated; a § never outlives its question.
* «А в 11 классе?» asks the last question again in the new grade, without the old §.
* While a clarifying question is open, an answer to it («10», «§ 5 10 класса», a pressed button) resumes the
  pending message; a complete new question replaces it.
* «Подробнее», «приведи пример», «а что насчёт Канта?» go on about the last question where it was asked.
* «ответы на вопросы», «перескажи его», «в этом параграфе» right after a § mean that §.
* A textbook chosen by a button settles which book a § belongs to; plain questions are still asked of all
  books of the grade.
* A bare number that answers nothing is asked about: the query has an empty text and the note of
  `bare_number_note`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from answer.followups import followup
from answer.mention import GRADES
from answer.named_book import books_called
from answer.query import Intent, Memory, Query, ScopeOptions
from answer.reading import Reading, read
from answer.tokens import clean, tokenize
from answer.units import UnitName, unit_at
from index.book import Book

PendingKind = Literal["grade", "book", "question"]
_Read = Callable[[str], Reading]

_RESTATED: dict[Intent, str] = {
    "summary": "перескажи параграф",
    "section_questions": "ответы на вопросы",
    "contents": "оглавление",
}
"""How a request without a topic is kept as the last question; read again it gives the same intent."""

_UNIT_NAMES: dict[UnitName, str] = {"grade": "класс", "paragraph": "§", "page": "страница", "task": "вопрос"}


@dataclass(frozen=True, slots=True)
class Turn:
    """A message in its context: the message that is answered now and how it reads."""

    message: str
    reading: Reading
    carried: tuple[str, ...] = ()
    """§§ of the last message that this one means without naming them."""
    detailed: bool = False
    """«Подробнее»: more of what stands around the answer."""
    restated: str | None = None
    """What is kept as the last question, where it is not the one that is searched."""


def bare_number_note(number: str) -> str:
    """The question back: «10 — это класс, параграф или страница?»."""
    grade = number.isdecimal() and int(number) in GRADES
    return (
        f"{number} — это класс, параграф или страница?" if grade else f"{number} — это параграф или страница?"
    )


def place(message: str, memory: Memory, books: Mapping[str, Book], options: ScopeOptions) -> Turn:
    """Decide what `message` means after what was said before."""
    grades = (
        (options.grade,) if options.grade is not None else (memory.grade,) if memory.grade is not None else ()
    )

    def read_here(text: str) -> Reading:
        return read(text, books, grades=grades, book_id=options.book_id)

    chosen = options != ScopeOptions()
    if chosen and (not clean(message) or message == memory.pending):
        # A button: it answers the open question, else it asks the last one again elsewhere.
        earlier = memory.pending or memory.last_question
        if earlier:
            return Turn(earlier, _told_by_options(read_here(earlier), options))
    reading = _told_by_options(read_here(message), options)
    if memory.pending is not None and message != memory.pending:
        resumed = _answer_to_pending(message, reading, memory, books, read_here)
        if resumed is not None:
            return resumed
    if memory.last_question is not None and not chosen:
        again = _continuation(message, reading, memory, read_here)
        if again is not None:
            return again
    return Turn(message, reading, carried=_carried(reading, memory))


def _told_by_options(reading: Reading, options: ScopeOptions) -> Reading:
    """A bare number that a button has explained («§ 10») says nothing itself any more."""
    explained = (options.paragraph, None if options.grade is None else str(options.grade))
    return replace(reading, number=None) if reading.number in explained else reading


def _answer_to_pending(
    message: str, reading: Reading, memory: Memory, books: Mapping[str, Book], read_here: _Read
) -> Turn | None:
    pending_message = memory.pending or ""
    pending = read_here(pending_message)
    if pending.number is not None:
        unit = _only_unit(message)
        if unit is None:
            return None
        whole = f"{pending.number} {unit}" if unit == "класс" else f"{unit} {pending.number}"
        return Turn(whole, read_here(whole))
    if reading.number is not None:
        wants_section = pending.intent in ("section_questions", "summary") and not pending.paragraphs
        if wants_section and memory.pending_kind != "grade":
            return Turn(pending_message, replace(pending, paragraphs=(reading.number,)))
        if not (reading.number.isdecimal() and int(reading.number) in GRADES):
            return None
        return Turn(pending_message, replace(pending, grades=(int(reading.number),)))
    if reading.intent == "smalltalk":
        return None
    called = books_called(tokenize(clean(message)), books)
    if called:
        return Turn(pending_message, replace(pending, named_books=called))
    if not reading.text and reading.has_scope:
        return Turn(pending_message, _over(pending, reading))
    return None


def _only_unit(message: str) -> str | None:
    """«класс», «это параграф», «страница»: the unit that a message without a number consists of."""
    tokens = [
        token for token in tokenize(clean(message)) if token.key not in ("это", "ну", "номер", ".", "!", "?")
    ]
    unit = unit_at(tokens, 0) if len(tokens) == 1 else None
    return _UNIT_NAMES.get(unit.name) if unit else None


def _over(base: Reading, scope: Reading) -> Reading:
    """`base` asked within the scope that a later message states."""
    return replace(
        base,
        grades=scope.grades or base.grades,
        paragraphs=scope.paragraphs or base.paragraphs,
        items=scope.items or base.items,
        pages=scope.pages or base.pages,
        named_books=scope.named_books or base.named_books,
        note=scope.note or base.note,
    )


def _continuation(message: str, reading: Reading, memory: Memory, read_here: _Read) -> Turn | None:
    """«А в 11 классе?», «а § 14?», «для 9 класса», «а в 11?» after a question."""
    last_question = memory.last_question or ""
    further = followup(clean(message), last_question)
    if further is not None and not reading.has_scope and reading.number is None:
        last = read_here(further.text)
        if last.intent in ("question", "smalltalk"):
            turn = Turn(message, replace(last, text=last.text or further.text, intent="question"))
            kept = None if further.kind == "topic" else last_question
            carried = memory.last_paragraphs
            return replace(turn, carried=carried, detailed=further.kind == "more", restated=kept)
    grades, paragraphs = reading.grades, reading.paragraphs
    if reading.number is not None and reading.continues and reading.number.isdecimal():
        value = int(reading.number)
        if value not in GRADES:
            return None
        grades = (value,)
    elif reading.text or reading.items or reading.pages or reading.same_section:
        return None
    opens = clean(message).lower().startswith(("а ", "и ", "ну ", "теперь ", "тогда "))
    moved = bool(grades) and memory.grade is not None and grades != (memory.grade,)
    if paragraphs and not opens:
        return None
    if not (paragraphs or grades or reading.named_books):
        return None
    if not (opens or reading.continues or moved):
        return None
    last = read_here(last_question)
    again = replace(
        last, grades=grades, paragraphs=paragraphs, named_books=reading.named_books, note=reading.note
    )
    section = last.intent in ("section_questions", "summary") and not paragraphs
    return Turn(last_question, again, carried=memory.last_paragraphs if section else ())


def _carried(reading: Reading, memory: Memory) -> tuple[str, ...]:
    if reading.paragraphs or reading.pages:
        return ()
    moved = bool(reading.grades) and memory.grade is not None and reading.grades != (memory.grade,)
    if moved:
        return ()
    if reading.same_section or reading.intent in ("section_questions", "summary"):
        return memory.last_paragraphs
    return ()


def remember(memory: Memory, turn: Turn, query: Query, options: ScopeOptions) -> Memory:
    """Memory after the turn. What waits for an answer is closed here; see `wait_for` for opening it."""
    reading = turn.reading
    if query.intent == "smalltalk":
        return memory
    if reading.number is not None and not query.text:
        return replace(memory, pending=turn.message, pending_kind="question")
    stated = (options.grade,) if options.grade is not None else reading.grades
    grade = stated[0] if len(stated) == 1 else memory.grade
    moved = grade != memory.grade
    book_id = options.book_id if options.book_id is not None else None if moved else memory.book_id
    empty = not query.text and query.intent == "question"
    if empty:
        last_question, last_paragraphs = memory.last_question, () if moved else memory.last_paragraphs
    else:
        last_question = turn.restated or (
            query.text if query.intent == "question" else _RESTATED[query.intent]
        )
        last_paragraphs = query.scope.paragraphs
    return Memory(grade=grade, book_id=book_id, last_question=last_question, last_paragraphs=last_paragraphs)


def wait_for(memory: Memory, query: Query, kind: PendingKind) -> Memory:
    """Memory with `query` waiting until the user says the grade or the book («grade», «book»), or more
    («question»).
    """
    return replace(memory, pending=query.message, pending_kind=kind)
