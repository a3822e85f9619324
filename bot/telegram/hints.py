"""Answers that carry a hint («подбираю слова…»), in the database: a killed bot takes the hints back later."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import JSON, BigInteger, DateTime, Text, delete, insert, select
from sqlalchemy.ext.asyncio import AsyncEngine
from sqlalchemy.orm import Mapped, mapped_column

from bot.database import Base
from bot.users import Key


class _HintRow(Base):
    __tablename__ = "hints"

    chat_id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    message_id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    user_id: Mapped[int] = mapped_column(BigInteger)
    html: Mapped[str] = mapped_column(Text)
    """The message without its hint."""
    keyboard: Mapped[dict[str, Any] | None] = mapped_column(JSON)
    sent_at: Mapped[datetime] = mapped_column(DateTime(timezone=True))


@dataclass(frozen=True, slots=True)
class Hint:
    """A message that carries a hint, and what it says without."""

    chat_id: int
    message_id: int
    html: str
    keyboard: dict[str, Any] | None


class Hints:
    """The table of messages that carry a hint."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def keep(self, key: Key, hint: Hint) -> None:
        """The message is in the chat."""
        row = {
            "chat_id": hint.chat_id,
            "message_id": hint.message_id,
            "user_id": key.user_id,
            "html": hint.html,
            "keyboard": hint.keyboard,
            "sent_at": datetime.now(UTC),
        }
        async with self._engine.begin() as connection:
            await connection.execute(insert(_HintRow).values(row))

    async def drop(self, chat_id: int, message_id: int) -> None:
        """The hint is gone from the chat."""
        mine = (_HintRow.chat_id == chat_id, _HintRow.message_id == message_id)
        async with self._engine.begin() as connection:
            await connection.execute(delete(_HintRow).where(*mine))

    async def left(self) -> list[Hint]:
        """What an earlier process left behind."""
        async with self._engine.connect() as connection:
            rows = (await connection.execute(select(_HintRow.__table__))).all()
        return [Hint(row.chat_id, row.message_id, row.html, row.keyboard) for row in rows]
