"""Requests that meet a flood wait, a lost connection or a migrated group are repeated."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any

from aiogram import Bot
from aiogram.client.session.middlewares.base import BaseRequestMiddleware, NextRequestMiddlewareType
from aiogram.exceptions import (
    ClientDecodeError,
    TelegramEntityTooLarge,
    TelegramMigrateToChat,
    TelegramNetworkError,
    TelegramRetryAfter,
    TelegramServerError,
)
from aiogram.methods import (
    AnswerCallbackQuery,
    DeleteWebhook,
    GetMe,
    Response,
    SendChatAction,
    TelegramMethod,
)
from aiogram.methods.base import TelegramType

from bot.telegram.raw_updates import GetRawUpdates

logger = logging.getLogger(__name__)

Sleep = Callable[[float], Awaitable[None]]
LONGEST_WAIT = 120
"""Seconds; a longer flood wait drops the message instead of holding its user's queue."""
FLOOD_WAITS = 5
LONGEST_OUTAGE = 600.0
"""Seconds of waiting between tries of what goes to a chat; only its users wait so long."""
SHORT_OUTAGE = 8.0
"""The same for everything else."""
LONGEST_PAUSE = 30.0
_AT_ONCE: tuple[type[Any], ...] = (
    AnswerCallbackQuery,
    DeleteWebhook,
    GetMe,
    GetRawUpdates,
    SendChatAction,
)
"""Worth nothing later, or repeated by loops of their own, which say what is wrong."""
_PASSING = (TelegramNetworkError, TelegramServerError, ClientDecodeError)
"""What ends by itself; a gateway's error page cannot be decoded."""


class Persistence(BaseRequestMiddleware):
    """Repeats a request as Telegram asks, so that nobody above sends a part twice or out of order.

    A flood wait lasts exactly `retry_after` seconds; beyond 120 s (or five in a row) the error is raised.
    After lost connections and 5xx come tries with 1, 2, 4… 30 s between, for ten minutes where a chat waits;
    a request whose answer was lost may then arrive twice, which is better than not at all.
    """

    def __init__(self, sleep: Sleep = asyncio.sleep) -> None:
        self._sleep = sleep

    async def __call__(
        self,
        make_request: NextRequestMiddlewareType[TelegramType],
        bot: Bot,
        method: TelegramMethod[TelegramType],
    ) -> Response[TelegramType]:
        if isinstance(method, _AT_ONCE):
            return await make_request(bot, method)
        name = type(method).__name__
        longest = LONGEST_OUTAGE if "chat_id" in type(method).model_fields else SHORT_OUTAGE
        floods = failures = 0
        waited = 0.0
        while True:
            try:
                return await make_request(bot, method)
            except TelegramRetryAfter as error:
                floods += 1
                if error.retry_after > LONGEST_WAIT or floods > FLOOD_WAITS:
                    logger.warning("%s given up: flood wait of %d s", name, error.retry_after)
                    raise
                logger.info("%s waits %d s as Telegram asks", name, error.retry_after)
                await self._sleep(error.retry_after)
            except TelegramEntityTooLarge:
                raise
            except _PASSING as error:
                pause = min(2.0**failures, LONGEST_PAUSE)
                failures += 1
                waited += pause
                if waited > longest:
                    raise
                logger.info("%s is tried again after %s", name, type(error).__name__)
                await self._sleep(pause)


class Follows(BaseRequestMiddleware):
    """Sends to the supergroup what was meant for the group that has become it.

    `on_move(old, new)` is awaited before the repeated request.
    """

    def __init__(self, on_move: Callable[[int, int], Awaitable[object]]) -> None:
        self._on_move = on_move
        self._moved: dict[int, int] = {}

    async def __call__(
        self,
        make_request: NextRequestMiddlewareType[TelegramType],
        bot: Bot,
        method: TelegramMethod[TelegramType],
    ) -> Response[TelegramType]:
        chat = getattr(method, "chat_id", None)
        if chat in self._moved:
            method = _to(method, self._moved[chat])
        try:
            return await make_request(bot, method)
        except TelegramMigrateToChat as error:
            if not isinstance(chat, int):
                raise
            logger.info("a group has become a supergroup; its answers follow")
            self._moved[chat] = error.migrate_to_chat_id
            await self._on_move(chat, error.migrate_to_chat_id)
            return await make_request(bot, _to(method, error.migrate_to_chat_id))


def _to(method: TelegramMethod[TelegramType], chat_id: int) -> TelegramMethod[TelegramType]:
    return method.model_copy(update={"chat_id": chat_id})
