"""Particulars of books and acts."""

# ruff: noqa: E501 - a table of Russian wordings reads best one case a line

import datetime as dt
from pathlib import Path

import pytest

from answer.errors import RegistryDamaged
from answer.registry import ActRecord, BookRecord, Registry, read_adilet_name
from index.book import Book

BOOK = BookRecord(
    title="Обществознание", book_id="o10", authors=("И. И. Иванов", "П. П. Петров"), grades=(10,), year=2024,
    publisher="М.: Школа", aliases=("Иванов, 10 класс",),
)  # fmt: skip
ACT = ActRecord(
    kind="Федеральный закон",
    title="Об образовании в Российской Федерации",
    number="273-ФЗ",
    date=dt.date(2012, 12, 29),
)
REGISTRY = Registry((BOOK, BookRecord(title="Обществознание и право")), (ACT,))


def test_survives_a_round_trip_as_readable_json(tmp_path: Path) -> None:
    REGISTRY.save(tmp_path)
    assert "Обществознание" in (tmp_path / "books.json").read_text(encoding="utf-8")
    assert Registry.load(tmp_path) == REGISTRY
    assert Registry.load(tmp_path / "books.json") == REGISTRY


def test_a_missing_file_is_an_empty_registry(tmp_path: Path) -> None:
    assert Registry.load(tmp_path) == Registry()


@pytest.mark.parametrize(
    ("content", "named"),
    [
        ('{"books": [{"titel": "x"}]}', "books.0"),
        ('{"acts": [{"title": "x", "date": "32.13.2012"}]}', "acts.0.date"),
        ("{", "books.json"),
        ('{"books": [{"title": "x", "year": 20240}]}', "books.0.year"),
    ],
)
def test_a_wrong_entry_is_named(tmp_path: Path, content: str, named: str) -> None:
    (tmp_path / "books.json").write_text(content, encoding="utf-8")
    with pytest.raises(RegistryDamaged, match=named):
        Registry.load(tmp_path)


def test_a_byte_order_mark_and_a_bare_grade_are_read(tmp_path: Path) -> None:
    (tmp_path / "books.json").write_bytes(b'\xef\xbb\xbf{"books": [{"title": "x", "grades": 9}]}')
    assert Registry.load(tmp_path).books[0].grades == (9,)


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("обществознание", (BOOK,)),
        ("«Обществознание»", (BOOK,)),
        ("Иванов 10 класс", (BOOK,)),
        ("Обществознание и", (REGISTRY.books[1],)),
        ("Общество", ()),
        ("Об образовании", (ACT,)),
        ("федеральный закон об образовании в российской федерации", (ACT,)),
        ("273-ФЗ", (ACT,)),
        ("о", ()),
        ("", ()),
    ],
)
def test_titles_are_found_exactly_or_by_their_beginning(asked: str, found: tuple[object, ...]) -> None:
    assert REGISTRY.find(asked) == found


def test_requisites() -> None:
    assert BOOK.requisites() == "Обществознание. 10 класс / И. И. Иванов, П. П. Петров. — М.: Школа, 2024"
    assert BookRecord(title="Физика. 7 класс", grades=(7,)).requisites() == "Физика. 7 класс"
    assert BookRecord(title="Право", grades=(10, 11)).requisites() == "Право. 10–11 класс"
    assert (
        ACT.requisites()
        == "Федеральный закон от 29 декабря 2012 г. № 273-ФЗ «Об образовании в Российской Федерации»"
    )
    assert (
        ActRecord(title="Конституция Российской Федерации").requisites() == "Конституция Российской Федерации"
    )


def test_loaded_books_without_an_entry_get_one() -> None:
    loaded = [_book("o10", "Иначе"), _book("new", "География")]
    registry = REGISTRY.with_loaded(loaded)
    assert registry.of_book("o10") is BOOK
    assert registry.of_book("new") == BookRecord(title="География", book_id="new", grades=(9,))
    assert registry.of_book("none") is None


def _book(book_id: str, title: str) -> Book:
    fields: dict[str, object] = {"book_id": book_id, "title": title, "grades": (9,), "subject": "x"}
    for name in Book.__dataclass_fields__:
        fields.setdefault(name, ())
    return Book(**fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "name",
    ["v2300031934.21-04-2025.rus", "V2300031934.21-04-2025.rus.pdf", "dir/v2300031934.21-04-2025.rus.docx"],
)
def test_adilet_names(name: str) -> None:
    found = read_adilet_name(name)
    assert found is not None
    assert (found.act_id, found.approved) == ("V2300031934", dt.date(2025, 4, 21))


@pytest.mark.parametrize(
    "name",
    ["", "book.pdf", "v2300031934.31-02-2025.rus", "v2300031934.rus", "v2300031934.2025-04-21.rus", "x v2300031934.21-04-2025.rus",
     "v23.21-04-2025.rus", "v2300031934.21-04-2025.rus.старый файл", "21-04-2025.rus", "v2300031934.21-04-2025.fra"],
)  # fmt: skip
def test_other_names_give_nothing(name: str) -> None:
    assert read_adilet_name(name) is None


def test_merged_takes_the_other_entries_of_the_named_books_alone() -> None:
    mine = BookRecord(title="Моя", book_id="a")
    other = Registry((BookRecord(title="Чужая", book_id="a"), BookRecord(title="Новая", book_id="b")), (ACT,))
    assert Registry((mine,)).merged(other, {"b"}) == Registry((mine, other.books[1]), (ACT,))
    assert Registry((mine,)).merged(other, {"a", "b"}) == other
    assert REGISTRY.merged(REGISTRY, set()) == REGISTRY
