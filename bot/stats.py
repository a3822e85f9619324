"""Counts for /stats that outlive a restart. A number per day and name; nothing about any person.

One table, `usage`. Counting is in memory; `write` adds what came together to the table.
"""

from __future__ import annotations

import bisect
import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from sqlalchemy import Date, Integer, String, select
from sqlalchemy.ext.asyncio import AsyncEngine, async_sessionmaker
from sqlalchemy.orm import Mapped, mapped_column

from bot.database import Base

SECONDS = (0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 5.0, 7.5, 10.0, 15.0, 20.0, 30.0, 60.0, 120.0)
"""Upper borders of the classes into which answer times fall; slower ones count as the last."""


class _UsageRow(Base):
    __tablename__ = "usage"

    day: Mapped[date] = mapped_column(Date, primary_key=True)
    name: Mapped[str] = mapped_column(String(16), primary_key=True)
    label: Mapped[str] = mapped_column(String(80), primary_key=True)
    number: Mapped[int] = mapped_column(Integer)


@dataclass(frozen=True, slots=True)
class Usage:
    """Counts of some days: name → label → number."""

    counts: Mapping[str, Mapping[str, int]]

    def of(self, name: str) -> Mapping[str, int]:
        """Label → number; empty where nothing was counted."""
        return self.counts.get(name, {})

    def total(self, name: str) -> int:
        """All labels together."""
        return sum(self.of(name).values())

    def seconds(self, share: float) -> float | None:
        """The time within which this share of the answers came: the upper border of its class; None without
        any answer.
        """
        times = sorted((float(label), number) for label, number in self.of("seconds").items())
        left = share * sum(number for _, number in times)
        for border, number in times:
            left -= number
            if left <= 0:
                return border
        return None


class Tally:
    """Counts now, writes later. Threads may share it."""

    def __init__(self, today: Callable[[], date] = lambda: datetime.now(UTC).date()) -> None:
        self._today = today
        self._lock = threading.Lock()
        self._counts: Counter[tuple[date, str, str]] = Counter()

    def add(self, name: str, label: str = "") -> None:
        """One more."""
        with self._lock:
            self._counts[self._today(), name, label[:80]] += 1

    def add_seconds(self, seconds: float) -> None:
        """The time of one answer."""
        border = SECONDS[min(bisect.bisect_left(SECONDS, seconds), len(SECONDS) - 1)]
        self.add("seconds", str(border))

    async def write(self, engine: AsyncEngine) -> None:
        """Adds what was counted since the last time to the table."""
        with self._lock:
            counts, self._counts = self._counts, Counter()
        if not counts:
            return
        try:
            async with async_sessionmaker(engine).begin() as session:
                for (day, name, label), number in counts.items():
                    row = await session.get(_UsageRow, (day, name, label))
                    if row is None:
                        session.add(_UsageRow(day=day, name=name, label=label, number=number))
                    else:
                        row.number += number
        except BaseException:
            with self._lock:
                self._counts.update(counts)
            raise

    async def usage(self, engine: AsyncEngine, days: int) -> Usage:
        """The last `days` days, today among them; what is not written yet is written first."""
        await self.write(engine)
        since = self._today() - timedelta(days=days - 1)
        async with async_sessionmaker(engine)() as session:
            rows: Sequence[_UsageRow] = (
                await session.scalars(select(_UsageRow).where(_UsageRow.day >= since))
            ).all()
        counts: dict[str, Counter[str]] = {}
        for row in rows:
            counts.setdefault(row.name, Counter())[row.label] += row.number
        return Usage(counts)
