"""How long anything is kept, and the purge of what is older. docs/privacy.md says the same in words.

Every table of the bot has a rule here; a new one without a rule fails the tests.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import NoReturn

from sqlalchemy import Date, Table, and_, delete, exists, func, select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine
from sqlalchemy.sql import ColumnElement

# So that every table is known, whoever purges.
from bot import access, feedback, stats, upload_rows, users
from bot.database import Base, empty_log, open_database
from bot.telegram import hints, inbox

__all__ = ["RULES", "Rule", "keep_purging", "purge", "purge_database"]

logger = logging.getLogger(__name__)

EVERY = timedelta(days=1)
_MODULES = (access, feedback, stats, upload_rows, users, inbox, hints)


@dataclass(frozen=True, slots=True)
class Rule:
    """What of a table is too old: after `most` days, at the latest after RETENTION_DAYS unless `fixed`."""

    column: str
    most: int | None = None
    fixed: bool = False

    def days(self, retention: int) -> int:
        """Days that a row is kept."""
        if self.most is None:
            return retention
        return self.most if self.fixed else min(self.most, retention)


Special = Callable[[datetime], ColumnElement[bool]]
"""The rows to delete; gets the moment before which a person counts as gone."""


def _table(name: str) -> Table:
    return Base.metadata.tables[name]


def _silent_members(before: datetime) -> ColumnElement[bool]:
    """Admitted long ago, and nothing remembered in any chat is newer."""
    members, memory = _table("members"), _table("memory")
    active = exists().where(memory.c.user_id == members.c.user_id, memory.c.updated_at >= before)
    return and_(members.c.admitted_at < before, ~active)


def _consents_of_nobody(_before: datetime) -> ColumnElement[bool]:
    """They go with the memory of their author."""
    consents, memory = _table("consents"), _table("memory")
    same = (memory.c.chat_id == consents.c.chat_id, memory.c.user_id == consents.c.user_id)
    return ~exists().where(*same)


def _left_updates(_before: datetime) -> ColumnElement[bool]:
    """Ids of taken updates are kept for two days; what is older than its id was never dealt with."""
    waiting, taken = _table("inbox"), _table("taken_updates")
    return ~exists().where(taken.c.update_id == waiting.c.update_id)


RULES: Mapping[str, Rule | Special | None] = {
    # The order matters: members and consents look at the memories that are left.
    "memory": Rule("updated_at"),
    "buttons": Rule("created_at", most=30),
    "members": _silent_members,
    "consents": _consents_of_nobody,
    "voted_questions": Rule("day"),
    "votes": Rule("day", most=730, fixed=True),
    "uploads": Rule("created_at", most=7),
    "taken_updates": Rule("taken_at", most=2),
    "inbox": _left_updates,
    "hints": Rule("sent_at", most=2),
    "invites": Rule("expires_at", most=30),
    "usage": Rule("day", most=400, fixed=True),
    # Groups are not people; a row goes with /disallow, and when the bot leaves the group.
    "admitted_groups": None,
}


async def purge(
    engine: AsyncEngine, retention_days: int, now: Callable[[], datetime] = lambda: datetime.now(UTC)
) -> dict[str, int]:
    """Deletes what is too old; table → deleted rows, of tables that lost any."""
    deleted: dict[str, int] = {}
    moment = now()
    async with engine.begin() as connection:
        for name, rule in RULES.items():
            if rule is None:
                continue
            table = _table(name)
            if isinstance(rule, Rule):
                column, before = table.c[rule.column], moment - timedelta(days=rule.days(retention_days))
                old = column < (before.date() if isinstance(column.type, Date) else before)
            else:
                old = rule(moment - timedelta(days=retention_days))
            number = (
                await connection.execute(select(func.count()).select_from(table).where(old))
            ).scalar_one()
            if number:
                await connection.execute(delete(table).where(old))
                deleted[name] = number
    await empty_log(engine)
    return deleted


async def purge_database(database_url: str, retention_days: int) -> dict[str, int]:
    """`purge` of a database by its address. Raises DatabaseDamaged."""
    engine = await open_database(database_url)
    try:
        return await purge(engine, retention_days)
    finally:
        await engine.dispose()


async def keep_purging(engine: AsyncEngine, retention_days: int) -> NoReturn:
    """At the start and once a day, for ever."""
    while True:
        try:
            deleted = await purge(engine, retention_days)
            if deleted:
                logger.info("purged: %s", ", ".join(f"{name} {number}" for name, number in deleted.items()))
        except SQLAlchemyError as error:
            logger.error("the purge failed (%s); it is tried again tomorrow", type(error).__name__)
        await asyncio.sleep(EVERY.total_seconds())
