"""Between Telegram and the handlers: stored first, in order per user, and no answers to what is long past."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import timedelta

from aiogram import Bot, Dispatcher
from aiogram.exceptions import AiogramError
from aiogram.types import Message, Update

from bot.telegram.albums import Albums
from bot.telegram.delivery import Target
from bot.telegram.inbox import Inbox, Pending, Stored, current
from bot.telegram.lanes import Job, Lanes
from bot.telegram.raw_updates import Raw, id_of, key_of_update, read_update
from bot.telegram.texts import INTERRUPTED, MISSED, TOO_MANY
from bot.users import Key

logger = logging.getLogger(__name__)

ANSWERED_LATE = timedelta(days=1).total_seconds()
"""What the bot had taken before a restart is answered until it is so old."""


class Intake:
    """Takes updates into the inbox, and queues each in its user's lane.

    Messages older than `drop_after` seconds (0: no limit) are dropped; in private their author gets one note
    for all of them. So does whoever has too many messages waiting.
    """

    def __init__(
        self,
        bot: Bot,
        dispatcher: Dispatcher,
        lanes: Lanes,
        inbox: Inbox,
        albums: Albums,
        *,
        drop_after: int,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._bot = bot
        self._dispatcher = dispatcher
        self._lanes = lanes
        self._inbox = inbox
        self._albums = albums
        self._drop_after = drop_after
        self._now = now
        self._noted: set[tuple[Key, str]] = set()

    async def __call__(self, batch: Sequence[Raw]) -> None:
        """Returns when the updates are stored; they are worked off afterwards. Raises SQLAlchemyError."""
        # Stored or not, as a whole, also when the bot is stopped at this moment.
        await asyncio.shield(asyncio.ensure_future(self._take(batch)))

    async def resume(self) -> None:
        """Works off what an earlier process had taken."""
        doubtful: dict[Key, tuple[Update, list[int]]] = {}
        waiting: list[tuple[Stored, Update]] = []
        over: list[int] = []
        for left in await self._inbox.left():
            stored = left.stored
            update = read_update(self._bot, stored.body)
            if update is None:
                over.append(stored.update_id)
            elif left.doubtful:
                doubtful.setdefault(stored.key, (update, []))[1].append(stored.update_id)
            elif self._is_older(update, ANSWERED_LATE):
                self._note(stored.key, update.message, MISSED)
                over.append(stored.update_id)
            else:
                self._albums.arrived(update.message)
                waiting.append((stored, update))
        # The line about what was interrupted comes before what waited behind it.
        for key, (update, ids) in doubtful.items():
            self._ask_to_repeat(key, update, ids)
        for stored, update in waiting:
            self._lanes.submit(stored.key, self._job(stored.update_id, update), force=True)
        await self._inbox.done(over)

    async def _take(self, batch: Sequence[Raw]) -> None:
        updates: dict[int, Update] = {}
        wanted: list[Stored] = []
        old: list[int] = []
        for raw in batch:
            number, update = id_of(raw), read_update(self._bot, raw)
            key = key_of_update(update) if update is not None else None
            if number is None or update is None or key is None:
                continue
            updates[number] = update
            if self._drop_after and self._is_older(update, self._drop_after):
                old.append(number)
            else:
                self._albums.arrived(update.message)
                wanted.append(Stored(number, key, raw))
        new = await self._inbox.take(wanted, old)
        for number in old:
            key = key_of_update(updates[number])
            if number in new and key is not None:
                self._note(key, updates[number].message, MISSED)
        refused = [
            stored.update_id
            for stored in wanted
            if stored.update_id in new and not self._submit(stored, updates[stored.update_id])
        ]
        await self._inbox.done(refused)

    def _submit(self, stored: Stored, update: Update) -> bool:
        key = stored.key
        if self._lanes.submit(key, self._job(stored.update_id, update)):
            for text in (MISSED, TOO_MANY):
                self._noted.discard((key, text))
            return True
        self._note(key, update.message or update.edited_message, TOO_MANY)
        return False

    def _job(self, number: int, update: Update) -> Job:
        async def deal() -> None:
            current.set(Pending(self._inbox, number))
            try:
                await self._dispatcher.feed_update(self._bot, update)
            except Exception:
                # The failures router has answered what it could.
                logger.exception("an update failed outside its handlers")
            # Not reached when the bot is stopped: the update stays in the inbox for the next start.
            await asyncio.shield(asyncio.ensure_future(self._inbox.done([number])))

        return deal

    def _is_older(self, update: Update, seconds: float) -> bool:
        message = update.message or update.edited_message
        if message is None:
            return False
        sent = message.edit_date or message.date.timestamp()
        return self._now() - sent > seconds

    def _note(self, key: Key, message: Message | None, text: str) -> None:
        if message is None or (key, text) in self._noted or message.chat.type != "private":
            return
        self._noted.add((key, text))

        async def say() -> None:
            with suppress(AiogramError):
                await Target.of(self._bot, message).say(text)

        # A lane of its own: the user's may be full.
        self._lanes.submit((key, text), say)

    def _ask_to_repeat(self, key: Key, update: Update, numbers: Sequence[int]) -> None:
        """One line to whoever may be without an answer; in the user's lane, before what waits there."""
        message, callback = update.message or update.edited_message, update.callback_query

        async def say() -> None:
            target = (
                Target.of(self._bot, message)
                if message is not None
                else Target.of_button(self._bot, callback)
                if callback is not None
                else None
            )
            if target is not None:
                with suppress(AiogramError):
                    await target.say(INTERRUPTED)
            await self._inbox.done(numbers)

        self._lanes.submit(key, say, force=True)
