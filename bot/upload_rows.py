"""Textbooks that admins have sent and that are not loaded yet, so that a restart loses none.

One table, `uploads`: personal (erased by /forget), and a row goes when its book is loaded or given up.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from pydantic import TypeAdapter, ValidationError
from sqlalchemy import JSON, BigInteger, DateTime, Integer, String, delete, select, update
from sqlalchemy.ext.asyncio import AsyncEngine, async_sessionmaker
from sqlalchemy.orm import Mapped, mapped_column

from bot.caption import Wish
from bot.database import Base
from bot.users import Key

State = Literal["unnamed", "twice", "waiting", "reading"]
"""Waits for its grade and title; for what to do with the book of the same name; for its turn; is read."""
_WISH = TypeAdapter(Wish)


class _UploadRow(Base):
    __tablename__ = "uploads"

    id: Mapped[str] = mapped_column(String(16), primary_key=True)
    chat_id: Mapped[int] = mapped_column(BigInteger)
    user_id: Mapped[int] = mapped_column(BigInteger)
    file_id: Mapped[str] = mapped_column(String(255))
    """Telegram's name of the file; the teacher's own is not kept."""
    size: Mapped[int] = mapped_column(BigInteger)
    state: Mapped[str] = mapped_column(String(16), index=True)
    wish: Mapped[dict[str, Any] | None] = mapped_column(JSON)
    book_id: Mapped[str | None] = mapped_column(String(80))
    """Where the teacher has chosen one: to replace a book, or to stand beside it."""
    message_id: Mapped[int | None] = mapped_column(BigInteger)
    """The bot's message that shows how far it is."""
    attempts: Mapped[int] = mapped_column(Integer)
    created_at: Mapped[datetime] = mapped_column(DateTime(timezone=True))


@dataclass(frozen=True, slots=True)
class Upload:
    """A textbook on its way."""

    id: str
    key: Key
    file_id: str
    size: int
    """Bytes, as Telegram says."""
    state: State
    wish: Wish | None
    book_id: str | None
    message_id: int | None
    attempts: int


class UploadRows:
    """The table."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._session = async_sessionmaker(engine, expire_on_commit=False)

    async def add(self, key: Key, file_id: str, size: int) -> Upload:
        """A file without grade and title yet."""
        row = _UploadRow(
            id=secrets.token_hex(6),
            chat_id=key.chat_id,
            user_id=key.user_id,
            file_id=file_id,
            size=size,
            state="unnamed",
            wish=None,
            book_id=None,
            message_id=None,
            attempts=0,
            created_at=datetime.now(UTC),
        )
        async with self._session.begin() as session:
            session.add(row)
        return _shown(row)

    async def get(self, upload_id: str) -> Upload | None:
        """None when it is loaded, given up or forgotten."""
        async with self._session() as session:
            row = await session.get(_UploadRow, upload_id)
        return _shown(row) if row is not None else None

    async def all(self, *states: State) -> Sequence[Upload]:
        """Those in these states, the oldest first."""
        async with self._session() as session:
            rows = await session.scalars(
                select(_UploadRow)
                .where(_UploadRow.state.in_(states))
                .order_by(_UploadRow.created_at, _UploadRow.id)
            )
            return [_shown(row) for row in rows]

    async def unnamed(self, key: Key) -> Upload | None:
        """The oldest file of this teacher that waits for its grade and title."""
        return next((upload for upload in await self.all("unnamed") if upload.key == key), None)

    async def change(self, upload_id: str, **values: Any) -> None:
        """Sets columns; `wish` as it stands in `Upload`."""
        if isinstance(values.get("wish"), Wish):
            values["wish"] = _WISH.dump_python(values["wish"], mode="json")
        async with self._session.begin() as session:
            await session.execute(update(_UploadRow).where(_UploadRow.id == upload_id).values(**values))

    async def drop(self, upload_id: str) -> None:
        """It is loaded, or given up."""
        async with self._session.begin() as session:
            await session.execute(delete(_UploadRow).where(_UploadRow.id == upload_id))


def _shown(row: _UploadRow) -> Upload:
    try:
        wish = _WISH.validate_python(row.wish) if row.wish is not None else None
    except ValidationError:
        wish = None
    state: State = row.state if wish is not None else "unnamed"  # type: ignore[assignment]
    return Upload(
        id=row.id,
        key=Key(row.chat_id, row.user_id),
        file_id=row.file_id,
        size=row.size,
        state=state,
        wish=wish,
        book_id=row.book_id,
        message_id=row.message_id,
        attempts=row.attempts,
    )
