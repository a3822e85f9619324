"""The tree of a book's chapters and §§, and the tags that stand for books in callback data."""

from __future__ import annotations

from dataclasses import replace

from bot.outline import ROOT, Node, book_tag, find, id_tag, outline, tagged
from index.book import Book, Page, Section, SectionKind


def section(kind: SectionKind, unit: str, number: str, title: str, chapter: str | None) -> Section:
    return Section(kind, unit, (number,) if number else (), title, chapter, 1, 1, "1")


def book(*sections: Section) -> Book:
    return Book("b", "Книга", "геометрия", (7,), "0" * 64, 0, (Page(1, "1", "body", "", ""),), sections)


def shape(node: Node) -> object:
    return {child.name: shape(child) for child in node.children} if node.children else None


def paragraph(number: int, chapter: str | None, title: str = "") -> Section:
    return section("paragraph", "§", str(number), title, chapter)


NESTED = book(
    section("chapter", "раздел", "", "Введение", "Введение"),
    paragraph(1, "Введение", "Фигуры"),
    section("subsection", "раздел", "", "Плоскость", "Введение"),
    section("chapter", "часть", "1", "Планиметрия", "Часть I. Планиметрия"),
    section("chapter", "глава", "1", "Прямая", "Глава 1. Прямая"),
    paragraph(2, "Глава 1. Прямая"),
    section("chapter", "раздел", "1", "Углы", "Глава 1. Прямая. Углы"),
    paragraph(3, "Глава 1. Прямая. Углы", "Угол"),
    section("chapter", "глава", "2", "Круг", "Глава 2. Круг"),
    paragraph(4, "Глава 2. Круг", "Дуга"),
    section("chapter", "часть", "2", "Стереометрия", "Часть II. Стереометрия"),
    section("chapter", "глава", "3", "Шар", "Глава 3. Шар"),
    paragraph(5, "Глава 3. Шар", "Сфера"),
    section("chapter", "раздел", "", "Словарь", "Словарь"),
)


def test_parts_hold_chapters_and_chapters_hold_sections_and_paragraphs() -> None:
    tree = shape(outline(NESTED))
    assert tree == {
        "Введение": {"§ 1. Фигуры": None},
        "Часть I. Планиметрия": {
            "Глава 1. Прямая": {"§ 2": None, "Углы": {"§ 3. Угол": None}},
            "Глава 2. Круг": {"§ 4. Дуга": None},
        },
        "Часть II. Стереометрия": {"Глава 3. Шар": {"§ 5. Сфера": None}, "Словарь": None},
    }


def test_a_book_without_chapters_is_a_list_and_a_chapter_ends_where_it_is_not_named() -> None:
    assert shape(outline(book(paragraph(1, None), paragraph(2, None)))) == {"§ 1": None, "§ 2": None}
    left = book(
        section("chapter", "глава", "1", "А", "Глава 1. А"), paragraph(1, "Глава 1. А"), paragraph(2, None)
    )
    assert shape(outline(left)) == {"Глава 1. А": {"§ 1": None}, "§ 2": None}
    assert shape(outline(book())) is None


def test_every_node_is_found_by_its_index_and_no_other() -> None:
    root = outline(NESTED)
    indices = [node.index for node in root.walk()]
    assert len(indices) == len(set(indices))
    assert all(find(root, index) is not None for index in indices)
    assert find(root, ROOT) is root
    assert find(root, 3) is None  # a subheading
    assert find(root, 10**6) is None


def test_a_tag_stands_for_one_state_of_one_book() -> None:
    other = replace(NESTED, sections=NESTED.sections[:-1])
    newer = replace(NESTED, sha256="1" * 64)
    renamed = replace(NESTED, book_id="c")
    tags = {book_tag(one) for one in (NESTED, other, newer, renamed)}
    assert len(tags) == 4
    assert all(len(tag) == 8 and ":" not in tag for tag in tags)
    assert tagged([other, NESTED], book_tag(NESTED)) is NESTED
    assert tagged([other], book_tag(NESTED)) is None
    assert id_tag(NESTED.book_id) == id_tag(other.book_id) != id_tag(renamed.book_id)
