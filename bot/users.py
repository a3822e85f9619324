"""What is remembered per user and chat.

Two tables, and nothing in them besides what is named here:

- `memory`: `answer.query.Memory` and the time of the last change;
- `buttons`: what the buttons under the last answers stand for (the question with its pages and quotes, or
  with the choices of a clarifying question), so that they still work after a restart. The last 20 per user
  and chat are kept.

/forget deletes both; with SQLite the deleted bytes are overwritten.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple

from pydantic import TypeAdapter, ValidationError
from sqlalchemy import JSON, BigInteger, DateTime, String, delete, insert, select
from sqlalchemy.ext.asyncio import AsyncEngine, async_sessionmaker
from sqlalchemy.orm import Mapped, mapped_column

from answer.query import EMPTY_MEMORY, Memory
from bot.database import Base, empty_log, personal_tables

BUTTONS_KEPT = 20
_MEMORY = TypeAdapter(Memory)


class Key(NamedTuple):
    """Whose memory: the same person in two chats has two."""

    chat_id: int
    user_id: int


class _MemoryRow(Base):
    __tablename__ = "memory"

    chat_id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    user_id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    memory: Mapped[dict[str, Any]] = mapped_column(JSON)
    """Fields of `Memory`; as JSON, so that a field more or less needs no migration."""
    updated_at: Mapped[datetime] = mapped_column(DateTime(timezone=True))


class _ButtonsRow(Base):
    __tablename__ = "buttons"

    token: Mapped[str] = mapped_column(String(32), primary_key=True)
    """Random, so that a token of a deleted row never comes to stand for another one."""
    chat_id: Mapped[int] = mapped_column(BigInteger, index=True)
    user_id: Mapped[int] = mapped_column(BigInteger)
    payload: Mapped[dict[str, Any]] = mapped_column(JSON)
    created_at: Mapped[datetime] = mapped_column(DateTime(timezone=True))


class Users:
    """Memory and buttons of all users, in the database of `bot.database`."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine
        self._session = async_sessionmaker(engine, expire_on_commit=False)

    async def memory(self, key: Key) -> Memory:
        """What is remembered; empty for somebody new and for a row that cannot be read."""
        async with self._session() as session:
            row = await session.get(_MemoryRow, tuple(key))
        if row is None:
            return EMPTY_MEMORY
        try:
            return _MEMORY.validate_python(row.memory)
        except ValidationError:
            return EMPTY_MEMORY

    async def known(self, key: Key) -> bool:
        """Whether anything is remembered: somebody who has been welcomed or answered before."""
        async with self._session() as session:
            return await session.get(_MemoryRow, tuple(key)) is not None

    async def save(self, key: Key, memory: Memory) -> None:
        """Replaces what is remembered."""
        async with self._session.begin() as session:
            await session.merge(
                _MemoryRow(
                    chat_id=key.chat_id,
                    user_id=key.user_id,
                    memory=_MEMORY.dump_python(memory, mode="json"),
                    updated_at=datetime.now(UTC),
                )
            )

    async def forget(self, key: Key, until: int | None = None) -> None:
        """Deletes everything about this user in this chat, whichever module's table it is in.

        `until`: id of the update that asks for it. What the user has sent after it stays, to be answered.
        """
        async with self._session.begin() as session:
            for table in personal_tables():
                mine = [table.c.chat_id == key.chat_id, table.c.user_id == key.user_id]
                if until is not None and "update_id" in table.c:
                    mine.append(table.c.update_id <= until)
                await session.execute(delete(table).where(*mine))
        await empty_log(self._engine)

    async def migrate(self, old_chat_id: int, new_chat_id: int) -> None:
        """A group has become a supergroup with another id: its members keep what is remembered of them.

        Rows that the new chat has already are newer and stay. An anonymous admin counts as the chat.
        """
        async with self._session.begin() as session:
            for table in personal_tables():
                rows = (await session.execute(select(table).where(table.c.chat_id == old_chat_id))).mappings()
                moved = [_moved(dict(row), old_chat_id, new_chat_id) for row in rows]
                await session.execute(delete(table).where(table.c.chat_id == old_chat_id))
                for row in moved:
                    same = [column == row[column.name] for column in table.primary_key]
                    if (await session.execute(select(table).where(*same))).first() is None:
                        await session.execute(insert(table).values(row))

    async def keep_buttons(self, key: Key, payload: Mapping[str, Any]) -> str:
        """Stores what a row of buttons stands for; returns the token of 12 characters for callback data."""
        token = secrets.token_urlsafe(9)
        mine = (_ButtonsRow.chat_id == key.chat_id, _ButtonsRow.user_id == key.user_id)
        async with self._session.begin() as session:
            session.add(
                _ButtonsRow(
                    token=token,
                    chat_id=key.chat_id,
                    user_id=key.user_id,
                    payload=dict(payload),
                    created_at=datetime.now(UTC),
                )
            )
            await session.flush()
            newest = (
                await session.scalars(
                    select(_ButtonsRow.token)
                    .where(*mine)
                    .order_by(_ButtonsRow.created_at.desc(), _ButtonsRow.token)
                    .limit(BUTTONS_KEPT)
                )
            ).all()
            await session.execute(delete(_ButtonsRow).where(*mine, _ButtonsRow.token.not_in(newest)))
        return token

    async def buttons(self, token: str, chat_id: int) -> tuple[Key, dict[str, Any]] | None:
        """Whose buttons these are and what they stand for; None when they are gone or of another chat."""
        async with self._session() as session:
            row = await session.get(_ButtonsRow, token)
        if row is None or row.chat_id != chat_id:
            return None
        return Key(row.chat_id, row.user_id), row.payload

    async def change_buttons(self, token: str, payload: Mapping[str, Any]) -> None:
        """Replaces what these buttons stand for; nothing happens where they are gone."""
        async with self._session.begin() as session:
            row = await session.get(_ButtonsRow, token)
            if row is not None:
                row.payload = dict(payload)

    async def drop_buttons(self, token: str) -> None:
        """Makes these buttons stale."""
        async with self._session.begin() as session:
            await session.execute(delete(_ButtonsRow).where(_ButtonsRow.token == token))


def _moved(row: dict[str, Any], old: int, new: int) -> dict[str, Any]:
    user = new if row["user_id"] == old else row["user_id"]
    return {**row, "chat_id": new, "user_id": user}
