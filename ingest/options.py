"""What the teacher says about a book: checked before anything is read."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from ingest.errors import BadOptions
from ingest.slug import book_slug


@dataclass(frozen=True, slots=True)
class BookOptions:
    """Particulars of a book as checked."""

    book_id: str
    title: str
    subject: str
    grades: tuple[int, ...]
    """Ascending, each once, within 1..11."""
    page_offset: int | None = None
    """Sheet number minus printed number, where the teacher gave it."""

    @classmethod
    def checked(
        cls,
        grades: Iterable[object],
        subject: str,
        title: str,
        book_id: str | None = None,
        page_offset: int | None = None,
    ) -> BookOptions:
        """Raises BadOptions, one Russian sentence each."""
        title, subject = " ".join(title.split()), " ".join(subject.split())
        if not title or not subject:
            raise BadOptions("Укажите название книги и предмет.")
        known = parse_grades(grades)
        return cls(check_book_id(book_id or book_slug(title, known)), title, subject, known, page_offset)


def parse_grades(values: Iterable[object]) -> tuple[int, ...]:
    """«10», "10 ", 10, 10.0 or "10, 11" → (10, 11), sorted, each once. Raises BadOptions."""
    grades: set[int] = set()
    for value in values:
        for part in str(value).split(","):
            text = part.strip()
            match = re.fullmatch(r"(\d{1,2})(?:\.0+)?", text)
            if match is None or not 1 <= int(match[1]) <= 11:
                raise BadOptions(
                    f"Класс «{text}» не подходит: нужно число от 1 до 11, несколько — через запятую."
                )
            grades.add(int(match[1]))
    if not grades:
        raise BadOptions("Укажите класс: число от 1 до 11, несколько — через запятую.")
    return tuple(sorted(grades))


def check_book_id(book_id: str) -> str:
    """Raises BadOptions unless the id can name a directory."""
    if not re.fullmatch(r"[a-z0-9][a-z0-9._-]{0,79}", book_id):
        raise BadOptions(
            f"Имя книги «{book_id}» не подходит: нужны латинские строчные буквы, цифры, точка, «-» и «_», "
            "не больше 80 знаков."
        )
    return book_id
