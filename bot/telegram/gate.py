"""In front of every handler: is this person admitted, and within the limits?

An inner middleware: it runs only where a handler has matched, so what a group says among itself never
reaches it. A handler with the flag `open` is for everybody.
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Awaitable, Callable
from typing import Any

from aiogram import BaseMiddleware, Bot, Router
from aiogram.dispatcher.flags import get_flag
from aiogram.types import CallbackQuery, Message, TelegramObject

from bot.access import Access
from bot.limits import Kind, Limits, Refusal
from bot.metrics import Meters
from bot.telegram import school_texts as texts
from bot.telegram.delivery import Target, answer_button
from bot.telegram.people import Recent, key_of, key_of_button
from bot.users import Key

OPEN = {"open": True}
"""Flag of a handler that needs neither admission nor room within the limits."""
ALWAYS_FREE = frozenset({"forget", "privacy", "id"})
"""Commands for everybody: what is stored about a person is theirs to see and to delete."""
REPEAT_AFTER = 60.0
"""Seconds: who is not admitted is told so once in them in private, in a group once an hour."""
REPEAT_IN_GROUP = 3600.0

Handler = Callable[[TelegramObject, dict[str, Any]], Awaitable[Any]]


class Gate(BaseMiddleware):
    """Lets an event through, or answers for its handler."""

    def __init__(
        self,
        access: Access,
        limits: Limits,
        meters: Meters,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._access = access
        self._limits = limits
        self._meters = meters
        self._now = now
        self._told: Recent[float] = Recent()

    def guard(self, router: Router) -> None:
        """Stands before all handlers of `router` and of the routers in it."""
        for observer in (router.message, router.edited_message, router.callback_query):
            observer.middleware(self)

    async def __call__(self, handler: Handler, event: TelegramObject, data: dict[str, Any]) -> Any:
        if get_flag(data, "open") or not isinstance(event, (Message, CallbackQuery)):
            return await handler(event, data)
        command = command_of(event) if isinstance(event, Message) else None
        key = key_of(event) if isinstance(event, Message) else key_of_button(event)
        if key is None or command in ALWAYS_FREE:
            return await handler(event, data)
        question = isinstance(event, Message) and command is None and bool(event.text or event.caption)
        kind: Kind = "question" if question else "press"
        if self._access.is_admin(key.user_id):
            return await self._timed(kind, handler, event, data)
        if not await self._access.may_ask(key):
            return await self._turn_away(event, key, data["bot"])
        self._told.put(key.chat_id, -math.inf)
        refusal = self._limits.take(key.user_id, kind)
        if refusal is not None:
            return await self._refuse(event, refusal, data["bot"])
        return await self._timed(kind, handler, event, data)

    async def _timed(self, kind: Kind, handler: Handler, event: TelegramObject, data: dict[str, Any]) -> Any:
        began = self._now()
        result = await handler(event, data)
        self._meters.replied(kind, self._now() - began)
        return result

    async def _turn_away(self, event: Message | CallbackQuery, key: Key, bot: Bot) -> None:
        self._meters.refused("access")
        text = texts.NOT_ADMITTED if key.chat_id > 0 else texts.GROUP_NOT_ADMITTED
        if isinstance(event, CallbackQuery):
            await answer_button(event, text, show_alert=True)
            return
        told, now = self._told.get(key.chat_id), self._now()
        pause = REPEAT_AFTER if key.chat_id > 0 else REPEAT_IN_GROUP
        if told is None or now - told >= pause:
            self._told.put(key.chat_id, now)
            await Target.of(bot, event).say(text)

    async def _refuse(self, event: Message | CallbackQuery, refusal: Refusal, bot: Bot) -> None:
        self._meters.refused("daily" if refusal.daily else "rate")
        text = texts.too_many(refusal)
        if isinstance(event, CallbackQuery):
            await answer_button(event, text, show_alert=refusal.first)
        elif refusal.first:
            await Target.of(bot, event).say(text)


def command_of(message: Message) -> str | None:
    """«start» for «/Start@bot abc»; None for what is no command."""
    match = re.match(r"/(\w+)(@\w+)?(?=\s|$)", message.text or "")
    return match[1].lower() if match is not None else None
