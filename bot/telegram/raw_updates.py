"""Updates as Telegram sends them: stored as they are, read one by one."""

from __future__ import annotations

import logging
from typing import Any

from aiogram import Bot
from aiogram.methods.base import TelegramMethod
from aiogram.types import Update
from pydantic import ValidationError

from bot.telegram.people import key_of, key_of_button
from bot.users import Key

logger = logging.getLogger(__name__)

ALLOWED_UPDATES = ["message", "edited_message", "callback_query", "my_chat_member"]
Raw = dict[str, Any]


class GetRawUpdates(TelegramMethod[list[Raw]]):
    """getUpdates without reading the updates: one that cannot be read must not hold up the others."""

    __returning__ = list[Raw]
    __api_method__ = "getUpdates"

    offset: int | None = None
    limit: int | None = None
    timeout: int | None = None
    allowed_updates: list[str] | None = None


def id_of(raw: Raw) -> int | None:
    """None for what is no update."""
    number = raw.get("update_id")
    return number if isinstance(number, int) else None


def read_update(bot: Bot, raw: Raw) -> Update | None:
    """None for an update that the installed aiogram cannot read."""
    try:
        return Update.model_validate(raw, context={"bot": bot})
    except ValidationError:
        logger.warning("skipped an update that this version cannot read")
        return None


def key_of_update(update: Update) -> Key | None:
    """Whose it is; None for a kind that was not asked for."""
    message = update.message or update.edited_message
    if message is not None:
        return key_of(message)
    if update.callback_query is not None:
        return key_of_button(update.callback_query) or Key(0, update.callback_query.from_user.id)
    if update.my_chat_member is not None:
        return Key(update.my_chat_member.chat.id, update.my_chat_member.from_user.id)
    return None
