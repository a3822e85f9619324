"""Between polling and the handlers: order per user, and no answers to what is long past."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress

from aiogram import Bot, Dispatcher
from aiogram.exceptions import AiogramError
from aiogram.types import Message, Update

from bot.telegram.delivery import Target
from bot.telegram.lanes import Lanes
from bot.telegram.people import key_of, key_of_button
from bot.telegram.texts import MISSED, TOO_MANY
from bot.users import Key


class Intake:
    """Queues each update in its user's lane.

    Messages older than `drop_after` seconds (0: no limit) are dropped; in private their author gets one note
    for all of them. So does whoever has too many messages waiting.
    """

    def __init__(
        self,
        bot: Bot,
        dispatcher: Dispatcher,
        lanes: Lanes,
        *,
        drop_after: int,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._bot = bot
        self._dispatcher = dispatcher
        self._lanes = lanes
        self._drop_after = drop_after
        self._now = now
        self._noted: set[tuple[Key, str]] = set()

    def __call__(self, update: Update) -> None:
        message = update.message or update.edited_message
        if message is not None:
            key: Key | None = key_of(message)
        elif update.callback_query is not None:
            key = key_of_button(update.callback_query) or Key(0, update.callback_query.from_user.id)
        else:
            return  # of a kind that was not asked for
        if message is not None and self._is_old(message):
            if update.message is not None:
                self._note(key_of(message), message, MISSED)
            return
        if self._lanes.submit(key, lambda: self._dispatcher.feed_update(self._bot, update)):
            for text in (MISSED, TOO_MANY):
                self._noted.discard((key, text)) if key is not None else None
        elif message is not None:
            self._note(key_of(message), message, TOO_MANY)

    def _is_old(self, message: Message) -> bool:
        if not self._drop_after:
            return False
        sent = message.edit_date or message.date.timestamp()
        return self._now() - sent > self._drop_after

    def _note(self, key: Key, message: Message, text: str) -> None:
        if (key, text) in self._noted or message.chat.type != "private":
            return
        self._noted.add((key, text))

        async def say() -> None:
            with suppress(AiogramError):
                await Target.of(self._bot, message).say(text)

        # A lane of its own: the user's may be full.
        self._lanes.submit((key, text), say)
