"""Buttons and their callback data (Telegram allows 64 bytes)."""

from __future__ import annotations

from collections.abc import Sequence

from aiogram.filters.callback_data import CallbackData
from aiogram.types import InlineKeyboardButton, InlineKeyboardMarkup

from answer.answer import Option
from bot.clean_text import clean
from bot.rendering import PageRef
from bot.telegram.texts import GRADE_ANY

ANY_GRADE = 0
_LABEL_LIMIT = 60


class GradeData(CallbackData, prefix="g"):
    """A grade, or ANY_GRADE."""

    grade: int


class PageData(CallbackData, prefix="p"):
    """Page `index` of the saved buttons `token`."""

    token: str
    index: int


class OptionData(CallbackData, prefix="o"):
    """Choice `index` of the saved buttons `token`."""

    token: str
    index: int


def grade_keyboard(grades: Sequence[int]) -> InlineKeyboardMarkup:
    """A button per grade, four in a row, and one for all of them."""
    buttons = [
        InlineKeyboardButton(text=f"{grade} класс", callback_data=GradeData(grade=grade).pack())
        for grade in grades
    ]
    rows = [buttons[start : start + 4] for start in range(0, len(buttons), 4)]
    if len(grades) > 1:
        rows.append([InlineKeyboardButton(text=GRADE_ANY, callback_data=GradeData(grade=ANY_GRADE).pack())])
    return InlineKeyboardMarkup(inline_keyboard=rows)


def page_keyboard(token: str, pages: Sequence[PageRef]) -> InlineKeyboardMarkup:
    """«Показать страницу», or one button per page."""
    rows = []
    for index, page in enumerate(pages):
        text = "Показать страницу" if len(pages) == 1 else f"Показать {page.label}"
        rows.append(
            [InlineKeyboardButton(text=text, callback_data=PageData(token=token, index=index).pack())]
        )
    return InlineKeyboardMarkup(inline_keyboard=rows)


def option_keyboard(token: str, options: Sequence[Option]) -> InlineKeyboardMarkup:
    """A row per choice."""
    rows = [
        [
            InlineKeyboardButton(
                text=_label(option.label), callback_data=OptionData(token=token, index=index).pack()
            )
        ]
        for index, option in enumerate(options)
    ]
    return InlineKeyboardMarkup(inline_keyboard=rows)


def _label(text: str) -> str:
    line = " ".join(clean(text).split()) or "…"
    return line if len(line) <= _LABEL_LIMIT else line[: _LABEL_LIMIT - 1].rstrip() + "…"
