"""A bot in this process over real books: the sample textbooks, and a library in which two share a grade."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path

from answer.assistant import Assistant
from bot.settings import BotSettings
from bot.telegram.app import run_bot
from botapi.scripted import quiet, unhurried
from botapi.server import BotApi
from index.embedder import Embedder
from index.store import Store


@asynccontextmanager
async def talking(api: BotApi, settings: BotSettings, assistant: Assistant) -> AsyncIterator[None]:
    """The bot polls while the block runs, and has worked off everything at its end."""
    task = asyncio.create_task(run_bot(assistant, settings, pace=unhurried()))
    try:
        yield
        if not task.done():
            await quiet(api)
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


def store_of_one_grade(samples: Path, folder: Path, embedder: Embedder) -> Store:
    """Both sample textbooks as books of grade 10; the one of grade 9 is called «Человек и общество»."""
    store = Store(folder)
    parts, _ = Store(samples).read(embedder)
    for part in parts:
        ninth = part.book.grades == (9,)
        title = "Человек и общество" if ninth else part.book.title
        store.put(
            replace(part.book, grades=(10,), title=title),
            [replace(chunk, grades=(10,)) for chunk in part.chunks],
            part.vectors,
            part.sentences,
            part.sentence_vectors,
            part.pdf,
            embedder,
        )
    return store
