"""Questions: text, captions, and the correction of a question that was just answered."""

from __future__ import annotations

from aiogram import Bot, F, Router
from aiogram.types import Message

from bot.telegram.conversation import Conversation
from bot.telegram.delivery import Target
from bot.telegram.people import Addressed, Recent, key_of
from bot.telegram.texts import NO_TEXT


def build(conversation: Conversation) -> Router:
    """Answers what is asked; in groups only where the bot is meant.

    An edited message is answered again when its text has changed since this process answered it; any other
    edit (of an older message, of a command, a link preview) is ignored.
    """
    router = Router(name="questions")
    answered: Recent[str] = Recent()

    @router.message(F.text | F.caption, Addressed())
    async def question(message: Message, bot: Bot, question: str) -> None:
        target = Target.of(bot, message)
        if not question.strip():
            await target.say(NO_TEXT)
            return
        answered.put((message.chat.id, message.message_id), question)
        await conversation.ask(target, key_of(message), question)

    @router.edited_message(F.text | F.caption, Addressed())
    async def corrected(message: Message, bot: Bot, question: str) -> None:
        place = (message.chat.id, message.message_id)
        before = answered.get(place)
        if before is None or before == question or not question.strip():
            return
        answered.put(place, question)
        await conversation.ask(Target.of(bot, message), key_of(message), question)

    return router
