"""The contents of a book: chapters and §§ with their pages."""

from __future__ import annotations

from answer import wording
from answer.answer import Answer, Citation
from answer.corpus import Corpus
from answer.place import Place, clarify, resolve
from answer.query import Query
from index.book import Book

LINES = 60
"""More lines than this for several books: ask which book."""


def contents(query: Query, corpus: Corpus) -> Answer:
    """The contract's `contents` intent. Sources are the printed contents pages, where the book has any."""
    place = resolve(query, corpus.library.books)
    if isinstance(place, Answer):
        return place
    listed = [_lines(book, place) for book in place.books]
    if len(listed) > 1 and sum(map(len, listed)) > LINES:
        return clarify(query, wording.WHICH_CONTENTS, place.books)
    return Answer(
        status="supported" if any(len(lines) > 1 for lines in listed) else "insufficient",
        intent=query.intent,
        answer="\n\n".join("\n".join(lines) for lines in listed),
        scope=query.scope,
        sources=tuple(_sources(place)),
    )


def _lines(book: Book, place: Place) -> list[str]:
    name = wording.book_name(book)
    lines = [name[:1].upper() + name[1:]]
    chapter = None
    for section in book.paragraphs:
        if place.paragraphs and not set(section.numbers) & set(place.paragraphs):
            continue
        if section.chapter and section.chapter != chapter:
            lines.append(section.chapter)
            chapter = section.chapter
        page = f" — стр. {section.printed_page}" if section.printed_page else ""
        lines.append(f"{wording.section_name(section)}{page}")
    return lines if len(lines) > 1 else [f"В учебнике {name} я не нашёл параграфов; спросите без номера."]


def _sources(place: Place) -> list[Citation]:
    """One per printed contents page; the quote is its first line."""
    sources: list[Citation] = []
    for book in place.books:
        for page in book.pages:
            first = next((line.strip() for line in page.text.splitlines() if line.strip()), "")
            if page.kind == "contents" and first:
                sources.append(
                    Citation(
                        id=f"s{len(sources) + 1}",
                        book_id=book.book_id,
                        title=book.title,
                        grades=book.grades,
                        chapter=None,
                        paragraph=None,
                        paragraph_title=None,
                        page=page.printed_page,
                        file_page=page.file_page,
                        quote=first,
                    )
                )
    return sources
