"""An Answer and the list of books as terminal text."""

from __future__ import annotations

from rich.console import Console, Group
from rich.padding import Padding
from rich.panel import Panel
from rich.table import Column, Table
from rich.text import Text

from answer.answer import Answer, Citation, Part
from bot.citations import place_line
from index.library import Library

STATUS_STYLE = {"supported": "green", "insufficient": "yellow", "clarify": "cyan"}
STATUS_TITLE = {
    "supported": "Ответ по учебнику",
    "insufficient": "В учебнике этого нет",
    "clarify": "Уточните",
}


def print_answer(answer: Answer, console: Console) -> None:
    """Answer, then each source with its quote."""
    style = STATUS_STYLE.get(answer.status, "magenta")
    title = STATUS_TITLE.get(answer.status, "Пересказ модели")
    body = Group(*(_part(part) for part in answer.parts)) if answer.parts else Text(answer.answer)
    console.print(Panel(body, title=title, title_align="left", border_style=style))
    if answer.scope.note and answer.scope.note not in answer.answer:
        console.print(Text(answer.scope.note, style="dim"))
    for option in answer.options:
        console.print(Text(f"  • {option.label}"))
    if not answer.parts:
        for source in answer.sources:
            console.print(_source(source))


def _part(part: Part) -> Group:
    lines: list[Text | Padding] = [Text(part.question, style="bold"), Text(part.answer)]
    lines += [Padding(Text(place_line(source), style="dim"), (0, 0, 0, 2)) for source in part.sources]
    return Group(*lines, Text(""))


def _source(source: Citation) -> Padding:
    place = Text.assemble((f"[{source.id}] ", "bold"), place_line(source))
    return Padding(
        Group(place, Padding(Text(f"«{source.quote}»", style="italic"), (0, 0, 0, 5))), (0, 0, 0, 1)
    )


def print_books(library: Library, console: Console) -> None:
    """Table of the loaded books; damaged ones with the reason and the way out."""
    # `paragraf remove` wants the id: it stands under the title, where there is room for long ones.
    table = Table(
        Column("Учебник и его идентификатор", overflow="fold"), "Класс", "Стр.", "§", show_lines=True
    )
    for book in library.books.values():
        name = f"{book.title} ({book.subject})"
        table.add_row(
            Text.assemble(name, "\n", (book.book_id, "bold")),
            ", ".join(map(str, book.grades)),
            str(len(book.pages)),
            str(len(book.paragraphs)),
        )
    console.print(table)
    for book_id, reason in library.damaged.items():
        console.print(Text(f"✗ {book_id}: повреждён: {reason}", style="red"))
