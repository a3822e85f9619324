"""What a school needs beside answers: access, limits, textbooks from the chat, statistics, the purge."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Coroutine, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, NoReturn

from aiogram import BaseMiddleware, Bot, Dispatcher, Router
from aiogram.exceptions import (
    AiogramError,
    TelegramForbiddenError,
    TelegramNetworkError,
    TelegramRetryAfter,
    TelegramServerError,
)
from aiogram.types import BotCommand, BotCommandScopeChat, ErrorEvent, TelegramObject
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine

from bot.access import Access
from bot.limits import Limits
from bot.metrics import Meters
from bot.retention import keep_purging
from bot.settings import BotSettings
from bot.telegram import school_texts
from bot.telegram.gate import Gate, Handler
from bot.telegram.routers import access, admin
from bot.telegram.stats_text import statistics
from bot.telegram.texts import COMMANDS
from bot.telegram.uploads import Library, Uploads
from bot.upload_dir import UploadDir
from bot.upload_rows import UploadRows
from index.store import Store

logger = logging.getLogger(__name__)

WRITE_EVERY = 60.0
"""Seconds between two times that counts go to the database."""
ASK_WHEN_SILENT = 60.0
"""Seconds without an answer of Telegram after which it is asked for one, so that /health knows."""
_TELEGRAMS_FAULT = (
    TelegramForbiddenError,
    TelegramNetworkError,
    TelegramRetryAfter,
    TelegramServerError,
)


class _CountErrors(BaseMiddleware):
    """Counts what users get the number of."""

    def __init__(self, meters: Meters) -> None:
        self._meters = meters

    async def __call__(self, handler: Handler, event: TelegramObject, data: dict[str, Any]) -> Any:
        if isinstance(event, ErrorEvent) and not isinstance(event.exception, _TELEGRAMS_FAULT):
            self._meters.error("handler")
        return await handler(event, data)


class School:
    """The parts together; `guard` and `routers` go into the dispatcher, `running` around the polling."""

    def __init__(
        self,
        bot: Bot,
        engine: AsyncEngine,
        settings: BotSettings,
        library: Library,
        meters: Meters,
        store_dir: Path,
        *,
        edit_interval: float,
    ) -> None:
        self._bot = bot
        self._engine = engine
        self._settings = settings
        self._library = library
        self._meters = meters
        self._store = Store(store_dir)
        self.access = Access(engine, settings.admin_ids, invited_only=settings.access == "invited")
        limits = Limits(settings.rate_questions, settings.rate_seconds, settings.daily_questions)
        self._gate = Gate(self.access, limits, meters)
        self._uploads = Uploads(
            bot,
            UploadRows(engine),
            UploadDir(settings.upload_dir),
            store_dir,
            library,
            meters,
            seconds=60.0 * settings.upload_minutes,
            largest=settings.ingest_max_file_mb * 1024 * 1024,
            edit_interval=edit_interval,
        )

    def guard(self, dispatcher: Dispatcher) -> None:
        """Stands before all handlers, and counts the errors of all."""
        self._gate.guard(dispatcher)
        dispatcher.errors.outer_middleware(_CountErrors(self._meters))

    def routers(self) -> Sequence[Router]:
        """To be tried before all others; they let through what is not meant for them."""
        return (
            access.build(self.access, self._settings.invite_days),
            admin.build(self.access, self._uploads, self._store, self._library, self._statistics),
        )

    async def migrate(self, old_chat_id: int, new_chat_id: int) -> None:
        """An admitted group stays admitted when it gets another id."""
        await self.access.move_group(old_chat_id, new_chat_id)

    async def _introduce(self) -> None:
        """Shows admins their commands in the menu of their own chat; nobody else sees them."""
        commands = {**COMMANDS, **school_texts.ADMIN_COMMANDS}
        shown = [BotCommand(command=name, description=text) for name, text in commands.items()]
        for admin_id in self._settings.admin_ids:
            with suppress(AiogramError):  # who has never written to the bot has no chat with it
                await self._bot.set_my_commands(shown, scope=BotCommandScopeChat(chat_id=admin_id))

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """The background tasks, while the block runs; the book in work goes back into the queue."""
        works: list[Coroutine[Any, Any, None]] = [
            keep_purging(self._engine, self._settings.retention_days),
            self._keep_counts(),
            self._keep_asking(),
        ]
        if self._settings.admin_ids:
            works += [self._uploads.run(), self._introduce()]
        tasks = [asyncio.create_task(work) for work in works]
        for task in tasks:
            task.add_done_callback(_complain)
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            self._uploads.close()
            with suppress(SQLAlchemyError):
                await self._meters.tally.write(self._engine)

    async def _statistics(self) -> str:
        library = await self._library()
        waiting = len(await self._uploads.rows.all("waiting", "reading"))
        return await statistics(self._engine, self.access, self._meters, library.books, waiting)

    async def _keep_counts(self) -> NoReturn:
        while True:
            await asyncio.sleep(WRITE_EVERY)
            try:
                await self._meters.tally.write(self._engine)
            except SQLAlchemyError as error:
                logger.error("counts are not written (%s)", type(error).__name__)

    async def _keep_asking(self) -> NoReturn:
        while True:
            await asyncio.sleep(ASK_WHEN_SILENT / 2)
            silent = self._meters.telegram_silent
            if silent is None or silent > ASK_WHEN_SILENT:
                with suppress(AiogramError):
                    await self._bot.get_me()


def _complain(task: asyncio.Task[None]) -> None:
    """A background task must not end unseen."""
    if not task.cancelled() and task.exception() is not None:
        logger.error("a background task has ended", exc_info=task.exception())
