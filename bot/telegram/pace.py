"""No faster than Telegram allows: 30 messages a second, one a second to a chat, 20 a minute to a group.

A chat may get two messages at once before it is slowed down (a group five): one less than Telegram tolerates,
since requests arrive closer together than they left. In no second there are more than 30 requests, in no
minute more than 20 to a group. A chat that Telegram has told to wait is left alone by all requests till then.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from aiogram import Bot
from aiogram.client.session.middlewares.base import BaseRequestMiddleware, NextRequestMiddlewareType
from aiogram.exceptions import TelegramRetryAfter
from aiogram.methods import (
    EditMessageCaption,
    EditMessageReplyMarkup,
    EditMessageText,
    Response,
    SendChatAction,
    SendDocument,
    SendMessage,
    SendPhoto,
    TelegramMethod,
)
from aiogram.methods.base import TelegramType

from bot.telegram.persistence import Sleep

_COUNTED: tuple[type[Any], ...] = (
    SendMessage,
    SendPhoto,
    SendDocument,
    EditMessageText,
    EditMessageCaption,
    EditMessageReplyMarkup,
)
_CHATS_KEPT = 4096
EDIT_INTERVAL = 3.0
"""Seconds between two edits of a message."""


@dataclass(slots=True)
class Rate:
    """`per_second` requests in the long run, `burst` of them at once after a pause."""

    per_second: float
    burst: int
    _free_at: float = 0.0
    """When the bucket is full again."""

    def reserve(self, now: float) -> float:
        """Counts a request; returns the seconds that it has to wait."""
        self._free_at = max(self._free_at, now) + 1 / self.per_second
        return max(0.0, self._free_at - now - self.burst / self.per_second)

    def spare(self, now: float) -> bool:
        """Counts a request if it need not wait; whether it was counted."""
        if max(self._free_at, now) + 1 / self.per_second - now > self.burst / self.per_second:
            return False
        self.reserve(now)
        return True


class Pace(BaseRequestMiddleware):
    """Holds requests back. Typing signs that exceed their rate are left out: they are a courtesy."""

    def __init__(
        self,
        sleep: Sleep = asyncio.sleep,
        now: Callable[[], float] = time.monotonic,
        *,
        everybody: Rate | None = None,
        private: Callable[[], Rate] = lambda: Rate(1.0, 2),
        group: Callable[[], Rate] = lambda: Rate(15 / 60, 5),
        edits: float = EDIT_INTERVAL,
    ) -> None:
        """`edits`: seconds between two edits of a message; `LiveMessage` keeps to it."""
        self.edits = edits
        self._sleep = sleep
        self._now = now
        self._private = private
        self._group = group
        self._all = everybody or Rate(25.0, 5)
        self._signs = Rate(10.0, 5)
        self._chats: OrderedDict[object, Rate] = OrderedDict()
        self._held: dict[object, float] = {}

    async def __call__(
        self,
        make_request: NextRequestMiddlewareType[TelegramType],
        bot: Bot,
        method: TelegramMethod[TelegramType],
    ) -> Response[TelegramType]:
        chat = getattr(method, "chat_id", None)
        if isinstance(method, SendChatAction):
            if self._held.get(chat, 0.0) > self._now() or not self._signs.spare(self._now()):
                return True  # type: ignore[return-value]  # aiogram hands on the result, not a Response
        elif isinstance(method, _COUNTED):
            # The chat's pace last: what has waited for everybody's would else go out to it all at once.
            await self._wait(self._all)
            await self._wait(self._chat(chat))
            self._check_held(chat, method)
        try:
            return await make_request(bot, method)
        except TelegramRetryAfter as error:
            if chat is not None:
                self._held[chat] = self._now() + error.retry_after
            raise

    def _check_held(self, chat: object, method: TelegramMethod[Any]) -> None:
        """Raises what Telegram would, without asking it again before the time."""
        until = self._held.get(chat)
        if until is None:
            return
        left = until - self._now()
        if left > 0:
            raise TelegramRetryAfter(method, "the chat was told to wait", math.ceil(left))
        del self._held[chat]

    async def _wait(self, rate: Rate) -> None:
        seconds = rate.reserve(self._now())
        if seconds:
            await self._sleep(seconds)

    def _chat(self, chat: object) -> Rate:
        rate = self._chats.get(chat)
        if rate is None:
            private = isinstance(chat, int) and chat > 0
            rate = self._chats[chat] = self._private() if private else self._group()
            if len(self._chats) > _CHATS_KEPT:
                self._chats.popitem(last=False)
        else:
            self._chats.move_to_end(chat)
        return rate
