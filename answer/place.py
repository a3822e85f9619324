"""Where a query may look: its scope checked against the books that are there."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from answer import wording
from answer.answer import Answer, Option, Part, Status
from answer.citations import section_of
from answer.query import Query
from index.book import Book, Section
from index.chunk import Hit
from index.search import Filter
from index.sentences import split_sentences


@dataclass(frozen=True, slots=True)
class Place:
    """Books and §§ that exist and are meant."""

    books: tuple[Book, ...]
    paragraphs: tuple[str, ...]
    """Those of the asked keys that at least one of the books has."""
    pages: tuple[str, ...]
    note: str | None = None
    """Russian sentence about asked §§ or pages that do not exist, when others do."""

    @property
    def filter(self) -> Filter:
        return Filter(
            books=frozenset(book.book_id for book in self.books),
            paragraphs=frozenset(self.paragraphs) if self.paragraphs else None,
            printed_pages=frozenset(self.pages) if self.pages else None,
        )

    @property
    def narrow(self) -> bool:
        """A §, or a page was named."""
        return bool(self.paragraphs or self.pages)

    @property
    def widened(self) -> Place:
        """The same books as a whole."""
        return replace(self, paragraphs=(), pages=())

    @property
    def name(self) -> str:
        """«В § 5 учебника «…»»."""
        unit = self.books[0].paragraphs[0].unit if self.books[0].paragraphs else "§"
        return wording.where(self.books, self.paragraphs, self.pages, unit)

    def sections(self) -> list[tuple[Book, Section]]:
        """The asked §§ with their books, in the order asked."""
        found = [(book, find_section(book, key)) for book in self.books for key in self.paragraphs]
        return list(dict.fromkeys((book, section) for book, section in found if section is not None))


def resolve(query: Query, books: Mapping[str, Book]) -> Place | Answer:
    """The place that is meant, or the answer that says why there is none (missing, or more than one)."""
    scope = query.scope
    if not books:
        return reply(query, "insufficient", wording.NO_BOOKS)
    chosen = list(books.values())
    if scope.book_id is not None:
        if scope.book_id not in books:
            return reply(query, "insufficient", wording.unknown_book(scope.book_id, chosen))
        chosen = [books[scope.book_id]]
    elif scope.grades:
        chosen = [book for book in chosen if set(book.grades) & set(scope.grades)]
        if not chosen:
            loaded = {grade for book in books.values() for grade in book.grades}
            return reply(query, "insufficient", wording.unknown_grade(scope.grades, loaded))
    notes: list[str] = []
    if scope.paragraphs:
        having = [book for book in chosen if any(find_section(book, key) for key in scope.paragraphs)]
        missing = [key for key in scope.paragraphs if not any(find_section(book, key) for book in having)]
        texts = [
            wording.missing_paragraphs(book, missing, nearest_numbers(book, missing))
            for book in having or chosen
            if missing
        ]
        if not having:
            return reply(query, "insufficient", " ".join(texts))
        notes += texts
        chosen = having
    if scope.pages:
        having = [book for book in chosen if _pages(book) & set(scope.pages)]
        missing = [page for page in scope.pages if not any(page in _pages(book) for book in having)]
        texts = [
            wording.missing_pages(book, missing, nearest_by_page(book, missing[0]))
            for book in having or chosen
            if missing
        ]
        if not having:
            return reply(query, "insufficient", " ".join(texts))
        notes += texts
        chosen = having
    present = [key for key in scope.paragraphs if any(find_section(book, key) for book in chosen)]
    pages = [page for page in scope.pages if any(page in _pages(book) for book in chosen)]
    if (present or pages) and len(chosen) > 1 and len(scope.grades) < 2:
        unit = chosen[0].paragraphs[0].unit if chosen[0].paragraphs else "§"
        what = wording.unit_label(unit, present) if present else f"страница {wording.joined(pages)}"
        return clarify(query, wording.several_books(what), chosen, present)
    return Place(tuple(chosen), tuple(present), tuple(pages), " ".join(notes) or None)


def reply(query: Query, status: Status, text: str) -> Answer:
    """An answer without quotes. What a `clarify` without choices invites to stands in `scope.note` too."""
    scope = query.scope
    if status == "clarify" and scope.note is None:
        start, end = split_sentences(text)[-1]
        scope = replace(scope, note=text[start:end])
    return Answer(status=status, intent=query.intent, answer=text, scope=scope, parts=no_parts(query))


def no_parts(query: Query) -> tuple[Part, ...] | None:
    """The `parts` of an answer that has none."""
    return () if query.intent == "section_questions" else None


def clarify(query: Query, text: str, books: Sequence[Book], keys: Sequence[str] = ()) -> Answer:
    """Ask which of the books is meant; the choices become buttons and `scope.note`."""
    options = tuple(_option(book, books, keys) for book in books)
    labels = [option.label for option in options]
    titles = [
        f"{label}: {wording.section_name(section)}" if section is not None else label
        for book, label in zip(books, labels, strict=True)
        for section in [find_section(book, keys[0]) if len(keys) == 1 else None]
    ]
    choices = f"Варианты: {'; '.join(titles)}."
    scope = replace(query.scope, note=f"{query.scope.note} {choices}" if query.scope.note else choices)
    return Answer(
        status="clarify",
        intent=query.intent,
        answer=text,
        scope=scope,
        options=options,
        parts=no_parts(query),
    )


def find_section(book: Book, key: str) -> Section | None:
    """The § with that key."""
    return next((section for section in book.paragraphs if key in section.numbers), None)


def nearest_numbers(book: Book, keys: Sequence[str]) -> list[Section]:
    """The § nearest by number to each key, at most two of them."""
    numbered = [section for section in book.paragraphs if section.numbers]
    found: dict[Section, None] = {}
    for key in keys[:2]:
        if numbered and (wanted := _order(key)) is not None:
            near = min(
                numbered,
                key=lambda section: min(
                    abs((order if (order := _order(number)) is not None else 10**6) - wanted)
                    for number in section.numbers
                ),
            )
            found[near] = None
    return list(found)


def nearest_by_page(book: Book, page: str) -> Section | None:
    """The § that begins nearest to a printed page."""
    numbered = [s for s in book.paragraphs if s.printed_page is not None and s.printed_page.isdecimal()]
    if not page.isdecimal():
        return numbered[0] if numbered else None
    return min(numbered, key=lambda s: abs(int(s.printed_page or 0) - int(page)), default=None)


def section_names(hits: Sequence[Hit], books: Mapping[str, Book], searched: int) -> list[str]:
    """«§ 4 «…» (стр. 12)» of the hits, each once; where several books were searched with the grade."""
    titles = {books[hit.chunk.book_id].title for hit in hits}
    names: dict[str, None] = {}
    for hit in hits:
        book = books[hit.chunk.book_id]
        section = section_of(hit.chunk, book)
        if section is not None:
            where = [book.title] if len(titles) > 1 else []
            where += [wording.grades_name(book.grades)] if searched > 1 else []
            where += [f"стр. {section.printed_page}"] if section.printed_page else []
            names[wording.section_name(section) + (f" ({', '.join(where)})" if where else "")] = None
    return list(names)


def _option(book: Book, books: Sequence[Book], keys: Sequence[str]) -> Option:
    """By grade where that singles out the book, else by book."""
    alone = len(book.grades) == 1 and not any(
        other is not book and set(other.grades) & set(book.grades) for other in books
    )
    label = wording.grades_name(book.grades)
    if not alone or len({other.title for other in books}) > 1:
        label = f"{book.title}, {label}"
    return Option(
        label=label,
        grade=book.grades[0] if len(book.grades) == 1 else None,
        book_id=None if alone else book.book_id,
        paragraph=keys[0] if len(keys) == 1 else None,
    )


def _order(key: str) -> float | None:
    """«13» → 13, «13а» → 13.01, «2.3» → 2.3 for comparing only."""
    match = re.match(r"\d+(?:\.\d+)?", key)
    return float(match.group()) + (0.01 if len(key) > len(match.group()) else 0.0) if match else None


def _pages(book: Book) -> set[str]:
    return {page.printed_page for page in book.pages if page.printed_page is not None}
