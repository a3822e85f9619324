"""Sets a whole book as a PDF."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from reportlab.platypus import BaseDocTemplate, Frame, PageTemplate

from typesetting import fonts
from typesetting.furniture import Furniture
from typesetting.ledger import Ledger
from typesetting.model import Book, texts
from typesetting.story import Story, full_title
from typesetting.styles import BOTTOM, PAGE, SIDE, TOP, Styles

_PASSES: Final = 6


def set_book(book: Book, out: Path) -> Ledger:
    """Writes the PDF; equal books give equal bytes. Raises `MissingGlyph` for characters no font has."""
    drawable = fonts.register_faces()
    strange = "".join(sorted(set().union(*texts(book)) - drawable))
    fallback = fonts.register_fallback(strange) if strange else fonts.REGULAR
    styles = Styles.of(book.layout.hyphen, fallback)
    known = Ledger()
    for _ in range(_PASSES):
        # Contents, index and running heads need page numbers that only a former pass knows.
        ledger = _set_once(book, styles, known, out)
        if ledger == known:
            return ledger
        known = ledger
    raise RuntimeError(f"«{book.title}»: page numbers did not settle in {_PASSES} passes")


def _set_once(book: Book, styles: Styles, known: Ledger, out: Path) -> Ledger:
    ledger = Ledger()
    width, height = PAGE
    furniture = Furniture(book, styles.furniture, known, ledger)
    document = BaseDocTemplate(
        str(out),
        pagesize=PAGE,
        invariant=1,
        initialFontName=fonts.REGULAR,
        title=full_title(book),
        author=book.authors,
        subject=book.subject,
        creator="data/samples/build.py",
        lang="ru-RU",
    )
    frame = Frame(SIDE, BOTTOM, width - 2 * SIDE, height - TOP - BOTTOM, 0, 0, 0, 0)
    when = "onPage" if book.layout.furniture_first else "onPageEnd"
    document.addPageTemplates(PageTemplate("page", [frame], **{when: furniture.draw}))
    document.build(list(Story(book, styles, known, ledger)))
    ledger.sheets = document.page
    return ledger
