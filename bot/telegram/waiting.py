"""Waiting for an answer: «печатает…», and a line about the queue when many ask at once."""

from __future__ import annotations

import asyncio
import math
import time
from contextlib import suppress
from contextvars import Context
from types import TracebackType

from aiogram.exceptions import AiogramError

from bot.telegram.delivery import Target, Typing
from bot.telegram.desk import Desk
from bot.telegram.pace import Rate
from bot.telegram.texts import queue_line

LONG_WAIT = 10.0
"""Seconds of expected waiting from which on the user is told."""


class Patience:
    """Tells whoever will wait long, a few a second: the answers need the room more than the lines."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._lines = Rate(5.0, 5)
        self._tasks: set[asyncio.Task[None]] = set()

    def waiting(self, target: Target) -> Waiting:
        """A block in which the desk works for `target`."""
        over = asyncio.Event()
        seconds, private = self._desk.expected_wait(), target.chat_id > 0
        if private and seconds >= LONG_WAIT and self._lines.spare(time.monotonic()):
            text = queue_line(self._desk.waiting, 10 * math.ceil(seconds / 10))
            # Outside of the update's context: the line is no answer to it.
            line = asyncio.get_running_loop().create_task(_line(target, text, over), context=Context())
            self._tasks.add(line)
            line.add_done_callback(self._tasks.discard)
        return Waiting(target, over)

    async def close(self) -> None:
        """Lets go of the lines that are still shown."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


class Waiting:
    """Typing while the block runs; sets `over` at its end."""

    def __init__(self, target: Target, over: asyncio.Event) -> None:
        self._typing = Typing(target)
        self._over = over

    async def __aenter__(self) -> None:
        await self._typing.__aenter__()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        await self._typing.__aexit__(kind, error, trace)


async def _line(target: Target, text: str, over: asyncio.Event) -> None:
    """The line stays in the chat until `over`."""
    with suppress(AiogramError):
        message_id = await target.say(text)
        await over.wait()
        await target.delete(message_id)
