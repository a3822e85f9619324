"""What the layout engine knows about a book it has set, for tests of whatever reads the PDF."""

from __future__ import annotations

from typing import Any

from typesetting.ledger import CONTENTS, GLOSSARY, INDEX, Ledger, chapter_place, section_place
from typesetting.model import Book


def truth(book: Book, ledger: Ledger) -> dict[str, Any]:
    """Facts for `<book>.truth.json`; sheets (`file_page`) count from 1, printed numbers are strings."""

    def place(name: str) -> dict[str, Any]:
        sheet = ledger.places[name]
        return {"page": ledger.numbers.get(sheet), "file_page": sheet}

    return {
        "title": book.title,
        "grade": book.grade,
        "front_pages": ledger.front,
        "chapters": [
            {"number": chapter.number, "title": chapter.title, **place(chapter_place(chapter.number))}
            for chapter in book.chapters
        ],
        "paragraphs": [
            {
                "number": paragraph.number,
                "title": paragraph.title,
                "chapter": chapter.number,
                "chapter_title": chapter.title,
                **place(section_place(paragraph.number)),
            }
            for chapter in book.chapters
            for paragraph in chapter.paragraphs
        ],
        "pages": [
            {
                "file_page": sheet,
                "printed": ledger.numbers.get(sheet),
                "label": ledger.label(sheet) if book.layout.page_labels else None,
                "kind": page_kind(ledger, sheet),
                "head": ledger.heads.get(sheet),
            }
            for sheet in range(1, ledger.sheets + 1)
        ],
    }


def page_kind(ledger: Ledger, sheet: int) -> str:
    """«title», «imprint», «contents», «blank», «body», «glossary» or «index»."""
    if sheet > ledger.front:
        after = ledger.sheets + 1
        if sheet >= ledger.places.get(INDEX, after):
            return "index"
        return "glossary" if sheet >= ledger.places.get(GLOSSARY, after) else "body"
    if sheet < ledger.places[CONTENTS]:
        return "title" if sheet == 1 else "imprint"
    return "contents" if sheet <= ledger.contents_end else "blank"
