"""The bot's database: SQLite by default, or another one that SQLAlchemy speaks to.

SQLite keeps a write-ahead log: a commit costs one write to the disk instead of three, and what is committed
survives a killed process and a power cut alike. One connection serves the process, so that no transaction
ever meets the lock of another. Never open a session inside a session: the second would wait for the first.

Tables stand in the modules that use them and share `Base`; `open_database` creates those that were imported.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sqlalchemy import Table, event, select, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine
from sqlalchemy.orm import DeclarativeBase

from bot.errors import DatabaseDamaged


class Base(DeclarativeBase):
    """Every table of the bot."""


def personal_tables() -> list[Table]:
    """The tables with a row per user and chat (`chat_id`, `user_id`); /forget deletes from each."""
    return [t for t in Base.metadata.sorted_tables if {"chat_id", "user_id"} <= set(t.c.keys())]


async def open_database(database_url: str) -> AsyncEngine:
    """Creates the file, its directory and the tables where they are missing; `dispose` ends it.

    Raises DatabaseDamaged.
    """
    engine = _engine(database_url)
    local = engine.dialect.name == "sqlite" and engine.url.database
    shown = local or engine.url.render_as_string(hide_password=True)
    try:
        async with engine.begin() as connection:
            if engine.dialect.name == "sqlite":
                verdict = (await connection.execute(text("PRAGMA quick_check(1)"))).scalar_one()
                if verdict != "ok":
                    raise DatabaseDamaged(_damaged(shown, str(verdict)))
            await connection.run_sync(Base.metadata.create_all)
            for table in Base.metadata.sorted_tables:  # a foreign file with tables of these names
                await connection.execute(select(table).limit(1))
    except (SQLAlchemyError, OSError) as exc:
        await engine.dispose()
        reason = str(exc.orig) if isinstance(exc, DBAPIError) else str(exc)
        raise DatabaseDamaged(_damaged(shown, reason)) from exc
    except DatabaseDamaged:
        await engine.dispose()
        raise
    return engine


async def empty_log(engine: AsyncEngine) -> None:
    """Moves SQLite's write-ahead log into the file and cuts it to nothing, deleted rows with it.

    Until then the log holds what was written lately, also what has been deleted since.
    """
    if engine.dialect.name == "sqlite":
        async with engine.connect() as connection:
            await connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")


def _engine(database_url: str) -> AsyncEngine:
    try:
        url = make_url(database_url)
    except ArgumentError:
        raise DatabaseDamaged(
            "DATABASE_URL не читается: нужен адрес вида sqlite+aiosqlite:///data/paragraf.sqlite3."
        ) from None
    if url.drivername == "sqlite":
        url = url.set(drivername="sqlite+aiosqlite")
    pool: dict[str, Any] = {}
    if url.get_backend_name() == "sqlite" and url.database and url.database != ":memory:":
        pool = {"pool_size": 1, "max_overflow": 0, "pool_timeout": 120}
        try:
            Path(url.database).parent.mkdir(parents=True, exist_ok=True)
        except OSError as exc:
            raise DatabaseDamaged(_damaged(url.database, str(exc))) from exc
    try:
        # Parameters hold what a student wrote: never in an error message.
        engine = create_async_engine(url, hide_parameters=True, **pool)
    except (SQLAlchemyError, ImportError) as exc:
        raise DatabaseDamaged(f"База {url.drivername} не поддерживается: {exc}") from exc
    if engine.dialect.name == "sqlite":
        event.listen(engine.sync_engine, "connect", _prepare_sqlite)
    return engine


def _prepare_sqlite(connection: Any, _record: object) -> None:
    cursor = connection.cursor()
    cursor.execute("PRAGMA busy_timeout = 5000")
    cursor.execute("PRAGMA secure_delete = ON")
    cursor.execute("PRAGMA journal_mode = WAL")
    cursor.execute("PRAGMA synchronous = FULL")
    cursor.close()


def _damaged(name: str, reason: str) -> str:
    return (
        f"База пользователей {name} не открывается ({reason}). Переименуйте или удалите этот файл и "
        "запустите бота снова: он создаст новую (классы учеников придётся указать ещё раз)."
    )
