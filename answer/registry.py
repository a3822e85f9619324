"""What the loaded books and the acts they quote are called: `books.json`, which a teacher may edit.

The file lies in the store beside the manifest, or wherever the setting points; ingestion never rewrites it.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from answer.errors import RegistryDamaged
from index.book import Book

FILE_NAME = "books.json"
_ADILET = re.compile(
    r"(?P<id>[a-z]\d{10,11}_?)\.(?P<day>\d{2})-(?P<month>\d{2})-(?P<year>\d{4})\.(?:rus|kaz|eng)",
    re.IGNORECASE,
)
MONTHS = [
    "января",
    "февраля",
    "марта",
    "апреля",
    "мая",
    "июня",
    "июля",
    "августа",
    "сентября",
    "октября",
    "ноября",
    "декабря",
]
_PUNCTUATION = re.compile(r"[^\w]+")


class BookRecord(BaseModel):
    """Particulars of a book. Only `title` is needed."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    title: str = Field(min_length=1, max_length=300)
    book_id: str | None = Field(
        default=None, description="Id in the store; empty = a book that is not loaded."
    )
    authors: tuple[str, ...] = ()
    grades: tuple[int, ...] = ()
    year: int | None = Field(default=None, ge=1500, le=2200)
    publisher: str | None = None
    aliases: tuple[str, ...] = Field(
        default=(), description="Other names it goes by («Боголюбов, 10 класс»)."
    )

    @field_validator("grades", mode="before")
    @classmethod
    def _one_grade(cls, value: object) -> object:
        return (value,) if isinstance(value, int) else value

    def requisites(self) -> str:
        """«Обществознание. 10 класс / И. И. Иванов. — М.: Школа, 2024», what is unknown left out."""
        title = self.title.rstrip(".")
        if self.grades and not re.search(r"\bкласс", title, re.IGNORECASE):
            title += f". {_grades(self.grades)} класс"
        if self.authors:
            title += " / " + ", ".join(self.authors)
        imprint = ", ".join(part for part in (self.publisher, str(self.year) if self.year else None) if part)
        return f"{title}. — {imprint}" if imprint else title


class ActRecord(BaseModel):
    """Particulars of a law or another act."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    title: str = Field(min_length=1, max_length=500, description="«Об образовании в Российской Федерации».")
    kind: str = Field(
        default="", max_length=100, description="«Федеральный закон»; empty where the title says it."
    )
    number: str | None = Field(default=None, description="«273-ФЗ», without «№».")
    date: dt.date | None = None
    aliases: tuple[str, ...] = ()

    def requisites(self) -> str:
        """«Федеральный закон от 29 декабря 2012 г. № 273-ФЗ «Об образовании…»»."""
        parts = [self.kind] if self.kind else [self.title]
        if self.date:
            parts.append(f"от {self.date.day} {MONTHS[self.date.month - 1]} {self.date.year} г.")
        if self.number:
            parts.append(f"№ {self.number}")
        if self.kind:
            parts.append(f"«{self.title}»")
        return " ".join(parts)


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid")

    books: tuple[BookRecord, ...] = ()
    acts: tuple[ActRecord, ...] = ()


@dataclass(frozen=True)
class Registry:
    """An immutable snapshot of `books.json`."""

    books: tuple[BookRecord, ...] = ()
    acts: tuple[ActRecord, ...] = ()

    @classmethod
    def load(cls, path: Path) -> Registry:
        """Reads `path`; a directory means its `books.json`, a missing file an empty registry.

        Raises RegistryDamaged, which names the first wrong entry.
        """
        file = path / FILE_NAME if path.is_dir() else path
        try:
            data = file.read_bytes()
        except FileNotFoundError:
            return cls()
        except OSError as exc:
            raise RegistryDamaged(f"{file} не читается: {exc.strerror}.") from exc
        return cls.parse(data, str(file))

    @classmethod
    def parse(cls, data: bytes, name: str) -> Registry:
        """The content of a `books.json`. Raises RegistryDamaged, which begins with `name`."""
        try:
            parsed = _File.model_validate_json(data.decode("utf-8-sig"))
        except UnicodeDecodeError as exc:
            raise RegistryDamaged(f"{name}: это не текст в UTF-8; сохраните его заново или уберите.") from exc
        except ValidationError as exc:
            first = exc.errors()[0]
            place = ".".join(str(part) for part in first["loc"]) or "файл"
            raise RegistryDamaged(f"{name}: {place}: {first['msg']}; исправьте эту запись.") from exc
        return cls(parsed.books, parsed.acts)

    def save(self, path: Path) -> None:
        """Writes the registry for people to edit; replaces the file in one step."""
        file = path / FILE_NAME if path.is_dir() else path
        text = _File(books=self.books, acts=self.acts).model_dump_json(indent=1, exclude_defaults=True)
        draft = file.with_suffix(".tmp")
        draft.write_text(text + "\n", encoding="utf-8")
        draft.replace(file)

    def with_loaded(self, books: Iterable[Book]) -> Registry:
        """The registry, with an entry for each loaded book that has none."""
        known = {record.book_id for record in self.books}
        added = tuple(
            BookRecord(book_id=book.book_id, title=book.title, grades=tuple(book.grades))
            for book in books
            if book.book_id not in known
        )
        return Registry(self.books + added, self.acts)

    def merged(self, other: Registry, book_ids: Collection[str]) -> Registry:
        """This registry with what `other` adds; of the books in `book_ids` the entries of `other` count."""
        own = tuple(record for record in self.books if record.book_id not in book_ids)
        taken = {record.book_id for record in own if record.book_id is not None}
        books = tuple(record for record in other.books if record not in own and record.book_id not in taken)
        acts = tuple(act for act in other.acts if act not in self.acts)
        return Registry(own + books, self.acts + acts)

    def of_book(self, book_id: str) -> BookRecord | None:
        return next((record for record in self.books if record.book_id == book_id), None)

    def find(self, title: str) -> tuple[BookRecord | ActRecord, ...]:
        """Entries called exactly `title` (case, quotes and punctuation aside); else those that begin with it.

        A prefix must end at a word border and be at least four letters long.
        """
        key = title_key(title)
        if not key:
            return ()
        exact = tuple(record for names, record in self._names if key in names)
        if exact or len(key) < 4:
            return exact
        return tuple(
            record for names, record in self._names if any(name.startswith(key + " ") for name in names)
        )

    @cached_property
    def _names(self) -> Sequence[tuple[frozenset[str], BookRecord | ActRecord]]:
        named: list[tuple[frozenset[str], BookRecord | ActRecord]] = []
        records: tuple[BookRecord | ActRecord, ...] = (*self.books, *self.acts)
        for record in records:
            names = {record.title, *record.aliases}
            if isinstance(record, ActRecord):
                names |= {f"{record.kind} {record.title}"} | ({record.number} if record.number else set())
            named.append((frozenset(title_key(name) for name in names), record))
        return named


@dataclass(frozen=True, slots=True)
class AdiletName:
    """What the name of a file from the Adilet register says."""

    act_id: str
    """«V2300031934»: kind of act, year and number."""
    approved: dt.date


def read_adilet_name(file_name: str) -> AdiletName | None:
    """`v2300031934.21-04-2025.rus` (any extension after it) → id and date of approval; else None.

    Nothing is guessed: an impossible date or any other form gives None.
    """
    name = Path(file_name).name
    match = _ADILET.match(name)
    if match is None or not re.fullmatch(r"(?:\.\w{1,5})?", name[match.end() :]):
        return None
    try:
        day = dt.date(int(match["year"]), int(match["month"]), int(match["day"]))
    except ValueError:
        return None
    return AdiletName(match["id"].upper(), day)


def title_key(title: str) -> str:
    """How titles are compared: lower case, ё as е, words apart by one space."""
    return _PUNCTUATION.sub(" ", title.lower().replace("ё", "е").replace("_", " ")).strip()


def _grades(grades: Sequence[int]) -> str:
    ordered = sorted(grades)
    if len(ordered) > 1 and ordered == list(range(ordered[0], ordered[-1] + 1)):
        return f"{ordered[0]}–{ordered[-1]}"
    return ", ".join(map(str, ordered))
