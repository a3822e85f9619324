"""What the bot has taken from Telegram and not dealt with yet, in the database.

An update is stored before Telegram is told that it was taken, so neither a restart nor a killed process
loses a question. `waiting` becomes `sending` with the first request that the user could see; afterwards the
row is deleted. After a restart the waiting updates are worked off. One that was being sent may have been
answered, so it is not done again: its author is asked to repeat it if the answer is not there.

The ids of taken updates are kept for some days (bot/retention.py), without anything about their authors:
Telegram delivers an update again when the confirmation was lost, for a day at most.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from aiogram import Bot
from aiogram.client.session.middlewares.base import BaseRequestMiddleware, NextRequestMiddlewareType
from aiogram.methods import (
    AnswerCallbackQuery,
    EditMessageReplyMarkup,
    EditMessageText,
    Response,
    SendDocument,
    SendMessage,
    SendPhoto,
    TelegramMethod,
)
from aiogram.methods.base import TelegramType
from sqlalchemy import JSON, BigInteger, DateTime, String, delete, insert, select, update
from sqlalchemy.ext.asyncio import AsyncEngine
from sqlalchemy.orm import Mapped, mapped_column

from bot.database import Base
from bot.users import Key

MOST_STARTS = 5
"""An update that was waiting at so many starts may be what ends the process."""
_SEEN_BY_USERS: tuple[type[Any], ...] = (
    SendMessage,
    SendPhoto,
    SendDocument,
    EditMessageText,
    EditMessageReplyMarkup,
    AnswerCallbackQuery,
)

Body = dict[str, Any]


class _InboxRow(Base):
    __tablename__ = "inbox"

    update_id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    chat_id: Mapped[int] = mapped_column(BigInteger, index=True)
    user_id: Mapped[int] = mapped_column(BigInteger)
    body: Mapped[Body] = mapped_column(JSON)
    """The update as Telegram sent it."""
    state: Mapped[Literal["waiting", "sending"]] = mapped_column(String(8))
    starts: Mapped[int]
    """How often the bot was started while it lay here."""


class _TakenRow(Base):
    __tablename__ = "taken_updates"

    update_id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    taken_at: Mapped[datetime] = mapped_column(DateTime(timezone=True), index=True)


@dataclass(frozen=True, slots=True)
class Stored:
    """An update with whose it is."""

    update_id: int
    key: Key
    body: Body


@dataclass(frozen=True, slots=True)
class Left:
    """An update from before the restart; `doubtful` when its answer may have been sent."""

    stored: Stored
    doubtful: bool


class Inbox:
    """The table of updates that wait."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine
        self._taking = asyncio.Lock()

    async def take(self, updates: Sequence[Stored], ignored: Sequence[int] = ()) -> set[int]:
        """Stores a batch in one transaction; returns the ids that had not been taken before.

        Of the `ignored` ones only the id is kept.
        """
        ids = [*(stored.update_id for stored in updates), *ignored]
        if not ids:
            return set()
        async with self._taking, self._engine.begin() as connection:
            known = select(_TakenRow.update_id).where(_TakenRow.update_id.in_(ids))
            new = set(ids) - set((await connection.execute(known)).scalars())
            if not new:
                return new
            now = datetime.now(UTC)
            await connection.execute(
                insert(_TakenRow), [{"update_id": number, "taken_at": now} for number in new]
            )
            rows = [
                {
                    "update_id": stored.update_id,
                    "chat_id": stored.key.chat_id,
                    "user_id": stored.key.user_id,
                    "body": stored.body,
                    "state": "waiting",
                    "starts": 0,
                }
                for stored in updates
                if stored.update_id in new
            ]
            if rows:
                await connection.execute(insert(_InboxRow), rows)
        return new

    async def left(self) -> list[Left]:
        """What an earlier process left behind, the oldest first; counts this start."""
        async with self._engine.begin() as connection:
            await connection.execute(update(_InboxRow).values(starts=_InboxRow.starts + 1))
            rows = (await connection.execute(select(_InboxRow.__table__).order_by("update_id"))).all()
        return [
            Left(
                Stored(row.update_id, Key(row.chat_id, row.user_id), row.body),
                row.state == "sending" or row.starts > MOST_STARTS,
            )
            for row in rows
        ]

    async def sending(self, update_id: int) -> None:
        """From now on the user may have seen something."""
        async with self._engine.begin() as connection:
            mine = _InboxRow.update_id == update_id
            await connection.execute(update(_InboxRow).where(mine).values(state="sending"))

    async def done(self, update_ids: Sequence[int]) -> None:
        """Deletes what is dealt with."""
        if update_ids:
            async with self._engine.begin() as connection:
                await connection.execute(delete(_InboxRow).where(_InboxRow.update_id.in_(update_ids)))


class Pending:
    """The update that the current task deals with."""

    def __init__(self, inbox: Inbox, update_id: int) -> None:
        self._inbox = inbox
        self._update_id = update_id
        self._waiting = True

    async def sending(self) -> None:
        """Notes once that the user may see something from now on."""
        if self._waiting:
            self._waiting = False
            await self._inbox.sending(self._update_id)


current: ContextVar[Pending | None] = ContextVar("current", default=None)
"""Set while an update is dealt with; what outlives its handler runs in a context of its own."""


class MarksSending(BaseRequestMiddleware):
    """Notes in the inbox when a request goes out that the author of the current update can see."""

    async def __call__(
        self,
        make_request: NextRequestMiddlewareType[TelegramType],
        bot: Bot,
        method: TelegramMethod[TelegramType],
    ) -> Response[TelegramType]:
        pending = current.get()
        if pending is not None and isinstance(method, _SEEN_BY_USERS):
            await pending.sending()
        return await make_request(bot, method)
