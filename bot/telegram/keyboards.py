"""Buttons and their callback data (Telegram allows 64 bytes)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Literal, TypeVar

from aiogram.filters.callback_data import CallbackData
from aiogram.types import InlineKeyboardButton, InlineKeyboardMarkup

from answer.answer import Option
from bot.clean_text import clean
from bot.outline import id_tag
from bot.rendering import PageRef
from bot.telegram import texts
from bot.telegram.answer_buttons import Saved
from index.book import Book

Item = TypeVar("Item")
Further = Literal["more", "another"]
ANY_GRADE = 0
ANY_BOOK = "any"
ROWS = 8
"""Choices on one page of a list."""
_LABEL_LIMIT = 60
_MARK = " ✓"


class GradeData(CallbackData, prefix="g"):
    """A grade, or ANY_GRADE."""

    grade: int


class BookData(CallbackData, prefix="b"):
    """The book of `outline.id_tag`, or ANY_BOOK."""

    tag: str


class BookListData(CallbackData, prefix="bl"):
    """A page of the list of books."""

    page: int


class PageData(CallbackData, prefix="p"):
    """Page `index` of the saved buttons `token`."""

    token: str
    index: int


class OptionData(CallbackData, prefix="o"):
    """Choice `index` of the saved buttons `token`."""

    token: str
    index: int


class MoreData(CallbackData, prefix="m"):
    """«Подробнее» or «Другой фрагмент» of the saved answer `token`."""

    token: str
    what: Further


class VoteData(CallbackData, prefix="v"):
    """👍 or 👎 for the saved answer `token`."""

    token: str
    good: bool


class ConsentData(CallbackData, prefix="k"):
    """May voted questions be kept? `token`: the answer just voted on, or NO_ANSWER."""

    token: str
    agreed: bool


NO_ANSWER = "-"


def rows_of(buttons: Sequence[InlineKeyboardButton], width: int) -> list[list[InlineKeyboardButton]]:
    """The buttons in rows of `width`."""
    return [list(buttons[start : start + width]) for start in range(0, len(buttons), width)]


def button(text: str, data: CallbackData) -> InlineKeyboardButton:
    """A button with a label of one line and legal length."""
    return InlineKeyboardButton(text=label(text), callback_data=data.pack())


def label(text: str, limit: int = _LABEL_LIMIT) -> str:
    """One line, cut at `limit`."""
    line = " ".join(clean(text).split()) or "…"
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def grade_keyboard(grades: Sequence[int]) -> InlineKeyboardMarkup:
    """A button per grade, four in a row, and one for all of them."""
    rows = rows_of([button(f"{grade} класс", GradeData(grade=grade)) for grade in grades], 4)
    if len(grades) > 1:
        rows.append([button(texts.GRADE_ANY, GradeData(grade=ANY_GRADE))])
    return InlineKeyboardMarkup(inline_keyboard=rows)


def first_grade_options(grades: Sequence[int]) -> tuple[Option, ...]:
    """The same as choices of a question that waits."""
    return (*(Option(f"{grade} класс", grade=grade) for grade in grades), Option(texts.GRADE_ANY))


def book_keyboard(books: Sequence[Book], page: int = 0) -> InlineKeyboardMarkup:
    """A row per book, and one for any."""
    shown, pager = paged(books, page, lambda number: BookListData(page=number))
    rows = [[button(texts.book_line(book), BookData(tag=id_tag(book.book_id)))] for book in shown]
    rows += pager
    rows.append([button(texts.BOOK_ANY, BookData(tag=ANY_BOOK))])
    return InlineKeyboardMarkup(inline_keyboard=rows)


def answer_keyboard(
    token: str, saved: Saved, pages: Sequence[PageRef] | None = None, *, last: bool = True
) -> InlineKeyboardMarkup | None:
    """Under an answer: its pages, more of it, a vote; four rows at most.

    `pages`: those of this message; `last`: what is about the whole answer stands under its last message.
    """
    shown = [(saved.pages.index(page), page) for page in (saved.pages if pages is None else pages)]
    # The best page comes first in the list; the quotes above the buttons stand in the book's order.
    shown.sort(key=lambda one: (one[1].book_id, one[1].file_page))
    single = len(shown) == 1
    shown_pages = [
        button("Показать страницу" if single else f"📖 {page.label}", PageData(token=token, index=index))
        for index, page in shown
    ]
    # A phone cuts «📖 стр. 15» where four stand in a row, and «📖 лист 59 файла» where three do.
    short = len(shown) < 4 and all(len(one.text) <= len("📖 стр. 150") for one in shown_pages)
    rows = rows_of(shown_pages, 3 if short else 2)
    if last and saved.searchable:
        further: list[tuple[str, Further]] = [("Подробнее", "more"), ("Другой фрагмент", "another")]
        rows.append(
            [
                button(text, MoreData(token=token, what=what))
                for text, what in further
                if what not in saved.used
            ]
        )
    if last and saved.question and "vote" not in saved.used:
        rows.append(
            [button("👍", VoteData(token=token, good=True)), button("👎", VoteData(token=token, good=False))]
        )
    rows = [row for row in rows if row]
    return InlineKeyboardMarkup(inline_keyboard=rows) if rows else None


def option_keyboard(token: str, options: Sequence[Option]) -> InlineKeyboardMarkup:
    """A row per choice; short ones (grades) four in a row."""
    buttons = [
        button(option.label, OptionData(token=token, index=index)) for index, option in enumerate(options)
    ]
    short = [one for one in buttons if len(one.text) <= len("11 класс")]
    long = [one for one in buttons if one not in short]
    rows = [*rows_of(short, 4), *rows_of(long, 1)] if len(short) > 1 else rows_of(buttons, 1)
    return InlineKeyboardMarkup(inline_keyboard=rows)


def consent_keyboard(token: str) -> InlineKeyboardMarkup:
    """«Да, можно», «Нет»."""
    yes, no = ConsentData(token=token, agreed=True), ConsentData(token=token, agreed=False)
    return InlineKeyboardMarkup(
        inline_keyboard=[[button(texts.CONSENT_YES, yes), button(texts.CONSENT_NO, no)]]
    )


def privacy_keyboard(agreed: bool) -> InlineKeyboardMarkup:
    """Under /privacy: the other choice."""
    text = texts.CONSENT_WITHDRAW if agreed else texts.CONSENT_ALLOW
    return InlineKeyboardMarkup(
        inline_keyboard=[[button(text, ConsentData(token=NO_ANSWER, agreed=not agreed))]]
    )


def without(markup: InlineKeyboardMarkup | None, data: str) -> InlineKeyboardMarkup | None:
    """The keyboard without the button of that callback data; None when nothing is left."""
    rows = [[one for one in row if one.callback_data != data] for row in _rows(markup)]
    left = [row for row in rows if row]
    return InlineKeyboardMarkup(inline_keyboard=left) if left else None


def marked(markup: InlineKeyboardMarkup | None, data: str, group: Iterable[str]) -> InlineKeyboardMarkup:
    """The keyboard with a tick at one button of a group of callback data, and none at the others."""
    group = set(group)
    return InlineKeyboardMarkup(
        inline_keyboard=[
            [
                one.model_copy(
                    update={"text": one.text.removesuffix(_MARK) + _MARK * (one.callback_data == data)}
                )
                if one.callback_data in group
                else one
                for one in row
            ]
            for row in _rows(markup)
        ]
    )


def paged(
    items: Sequence[Item], page: int, data: Callable[[int], CallbackData], rows: int = ROWS
) -> tuple[Sequence[Item], list[list[InlineKeyboardButton]]]:
    """The items of a page of a list, and the row that turns pages (none where all fit)."""
    pages = max(1, -(-len(items) // rows))
    page = min(max(page, 0), pages - 1)
    shown = items[page * rows : (page + 1) * rows]
    if pages == 1:
        return shown, []
    # Round and round, so that both buttons keep their places.
    turn = [("‹", (page - 1) % pages), (f"{page + 1} из {pages}", page), ("›", (page + 1) % pages)]
    return shown, [[button(text, data(number)) for text, number in turn]]


def _rows(markup: InlineKeyboardMarkup | None) -> list[list[InlineKeyboardButton]]:
    return markup.inline_keyboard if markup is not None else []
