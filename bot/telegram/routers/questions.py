"""Questions: text, captions, and the correction of a question that was just answered."""

from __future__ import annotations

from aiogram import Bot, F, Router
from aiogram.types import Message

from bot.clean_text import clean
from bot.telegram.conversation import Conversation
from bot.telegram.delivery import Target
from bot.telegram.people import Addressed, Recent, key_of
from bot.telegram.texts import NO_TEXT, NO_WORDS


def build(conversation: Conversation) -> Router:
    """Answers what is asked; in groups only where the bot is meant.

    A forwarded message is a question like any other. An edited message is answered again when its text has
    changed since this process answered it; any other edit (of an older message, a link preview) is ignored.
    """
    router = Router(name="questions")
    answered: Recent[str] = Recent()

    @router.message(F.text | F.caption, Addressed())
    async def question(message: Message, bot: Bot, question: str) -> None:
        answered.put((message.chat.id, message.message_id), question)
        await ask(message, bot, question)

    @router.edited_message(F.text | F.caption, Addressed())
    async def corrected(message: Message, bot: Bot, question: str) -> None:
        place = (message.chat.id, message.message_id)
        before = answered.get(place)
        if before is None or before == question or not _has_words(question):
            return
        answered.put(place, question)
        await ask(message, bot, question)

    async def ask(message: Message, bot: Bot, question: str) -> None:
        target = Target.of(bot, message)
        if _has_words(question):
            await conversation.ask(target, key_of(message), question)
        else:
            await target.say(NO_WORDS if question.strip() else NO_TEXT)

    return router


def _has_words(text: str) -> bool:
    """A letter or a digit: «?», «…» and smileys ask nothing."""
    return any(character.isalnum() for character in clean(text))
