"""What the buttons under an answer stand for: kept in the database, read when one is pressed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from pydantic import TypeAdapter, ValidationError

from answer.another import Shown
from answer.answer import Answer, Option
from answer.query import Intent, Memory, Scope
from bot.feedback import Case, CasePage
from bot.rendering import PageRef, page_refs


@dataclass(frozen=True, slots=True)
class Saved:
    """An answer as its buttons know it."""

    case_id: str
    question: str
    """As it was understood, words of scope taken out: what is searched again, and what a vote is about."""
    intent: Intent
    scope: Scope
    pages: tuple[PageRef, ...] = ()
    chunk_ids: tuple[str, ...] = ()
    """Chunks that were quoted, also by the answers before «Другой фрагмент»."""
    quotes: tuple[str, ...] = ()
    """What was quoted from them."""
    used: tuple[str, ...] = ()
    """Buttons that have done their work («more», «another»)."""

    @property
    def searchable(self) -> bool:
        """Whether there may be more to show: a question that was answered by quotes."""
        return self.intent == "question" and bool(self.question and self.chunk_ids)

    @property
    def shown(self) -> Shown:
        return Shown(frozenset(self.chunk_ids), self.quotes)

    @property
    def case(self) -> Case:
        """The case that a vote is about; its place is the one asked for, else the one answered from."""
        first = self.pages[0] if self.pages else None
        return Case(
            case_id=self.case_id,
            question=self.question,
            grade=self.scope.grades[0] if len(self.scope.grades) == 1 else None,
            paragraph=self.scope.paragraphs[0] if len(self.scope.paragraphs) == 1 else None,
            book_id=self.scope.book_id or (first.book_id if first else None),
            pages=tuple(
                CasePage(page.book_id, page.file_page, page.page, page.paragraph, page.quotes)
                for page in self.pages
            ),
        )

    @classmethod
    def of(cls, answer: Answer, memory: Memory, case_id: str, before: Saved | None = None) -> Saved:
        """`memory` after the answer; `before`: the answer whose «Другой фрагмент» this is."""
        quotes = tuple(source.quote for source in answer.sources)
        # A word that the page border cuts ends with a hyphen of its own.
        heads = [quote.rstrip("-\u2010\u00ad") for quote in quotes]
        chunks = [hit.chunk for hit in answer.hits if any(head in hit.chunk.text for head in heads)]
        saved = cls(
            case_id=case_id,
            question=(answer.searched if answer.intent == "question" else memory.last_question) or "",
            intent=answer.intent,
            scope=replace(answer.scope, note=None),
            pages=tuple(page_refs(answer)),
            chunk_ids=tuple(chunk.chunk_id for chunk in chunks),
            quotes=quotes,
        )
        if before is None:
            return saved
        return replace(
            saved, chunk_ids=before.chunk_ids + saved.chunk_ids, quotes=before.quotes + saved.quotes
        )

    def using(self, button: str) -> Saved:
        """After a button has done its work."""
        return replace(self, used=(*self.used, button))

    def payload(self) -> dict[str, Any]:
        """As JSON."""
        return {"answer": _SAVED.dump_python(self, mode="json")}

    @classmethod
    def read(cls, payload: Mapping[str, Any]) -> Saved | None:
        """None for buttons of another kind, or kept by another version."""
        try:
            return _SAVED.validate_python(payload.get("answer"))
        except ValidationError:
            return None


_SAVED = TypeAdapter(Saved)
_OPTIONS = TypeAdapter(list[Option])


def choice_payload(question: str, options: tuple[Option, ...]) -> dict[str, Any]:
    """A clarifying question: what waits, and what can be chosen."""
    return {"question": question, "options": [asdict(option) for option in options]}


def read_choice(payload: Mapping[str, Any]) -> tuple[str, list[Option]] | None:
    """The same read back; None for buttons of another kind."""
    question = payload.get("question")
    try:
        options = _OPTIONS.validate_python(payload.get("options"))
    except ValidationError:
        return None
    return (question, options) if isinstance(question, str) else None
