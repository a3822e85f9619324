"""Under an answer: «Подробнее», «Другой фрагмент», 👍, 👎, and the consent to keep voted questions."""

from __future__ import annotations

from contextlib import suppress

from aiogram import Bot, Router
from aiogram.exceptions import TelegramBadRequest
from aiogram.types import CallbackQuery, InlineKeyboardMarkup, Message

from bot.feedback import Counted, Feedback
from bot.telegram import texts
from bot.telegram.answer_buttons import Saved
from bot.telegram.conversation import Conversation
from bot.telegram.delivery import Target, answer_button
from bot.telegram.keyboards import (
    NO_ANSWER,
    ConsentData,
    MoreData,
    VoteData,
    consent_keyboard,
    marked,
    privacy_keyboard,
    without,
)
from bot.telegram.people import key_of_button, may_press
from bot.users import Key

_COUNTED: dict[Counted, str] = {
    "new": texts.VOTED,
    "changed": texts.VOTE_CHANGED,
    "same": texts.VOTED_ALREADY,
}


def build(conversation: Conversation, feedback: Feedback) -> Router:
    """Comes before the buttons, whose last handler takes everything."""
    router = Router(name="answers")
    users = conversation.users

    async def pressed(callback: CallbackQuery, token: str) -> tuple[Key, Saved] | None:
        """Whose answer it is and the answer; None after the press was turned down."""
        key = key_of_button(callback)
        kept = await users.buttons(token, key.chat_id) if key is not None else None
        saved = Saved.read(kept[1]) if kept is not None else None
        if key is None or kept is None or saved is None:
            await answer_button(callback, texts.STALE_BUTTON, show_alert=True)
            return None
        if not may_press(kept[0], key):
            await answer_button(callback, texts.NOT_YOUR_BUTTON, show_alert=True)
            return None
        return kept[0], saved

    @router.callback_query(MoreData.filter())
    async def further(callback: CallbackQuery, bot: Bot, callback_data: MoreData) -> None:
        target, known = Target.of_button(bot, callback), await pressed(callback, callback_data.token)
        if known is None or target is None:
            return
        owner, saved = known
        if callback_data.what in saved.used:
            await answer_button(callback, texts.ALREADY_SHOWN)
            return
        await answer_button(callback)
        await users.change_buttons(callback_data.token, saved.using(callback_data.what).payload())
        if isinstance(callback.message, Message):
            await _show(callback.message, without(callback.message.reply_markup, callback_data.pack()))
        await conversation.further(target, owner, saved, callback_data.what)

    @router.callback_query(VoteData.filter())
    async def vote(callback: CallbackQuery, bot: Bot, callback_data: VoteData) -> None:
        target, known = Target.of_button(bot, callback), await pressed(callback, callback_data.token)
        if known is None or target is None:
            return
        owner, saved = known
        counted = await feedback.vote(owner, saved.case, callback_data.good)
        await answer_button(callback, _COUNTED[counted])
        if isinstance(callback.message, Message):
            token = callback_data.token
            both = [VoteData(token=token, good=good).pack() for good in (True, False)]
            await _show(callback.message, marked(callback.message.reply_markup, callback_data.pack(), both))
        if await feedback.consent(owner) == "unasked":
            await feedback.set_consent(owner, None)
            await target.say(texts.ASK_CONSENT, consent_keyboard(callback_data.token))

    @router.callback_query(ConsentData.filter(), flags={"open": True})
    async def consent(callback: CallbackQuery, callback_data: ConsentData) -> None:
        key, token, agreed = key_of_button(callback), callback_data.token, callback_data.agreed
        if key is None:
            await answer_button(callback, texts.STALE_BUTTON)
            return
        kept = await users.buttons(token, key.chat_id) if token != NO_ANSWER else None
        owner = kept[0] if kept is not None else key
        if not may_press(owner, key):
            await answer_button(callback, texts.NOT_YOUR_BUTTON, show_alert=True)
            return
        await feedback.set_consent(owner, agreed)
        saved = Saved.read(kept[1]) if kept is not None else None
        if agreed and saved is not None:
            await feedback.keep_question(owner, saved.case)
        await answer_button(callback)
        if not isinstance(callback.message, Message):
            return
        with suppress(TelegramBadRequest):
            if token == NO_ANSWER:
                await callback.message.edit_text(
                    texts.privacy(agreed), parse_mode=None, reply_markup=privacy_keyboard(agreed)
                )
            else:
                said = texts.CONSENT_GIVEN if agreed else texts.CONSENT_REFUSED
                await callback.message.edit_text(said, parse_mode=None)

    return router


async def _show(message: Message, markup: InlineKeyboardMarkup | None) -> None:
    with suppress(TelegramBadRequest):  # deleted, or changed in the same way already
        await message.edit_reply_markup(reply_markup=markup)
