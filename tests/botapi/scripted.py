"""The bot in this process over an assistant that answers as it is told, for integration tests."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from answer.answer import Answer, Citation, Option
from answer.query import EMPTY_MEMORY, Memory, Scope, ScopeOptions
from bot.database import open_database
from bot.page_picture import PageSource
from bot.settings import BotSettings
from bot.telegram.app import run_bot
from bot.telegram.pace import EDIT_INTERVAL, Pace, Rate
from bot.users import Key, Users
from botapi.records import ANYA, Person, Sent
from botapi.server import TOKEN, BotApi
from botapi.state import PATIENCE
from index.book import Book, Page

BORIS = Person(2002, "<b>Боря</b>")
GROUP = {"id": -1005, "type": "supergroup", "title": "Класс"}
QUOTE = "Общество — это часть мира."


class Shelf:
    """Books of grades 9 and 10 without PDFs."""

    def __init__(self, *grades: int) -> None:
        page = Page(1, "1", "body", "", "")
        self.books = {
            f"o{grade}": Book(f"o{grade}", "Обществознание", "обществознание", (grade,), "0", 0, (page,), ())
            for grade in grades
        }

    def pdf(self, book_id: str) -> Path:
        raise OSError("no file")


class ScriptedAssistant:
    """Answers with the question and the grade it worked with; words in the question steer it.

    «Что такое» without a known grade asks for the grade, «сломай» fails, «долго» takes its time.
    """

    def __init__(self, *grades: int) -> None:
        self.library: PageSource = Shelf(*grades)
        self.asked: list[tuple[str, Memory, ScopeOptions]] = []
        self.at_work = threading.Event()
        self.gate = threading.Event()

    def ask(
        self,
        message: str,
        memory: Memory = EMPTY_MEMORY,
        options: ScopeOptions = ScopeOptions(),  # noqa: B008
    ) -> ScriptedReply:
        self.asked.append((message, memory, options))
        if "сломай" in message:
            raise RuntimeError(f"cannot read «{message}» with https://api.telegram.org/bot{TOKEN}/x")
        if "долго" in message:
            self.at_work.set()
            self.gate.wait(PATIENCE)
        grade = options.grade or memory.grade
        if grade is None and "Что такое" in message:
            choice = tuple(Option(f"{g} класс", grade=g) for g in (9, 10))
            clarify = Answer("clarify", "question", "В каком классе?", Scope(note="9, 10"), options=choice)
            return ScriptedReply(clarify, replace(memory, pending=message, pending_kind="grade"))
        source = Citation(
            "s1", f"o{grade}", "Обществознание", (grade or 0,), None, "3", "Тема", "7", 1, QUOTE
        )
        text = f"{message[:2000]} [{grade}]: {QUOTE}"
        answer = Answer("supported", "question", text, Scope(), sources=(source,), searched=message)
        return ScriptedReply(answer, replace(memory, grade=grade, last_question=message, pending=None))


class ScriptedReply:
    def __init__(self, answer: Answer, memory: Memory) -> None:
        self.answer, self.memory = answer, memory


class Running:
    """A bot that is polling the stand-in."""

    def __init__(self, api: BotApi, assistant: ScriptedAssistant, task: asyncio.Task[None]) -> None:
        self.api, self.assistant, self.task = api, assistant, task


def unhurried(edits: float = EDIT_INTERVAL) -> Pace:
    """No limits on sending, so that tests are quick; the stand-in has none unless a test asks for them."""
    rate = lambda: Rate(1e6, 1000)  # noqa: E731
    return Pace(everybody=rate(), private=rate, group=rate, edits=edits)


def settings_for(api: BotApi, folder: Path, **changes: Any) -> BotSettings:
    """Of a bot that talks to the stand-in and keeps its database and uploads in `folder`."""
    given = {
        "bot_token": SecretStr(TOKEN),
        "telegram_api_base": api.base,
        "database_url": f"sqlite+aiosqlite:///{folder / 'users.sqlite3'}",
        "upload_dir": folder / "uploads",
        **changes,
    }
    return BotSettings(_env_file=None, **given)


@asynccontextmanager
async def running(
    api: BotApi,
    settings: BotSettings,
    *grades: int,
    phraser: Any = None,
    pace: Pace | None = None,
) -> AsyncIterator[Running]:
    """A bot over books of these grades; it is stopped at the end as by SIGTERM."""
    assistant = ScriptedAssistant(*grades)
    task = asyncio.create_task(run_bot(assistant, settings, phraser, pace or unhurried()))
    try:
        yield Running(api, assistant, task)
    finally:
        assistant.gate.set()
        if not task.done():
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task


async def quiet(api: BotApi) -> None:
    """Until the bot has taken every update and worked off every lane."""
    await api.until(lambda: api.waiting_updates == 0)
    lanes = [t for t in asyncio.all_tasks() if getattr(t.get_coro(), "__qualname__", "") == "Lanes._work"]
    if lanes:
        await asyncio.wait(lanes, timeout=PATIENCE)


async def said(api: BotApi, text: str, **options: object) -> Sent:
    """The bot's last message after somebody has written `text`."""
    api.say(text, **options)
    await quiet(api)
    await api.until(lambda: api.unread())
    return [await api.next_message() for _ in api.unread()][-1]


async def acquaint(settings: BotSettings) -> None:
    """Everybody has been asked for the grade before, and has not named one."""
    engine = await open_database(settings.database_url)
    for chat_id in (ANYA.id, BORIS.id, GROUP["id"]):
        for user_id in (ANYA.id, BORIS.id, chat_id):
            await Users(engine).save(Key(chat_id, user_id), EMPTY_MEMORY)
    await engine.dispose()
