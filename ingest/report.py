"""What ingestion says about one file: object, JSON, and a table on the screen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from rich.console import Console
from rich.table import Table

from index.book import Book, Section
from index.chunk import Chunk
from ingest.errors import Failure

IngestStatus = Literal["ok", "partial", "unchanged"] | Failure
GOOD: frozenset[str] = frozenset({"ok", "unchanged"})

WORDS: dict[str, str] = {
    "ok": "готово",
    "partial": "частично",
    "unchanged": "без изменений",
    "encrypted": "закрыт паролем",
    "damaged": "повреждён",
    "missing": "файла нет",
    "not_pdf": "не PDF",
    "no_text": "нет текста",
    "empty": "пусто",
    "too_large": "слишком велик",
    "failed": "не удалось",
}


@dataclass(frozen=True, slots=True)
class IngestReport:
    """One file of the command. Where it failed, `warnings[0]` is the message and the counts are 0."""

    file: str
    book_id: str | None
    status: IngestStatus
    pages: int = 0
    pages_ocr: int = 0
    pages_unreadable: int = 0
    paragraphs: tuple[Section, ...] = ()
    chunks: int = 0
    page_offset: int | None = None
    warnings: tuple[str, ...] = ()
    seconds: float = 0.0
    texts: int = 0
    """Chunks and sentences whose vectors the store needs."""
    reused: int = 0
    """Those of them that stood in the previous edition word for word and were not embedded again."""
    book: Book | None = None
    """The book itself and its chunks, for the HTML report."""
    content: tuple[Chunk, ...] = ()

    @property
    def good(self) -> bool:
        return self.status in GOOD

    @property
    def stored(self) -> bool:
        """Whether the book is in the store now, wholly or in part."""
        return self.book is not None

    def to_json(self) -> dict[str, Any]:
        """The stable object of `paragraf ingest --json`."""
        return {
            "file": self.file,
            "book_id": self.book_id,
            "status": self.status,
            "pages": self.pages,
            "pages_ocr": self.pages_ocr,
            "pages_unreadable": self.pages_unreadable,
            "paragraphs": [
                {
                    "number": "–".join(section.numbers),
                    "title": section.title,
                    "page": _number(section.printed_page),
                    "file_page": section.file_page,
                }
                for section in self.paragraphs
            ],
            "chunks": self.chunks,
            "page_offset": self.page_offset,
            "warnings": list(self.warnings),
            "seconds": round(self.seconds, 2),
        }


def _number(page: str | None) -> int | str | None:
    return int(page) if page is not None and page.isdecimal() else page


def show(reports: Sequence[IngestReport], console: Console) -> None:
    """Table of the books, then for each what was found and what is wrong."""
    table = Table(title="Загрузка учебников", title_justify="left")
    for name in ("Файл", "Книга", "Итог"):
        table.add_column(name, overflow="fold")
    for name in ("Стр.", "Скан", "Брак", "§", "Фрагм.", "Сек."):
        table.add_column(name, justify="right", no_wrap=True)
    for report in reports:
        colour = "green" if report.good else "yellow" if report.status == "partial" else "red"
        table.add_row(
            Path(report.file).name,
            report.book_id or "",
            f"[{colour}]{WORDS[report.status]}[/]",
            str(report.pages),
            str(report.pages_ocr),
            str(report.pages_unreadable),
            str(len(report.paragraphs)),
            str(report.chunks),
            f"{report.seconds:.1f}",
        )
    console.print(table)
    for report in reports:
        if report.paragraphs:
            console.print(_sections(report))
        if report.reused:
            console.print(
                f"{report.file}: векторов взято из прежнего издания: {report.reused} из {report.texts}.",
                markup=False,
                highlight=False,
            )
        for warning in report.warnings:
            console.print(
                f"{report.file}: {warning}", style="yellow" if report.chunks else "red", markup=False
            )


def _sections(report: IngestReport) -> Table:
    table = Table(title=f"{report.book_id}: что нашлось", title_justify="left")
    table.add_column("№", justify="right")
    table.add_column("Название", overflow="fold")
    table.add_column("Стр.", justify="right")
    table.add_column("Лист", justify="right")
    for section in report.paragraphs:
        table.add_row(section.label, section.title, section.printed_page or "—", str(section.file_page))
    return table
