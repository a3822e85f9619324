"""The contents of a book as screens of one message: chapters, their §§, what a § is about.

Nothing is stored: callback data name the book in its present state (`outline.book_tag`) and a place in it, so
the buttons work after a restart, and are stale once the book has changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from aiogram.filters.callback_data import CallbackData
from aiogram.types import InlineKeyboardButton, InlineKeyboardMarkup

from answer.answer import Answer
from bot.outline import ROOT, Node, book_tag, find, outline
from bot.rendering import plain_html, render
from bot.telegram import texts
from bot.telegram.keyboards import ROWS, button, paged
from index.book import Book

BARE, IN_ROW = 6, 4
"""Characters of a § without a title at most, and how many of those stand in a row."""


class ContentsData(CallbackData, prefix="c"):
    """A place in the contents of the book `tag`, and the page of its list."""

    tag: str
    node: int
    page: int


class ContentsListData(CallbackData, prefix="cl"):
    """A page of the list of books."""

    page: int


class SectionPageData(CallbackData, prefix="cp"):
    """The picture of the page on which a place begins."""

    tag: str
    node: int


class SectionQuestionsData(CallbackData, prefix="cq"):
    """«Ответы на вопросы» of a §."""

    tag: str
    node: int


@dataclass(frozen=True, slots=True)
class Screen:
    """What the message shows."""

    html: str
    keyboard: InlineKeyboardMarkup


def list_screen(books: Sequence[Book], page: int = 0) -> Screen:
    """The books whose contents can be walked through."""
    shown, pager = paged(books, page, lambda number: ContentsListData(page=number))
    rows = [[button(texts.book_line(book), _place(book_tag(book), ROOT))] for book in shown]
    return Screen(plain_html(texts.CHOOSE_CONTENTS), InlineKeyboardMarkup(inline_keyboard=[*rows, *pager]))


def book_screen(book: Book, index: int = ROOT, page: int = 0) -> Screen:
    """A list of chapters or §§: of the book, or of a chapter."""
    root, tag = outline(book), book_tag(book)
    node = find(root, index) or root
    shown, pager = paged(node.children, page, lambda number: _place(tag, node.index, number))
    rows = _rows(shown, tag)
    back = [_up(tag, node)] if node.parent is not None else [_to_books()]
    lines = [f"<b>{plain_html(texts.book_line(book))}</b>", *_path(node)]
    lines.append(_prompt(node))
    return Screen("\n".join(lines), InlineKeyboardMarkup(inline_keyboard=[*rows, *pager, back]))


def section_screen(book: Book, index: int, about: Answer | None) -> Screen:
    """One § with what it is about, or (`about` None) a chapter that has no §§."""
    root, tag = outline(book), book_tag(book)
    node = find(root, index) or root
    if about is not None and about.sources:
        text = render(about)[0]
    else:
        page = page_line(node)
        text = "\n".join(
            [f"<b>{plain_html(texts.book_line(book))}</b>", *_path(node), *([page] if page else [])]
        )
    tools = [button(texts.SHOW_PAGE, SectionPageData(tag=tag, node=index))]
    if node.is_paragraph:
        tools.append(button(texts.SECTION_QUESTIONS, SectionQuestionsData(tag=tag, node=index)))
    rows = [tools, _neighbours(root, tag, node), [_up(tag, node)]]
    return Screen(text, InlineKeyboardMarkup(inline_keyboard=[row for row in rows if row]))


def _rows(nodes: Sequence[Node], tag: str) -> list[list[InlineKeyboardButton]]:
    """A row for each; §§ that have a number and no title («§ 79») stand four in a row."""
    rows: list[list[InlineKeyboardButton]] = []
    before: Node | None = None
    for node in nodes:
        bare = before is not None and all(len(one.name) <= BARE for one in (before, node))
        if bare and len(rows[-1]) < IN_ROW:
            rows[-1].append(button(node.name, _place(tag, node.index)))
        else:
            rows.append([button(node.name, _place(tag, node.index))])
        before = node
    return rows


def _prompt(node: Node) -> str:
    paragraphs = {child.is_paragraph for child in node.children}
    if not paragraphs:
        return texts.NO_SECTIONS
    if len(paragraphs) > 1:
        return texts.CHOOSE_PLACE
    if True in paragraphs:
        return texts.CHOOSE_SECTION
    chapters = any(child.name.lower().startswith("глава") for child in node.children)
    return texts.CHOOSE_CHAPTER if chapters else texts.CHOOSE_PART


def _neighbours(root: Node, tag: str, node: Node) -> list[InlineKeyboardButton]:
    """The §§ before and behind, across chapters."""
    leaves = [one for one in root.walk() if not one.children and one.section is not None]
    at = next((place for place, one in enumerate(leaves) if one.index == node.index), None)
    if at is None:
        return []
    before, after = leaves[at - 1 : at] if at else [], leaves[at + 1 : at + 2]
    return [
        *(button(f"‹ {_short(one)}", _place(tag, one.index)) for one in before),
        *(button(f"{_short(one)} ›", _place(tag, one.index)) for one in after),
    ]


def _short(node: Node) -> str:
    return node.section.label if node.is_paragraph and node.section is not None else node.name


def _path(node: Node) -> list[str]:
    """The names from the outermost chapter down to the node."""
    names: list[str] = []
    while node.parent is not None:
        names.insert(0, plain_html(node.name))
        node = node.parent
    return names


def page_line(node: Node) -> str:
    """«стр. 57», or the sheet where the page shows no number; empty for the book."""
    section = node.section
    if section is None:
        return ""
    return f"стр. {section.printed_page}" if section.printed_page else f"лист {section.file_page} файла"


def _up(tag: str, node: Node) -> InlineKeyboardButton:
    """Back to the list on which the node stands."""
    parent = node.parent
    if parent is None:
        return _to_books()
    position = next(place for place, child in enumerate(parent.children) if child.index == node.index)
    text = texts.BACK if parent.section is not None else texts.BACK_TO_CHAPTERS
    return button(text, _place(tag, parent.index, position // ROWS))


def _to_books() -> InlineKeyboardButton:
    return button(texts.BACK_TO_BOOKS, ContentsListData(page=0))


def _place(tag: str, node: int, page: int = 0) -> ContentsData:
    return ContentsData(tag=tag, node=node, page=page)
