"""What a message asks for, and what the bot remembers between messages."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Intent = Literal["question", "section_questions", "summary", "contents", "smalltalk"]


@dataclass(frozen=True, slots=True)
class Scope:
    """Where to look, as understood from the message, the options and the memory."""

    grades: tuple[int, ...] = ()
    paragraphs: tuple[str, ...] = ()
    """§ keys in the order named, ranges expanded: («13», «14», «15»)."""
    items: tuple[str, ...] = ()
    """Numbers of items or tasks («п. 3 § 13», «задание 4»)."""
    pages: tuple[str, ...] = ()
    """Printed page numbers."""
    book_id: str | None = None
    note: str | None = None
    """Russian sentence about how the scope was read (a range that was cut), or options of a `clarify`."""


@dataclass(frozen=True, slots=True)
class Query:
    """A message understood. `text` is what is searched: scope words removed, typos kept."""

    message: str
    text: str
    scope: Scope
    intent: Intent
    explicit_paragraph: bool = False
    """The § came with this message (or the options), not from memory."""
    detailed: bool = False
    """«Подробнее»: more of what stands around the answer is wanted."""
    unclear: Literal["incomplete", "sum"] | None = None
    """Why nothing is searched: the message breaks off («что такое»), or is a calculation («реши 2+2»)."""
    own_words: frozenset[str] | None = None
    """Lemmas that a message said itself before it got its topic from the last question: an answer quotes at
    least one of them, and holds what is asked for. None for a question of its own."""
    whole: bool = False
    """The text of the § itself is asked for («спиши § 6 полностью»)."""


@dataclass(frozen=True, slots=True)
class Memory:
    """What is kept per user and chat. Everything here is removed by /forget."""

    grade: int | None = None
    book_id: str | None = None
    last_question: str | None = None
    """Text of the last question, for «а в 11 классе?»."""
    last_paragraphs: tuple[str, ...] = ()
    last_items: tuple[str, ...] = ()
    """Numbers of the last questions asked for («вопрос 3 § 1»), for «а 4?»."""
    pending: str | None = None
    """Message that waits for the answer to a clarifying question."""
    pending_kind: Literal["grade", "book", "question"] | None = None


@dataclass(frozen=True, slots=True)
class ScopeOptions:
    """Scope given beside the message: command-line options, API fields, buttons. It wins over the words."""

    grade: int | None = None
    paragraph: str | None = None
    book_id: str | None = None


EMPTY_MEMORY = Memory()


@dataclass(frozen=True, slots=True)
class Understood:
    """Result of understanding: the query and the memory to keep if it is answered."""

    query: Query
    memory: Memory = field(default=EMPTY_MEMORY)
