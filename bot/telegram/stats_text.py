"""/stats: how the bot is used, in numbers. No person can be told from them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncEngine

from bot.access import Access
from bot.database import Base
from bot.metrics import Meters
from bot.stats import Usage
from index.book import Book

DAYS = 7
_STATUS = {
    "supported": "с ответом",
    "generated_checked": "с ответом",
    "generated_unverified": "с ответом",
    "insufficient": "отказов",
    "clarify": "уточнений",
}
_MODEL = {"worded": "ответов", "kept": "осталось цитатами", "cancelled": "прервано", "error": "ошибок"}
_REFUSED = {"access": "без доступа", "rate": "слишком часто", "daily": "больше дневного"}


async def people_since(engine: AsyncEngine, days: int) -> int:
    """How many people have written in the last `days` days."""
    memory = Base.metadata.tables["memory"]
    since = datetime.now(UTC) - timedelta(days=days)
    number = select(func.count(memory.c.user_id.distinct())).where(memory.c.updated_at >= since)
    async with engine.connect() as connection:
        return (await connection.execute(number)).scalar_one()


async def statistics(
    engine: AsyncEngine, access: Access, meters: Meters, books: Mapping[str, Book], uploads_waiting: int
) -> str:
    """The message."""
    today = await meters.tally.usage(engine, 1)
    week = await meters.tally.usage(engine, DAYS)
    people_today, people_week = await people_since(engine, 1), await people_since(engine, DAYS)
    lines = [
        f"Учеников: сегодня {people_today}, за {DAYS} дней {people_week}"
        + (f"; по ссылкам вошли {await access.members()}" if access.invited_only else ""),
        f"Вопросов: сегодня {today.total('status')}, за {DAYS} дней {week.total('status')}",
    ]
    if week.total("status"):
        lines += ["", f"За {DAYS} дней:", _shares(week)]
        fast, slow = week.seconds(0.5), week.seconds(0.95)
        if fast is not None and slow is not None:
            lines.append(f"• время ответа: половина до {fast:g} с, 95 % до {slow:g} с".replace(".", ","))
    for title, name, words in (("модель", "model", _MODEL), ("не принято", "refused", _REFUSED)):
        if week.total(name):
            lines.append(f"• {title}: " + _listed(week, name, words))
    lines.append(f"• ошибок: {week.total('error')}")
    if week.total("book"):
        lines += ["", "По учебникам:", *_books(week, books)]
    lines += ["", f"Сейчас в очереди: вопросов {meters.waiting}, учебников {uploads_waiting}"]
    return "\n".join(lines)


def _shares(usage: Usage) -> str:
    """«• с ответом 82 %, отказов 12 %, уточнений 6 %»."""
    total, groups = usage.total("status"), dict.fromkeys(_STATUS.values(), 0)
    for status, number in usage.of("status").items():
        groups[_STATUS.get(status, "с ответом")] += number
    return "• " + ", ".join(f"{name} {round(100 * number / total)} %" for name, number in groups.items())


def _listed(usage: Usage, name: str, words: Mapping[str, str]) -> str:
    return ", ".join(
        f"{words.get(label, label)} {number}" for label, number in sorted(usage.of(name).items())
    )


def _books(usage: Usage, books: Mapping[str, Book]) -> list[str]:
    most = sorted(usage.of("book").items(), key=lambda item: (-item[1], item[0]))[:15]
    return [f"• {_title(book_id, books)}: {number}" for book_id, number in most]


def _title(book_id: str, books: Mapping[str, Book]) -> str:
    book = books.get(book_id)
    return (
        f"{book.title}, {', '.join(map(str, book.grades))} класс"
        if book is not None
        else f"{book_id} (убран)"
    )
