"""What happens when a handler fails: the user gets a number, the log the same number and the traceback."""

from __future__ import annotations

import logging
import secrets
import traceback
from contextlib import suppress

from aiogram import Bot, Router
from aiogram.exceptions import (
    AiogramError,
    TelegramForbiddenError,
    TelegramNetworkError,
    TelegramRetryAfter,
    TelegramServerError,
)
from aiogram.types import ErrorEvent, Message, Update

from bot.logs import user_tag
from bot.telegram.delivery import Target
from bot.telegram.texts import internal_error

logger = logging.getLogger(__name__)


def build() -> Router:
    """Handles every exception of every router."""
    router = Router(name="failures")

    @router.errors()
    async def failed(event: ErrorEvent, bot: Bot) -> bool:
        error, update = event.exception, event.update
        message = _message(update)
        tag = user_tag(message.chat.id) if message is not None else "-"
        if isinstance(error, TelegramForbiddenError):
            logger.info("chat %s has blocked the bot; its message is dropped", tag)
        elif isinstance(error, (TelegramRetryAfter, TelegramNetworkError, TelegramServerError)):
            logger.warning("an answer to chat %s is lost: %s", tag, type(error).__name__)
        else:
            number = secrets.token_hex(3).upper()
            logger.error("error %s, chat %s\n%s", number, tag, _report(error, update))
            if message is not None:
                with suppress(AiogramError):
                    await Target.of(bot, message).say(internal_error(number))
        return True

    return router


def _message(update: Update) -> Message | None:
    if update.callback_query is not None:
        pressed = update.callback_query.message
        return pressed if isinstance(pressed, Message) else None
    return update.message or update.edited_message


def _report(error: Exception, update: Update) -> str:
    """The traceback without what the user wrote: messages of exceptions quote their input."""
    report = "".join(traceback.format_exception(error)).rstrip()
    message = update.message or update.edited_message
    for text in (message.text, message.caption) if message is not None else ():
        for said in (text, repr(text)[1:-1]) if text else ():
            if len(said) >= 3:
                report = report.replace(said, "<message>")
    return report
