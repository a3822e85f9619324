"""An answer that stands in the chat and changes: the newest content wins, at Telegram's pace."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from contextvars import Context
from dataclasses import dataclass

from aiogram.exceptions import AiogramError, TelegramForbiddenError
from aiogram.types import InlineKeyboardMarkup

from bot.telegram.delivery import Target

EDIT_INTERVAL = 3.0
"""Seconds between two edits of a message."""


@dataclass(frozen=True, slots=True)
class Content:
    """HTML messages in their order, and the buttons under the last."""

    parts: Sequence[str]
    keyboard: InlineKeyboardMarkup | None = None


class LiveMessage:
    """What was sent as one or more messages, and is replaced in place.

    `show` returns at once; of several contents shown within the interval only the last is sent. Messages that
    are no longer needed are deleted, further ones are sent. `on_blocked` is called when the user has blocked
    the bot; any other failure leaves what stands there.
    """

    def __init__(
        self,
        target: Target,
        sent: Sequence[int],
        content: Content,
        on_blocked: Callable[[], object],
        interval: float = EDIT_INTERVAL,
    ) -> None:
        """`sent`: ids of the messages that show `content` now."""
        self._target = target
        self._ids = list(sent)
        self._shown = content
        self._wanted = content
        self._on_blocked = on_blocked
        self._interval = interval
        self._edited = float("-inf")
        self._task: asyncio.Task[None] | None = None

    def show(self, content: Content) -> None:
        """Replaces the content as soon as the pace allows."""
        self._wanted = content
        if self._task is None and content != self._shown:
            # In a context of its own: it is no part of the update in whose handler it begins.
            self._task = asyncio.get_running_loop().create_task(self._catch_up(), context=Context())

    async def settled(self) -> None:
        """Returns when the last content stands in the chat (or could not be put there)."""
        if self._task is not None:
            await asyncio.wait([self._task])

    def stop(self) -> None:
        """Leaves what stands in the chat."""
        if self._task is not None:
            self._task.cancel()

    async def _catch_up(self) -> None:
        try:
            while self._wanted != self._shown:
                await asyncio.sleep(self._edited + self._interval - time.monotonic())
                wanted = self._wanted
                self._edited = time.monotonic()
                await self._replace(wanted)
                self._shown = wanted
        except TelegramForbiddenError:
            self._on_blocked()
        except AiogramError:
            self._shown = self._wanted  # a lost edit costs nothing but the wording
        finally:
            self._task = None

    async def _replace(self, content: Content) -> None:
        last = len(content.parts) - 1
        before = self._shown
        for number, part in enumerate(content.parts):
            keyboard = content.keyboard if number == last else None
            if number >= len(self._ids):
                self._ids.extend(await self._target.send_html([part], keyboard))
                continue
            had = before.keyboard if number == len(before.parts) - 1 else None
            same = number < len(before.parts) and before.parts[number] == part and had == keyboard
            if not same:
                await self._target.edit_html(self._ids[number], part, keyboard)
        for spare in self._ids[last + 1 :]:
            await self._target.delete(spare)
        del self._ids[last + 1 :]
