"""Buttons: grade, choice of a clarifying question, page picture. Every press is answered."""

from __future__ import annotations

from contextlib import suppress

from aiogram import Bot, Router
from aiogram.exceptions import TelegramBadRequest
from aiogram.types import CallbackQuery, Message

from bot.errors import PageUnavailable
from bot.telegram import texts
from bot.telegram.conversation import Conversation
from bot.telegram.delivery import Target, answer_button
from bot.telegram.keyboards import GradeData, OptionData, PageData
from bot.telegram.people import key_of_button


def build(conversation: Conversation) -> Router:
    """The last handler takes whatever the others do not know, so that no button waits for ever."""
    router = Router(name="buttons")

    @router.callback_query(GradeData.filter())
    async def grade(callback: CallbackQuery, bot: Bot, callback_data: GradeData) -> None:
        target, key = Target.of_button(bot, callback), key_of_button(callback)
        await answer_button(callback)
        if target is None or key is None:
            return
        if isinstance(callback.message, Message) and callback.message.chat.type == "private":
            with suppress(TelegramBadRequest):  # it may be deleted, or pressed twice
                await callback.message.edit_reply_markup(reply_markup=None)
        await conversation.choose_grade(target, key, callback_data.grade)

    @router.callback_query(OptionData.filter())
    async def option(callback: CallbackQuery, bot: Bot, callback_data: OptionData) -> None:
        target, key = Target.of_button(bot, callback), key_of_button(callback)
        if target is None or key is None:
            await answer_button(callback, texts.STALE_BUTTON)
            return
        saved = await conversation.option(callback_data.token, callback_data.index, target.chat_id)
        if saved is None:
            await answer_button(callback, texts.STALE_BUTTON, show_alert=True)
            return
        owner, question, chosen = saved
        # An anonymous admin asks in the name of the chat, but presses as a person.
        if owner != key and owner.user_id != owner.chat_id:
            await answer_button(callback, texts.NOT_YOUR_BUTTON, show_alert=True)
            return
        await answer_button(callback)
        await conversation.users.drop_buttons(callback_data.token)
        if isinstance(callback.message, Message) and callback.message.text:
            with suppress(TelegramBadRequest):
                await callback.message.edit_text(
                    texts.option_chosen(callback.message.text, chosen.label), parse_mode=None
                )
        await conversation.choose(target, owner, question, chosen)

    @router.callback_query(PageData.filter())
    async def page(callback: CallbackQuery, bot: Bot, callback_data: PageData) -> None:
        target = Target.of_button(bot, callback)
        ref = (
            await conversation.page(callback_data.token, callback_data.index, target.chat_id)
            if target is not None
            else None
        )
        if target is None or ref is None:
            await answer_button(callback, texts.STALE_BUTTON, show_alert=True)
            return
        await answer_button(callback, texts.SHOWING)
        try:
            png = await conversation.desk.page_picture(ref.book_id, ref.file_page, ref.quotes)
        except PageUnavailable as exc:
            await target.say(str(exc))
            return
        await target.send_photo(png, ref.caption)

    @router.callback_query()
    async def unknown(callback: CallbackQuery) -> None:
        await answer_button(callback, texts.STALE_BUTTON, show_alert=True)

    return router
