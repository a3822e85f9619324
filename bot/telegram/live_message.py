"""An answer that stands in the chat and changes: the newest content wins, at Telegram's pace."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from contextvars import Context
from dataclasses import dataclass

from aiogram.exceptions import AiogramError, TelegramBadRequest, TelegramForbiddenError
from aiogram.types import InlineKeyboardMarkup

from bot.telegram.delivery import Target
from bot.telegram.pace import EDIT_INTERVAL


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
        self._failed = False
        self._task: asyncio.Task[None] | None = None

    def show(self, content: Content) -> None:
        """Replaces the content as soon as the pace allows."""
        self._wanted = content
        if self._task is None and content != self._shown:
            # In a context of its own: it is no part of the update in whose handler it begins.
            self._task = asyncio.get_running_loop().create_task(self._catch_up(), context=Context())

    async def settled(self) -> bool:
        """Returns when nothing is left to do; False when Telegram did not take the last content."""
        if self._task is not None:
            await asyncio.wait([self._task])
        return not self._failed

    def stop(self) -> None:
        """Leaves what stands in the chat."""
        if self._task is not None:
            self._task.cancel()

    async def _catch_up(self) -> None:
        tried: Content | None = None
        try:
            while self._wanted not in (self._shown, tried):
                await asyncio.sleep(self._edited + self._interval - time.monotonic())
                tried = self._wanted
                self._failed = not await self._replaced(tried)
                self._edited = time.monotonic()
        finally:
            self._task = None

    async def _replaced(self, content: Content) -> bool:
        """False when Telegram is out of reach for longer than a request is repeated."""
        try:
            await self._replace(content)
            self._shown = content
        except TelegramForbiddenError:
            self._on_blocked()
        except TelegramBadRequest:
            pass  # the user has deleted the message
        except AiogramError:
            return False
        return True

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
