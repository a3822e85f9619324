"""What a model may use and name for one question."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from answer.answer import Answer
from answer.checking.allowed import AllowedReferences
from answer.checking.drafts import Fragment
from answer.checking.neutral import neutralise
from answer.fragments import Piece, pieces_of
from answer.orders import without_orders
from answer.registry import ActRecord, BookRecord, Registry, title_key
from index.book import Book

MAX_QUESTION = 1_000
"""Characters of a question that a model is shown."""


@dataclass(frozen=True, slots=True)
class Material:
    """The question, the fragments, and the closed list of documents."""

    question: str
    """Without sentences that speak to the model, made harmless, cut to MAX_QUESTION."""
    pieces: tuple[Piece, ...]
    books: Mapping[str, Book]
    records: tuple[BookRecord, ...]
    """Particulars of the fragments' books."""
    acts: tuple[ActRecord, ...]
    """Acts that the fragments speak of."""

    @classmethod
    def of(cls, question: str, answer: Answer, books: Mapping[str, Book], registry: Registry) -> Material:
        """For an extractive answer. Raises KeyError where one of its books is no longer loaded."""
        pieces = pieces_of(answer, books)
        ids = list(dict.fromkeys(piece.book_id for piece in pieces))
        registry = registry.with_loaded(books[book_id] for book_id in ids)
        records = (registry.of_book(book_id) for book_id in ids)
        text = "\n".join(piece.fragment.text for piece in pieces)
        return cls(
            neutralise(without_orders(question).replace("…", " ")).strip()[:MAX_QUESTION],
            tuple(pieces),
            books,
            tuple(record for record in records if record is not None),
            tuple(act for act in registry.acts if _speaks_of(text, act)),
        )

    @property
    def fragments(self) -> tuple[Fragment, ...]:
        """As the book has them: what drafts are checked against."""
        return tuple(piece.fragment for piece in self.pieces)

    def first(self, count: int) -> Material:
        """The same with the first `count` fragments and what belongs to them."""
        pieces = self.pieces[:count]
        ids = {piece.book_id for piece in pieces}
        records = tuple(record for record in self.records if record.book_id in ids)
        text = "\n".join(piece.fragment.text for piece in pieces)
        acts = tuple(act for act in self.acts if _speaks_of(text, act))
        return replace(self, pieces=pieces, records=records, acts=acts)

    def shown(self) -> list[tuple[str, str]]:
        """(id, text with its header) as the model reads them."""
        return [(f.id, f"[{neutralise(f.header.strip('[]'))}] {neutralise(f.text)}") for f in self.fragments]

    def documents(self) -> list[str]:
        """The closed list as the model reads it."""
        lines = []
        for record in self.records:
            headers = (piece.fragment.header for piece in self.pieces if piece.book_id == record.book_id)
            places = [", ".join(header.strip("[]").split(" | ")[1:]) for header in headers]
            named = "; ".join(dict.fromkeys(place for place in places if place))
            lines.append(f"{record.requisites()} ({named})" if named else record.requisites())
        return [neutralise(line) for line in (*lines, *(act.requisites() for act in self.acts))]

    def allowed(self) -> AllowedReferences:
        """The closed list as the check reads it."""
        return AllowedReferences.of(self.fragments, self.records, self.acts)


def _speaks_of(text: str, act: ActRecord) -> bool:
    """Whether the text names the act, by number or by title."""
    key = f" {title_key(text)} "
    names = (act.title, *act.aliases, *([act.number] if act.number else []))
    return any(f" {title_key(name)} " in key for name in names)
