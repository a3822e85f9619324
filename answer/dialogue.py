"""What is remembered between messages, and how a message that only makes sense after another one is read.

The rules:

* A grade that the user stated is kept until another one is stated; a § never outlives its question.
* «А в 11 классе?» asks the last question again in the new grade, without the old §.
* While a clarifying question is open, an answer to it («10», «§ 5 10 класса», a pressed button) resumes the
  pending message; a complete new question replaces it.
* «Подробнее», «приведи пример», «а что насчёт Канта?» go on about the last question where it was asked.
* «А когда он родился?», «а какой был первый?» are asked about the topic of the last question.
* «А следующий?» is the § (or question) behind the last one; «а 4?» after «вопрос 3 § 1» is question 4.
* A bare grade («9») after a question that was asked of all grades asks it again in that grade.
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
from answer.incomplete import completed, lack, understandable
from answer.mention import GRADES
from answer.named_book import books_called
from answer.neighbours import asks_for_neighbour, with_neighbour
from answer.query import Intent, Memory, Query, ScopeOptions
from answer.reading import Reading, read
from answer.terms import is_plain
from answer.tokens import clean, tokenize
from answer.units import UnitName, unit_at
from index.book import Book
from index.lemmas import lemmas

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
    unclear: Literal["incomplete", "sum"] | None = None
    """Why nothing is searched."""
    own_words: frozenset[str] | None = None
    """Lemmas of what is asked about the last topic, see `Query`."""


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
    elsewhere = chosen and options != ScopeOptions(grade=memory.grade)
    if chosen and (not clean(message) or message == memory.pending):
        # A button: it answers the open question, else it asks the last one again elsewhere.
        earlier = memory.pending or memory.last_question
        if earlier:
            return Turn(earlier, _told_by_options(read_here(earlier), options))
    neighbour = with_neighbour(clean(message), memory, books.values())
    if neighbour is None and asks_for_neighbour(clean(message)):
        return Turn(message, Reading("", "question"), unclear="incomplete")
    message = neighbour or message
    reading = _told_by_options(read_here(message), options)
    if memory.pending is not None and message != memory.pending:
        resumed = _answer_to_pending(message, reading, memory, books, read_here)
        if resumed is not None:
            return resumed
    if memory.last_question is not None and not elsewhere:
        again = _continuation(message, reading, memory, books, read_here)
        if again is not None:
            return again
    if not reading.has_scope and not (chosen and options.paragraph):
        missing = _incomplete(message, reading, memory, books, read_here)
        if missing is not None:
            return missing
    return Turn(message, reading, carried=_carried(reading, memory))


def _incomplete(
    message: str, reading: Reading, memory: Memory, books: Mapping[str, Book], read_here: _Read
) -> Turn | None:
    """A message without a topic, completed with the last one or left for the user to complete."""
    if reading.intent != "question" or not reading.text or reading.number is not None:
        return None
    text = clean(message)
    missing = lack(text)
    if missing is None:
        return None
    if missing == "topic":
        last = read_here(memory.last_question or "")
        titles = _titles(memory, books)
        asked = completed(text, last.text if last.intent == "question" else "", titles)
        if asked is not None:
            again = replace(reading, text=asked)
            return Turn(
                message,
                again,
                carried=memory.last_paragraphs,
                restated=memory.last_question,
                own_words=frozenset(word for word in lemmas(reading.text) if not is_plain(word)),
            )
        if understandable(text):
            return None
    return Turn(message, replace(reading, text=""), unclear="sum" if missing == "sum" else "incomplete")


def _titles(memory: Memory, books: Mapping[str, Book]) -> list[str]:
    """Titles of the §§ spoken of last, where it is clear which book they are of."""
    meant = [
        book
        for book in books.values()
        if memory.book_id in (None, book.book_id) and (memory.grade is None or memory.grade in book.grades)
    ]
    wanted = set(memory.last_paragraphs)
    found = [section.title for book in meant for section in book.paragraphs if wanted & set(section.numbers)]
    return found if len(meant) == 1 else []


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
    # «На вопросы какого параграфа ответить?» — «стр. 20» is no answer to it but a request of its own.
    elsewhere = reading.pages and not reading.paragraphs and pending.intent == "section_questions"
    if not reading.text and reading.has_scope and not elsewhere:
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


def _continuation(
    message: str, reading: Reading, memory: Memory, books: Mapping[str, Book], read_here: _Read
) -> Turn | None:
    """«А в 11 классе?», «а § 14?», «для 9 класса», «а в 11?», «а 4?» after a question."""
    last_question = memory.last_question or ""
    if reading.number is not None and memory.last_items and memory.last_paragraphs and not _led_in(message):
        whole = f"вопрос {reading.number} § {', '.join(memory.last_paragraphs)}"
        return Turn(whole, read_here(whole))
    further = followup(clean(message), last_question)
    if further is not None and not reading.has_scope and reading.number is None:
        last = read_here(further.text)
        if last.intent in ("question", "smalltalk"):
            turn = Turn(message, replace(last, text=last.text or further.text, intent="question"))
            kept = None if further.kind == "topic" else last_question
            carried = memory.last_paragraphs
            turn = replace(turn, carried=carried, detailed=further.kind == "more", restated=kept)
            return replace(turn, own_words=frozenset() if further.kind == "example" else None)
    grades, paragraphs = reading.grades, reading.paragraphs
    if reading.number is not None and reading.number.isdecimal():
        value = int(reading.number)
        told = reading.continues or (
            memory.grade is None and any(value in book.grades for book in books.values())
        )
        if value not in GRADES or not told:
            return None
        grades = (value,)
    elif reading.text or reading.items or reading.pages or reading.same_section:
        return None
    opens = clean(message).lower().startswith(("а ", "и ", "ну ", "теперь ", "тогда "))
    moved = bool(grades) and grades != (memory.grade,)
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


def _led_in(message: str) -> bool:
    """«в 10», «а для 10?»: said of a grade, not of a question."""
    return any(token.key in ("в", "во", "для", "за") for token in tokenize(clean(message)))


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
    items = query.scope.items if query.intent == "section_questions" else memory.last_items if empty else ()
    return Memory(
        grade=grade,
        book_id=book_id,
        last_question=last_question,
        last_paragraphs=last_paragraphs,
        last_items=items,
    )


def wait_for(memory: Memory, query: Query, kind: PendingKind) -> Memory:
    """Memory with `query` waiting until the user says the grade or the book («grade», «book»), or more
    («question»).
    """
    return replace(memory, pending=query.message, pending_kind=kind)
