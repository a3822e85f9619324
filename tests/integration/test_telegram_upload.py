"""Textbooks sent in the chat: real PDFs, real ingestion as a child process, a real store and SQLite."""

from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from itertools import pairwise
from pathlib import Path

import pymupdf
import pytest
from botapi.records import Fault, Person, Refused, Sent
from botapi.scripted import settings_for, unhurried
from botapi.server import TOKEN, BotApi

from answer.assistant import Assistant
from bot.settings import BotSettings
from bot.telegram import upload_texts as texts
from bot.telegram.app import run_bot
from bot.telegram.pace import EDIT_INTERVAL
from bot.telegram.texts import BOOKS_BY_TEACHER
from bot.upload_dir import UploadDir

ROOT = Path(__file__).resolve().parents[2]
ADMIN, STUDENT = Person(5005, "Мария Ивановна"), Person(1001)
SLOW = 120
"""Seconds: the child loads the model and embeds."""


@pytest.fixture(scope="module")
def lesson(sample_pdfs: dict[int, Path]) -> bytes:
    """The first sheets of the sample textbook for grade 10, with § 1."""
    with pymupdf.open(sample_pdfs[10]) as book:
        book.select(range(7))
        return bytes(book.tobytes())


@pytest.fixture
def settings(api: BotApi, tmp_path: Path) -> Callable[..., BotSettings]:
    def make(**changes: object) -> BotSettings:
        return settings_for(api, tmp_path, **{"admin_ids": frozenset({ADMIN.id}), **changes})

    return make


@asynccontextmanager
async def running(settings: BotSettings, store: Path, edits: float = EDIT_INTERVAL) -> AsyncIterator[None]:
    assistant = await asyncio.to_thread(lambda: Assistant.open(store, missing_ok=True))
    task = asyncio.create_task(run_bot(assistant, settings, pace=unhurried(edits), store_dir=store))
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


def left_behind(uploads: Path) -> list[Path]:
    """Files under the upload directory, besides the lock of a running bot."""
    return [path for path in uploads.rglob("*") if path.is_file() and path.name != ".lock"]


def children() -> list[str]:
    """Command lines of the ingestions that run now."""
    found = []
    for process in Path("/proc").iterdir():
        if process.name.isdecimal():
            with suppress(OSError):
                line = process.joinpath("cmdline").read_bytes().replace(b"\0", b" ").decode()
                found += [line] if " -m ingest " in line else []
    return found


async def until_gone(upload: str) -> None:
    """No process works on this file any more."""
    for _ in range(600):
        if not any(upload in line for line in children()):
            return
        await asyncio.sleep(0.1)
    raise AssertionError(children())


async def next_with(api: BotApi, words: str) -> Sent:
    """The next message that holds these words; the others before it are passed over."""
    while True:
        message = await api.next_message(SLOW)
        if words in message.text:
            return message


async def test_a_teacher_sends_a_book_and_students_ask_it(
    api: BotApi, settings: Callable[..., BotSettings], lesson: bytes, tmp_path: Path
) -> None:
    async with running(settings(), tmp_path / "store"):
        # Without a caption the bot asks; the answer names the book.
        api.say(document=api.document(lesson, "scan0001.pdf"), by=ADMIN)
        asked = await api.next_message()
        assert asked.text == texts.ASK_NAME
        api.say("10", by=ADMIN)
        assert (await api.next_message()).text == texts.NAME_UNREADABLE
        api.say("10 класс обществознание", by=ADMIN)
        summary = await next_with(api, "загружен")
        assert asked.text.startswith("«Обществознание», 10 класс\n")
        assert "«Обществознание», 10 класс: загружен" in summary.text
        assert "Страниц: 7" in summary.text
        assert texts.READY in summary.text
        report = await next_with(api, texts.REPORT)
        assert report.document is not None
        assert "Что такое общество" in report.document.decode()
        assert "users" not in report.document.decode()
        # One message has shown the progress, and no faster than Telegram likes.
        shown = [text for _, text in asked.history]
        assert any("Чтение страниц" in text or "Смысл" in text for text in shown)
        times = [at for at, _ in asked.history]
        assert len(times) > 3
        assert all(later - earlier > 2.9 for earlier, later in pairwise(times[1:]))  # the first accepts
        assert asked.text.endswith(texts.DONE)
        assert not asked.buttons
        assert left_behind(tmp_path / "uploads") == []

        api.say("Что такое общество?", by=STUDENT)
        assert "Обществознание, 10 класс" in (await api.next_message(SLOW)).text
        api.say("/books", by=ADMIN)
        assert "страниц 7" in (await api.next_message()).text

        # The same name again: replace, beside, or not at all.
        api.say(document=api.document(lesson, "again.pdf"), caption="Обществознание 10 класс", by=ADMIN)
        question = await next_with(api, "уже есть")
        assert list(question.buttons) == [texts.REPLACE, texts.BESIDE, texts.CANCEL]
        api.press(question, texts.REPLACE, by=ADMIN)
        assert "ничего не изменилось" in (await next_with(api, "этот файл")).text

        # And away with it.
        api.say("/remove", by=ADMIN)
        listed = await api.next_message()
        api.press(listed, "Обществознание, 10 класс", by=ADMIN)
        sure = await api.next_message()
        api.press(sure, texts.REMOVE, by=ADMIN)
        await api.until(lambda: "убран" in sure.text)
        async with asyncio.timeout(SLOW):
            said = ""
            while said != texts.NO_BOOKS:  # the assistant looks at the store once a second
                await asyncio.sleep(0.3)
                api.say("/books", by=ADMIN)
                said = (await api.next_message()).text
    with sqlite3.connect(tmp_path / "users.sqlite3") as database:
        assert database.execute("SELECT count(*) FROM uploads").fetchone() == (0,)


async def test_cancel_ends_the_child_and_leaves_nothing(
    api: BotApi, settings: Callable[..., BotSettings], sample_pdfs: dict[int, Path], tmp_path: Path
) -> None:
    content = sample_pdfs[9].read_bytes()
    async with running(settings(), tmp_path / "store", edits=0.1):
        api.say(document=api.document(content, "o.pdf"), caption="9 класс обществознание", by=ADMIN)
        status = await next_with(api, "Принял")
        # A second one waits its turn.
        api.say(document=api.document(content, "o2.pdf"), caption="8 класс обществознание", by=ADMIN)
        second = await next_with(api, "в очереди: 1")
        await api.until(lambda: "Смысл" in status.text, SLOW)
        jobs = [path.name for path in (tmp_path / "uploads").rglob("upload-*.pdf")]
        assert len(jobs) == 1
        assert any(jobs[0] in line for line in children())
        api.press(second, texts.CANCEL, by=ADMIN)
        await api.until(lambda: second.text == texts.CANCELLED)
        api.press(status, texts.CANCEL, by=ADMIN)
        await api.until(lambda: status.text == texts.CANCELLED, SLOW)
        await until_gone(jobs[0])
        assert left_behind(tmp_path / "uploads") == []
        assert not (tmp_path / "store" / "manifest.json").exists()
        # What is over can be pressed once more.
        press = api.press(
            status, "", by=ADMIN, data=second.params["reply_markup"]["inline_keyboard"][0][0]["callback_data"]
        )
        await api.until(lambda: press in api.button_answers)
        assert api.button_answers[press]["text"] == texts.GONE


async def test_a_bot_that_is_stopped_lets_go_of_the_book_and_keeps_its_place(
    api: BotApi, settings: Callable[..., BotSettings], lesson: bytes, tmp_path: Path
) -> None:
    async with running(settings(), tmp_path / "store", edits=0.1):
        api.say(document=api.document(lesson, "o.pdf"), caption="10 класс обществознание", by=ADMIN)
        status = await next_with(api, "Принял")
        await api.until(lambda: "Чтение" in status.text, SLOW)
        job = next((tmp_path / "uploads").rglob("upload-*.pdf")).name
        stopped = time.monotonic()
    assert time.monotonic() - stopped < 10
    await until_gone(job)
    assert status.text == texts.INTERRUPTED
    assert not status.buttons
    assert left_behind(tmp_path / "uploads") == []
    with sqlite3.connect(tmp_path / "users.sqlite3") as database:
        rows = database.execute("SELECT state, attempts FROM uploads").fetchall()
    assert rows == [("waiting", 0)]


async def test_what_is_no_textbook_is_refused_with_words(
    api: BotApi, settings: Callable[..., BotSettings], lesson: bytes, tmp_path: Path
) -> None:
    async with running(settings(), tmp_path / "store", edits=0.1):
        # A teacher's help is longer than a student's.
        api.say("/help", by=ADMIN)
        assert "/remove" in (await api.next_message()).text
        # A student's PDF, with and without a caption, is none.
        api.say(document=api.document(lesson, "o.pdf"), by=STUDENT)
        assert (await api.next_message()).text == BOOKS_BY_TEACHER
        # The name and the type of a file prove nothing.
        api.say(document=api.document(b"PK\x03\x04 zip", "o.pdf"), caption="10 класс право", by=ADMIN)
        assert (await next_with(api, "PDF")).text == texts.NOT_PDF
        api.say(document=api.document(b"x", "o.docx", "application/msword"), caption="10 кл право", by=ADMIN)
        assert (await api.next_message()).text == texts.NOT_PDF
        # Beyond what Telegram hands to bots: told how to do it on the server.
        large = api.document(lesson, "o.pdf", file_size=25 * 2**20)
        api.say(document=large, caption="10 класс право", by=ADMIN)
        told = (await api.next_message()).text
        assert "25 МБ" in told
        assert "paragraf ingest" in told
        # It says less than it is: Telegram's own word counts, then the bytes that come.
        liar = api.document(lesson + b"\0" * (21 * 2**20), "o.pdf", file_size=100)
        api.say(document=liar, caption="10 класс право", by=ADMIN)
        assert "paragraf ingest" in (await next_with(api, "велик")).text
        # A file that Telegram has forgotten.
        api.fail(
            "getFile",
            Fault(Refused(400, "Bad Request: wrong file_id or the file is temporarily unavailable")),
        )
        api.say(document=api.document(lesson, "o.pdf"), caption="10 класс право", by=ADMIN)
        assert (await next_with(api, "пришлите".capitalize())).text == texts.FILE_GONE
        # Damaged inside: ingestion's own reason.
        api.say(document=api.document(b"%PDF-1.7\nnothing", "o.pdf"), caption="10 класс право", by=ADMIN)
        told = (await next_with(api, "поврежд")).text
        assert str(tmp_path) not in told
        last = next(message for message in reversed(api.sent) if message.history)
        await api.until(lambda: last.text.endswith(texts.NOT_LOADED))
        assert all(not message.text.endswith(texts.DONE) for message in api.sent)
        assert left_behind(tmp_path / "uploads") == []
    failed = [call.error for call in api.calls if call.error and not call.method.startswith("get")]
    assert failed == []


@asynccontextmanager
async def process(api: BotApi, tmp_path: Path) -> AsyncIterator[asyncio.subprocess.Process]:
    env = {
        "BOT_TOKEN": TOKEN,
        "TELEGRAM_API_BASE": api.base,
        "ADMIN_IDS": str(ADMIN.id),
        "OMP_NUM_THREADS": "1",
        "PYTHONPATH": str(ROOT),
    }
    command = [sys.executable, "-W", "error", "-m", "bot", "serve", "--telegram", "--store", "store"]
    bot = await asyncio.create_subprocess_exec(
        *command,
        cwd=tmp_path,
        env={**os.environ, **env},
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        yield bot
    finally:
        if bot.returncode is None:
            bot.kill()
        await bot.wait()


async def test_a_killed_bot_leaves_nothing_and_goes_on_after_its_restart(
    api: BotApi, lesson: bytes, tmp_path: Path
) -> None:
    uploads = tmp_path / "data" / "uploads"
    async with process(api, tmp_path) as bot:
        api.say(document=api.document(lesson, "o.pdf"), caption="10 класс обществознание", by=ADMIN)
        status = await next_with(api, "Принял")
        await api.until(lambda: "Чтение" in status.text or "Смысл" in status.text, SLOW)
        job = next(uploads.rglob("upload-*.pdf")).name
        bot.send_signal(signal.SIGKILL)
        await bot.wait()
    await until_gone(job)
    assert left_behind(uploads)  # a killed process cleans nothing up
    async with process(api, tmp_path):
        assert "загружен" in (await next_with(api, "«Обществознание», 10 класс: ")).text
        assert left_behind(uploads) == []
        assert len([path for path in uploads.iterdir() if path.is_dir()]) == 1
        api.say("Что такое общество?", by=STUDENT)
        assert "Обществознание, 10 класс" in (await next_with(api, "Обществознание, 10")).text


def test_a_directory_in_use_is_left_alone(tmp_path: Path) -> None:
    first, second = UploadDir(tmp_path), UploadDir(tmp_path)
    first.open()
    with first.job() as job:
        job.joinpath("a.pdf").write_bytes(b"x")
        second.open()
        second.close()
        assert job.joinpath("a.pdf").exists()
    first.close()
    assert list(tmp_path.iterdir()) == []
