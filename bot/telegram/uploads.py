"""Textbooks that admins send: a queue in the database, one at a time, read by a child process.

A row is kept until its book is loaded or given up, so a restart goes on where it was; the file itself is
fetched again. Progress stands in one message per book, with a button that ends the work.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aiogram import Bot
from aiogram.exceptions import AiogramError
from aiogram.filters.callback_data import CallbackData
from aiogram.types import BufferedInputFile, InlineKeyboardButton, InlineKeyboardMarkup

from bot.caption import Wish
from bot.ingest_child import IngestTimeout, run_ingest
from bot.metrics import Meters
from bot.page_picture import PageSource
from bot.rendering import plain_html
from bot.telegram import upload_texts as texts
from bot.telegram.delivery import Target
from bot.telegram.file_fetch import PUBLIC_LIMIT, UploadRefused, fetch
from bot.telegram.live_message import Content, LiveMessage
from bot.telegram.texts import internal_error
from bot.upload_dir import UploadDir
from bot.upload_rows import Upload, UploadRows
from index.store import Store

logger = logging.getLogger(__name__)

ATTEMPTS = 2
"""A book on which the bot has died that often is given up."""
REPORT_LIMIT = 45 * 1024 * 1024
"""Bytes; Telegram takes 50 MB of a bot."""
DISK_FACTOR = 4
"""Free bytes needed for each byte of the file: itself, its copy in the store, vectors, the report."""
LAST_WORD = 2.0
"""Seconds to say that the bot is stopping, or to end what is said of a book that is loaded."""
STORED = ("ok", "partial", "unchanged")
"""Outcomes after which students may ask."""
RELOAD_TRIES = 10
"""Seconds in which the assistant should have taken the new book up."""

Library = Callable[[], Awaitable[PageSource]]


class UploadData(CallbackData, prefix="up"):
    """Buttons under an upload: cancel, replace, beside."""

    upload_id: str
    what: str


@dataclass(slots=True)
class _Current:
    """The book in work."""

    upload_id: str
    task: asyncio.Task[None]
    cancelled: bool = False
    """By its teacher; otherwise the bot is stopping."""
    stored: bool = False
    """Ingestion is over; there is nothing left to cancel."""


class Uploads:
    """See the module. `run` works the queue off for ever; `close` ends it."""

    def __init__(
        self,
        bot: Bot,
        rows: UploadRows,
        directory: UploadDir,
        store_dir: Path,
        library: Library,
        meters: Meters,
        *,
        seconds: float,
        largest: int,
        edit_interval: float,
    ) -> None:
        """`seconds` and `largest` (bytes): for one book. Without --local Telegram allows only 20 MB.

        `edit_interval`: seconds between two edits of a message.
        """
        self._edit_interval = edit_interval
        self._bot = bot
        self.rows = rows
        self._directory = directory
        self._store_dir = store_dir
        self._library = library
        self._meters = meters
        self._seconds = seconds
        self.local = bot.session.api.is_local
        self.largest = largest if self.local else min(largest, PUBLIC_LIMIT)
        self._wake = asyncio.Event()
        self._current: _Current | None = None

    # --- what teachers do -------------------------------------------------------------------------------

    async def name(self, upload: Upload, wish: Wish) -> None:
        """Its grade and title are known: into the queue, unless a book of that name is there already."""
        same = _same_book(await self._library(), wish)
        await self.rows.change(upload.id, wish=wish, state="twice" if same else "waiting")
        if same is not None:
            choice = keyboard(upload.id, ("r", texts.REPLACE), ("b", texts.BESIDE), ("c", texts.CANCEL))
            await self._say(upload, texts.twice(wish), choice)
            return
        await self._queued(upload, wish)

    async def decide(self, upload: Upload, beside: bool) -> None:
        """What to do with the book of the same name that is there."""
        if upload.wish is None or upload.state != "twice":
            return
        books = (await self._library()).books
        same = _same_book(await self._library(), upload.wish)
        book_id = same
        if same is not None and beside:
            book_id = next(name for n in range(2, 1000) if (name := f"{same[:75]}-{n}") not in books)
        await self.rows.change(upload.id, state="waiting", book_id=book_id)
        await self._queued(upload, upload.wish)

    async def cancel(self, upload: Upload) -> None:
        """Ends the work on it, or takes it out of the queue."""
        current = self._current
        if current is not None and current.upload_id == upload.id:
            if not current.stored:
                current.cancelled = True
                current.task.cancel()
            return
        await self.rows.drop(upload.id)
        await self._say(upload, texts.CANCELLED)

    async def _queued(self, upload: Upload, wish: Wish) -> None:
        waiting = [other.id for other in await self.rows.all("waiting", "reading") if other.id != upload.id]
        await self._say(upload, texts.accepted(wish, len(waiting)), keyboard(upload.id, ("c", texts.CANCEL)))
        self._meters.uploads_waiting(len(waiting) + 1)
        self._wake.set()

    async def _say(self, upload: Upload, text: str, buttons: InlineKeyboardMarkup | None = None) -> None:
        """Into the message that shows how far this book is; the first time a new one."""
        target = Target(self._bot, upload.key.chat_id)
        known = (await self.rows.get(upload.id)) or upload
        if known.message_id is not None:
            with suppress(AiogramError):
                await target.edit_html(known.message_id, _html(text), buttons)
                return
        message_id = (await target.send_html([_html(text)], buttons))[-1]
        await self.rows.change(upload.id, message_id=message_id)

    # --- the queue --------------------------------------------------------------------------------------

    async def run(self) -> None:
        """Works off what waits, also what a stopped process had begun; until cancelled."""
        try:
            await asyncio.to_thread(self._directory.open)
        except OSError as error:
            logger.error("textbooks from the chat cannot be read: UPLOAD_DIR: %s", error.strerror)
            return
        await self._recover()
        while True:
            self._wake.clear()
            waiting = await self.rows.all("waiting")
            self._meters.uploads_waiting(len(waiting))
            if waiting:
                await self._work(waiting[0])
            else:
                await self._wake.wait()

    def close(self) -> None:
        """After `run` has been cancelled: leaves no file behind."""
        self._directory.close()

    async def _recover(self) -> None:
        for upload in await self.rows.all("reading"):
            with suppress(AiogramError):
                await self._say(upload, texts.AGAIN if upload.attempts < ATTEMPTS else texts.GIVEN_UP)
            if upload.attempts < ATTEMPTS:
                await self.rows.change(upload.id, state="waiting")
            else:
                await self.rows.drop(upload.id)

    async def _work(self, upload: Upload) -> None:
        wish = upload.wish
        if wish is None:
            await self.rows.drop(upload.id)
            return
        await self.rows.change(upload.id, state="reading", attempts=upload.attempts + 1)
        stop = keyboard(upload.id, ("c", texts.CANCEL))
        before = Store(self._store_dir).version()
        first = _content(texts.progress(wish, texts.STARTED, 0, 0), stop)
        target = Target(self._bot, upload.key.chat_id)
        ids = [upload.message_id] if upload.message_id is not None else []
        live = LiveMessage(target, ids, _content("", None), lambda: None, self._edit_interval)
        live.show(first)
        task = asyncio.create_task(self._load(upload, wish, live, stop))
        current = self._current = _Current(upload.id, task)
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError:
            if not current.stored:
                task.cancel()
            await asyncio.wait([task], timeout=LAST_WORD)
            task.cancel()  # of a stored book only the last words are missing, and Telegram does not take them
            await asyncio.wait([task])
            if not current.cancelled and await self.rows.get(upload.id) is not None:
                # Back into the queue, and not counted: the bot was asked to stop.
                await self.rows.change(upload.id, state="waiting", attempts=upload.attempts)
                live.show(_content(texts.INTERRUPTED, None))
                with suppress(TimeoutError):
                    async with asyncio.timeout(LAST_WORD):
                        await live.settled()
            raise
        finally:
            self._current = None
        if current.cancelled:
            self._meters.upload("cancelled")
            await self.rows.drop(upload.id)
            changed = Store(self._store_dir).version() != before
            live.show(_content(texts.CANCELLED_LATE if changed else texts.CANCELLED, None))
            await live.settled()

    async def _load(self, upload: Upload, wish: Wish, live: LiveMessage, stop: InlineKeyboardMarkup) -> None:
        """One book, from Telegram into the store. Every end but a cancellation is told."""
        html: bytes | None = None
        try:
            with self._directory.job() as job:
                text, html, outcome = await self._read(upload, wish, job, live, stop)
        except UploadRefused as refused:
            text, outcome = str(refused), "refused"
        except IngestTimeout:
            text, outcome = texts.too_slow(round(self._seconds / 60)), "timeout"
        except Exception:
            number = secrets.token_hex(3).upper()
            logger.exception("error %s with an uploaded textbook", number)
            text, outcome = internal_error(number), "error"
        self._meters.upload(outcome)
        await self.rows.drop(upload.id)
        last = texts.DONE if outcome in STORED else texts.NOT_LOADED
        live.show(_content(texts.progress(wish, last, 0, 0), None))
        await self._report(Target(self._bot, upload.key.chat_id), wish, live, text, html)

    async def _read(
        self, upload: Upload, wish: Wish, job: Path, live: LiveMessage, stop: InlineKeyboardMarkup
    ) -> tuple[str, bytes | None, str]:
        """What to say, the report, and the outcome for the metrics. Raises UploadRefused, IngestTimeout."""
        if self._directory.free_bytes() < DISK_FACTOR * upload.size:
            raise UploadRefused(texts.NO_ROOM)
        pdf, html = job / f"upload-{upload.id}.pdf", job / "report.html"
        await fetch(self._bot, upload.file_id, pdf, self.largest)
        live.show(_content(texts.progress(wish, texts.READING, 0, 0), stop))

        def progress(step: str, done: int, total: int) -> None:
            live.show(_content(texts.progress(wish, step, done, total), stop))

        ended = await run_ingest(
            pdf,
            wish,
            self._store_dir,
            html,
            seconds=self._seconds,
            progress=progress,
            book_id=upload.book_id,
        )
        if self._current is not None:
            self._current.stored = True
        report = _without_paths(ended.report, job)
        if report is None:
            return texts.problem(wish, (ended.problem or "").replace(str(job), "")), None, "failed"
        status = str(report.get("status"))
        if status not in STORED:
            return texts.failed(wish, report), None, "failed"
        ready = await self._taken_up(str(report.get("book_id")))
        written = await asyncio.to_thread(html.read_bytes) if html.is_file() else None
        return texts.summary(wish, report, ready), written if status != "unchanged" else None, status

    async def _taken_up(self, book_id: str) -> bool:
        """Whether the running assistant serves the book now."""
        for _ in range(RELOAD_TRIES):
            await asyncio.sleep(1.0)
            if book_id in (await self._library()).books:
                return True
        return False

    async def _report(
        self, target: Target, wish: Wish, live: LiveMessage, text: str, html: bytes | None
    ) -> None:
        with suppress(AiogramError):
            await target.say(text)
            await live.settled()
            if html is not None and len(html) <= REPORT_LIMIT:
                name = f"report-{'-'.join(map(str, wish.grades))}.html"
                await self._bot.send_document(
                    target.chat_id, BufferedInputFile(html, name), caption=texts.REPORT, parse_mode=None
                )
            elif html is not None:
                await target.say(texts.REPORT_TOO_LARGE)


def keyboard(upload_id: str, *buttons: tuple[str, str]) -> InlineKeyboardMarkup:
    """A row per (what, label)."""
    rows = [
        [InlineKeyboardButton(text=label, callback_data=UploadData(upload_id=upload_id, what=what).pack())]
        for what, label in buttons
    ]
    return InlineKeyboardMarkup(inline_keyboard=rows)


def _content(text: str, buttons: InlineKeyboardMarkup | None) -> Content:
    return Content([_html(text)], buttons)


def _html(text: str) -> str:
    return "\n".join(map(plain_html, text.split("\n")))


def _same_book(library: PageSource, wish: Wish) -> str | None:
    """Id of the loaded book with this title and these grades."""
    for book in library.books.values():
        if book.title.casefold() == wish.title.casefold() and book.grades == wish.grades:
            return book.book_id
    return None


def _without_paths(report: Mapping[str, Any] | None, job: Path) -> dict[str, Any] | None:
    """Warnings name the file by its path on the server, which is nobody's business."""
    if report is None:
        return None
    warnings = [str(text).replace(f"{job}/", "") for text in report.get("warnings", ())]
    return {**report, "warnings": warnings}
