"""Buttons: grade, textbook, choice of a clarifying question, page picture. Every press is answered."""

from __future__ import annotations

from contextlib import suppress

from aiogram import Bot, Router
from aiogram.exceptions import TelegramBadRequest
from aiogram.types import CallbackQuery, Message

from bot.telegram import texts
from bot.telegram.answer_buttons import Saved, read_choice
from bot.telegram.conversation import Conversation
from bot.telegram.delivery import Target, answer_button
from bot.telegram.keyboards import (
    BookData,
    BookListData,
    GradeData,
    OptionData,
    PageData,
    book_keyboard,
)
from bot.telegram.people import key_of_button, may_press
from bot.telegram.showing import show_page


def build(conversation: Conversation) -> Router:
    """The last handler takes whatever the others do not know, so that no button waits for ever."""
    router = Router(name="buttons")
    users = conversation.users

    @router.callback_query(GradeData.filter())
    async def grade(callback: CallbackQuery, bot: Bot, callback_data: GradeData) -> None:
        target, key = Target.of_button(bot, callback), key_of_button(callback)
        await answer_button(callback)
        if target is None or key is None:
            return
        await _drop_keyboard(callback)
        await conversation.choose_grade(target, key, callback_data.grade)

    @router.callback_query(BookData.filter())
    async def book(callback: CallbackQuery, bot: Bot, callback_data: BookData) -> None:
        target, key = Target.of_button(bot, callback), key_of_button(callback)
        await answer_button(callback)
        if target is None or key is None:
            return
        await _drop_keyboard(callback)
        await conversation.choose_book(target, key, callback_data.tag)

    @router.callback_query(BookListData.filter())
    async def book_list(callback: CallbackQuery, callback_data: BookListData) -> None:
        key = key_of_button(callback)
        await answer_button(callback)
        if key is None or not isinstance(callback.message, Message):
            return
        shown = await conversation.books_for(await users.memory(key))
        with suppress(TelegramBadRequest):
            await callback.message.edit_reply_markup(reply_markup=book_keyboard(shown, callback_data.page))

    @router.callback_query(OptionData.filter())
    async def option(callback: CallbackQuery, bot: Bot, callback_data: OptionData) -> None:
        target, key = Target.of_button(bot, callback), key_of_button(callback)
        if target is None or key is None:
            await answer_button(callback, texts.STALE_BUTTON)
            return
        saved = await users.buttons(callback_data.token, target.chat_id)
        choice = read_choice(saved[1]) if saved is not None else None
        if saved is None or choice is None or not 0 <= callback_data.index < len(choice[1]):
            await answer_button(callback, texts.STALE_BUTTON, show_alert=True)
            return
        owner, (question, options) = saved[0], choice
        if not may_press(owner, key):
            await answer_button(callback, texts.NOT_YOUR_BUTTON, show_alert=True)
            return
        chosen = options[callback_data.index]
        await answer_button(callback)
        await users.drop_buttons(callback_data.token)
        if isinstance(callback.message, Message) and callback.message.text:
            with suppress(TelegramBadRequest):
                await callback.message.edit_text(
                    texts.option_chosen(callback.message.text, chosen.label), parse_mode=None
                )
        await conversation.choose(target, owner, question, chosen)

    @router.callback_query(PageData.filter())
    async def page(callback: CallbackQuery, bot: Bot, callback_data: PageData) -> None:
        target = Target.of_button(bot, callback)
        kept = await users.buttons(callback_data.token, target.chat_id) if target is not None else None
        saved = Saved.read(kept[1]) if kept is not None else None
        if target is None or saved is None or not 0 <= callback_data.index < len(saved.pages):
            await answer_button(callback, texts.STALE_BUTTON, show_alert=True)
            return
        await answer_button(callback, texts.SHOWING)
        await show_page(conversation.desk, target, saved.pages[callback_data.index])

    @router.callback_query()
    async def unknown(callback: CallbackQuery) -> None:
        await answer_button(callback, texts.STALE_BUTTON, show_alert=True)

    return router


async def _drop_keyboard(callback: CallbackQuery) -> None:
    """A choice is made once; in groups everybody makes their own."""
    if isinstance(callback.message, Message) and callback.message.chat.type == "private":
        with suppress(TelegramBadRequest):  # it may be deleted, or pressed twice
            await callback.message.edit_reply_markup(reply_markup=None)
