"""What stood where in one pass of the layout: sheets of headings, text, running heads and page numbers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

CONTENTS: Final = "Оглавление"
GLOSSARY: Final = "Словарь терминов"
INDEX: Final = "Предметный указатель"


@dataclass(slots=True)
class Ledger:
    """What stood where in one pass of the layout; sheets count from 1."""

    places: dict[str, int] = field(default_factory=dict)
    """Sheet of each heading: `CONTENTS`, «глава I», «§ 3», `GLOSSARY`, `INDEX`."""
    words: dict[int, list[str]] = field(default_factory=dict)
    """Lines of body text of each sheet, in the order of setting."""
    heads: dict[int, str] = field(default_factory=dict)
    """Running head drawn on each sheet."""
    numbers: dict[int, str] = field(default_factory=dict)
    """Page number drawn on each sheet."""
    contents_end: int = 0
    """Last sheet of the contents."""
    sheets: int = 0

    @property
    def front(self) -> int:
        """Sheets before printed page 1."""
        return min((at for place, at in self.places.items() if place != CONTENTS), default=1) - 1

    def log(self, file_page: int, text: str) -> None:
        self.words.setdefault(file_page, []).append(text)

    def label(self, file_page: int) -> str:
        """Number by which the page goes: roman in the front matter, else arabic from 1."""
        return str(file_page - self.front) if file_page > self.front else _roman(file_page)


def chapter_place(number: str) -> str:
    return f"глава {number}"


def section_place(number: str) -> str:
    return f"§ {number}"


def _roman(number: int) -> str:
    digits = ((50, "l"), (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))
    text = ""
    for value, sign in digits:
        text += sign * (number // value)
        number %= value
    return text
