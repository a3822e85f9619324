"""Who may ask: everybody, or those whom a school has invited.

Three tables:

- `invites`: links that admins have made; of the code only its hash, so that a copy of the database opens
  nothing;
- `members`: who opened such a link, by private chat; personal, erased by /forget;
- `admitted_groups`: groups in which everybody may ask.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal

from sqlalchemy import BigInteger, DateTime, Integer, String, delete, func, select, update
from sqlalchemy.ext.asyncio import AsyncEngine, async_sessionmaker
from sqlalchemy.orm import Mapped, mapped_column

from bot.database import Base
from bot.users import Key

CODE_BYTES = 16
"""128 random bits: 22 characters of a link, which Telegram allows (64)."""
Admission = Literal["admitted", "already", "refused"]


class _InviteRow(Base):
    __tablename__ = "invites"

    id: Mapped[str] = mapped_column(String(16), primary_key=True)
    code_hash: Mapped[str] = mapped_column(String(64), unique=True)
    label: Mapped[str] = mapped_column(String(64))
    """What the admin called it: a class."""
    uses: Mapped[int] = mapped_column(Integer)
    used: Mapped[int] = mapped_column(Integer)
    created_at: Mapped[datetime] = mapped_column(DateTime(timezone=True))
    expires_at: Mapped[datetime] = mapped_column(DateTime(timezone=True))


class _MemberRow(Base):
    __tablename__ = "members"

    chat_id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    user_id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    invite_id: Mapped[str] = mapped_column(String(16), index=True)
    admitted_at: Mapped[datetime] = mapped_column(DateTime(timezone=True))


class _GroupRow(Base):
    __tablename__ = "admitted_groups"

    chat_id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    admitted_at: Mapped[datetime] = mapped_column(DateTime(timezone=True))


@dataclass(frozen=True, slots=True)
class Invite:
    """A link as admins see it; the code itself is shown once, when it is made."""

    id: str
    label: str
    uses: int
    used: int
    expires_at: datetime

    @property
    def left(self) -> int:
        """How many more may be admitted, were there no end of its time."""
        return max(0, self.uses - self.used)


class Access:
    """Decides who may ask, and keeps the links, members and groups behind the decision."""

    def __init__(
        self,
        engine: AsyncEngine,
        admins: frozenset[int] = frozenset(),
        *,
        invited_only: bool = False,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._session = async_sessionmaker(engine, expire_on_commit=False)
        self._admins = admins
        self.invited_only = invited_only
        self._now = now

    def is_admin(self, user_id: int) -> bool:
        """By numeric id only: a username can be given up and taken by somebody else."""
        return user_id in self._admins

    async def may_ask(self, key: Key) -> bool:
        """In private: members; in a group everybody, once it is admitted. Admins everywhere."""
        if not self.invited_only or self.is_admin(key.user_id):
            return True
        async with self._session() as session:
            if key.chat_id < 0:
                return await session.get(_GroupRow, key.chat_id) is not None
            return await session.get(_MemberRow, tuple(key)) is not None

    async def invite(self, label: str, uses: int, days: int) -> tuple[str, Invite]:
        """A new link: its code (kept by nobody but the caller) and what is known about it."""
        code, now = secrets.token_urlsafe(CODE_BYTES), self._now()
        row = _InviteRow(
            id=secrets.token_hex(6),
            code_hash=_hash(code),
            label=label,
            uses=uses,
            used=0,
            created_at=now,
            expires_at=now + timedelta(days=days),
        )
        async with self._session.begin() as session:
            session.add(row)
        return code, _shown(row)

    async def invites(self) -> Sequence[Invite]:
        """Links that still admit somebody, the oldest first."""
        async with self._session() as session:
            rows = await session.scalars(
                select(_InviteRow)
                .where(_InviteRow.used < _InviteRow.uses, _InviteRow.expires_at > self._now())
                .order_by(_InviteRow.created_at, _InviteRow.id)
            )
            return [_shown(row) for row in rows]

    async def revoke(self, invite_id: str, *, members_too: bool = False) -> tuple[str, int] | None:
        """Ends a link; with `members_too` also the access of those who came by it.

        The label, and how many members were removed; None when there is no such link (any more).
        """
        async with self._session.begin() as session:
            row = await session.get(_InviteRow, invite_id)
            if row is None:
                return None
            mine = _MemberRow.invite_id == invite_id
            removed = 0
            if members_too:
                removed = (
                    await session.execute(select(func.count()).select_from(_MemberRow).where(mine))
                ).scalar_one()
                await session.execute(delete(_MemberRow).where(mine))
            await session.delete(row)
            return row.label, removed

    async def admit(self, code: str, key: Key) -> Admission:
        """Whoever opens a link in a private chat; a member again costs no use of the link."""
        async with self._session.begin() as session:
            if await session.get(_MemberRow, tuple(key)) is not None:
                return "already"
            now = self._now()
            # One statement, so that two who come at once cannot both take the last place.
            taken = await session.scalars(
                update(_InviteRow)
                .where(
                    _InviteRow.code_hash == _hash(code),
                    _InviteRow.used < _InviteRow.uses,
                    _InviteRow.expires_at > now,
                )
                .values(used=_InviteRow.used + 1)
                .returning(_InviteRow.id)
                .execution_options(synchronize_session=False)
            )
            invite_id = taken.one_or_none()
            if invite_id is None:
                return "refused"
            session.add(
                _MemberRow(chat_id=key.chat_id, user_id=key.user_id, invite_id=invite_id, admitted_at=now)
            )
            return "admitted"

    async def is_member(self, key: Key) -> bool:
        """Whether /forget would take an access away."""
        async with self._session() as session:
            return await session.get(_MemberRow, tuple(key)) is not None

    async def members(self) -> int:
        """How many are admitted by links."""
        async with self._session() as session:
            return (await session.execute(select(func.count()).select_from(_MemberRow))).scalar_one()

    async def admit_group(self, chat_id: int) -> None:
        """Everybody in this group may ask."""
        async with self._session.begin() as session:
            await session.merge(_GroupRow(chat_id=chat_id, admitted_at=self._now()))

    async def dismiss_group(self, chat_id: int) -> bool:
        """Takes it back; False when the group was not admitted."""
        async with self._session.begin() as session:
            row = await session.get(_GroupRow, chat_id)
            if row is not None:
                await session.delete(row)
            return row is not None

    async def move_group(self, old: int, new: int) -> None:
        """A group that has become a supergroup has a new id."""
        if await self.dismiss_group(old):
            await self.admit_group(new)


def _hash(code: str) -> str:
    """Of 128 random bits: nothing to guess, so no salt and no slow hash."""
    return hashlib.sha256(code.encode()).hexdigest()


def _shown(row: _InviteRow) -> Invite:
    expires = row.expires_at if row.expires_at.tzinfo is not None else row.expires_at.replace(tzinfo=UTC)
    return Invite(row.id, row.label, row.uses, row.used, expires)
