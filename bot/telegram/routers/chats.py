"""What happens to the chat itself: the bot joins a group, is blocked, a group gets another id."""

from __future__ import annotations

import logging

from aiogram import Bot, F, Router
from aiogram.exceptions import TelegramBadRequest, TelegramForbiddenError
from aiogram.filters import IS_MEMBER, IS_NOT_MEMBER, ChatMemberUpdatedFilter
from aiogram.types import ChatMemberUpdated, Message

from bot.logs import user_tag
from bot.telegram import texts
from bot.telegram.delivery import Target
from bot.users import Users

logger = logging.getLogger(__name__)


def build(users: Users) -> Router:
    """Of a channel nothing is said: the bot does not write there."""
    router = Router(name="chats")

    @router.my_chat_member(
        ChatMemberUpdatedFilter(IS_NOT_MEMBER >> IS_MEMBER), F.chat.type.in_({"group", "supergroup"})
    )
    async def joined(event: ChatMemberUpdated, bot: Bot) -> None:
        try:
            await Target(bot, event.chat.id).say(texts.HELLO_GROUP)
        except (TelegramForbiddenError, TelegramBadRequest):
            logger.info("group %s does not let the bot write", user_tag(event.chat.id))

    @router.my_chat_member(ChatMemberUpdatedFilter(IS_MEMBER >> IS_NOT_MEMBER))
    async def left(event: ChatMemberUpdated) -> None:
        logger.info("chat %s has blocked or removed the bot", user_tag(event.chat.id))

    @router.my_chat_member()
    async def other(_: ChatMemberUpdated) -> None:
        """Rights have changed, a block was lifted: /start will follow."""

    @router.message(F.migrate_to_chat_id)
    async def migrated(message: Message) -> None:
        if message.migrate_to_chat_id is not None:
            await users.migrate(message.chat.id, message.migrate_to_chat_id)
            logger.info("group %s has become a supergroup", user_tag(message.chat.id))

    return router
