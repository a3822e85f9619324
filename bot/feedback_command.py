"""`paragraf feedback export`: what students voted on, as evaluation cases for a teacher to look at."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError

from bot.database import open_database
from bot.errors import DatabaseDamaged, FileUnusable
from bot.feedback import Feedback, Voted


def export_votes(database_url: str, out: Path) -> str:
    """Writes the votes whose question may be shown; returns what to tell.

    Raises DatabaseDamaged (also where there is no such file: nothing is created), FileUnusable.
    """
    _must_exist(database_url)
    voted, good, bad = asyncio.run(_read(database_url))
    lines = [json.dumps(case_row(vote), ensure_ascii=False) for vote in voted]
    try:
        out.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    except OSError as exc:
        raise FileUnusable(f"{out}: не записать ({exc.strerror}).") from exc
    return _summary(voted, good, bad, out)


async def _read(database_url: str) -> tuple[Sequence[Voted], int, int]:
    engine = await open_database(database_url)
    try:
        feedback = Feedback(engine)
        return await feedback.voted(), *await feedback.totals()
    finally:
        await engine.dispose()


def case_row(vote: Voted) -> dict[str, Any]:
    """A row for `paragraf evaluate`: 👍 with what was quoted as gold, 👎 without and marked for review.

    The gold of a liked answer is what the student saw; a liked refusal is a question without an answer.
    """
    case = vote.case
    row: dict[str, Any] = {
        "id": case.case_id,
        "question": case.question,
        "grade": case.grade,
        "paragraph": case.paragraph,
        "vote": "good" if vote.good else "bad",
        "day": vote.day.isoformat(),
    }
    first = case.pages[0] if case.pages else None
    if first is None or not vote.good:
        shown = [{"book_id": p.book_id, "page": p.page, "quotes": list(p.quotes)} for p in case.pages]
        review = {} if vote.good else {"kind": "review", "review": True, "shown": shown}
        return {**row, **review, "gold_answer": None}
    cited = [page for page in case.pages if page.book_id == first.book_id]
    return {
        **row,
        "gold_book_id": first.book_id,
        "gold_paragraph": first.paragraph,
        "gold_pages": [page.page for page in cited if page.page is not None],
        "gold_file_pages": [page.file_page for page in cited],
        "gold_answer": list(dict.fromkeys(quote for page in cited for quote in page.quotes)),
    }


def _must_exist(database_url: str) -> None:
    try:
        url = make_url(database_url)
    except ArgumentError:
        return  # open_database says what is wrong with it
    if url.get_backend_name() == "sqlite" and url.database and not Path(url.database).is_file():
        raise DatabaseDamaged(
            f"Базы {url.database} нет. Укажите её: --database sqlite+aiosqlite:///ПУТЬ — или DATABASE_URL."
        )


def _summary(voted: Sequence[Voted], good: int, bad: int, out: Path) -> str:
    review = sum(not vote.good for vote in voted)
    lines = [f"Оценок: 👍 {good}, 👎 {bad}. С вопросом (с согласия учеников): {len(voted)}."]
    if voted:
        lines.append(f"Записаны в {out}; посмотреть самим: {review} с пометкой review.")
        lines.append(f"Проверить бота на них: paragraf evaluate {out}")
    else:
        lines.append(f"Файл {out} пуст: сохраняются только вопросы, на которые ученики дали согласие.")
    return "\n".join(lines)
