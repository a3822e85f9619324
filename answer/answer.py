"""The answer contract: one `Answer`, shown as JSON, Telegram HTML, web page or terminal text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from answer.query import Intent, Scope
from index.chunk import Hit

Status = Literal["supported", "insufficient", "clarify", "generated_unverified", "generated_checked"]
Mode = Literal["extractive", "transformers", "ollama", "openai"]


@dataclass(frozen=True, slots=True)
class Citation:
    """A quote and where it stands. `quote` is a literal span of one page."""

    id: str
    book_id: str
    title: str
    grades: tuple[int, ...]
    chapter: str | None
    paragraph: str | None
    paragraph_title: str | None
    page: str | None
    """Printed number, None where the page shows none."""
    file_page: int
    quote: str
    unit: str = "§"
    """How the book calls the paragraph; not part of the JSON contract."""


@dataclass(frozen=True, slots=True)
class Part:
    """One question of a question block and its answer."""

    question: str
    status: Status
    answer: str
    sources: tuple[Citation, ...]
    number: str = ""
    """As the textbook counts it; not part of the JSON contract."""
    section: str = ""
    """«§ 5»: whose question it is; not part of the JSON contract."""


@dataclass(frozen=True, slots=True)
class Option:
    """A choice offered by `clarify`: a button's text and the scope that it stands for."""

    label: str
    grade: int | None = None
    book_id: str | None = None
    paragraph: str | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """What the student gets. `answer` is plain Russian text without Markdown."""

    status: Status
    intent: Intent
    answer: str
    scope: Scope
    sources: tuple[Citation, ...] = ()
    hits: tuple[Hit, ...] = ()
    parts: tuple[Part, ...] | None = None
    widened: bool = False
    mode: Mode = "extractive"
    model_error: str | None = None
    options: tuple[Option, ...] = ()
    """For `clarify`: what can be chosen."""
    elapsed_ms: int = 0
    confidence: float | None = None
    """Probability that the books hold the answer, 0..1; None where nothing was searched. Not in the JSON."""
    searched: str = ""
    """The question as it was understood, without its words of scope; empty where only a place was named.
    Not in the JSON."""

    def to_json(self) -> dict[str, Any]:
        """The stable contract object (docs/contract.md)."""
        return {
            "status": self.status,
            "mode": self.mode,
            "intent": self.intent,
            "answer": self.answer,
            "scope": {
                "grades": list(self.scope.grades),
                "paragraphs": list(self.scope.paragraphs),
                "items": list(self.scope.items),
                "pages": [_number(page) for page in self.scope.pages],
                "book_id": self.scope.book_id,
                "widened": self.widened,
                "note": self.scope.note,
            },
            "sources": [_citation_json(source) for source in self.sources],
            "hits": [
                {
                    "chunk_id": hit.chunk.chunk_id,
                    "score": round(float(hit.score), 4),
                    "book_id": hit.chunk.book_id,
                    "paragraph": hit.chunk.paragraph,
                    "file_pages": list(hit.chunk.file_pages),
                    "text": hit.chunk.text,
                }
                for hit in self.hits
            ],
            "parts": None
            if self.parts is None
            else [
                {
                    "question": part.question,
                    "status": part.status,
                    "answer": part.answer,
                    "sources": [_citation_json(source) for source in part.sources],
                }
                for part in self.parts
            ],
            "model_error": self.model_error,
            "elapsed_ms": self.elapsed_ms,
        }


def _citation_json(source: Citation) -> dict[str, Any]:
    return {
        "id": source.id,
        "book_id": source.book_id,
        "title": source.title,
        "grades": list(source.grades),
        "chapter": source.chapter,
        "paragraph": source.paragraph,
        "paragraph_title": source.paragraph_title,
        "page": _number(source.page),
        "file_page": source.file_page,
        "quote": source.quote,
        "url": None,
    }


def _number(page: str | None) -> int | str | None:
    """Arabic page numbers are numbers in JSON; roman ones stay text."""
    return int(page) if page is not None and page.isdecimal() else page
