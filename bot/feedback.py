"""👍 and 👎: an anonymous vote, and with the student's consent the question that it is about.

Three tables:

- `votes`: a random case id, the grade, § and book asked about, the verdict and the day. Nobody's name or id;
- `voted_questions`: question and cited pages of a vote whose author has agreed; with the author's key, so
  that /forget and the withdrawal of the consent erase it;
- `consents`: who was asked, and what the answer was.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any, Literal

from sqlalchemy import JSON, BigInteger, Boolean, Date, Integer, String, Text, delete, func, select
from sqlalchemy.ext.asyncio import AsyncEngine, async_sessionmaker
from sqlalchemy.orm import Mapped, mapped_column

from bot.clean_text import clean
from bot.database import Base
from bot.users import Key

Consent = Literal["unasked", "asked", "yes", "no"]
Counted = Literal["new", "changed", "same"]
QUESTION_LIMIT = 1000
"""Characters of a question that are kept."""


@dataclass(frozen=True, slots=True)
class CasePage:
    """A page that an answer quoted."""

    book_id: str
    file_page: int
    page: str | None
    paragraph: str | None
    quotes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Case:
    """An answer that can be voted on. `question` and `pages` are stored with consent only."""

    case_id: str
    question: str
    grade: int | None
    paragraph: str | None
    book_id: str | None
    pages: tuple[CasePage, ...] = ()


@dataclass(frozen=True, slots=True)
class Voted:
    """A case as it was stored."""

    case: Case
    good: bool
    day: date


def new_case_id() -> str:
    """Random: says nothing about whose case it is."""
    return secrets.token_hex(8)


class _VoteRow(Base):
    __tablename__ = "votes"

    case_id: Mapped[str] = mapped_column(String(16), primary_key=True)
    grade: Mapped[int | None] = mapped_column(Integer)
    paragraph: Mapped[str | None] = mapped_column(String(40))
    book_id: Mapped[str | None] = mapped_column(String(200))
    good: Mapped[bool] = mapped_column(Boolean)
    day: Mapped[date] = mapped_column(Date)


class _QuestionRow(Base):
    __tablename__ = "voted_questions"

    case_id: Mapped[str] = mapped_column(String(16), primary_key=True)
    chat_id: Mapped[int] = mapped_column(BigInteger, index=True)
    user_id: Mapped[int] = mapped_column(BigInteger)
    question: Mapped[str] = mapped_column(Text)
    pages: Mapped[list[dict[str, Any]]] = mapped_column(JSON)
    """Fields of `CasePage`."""
    day: Mapped[date] = mapped_column(Date)


class _ConsentRow(Base):
    __tablename__ = "consents"

    chat_id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    user_id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    agreed: Mapped[bool | None] = mapped_column(Boolean)
    """None: asked, not answered yet."""


class Feedback:
    """Votes, consents and voted questions, in the database of `bot.database`."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._session = async_sessionmaker(engine, expire_on_commit=False)

    async def vote(self, key: Key, case: Case, good: bool) -> Counted:
        """Counts a vote once per case; another verdict replaces it. With consent the question is kept too."""
        today = datetime.now(UTC).date()
        async with self._session.begin() as session:
            row = await session.get(_VoteRow, case.case_id)
            counted: Counted = "new" if row is None else "same" if row.good == good else "changed"
            paragraph, book_id = (case.paragraph or "")[:40] or None, (case.book_id or "")[:200] or None
            await session.merge(
                _VoteRow(
                    case_id=case.case_id,
                    grade=case.grade,
                    paragraph=paragraph,
                    book_id=book_id,
                    good=good,
                    day=today,
                )
            )
        if await self.consent(key) == "yes":
            await self.keep_question(key, case)
        return counted

    async def consent(self, key: Key) -> Consent:
        """Whether voted questions of this user in this chat may be kept."""
        async with self._session() as session:
            row = await session.get(_ConsentRow, tuple(key))
        if row is None:
            return "unasked"
        return "asked" if row.agreed is None else "yes" if row.agreed else "no"

    async def set_consent(self, key: Key, agreed: bool | None) -> None:
        """Remembers the answer (None: the question was asked). «No» erases what was kept."""
        async with self._session.begin() as session:
            await session.merge(_ConsentRow(chat_id=key.chat_id, user_id=key.user_id, agreed=agreed))
            if agreed is False:
                mine = (_QuestionRow.chat_id == key.chat_id, _QuestionRow.user_id == key.user_id)
                await session.execute(delete(_QuestionRow).where(*mine))

    async def keep_question(self, key: Key, case: Case) -> None:
        """Stores the question of a voted case; the caller has the consent."""
        pages = [
            {
                "book_id": page.book_id,
                "file_page": page.file_page,
                "page": page.page,
                "paragraph": page.paragraph,
                "quotes": list(page.quotes),
            }
            for page in case.pages
        ]
        async with self._session.begin() as session:
            await session.merge(
                _QuestionRow(
                    case_id=case.case_id,
                    chat_id=key.chat_id,
                    user_id=key.user_id,
                    question=clean(case.question)[:QUESTION_LIMIT],
                    pages=pages,
                    day=datetime.now(UTC).date(),
                )
            )

    async def voted(self) -> Sequence[Voted]:
        """The votes whose question may be shown to a teacher, oldest first."""
        query = (
            select(_VoteRow, _QuestionRow)
            .join(_QuestionRow, _QuestionRow.case_id == _VoteRow.case_id)
            .order_by(_VoteRow.day, _VoteRow.case_id)
        )
        async with self._session() as session:
            rows = (await session.execute(query)).all()
        return [Voted(_case(vote, question), vote.good, vote.day) for vote, question in rows]

    async def totals(self) -> tuple[int, int]:
        """All votes: 👍, 👎."""
        query = select(_VoteRow.good, func.count()).group_by(_VoteRow.good)
        async with self._session() as session:
            rows = (await session.execute(query)).all()
        counts = {bool(good): int(count) for good, count in rows}
        return counts.get(True, 0), counts.get(False, 0)


def _case(vote: _VoteRow, question: _QuestionRow) -> Case:
    pages = tuple(CasePage(**{**page, "quotes": tuple(page["quotes"])}) for page in question.pages)
    return Case(vote.case_id, question.question, vote.grade, vote.paragraph, vote.book_id, pages)
