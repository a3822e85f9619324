"""An answer in two steps: the quotes at once, a model's words in their place when they are ready.

Without a model there is only the first step. With one, the quotes carry a hint («подбираю слова…»), and the
place in the queue when the wait is long. The newest question of a user wins: an older one keeps its quotes.
"""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from contextvars import Context
from dataclasses import dataclass
from typing import Protocol

from aiogram import Bot
from aiogram.exceptions import AiogramError, TelegramForbiddenError
from aiogram.types import InlineKeyboardMarkup

from answer.answer import Answer
from bot.html_parts import LIMIT, utf16_length
from bot.rendering import render
from bot.telegram.delivery import Target, Typing
from bot.telegram.hints import Hint, Hints
from bot.telegram.live_message import Content, LiveMessage
from bot.telegram.model_queue import ModelQueue
from bot.telegram.pace import EDIT_INTERVAL
from bot.telegram.texts import WORDING, WORDING_OVERTAKEN, wording_place
from bot.users import Key

logger = logging.getLogger(__name__)

LONG_WAIT = 10.0
"""Seconds of expected waiting from which on the place in the queue is shown."""
WAITING_LIMIT = 100
"""Answers that may wait for the model; beyond it the quotes simply stay."""
PLACES_PER_SECOND = 5.0
"""How many shown places are renewed in a second, over all users."""
PLACE_STEP = 0.75
"""A place is renewed when it has fallen to this share of the one shown: 40, 30, 22, 16…"""

KeyboardOf = Callable[[Answer], Awaitable[InlineKeyboardMarkup | None]]


class Phrases(Protocol):
    """What is needed of `answer.phrasing.Phraser`."""

    concurrency: int

    def wants(self, answer: Answer) -> bool: ...

    async def phrase(self, question: str, answer: Answer) -> Answer: ...


@dataclass(slots=True, eq=False)
class _Wording:
    """An answer whose words are on their way."""

    target: Target
    live: LiveMessage
    quotes: Content
    """The answer without a hint."""
    last_id: int
    """The message with the hint."""
    place: int | None = None
    """The place in the queue that is shown."""
    over: bool = False


class Answering:
    """Sends answers, and replaces them by a model's words where there is a model."""

    def __init__(
        self,
        phraser: Phrases | None = None,
        hints: Hints | None = None,
        *,
        interval: float = EDIT_INTERVAL,
    ) -> None:
        """`hints`: where hints are noted, so that `take_back_hints` finds them after a crash.

        `interval`: seconds between two edits of a message.
        """
        self._phraser = phraser
        self._hints = hints
        self._queue = ModelQueue(phraser.concurrency if phraser is not None else 1, WAITING_LIMIT)
        self._interval = interval
        self._wordings: dict[Key, _Wording] = {}
        self._endings: set[asyncio.Task[None]] = set()
        self._places: asyncio.Task[None] | None = None

    async def deliver(
        self, target: Target, key: Key, question: str, answer: Answer, keyboard: KeyboardOf
    ) -> None:
        """Sends the answer; returns when the quotes are in the chat.

        `keyboard` makes the buttons under an answer; it is asked again for the model's, whose sources differ.
        """
        quotes = Content(render(answer), await keyboard(answer))
        phraser = self._phraser
        if phraser is None or not phraser.wants(answer):
            await target.send_html(quotes.parts, quotes.keyboard)
            return
        self._overtake(key)
        hinted = _with_hint(quotes, WORDING)
        sent = await target.send_html(hinted.parts, hinted.keyboard)

        def blocked() -> None:
            self._drop(key)

        live = LiveMessage(target, sent, hinted, blocked, self._interval)
        wording = _Wording(target, live, quotes, sent[-1])

        async def phrase() -> None:
            content = quotes
            try:
                async with Typing(target):
                    phrased = await phraser.phrase(question, answer)
                if phrased.mode != "extractive":
                    buttons = asyncio.ensure_future(keyboard(phrased))
                    content = Content(render(phrased), await asyncio.shield(buttons))
            except TelegramForbiddenError:
                self._drop(key)
                return
            except Exception as error:
                # The quotes are in the chat already. The message could hold a text.
                logger.error("an answer stays without words: %s", type(error).__name__)
            self._end(key, wording, content)

        self._wordings[key] = wording
        if self._hints is not None:
            markup = quotes.keyboard.model_dump(exclude_none=True) if quotes.keyboard is not None else None
            await self._hints.keep(key, Hint(target.chat_id, sent[-1], quotes.parts[-1], markup))
        if wording.over:
            return  # overtaken or cancelled meanwhile
        if not self._queue.submit(key, phrase):
            self._end(key, wording, quotes)
        elif self._places is None:
            self._places = asyncio.create_task(self._renew_places())

    def _overtake(self, key: Key) -> None:
        """A newer question wants words: the older one keeps its quotes, and says why it stays without."""
        wording = self._wordings.get(key)
        if wording is not None:
            self._queue.cancel(key)
            self._end(key, wording, _with_hint(wording.quotes, WORDING_OVERTAKEN))

    def cancel(self, key: Key) -> None:
        """The user is done with it (/reset, /forget): the model stops, the quotes stay."""
        wording = self._wordings.get(key)
        if wording is not None:
            self._queue.cancel(key)
            self._end(key, wording, wording.quotes)

    async def take_back_hints(self, bot: Bot) -> None:
        """Of answers whose wording ended with an earlier process, which was killed."""
        if self._hints is None:
            return
        for hint in await self._hints.left():
            keyboard = InlineKeyboardMarkup.model_validate(hint.keyboard) if hint.keyboard else None
            with suppress(AiogramError):
                await Target(bot, hint.chat_id).edit_html(hint.message_id, hint.html, keyboard)
            await self._hints.drop(hint.chat_id, hint.message_id)

    async def close(self, grace: float) -> None:
        """Lets the running wordings end within `grace` seconds; the hints of all others are taken away.

        What cannot be taken away in time is left to the next start.
        """
        if self._places is not None:
            self._places.cancel()
        for key in self._queue.waiting:
            if isinstance(key, Key):
                self.cancel(key)
        await self._queue.close(grace)
        for key in list(self._wordings):
            self.cancel(key)
        if self._endings:
            _, late = await asyncio.wait(self._endings, timeout=grace)
            for ending in late:
                ending.cancel()
            await asyncio.gather(*late, return_exceptions=True)

    def _end(self, key: Key, wording: _Wording, content: Content | None) -> None:
        """`content` stays in the chat; None: nothing can be changed there any more."""
        if wording.over:
            return
        wording.over = True
        if self._wordings.get(key) is wording:
            del self._wordings[key]
        if content is not None:
            wording.live.show(content)
        ending = asyncio.create_task(self._settle(wording), context=Context())
        self._endings.add(ending)
        ending.add_done_callback(self._endings.discard)

    async def _settle(self, wording: _Wording) -> None:
        try:
            settled = await wording.live.settled()
        except asyncio.CancelledError:
            wording.live.stop()
            raise
        if settled and self._hints is not None:
            await self._hints.drop(wording.target.chat_id, wording.last_id)

    def _drop(self, key: Key) -> None:
        """The user has blocked the bot."""
        wording = self._wordings.get(key)
        if wording is not None:
            self._queue.cancel(key)
            self._end(key, wording, None)

    async def _renew_places(self) -> None:
        """Shows the places in the queue while anybody waits long."""
        try:
            while self._wordings:
                for key, wording in list(self._wordings.items()):
                    if self._renew(key, wording):
                        await asyncio.sleep(1 / PLACES_PER_SECOND)
                await asyncio.sleep(1.0)
        finally:
            self._places = None

    def _renew(self, key: Key, wording: _Wording) -> bool:
        """Shows one place where it is worth it; whether an edit was made."""
        ahead, seconds = self._queue.ahead(key), self._queue.expected_wait(key)
        if wording.over or ahead is None or seconds is None:
            return False
        if wording.place is None and seconds < LONG_WAIT:
            return False
        if wording.place is not None and ahead > wording.place * PLACE_STEP:
            return False
        wording.place = ahead
        hint = wording_place(ahead, 10 * math.ceil(seconds / 10)) if seconds >= LONG_WAIT else WORDING
        wording.live.show(_with_hint(wording.quotes, hint))
        return True


def _with_hint(content: Content, hint: str) -> Content:
    """The hint below the last part, where there is room for it."""
    *others, last = content.parts
    hinted = f"{last}\n\n<i>{hint}</i>"
    parts: Sequence[str] = [*others, hinted] if utf16_length(hinted) <= LIMIT else content.parts
    return Content(parts, content.keyboard)
