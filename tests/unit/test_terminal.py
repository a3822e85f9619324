"""The table of books is readable on a terminal of 80 columns, and ids can be copied from it."""

from __future__ import annotations

import io
from types import SimpleNamespace
from typing import cast

from rich.console import Console

from bot.terminal import print_books
from index.library import Library


def shown(*books: tuple[str, str]) -> str:
    rows = {
        book_id: SimpleNamespace(
            title=title,
            subject="история",
            grades=(10, 11),
            pages=[0] * 352,
            paragraphs=[0] * 48,
            book_id=book_id,
        )
        for book_id, title in books
    }
    library = cast(Library, SimpleNamespace(books=rows, damaged={"old-9": "файл обрезан"}))
    out = io.StringIO()
    print_books(library, Console(file=out, width=80, color_system=None))
    return out.getvalue()


def test_long_names_leave_room_for_the_numbers() -> None:
    long_id = "istoriya-rossii-s-drevneyshikh-vremyon-do-nashikh-dn-10"
    text = shown(
        ("istoriya-10", "История [ч. 1]"), (long_id, "История России с древнейших времён до наших дней")
    )
    assert "История [ч. 1] (история)" in text
    for whole in (long_id, "10, 11", "352", "48", "✗ old-9: повреждён: файл обрезан"):
        assert whole in text
    assert "…" not in text
    assert max(map(len, text.splitlines())) <= 80
