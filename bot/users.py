"""What is remembered per user and chat, in SQLite (or another database that SQLAlchemy speaks to).

Two tables, and nothing in them besides what is named here:

- `memory`: `answer.query.Memory` and the time of the last change;
- `buttons`: what the buttons under the last answers stand for (pages with their quotes, or the choices of a
  clarifying question), so that they still work after a restart. The last 20 per user and chat are kept.

/forget deletes both; with SQLite the deleted bytes are overwritten.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import TypeAdapter, ValidationError
from sqlalchemy import JSON, BigInteger, DateTime, String, delete, event, select, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine, async_sessionmaker, create_async_engine
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from answer.query import EMPTY_MEMORY, Memory
from bot.errors import DatabaseDamaged

BUTTONS_KEPT = 20
_MEMORY = TypeAdapter(Memory)


class Key(NamedTuple):
    """Whose memory: the same person in two chats has two."""

    chat_id: int
    user_id: int


class _Base(DeclarativeBase):
    pass


class _MemoryRow(_Base):
    __tablename__ = "memory"

    chat_id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    user_id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    memory: Mapped[dict[str, Any]] = mapped_column(JSON)
    """Fields of `Memory`; as JSON, so that a field more or less needs no migration."""
    updated_at: Mapped[datetime] = mapped_column(DateTime(timezone=True))


class _ButtonsRow(_Base):
    __tablename__ = "buttons"

    token: Mapped[str] = mapped_column(String(32), primary_key=True)
    """Random, so that a token of a deleted row never comes to stand for another one."""
    chat_id: Mapped[int] = mapped_column(BigInteger, index=True)
    user_id: Mapped[int] = mapped_column(BigInteger)
    payload: Mapped[dict[str, Any]] = mapped_column(JSON)
    created_at: Mapped[datetime] = mapped_column(DateTime(timezone=True))


class Users:
    """Memory and buttons of all users. Open it with `Users.open`, close it with `close`."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine
        self._session = async_sessionmaker(engine, expire_on_commit=False)

    @classmethod
    async def open(cls, database_url: str) -> Users:
        """Creates the file, its directory and the tables where they are missing. Raises DatabaseDamaged."""
        engine = _engine(database_url)
        local = engine.dialect.name == "sqlite" and engine.url.database
        shown = local or engine.url.render_as_string(hide_password=True)
        try:
            async with engine.begin() as connection:
                if engine.dialect.name == "sqlite":
                    verdict = (await connection.execute(text("PRAGMA quick_check(1)"))).scalar_one()
                    if verdict != "ok":
                        raise DatabaseDamaged(_damaged(shown, str(verdict)))
                await connection.run_sync(_Base.metadata.create_all)
                for table in _Base.metadata.sorted_tables:  # a foreign file with tables of these names
                    await connection.execute(select(table).limit(1))
        except (SQLAlchemyError, OSError) as exc:
            await engine.dispose()
            reason = str(exc.orig) if isinstance(exc, DBAPIError) else str(exc)
            raise DatabaseDamaged(_damaged(shown, reason)) from exc
        except DatabaseDamaged:
            await engine.dispose()
            raise
        return cls(engine)

    async def close(self) -> None:
        """Ends all connections."""
        await self._engine.dispose()

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

    async def forget(self, key: Key) -> None:
        """Deletes everything about this user in this chat."""
        async with self._session.begin() as session:
            for row in (_MemoryRow, _ButtonsRow):
                await session.execute(
                    delete(row).where(row.chat_id == key.chat_id, row.user_id == key.user_id)
                )

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

    async def drop_buttons(self, token: str) -> None:
        """Makes these buttons stale."""
        async with self._session.begin() as session:
            await session.execute(delete(_ButtonsRow).where(_ButtonsRow.token == token))


def _engine(database_url: str) -> AsyncEngine:
    try:
        url = make_url(database_url)
    except ArgumentError:
        raise DatabaseDamaged(
            "DATABASE_URL не читается: нужен адрес вида sqlite+aiosqlite:///data/paragraf.sqlite3."
        ) from None
    if url.drivername == "sqlite":
        url = url.set(drivername="sqlite+aiosqlite")
    if url.get_backend_name() == "sqlite" and url.database and url.database != ":memory:":
        try:
            Path(url.database).parent.mkdir(parents=True, exist_ok=True)
        except OSError as exc:
            raise DatabaseDamaged(_damaged(url.database, str(exc))) from exc
    try:
        # Parameters hold what a student wrote: never in an error message.
        engine = create_async_engine(url, hide_parameters=True)
    except (SQLAlchemyError, ImportError) as exc:
        raise DatabaseDamaged(f"База {url.drivername} не поддерживается: {exc}") from exc
    if engine.dialect.name == "sqlite":
        event.listen(engine.sync_engine, "connect", _prepare_sqlite)
    return engine


def _prepare_sqlite(connection: Any, _record: object) -> None:
    cursor = connection.cursor()
    cursor.execute("PRAGMA busy_timeout = 5000")
    cursor.execute("PRAGMA secure_delete = ON")
    cursor.close()


def _damaged(name: str, reason: str) -> str:
    return (
        f"База пользователей {name} не открывается ({reason}). Переименуйте или удалите этот файл и "
        "запустите бота снова: он создаст новую (классы учеников придётся указать ещё раз)."
    )
