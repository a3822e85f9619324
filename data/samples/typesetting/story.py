"""The flowables of a book: title, imprint, contents, chapters, glossary, index."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from reportlab.platypus import (
    CondPageBreak,
    Flowable,
    HRFlowable,
    KeepTogether,
    PageBreak,
    Spacer,
    TableStyle,
)
from reportlab.platypus import Table as Grid

from typesetting.flowables import Box, ContentsLine, Style, Text, TwoColumns
from typesetting.index import Entry, index_entries
from typesetting.ledger import CONTENTS, GLOSSARY, INDEX, Ledger, chapter_place, section_place
from typesetting.model import (
    Block,
    Book,
    Columns,
    Dictionary,
    Document,
    Listing,
    Prose,
    Questions,
    Run,
    Runs,
    Subheading,
    Table,
    plain,
    walk,
)
from typesetting.styles import DICTIONARY, DOCUMENT, PAGE, RULE, SIDE, TINT, Styles


class Story:
    """Flowables of one pass, which note in `ledger` where they land; `known` is the pass before."""

    def __init__(self, book: Book, styles: Styles, known: Ledger, ledger: Ledger) -> None:
        self.book, self.styles, self.known, self.ledger = book, styles, known, ledger

    def __iter__(self) -> Iterator[Flowable]:
        yield from self._front()
        yield from self._chapters()
        yield from self._back()

    def _front(self) -> Iterator[Flowable]:
        book, styles = self.book, self.styles
        yield self._text(book.authors, styles.title_line)
        yield Spacer(1, 110)
        yield self._text(book.title, styles.book_title)
        if book.grade is not None:
            yield self._text(f"{book.grade} класс", styles.title_line)
            yield self._text("Учебник для общеобразовательных организаций", styles.title_line)
        yield Spacer(1, 190)
        if book.year is not None:
            yield self._text(str(book.year), styles.title_line)
        yield PageBreak()
        yield Spacer(1, 250)
        for line in _imprint(book):
            yield self._text(line, styles.imprint)
        yield PageBreak()
        yield self._text(CONTENTS, styles.paragraph, on_page=self._place(CONTENTS, CONTENTS, 0))
        for chapter in book.chapters:
            yield self._contents_line(chapter.heading, chapter_place(chapter.number), styles.contents_chapter)
            for paragraph in chapter.paragraphs:
                yield self._contents_line(paragraph.heading, section_place(paragraph.number), styles.contents)
        if self._terms():
            yield self._contents_line(GLOSSARY, GLOSSARY, styles.contents_chapter)
        if book.layout.index:
            yield self._contents_line(INDEX, INDEX, styles.contents_chapter)
        # The body's first page break follows; on an odd sheet one more makes the front matter even.
        yield Text((), styles.contents, on_page=self._end_contents)
        if book.layout.even_front and self.known.contents_end % 2:
            yield PageBreak()
            yield Spacer(1, 1)

    def _end_contents(self, canvas: Any) -> None:
        self.ledger.contents_end = canvas.getPageNumber()

    def _chapters(self) -> Iterator[Flowable]:
        styles = self.styles
        for chapter in self.book.chapters:
            yield PageBreak()
            place = chapter_place(chapter.number)
            yield Spacer(1, 30)
            yield self._text(
                f"Глава {chapter.number}",
                styles.chapter_number,
                on_page=self._place(place, chapter.heading, 0),
            )
            yield self._text(chapter.title, styles.chapter)
            yield HRFlowable("40%", 0.8, "round", RULE, 0, 14)
            for paragraph in chapter.paragraphs:
                yield CondPageBreak(100)
                place = section_place(paragraph.number)
                yield self._text(
                    paragraph.heading, styles.paragraph, on_page=self._place(place, paragraph.heading, 1)
                )
                yield from self._blocks(paragraph.blocks, styles.body)

    def _back(self) -> Iterator[Flowable]:
        styles = self.styles
        if terms := self._terms():
            yield PageBreak()
            yield self._text(GLOSSARY, styles.paragraph, on_page=self._place(GLOSSARY, GLOSSARY, 0))
            for runs in terms:
                yield Text(runs, styles.box_entry, log=self.ledger.log)
        if self.book.layout.index:
            yield PageBreak()
            yield self._text(INDEX, styles.paragraph, on_page=self._place(INDEX, INDEX, 0))
            yield TwoColumns([self._text(str(entry), styles.index) for entry in self._index()])

    def _terms(self) -> list[Runs]:
        entries = {
            plain(entry): entry
            for paragraph in self.book.paragraphs
            for block in walk(paragraph.blocks)
            if isinstance(block, Dictionary)
            for entry in block.entries
        }
        return [entries[key] for key in sorted(entries, key=_alphabetical)]

    def _index(self) -> list[Entry]:
        body = {
            self.known.label(sheet): " ".join(lines)
            for sheet, lines in sorted(self.known.words.items())
            if self.known.front < sheet < self.known.places.get(GLOSSARY, self.known.sheets)
        }
        return index_entries([entry[0].text for entry in self._terms()], body, _alphabetical)

    def _blocks(self, blocks: tuple[Block, ...], body: Style) -> Iterator[Flowable]:
        styles = self.styles
        for block in blocks:
            match block:
                case Prose():
                    yield self._runs(block.runs, body)
                case Subheading():
                    yield CondPageBreak(60)
                    yield self._text(block.text, styles.subheading)
                case Listing():
                    yield from self._listing(block, styles.item)
                case Table():
                    yield KeepTogether(
                        [self._runs(block.caption, styles.caption), self._grid(block), Spacer(1, 9)]
                    )
                case Dictionary():
                    entries = [self._runs(entry, styles.box_entry) for entry in block.entries]
                    yield Box([self._text("Словарь", styles.box_label), *entries], DICTIONARY)
                case Document():
                    yield Box(
                        [self._text("Документ", styles.box_label), *self._blocks(block.blocks, styles.box)],
                        DOCUMENT,
                    )
                case Columns():
                    yield TwoColumns(list(self._blocks(block.blocks, styles.column)))
                case Questions():
                    yield CondPageBreak(64)
                    yield self._text(block.title, styles.questions)
                    for inner in block.blocks:
                        if isinstance(inner, Listing):
                            yield from self._listing(inner, styles.question)
                        else:
                            yield from self._blocks((inner,), styles.question)

    def _listing(self, listing: Listing, style: Style) -> Iterator[Flowable]:
        for number, runs in enumerate(listing.items):
            bullet = self.book.layout.bullet if listing.start is None else f"{listing.start + number}."
            yield Text(runs, style, bullet=bullet, log=self.ledger.log)
        yield Spacer(1, 3)

    def _grid(self, table: Table) -> Flowable:
        width = PAGE[0] - 2 * SIDE
        columns = len(table.rows[0])
        rows = [
            [self._runs(cell, self.styles.cell if number else self.styles.cell_head) for cell in row]
            for number, row in enumerate(table.rows)
        ]
        grid = Grid(rows, [width / columns] * columns, repeatRows=1)
        grid.setStyle(
            TableStyle(
                [
                    ("GRID", (0, 0), (-1, -1), 0.5, RULE),
                    ("BACKGROUND", (0, 0), (-1, 0), TINT),
                    ("VALIGN", (0, 0), (-1, -1), "TOP"),
                    ("LEFTPADDING", (0, 0), (-1, -1), 4),
                    ("RIGHTPADDING", (0, 0), (-1, -1), 4),
                    ("TOPPADDING", (0, 0), (-1, -1), 2.5),
                    ("BOTTOMPADDING", (0, 0), (-1, -1), 3.5),
                ]
            )
        )
        return grid

    def _runs(self, runs: Runs, style: Style) -> Text:
        return Text(runs, style, log=self.ledger.log)

    def _text(self, text: str, style: Style, on_page: Callable[[Any], None] | None = None) -> Text:
        return Text((Run(text),), style, log=self.ledger.log, on_page=on_page)

    def _contents_line(self, text: str, place: str, style: Style) -> Flowable:
        number = self.known.label(self.known.places[place]) if place in self.known.places else "000"
        return ContentsLine((Run(text),), style, number)

    def _place(self, place: str, title: str, level: int) -> Callable[[Any], None]:
        return partial(self._arrive, place, title, level)

    def _arrive(self, place: str, title: str, level: int, canvas: Any) -> None:
        self.ledger.places[place] = canvas.getPageNumber()
        if self.book.layout.outline:
            canvas.bookmarkPage(place)
            canvas.addOutlineEntry(title, place, level)


def full_title(book: Book) -> str:
    return book.title if book.grade is None else f"{book.title}. {book.grade} класс"


def _imprint(book: Book) -> Iterator[str]:
    yield ", ".join(part for part in (full_title(book), book.authors, str(book.year or "")) if part) + "."
    if book.licence == "CC0-1.0":
        yield (
            "Текст написан специально для этого издания и передан в общественное достояние на условиях "
            "CC0 1.0 Universal: его можно копировать, изменять и распространять "
            "без разрешения и без указания авторов."
        )
        yield "Учебник составлен как пример; он не входит в федеральный перечень и никем не рекомендован."
    elif book.licence:
        yield f"Условия использования текста: {book.licence}."
    yield "Набрано шрифтом Charis SIL (SIL Open Font License 1.1)."


def _alphabetical(text: str) -> str:
    return text.casefold().replace("ё", "е")
