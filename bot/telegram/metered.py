"""The parts of the bot that are measured: the same, with a counter beside them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence

from aiogram import Bot
from aiogram.client.session.middlewares.base import BaseRequestMiddleware, NextRequestMiddlewareType
from aiogram.exceptions import (
    TelegramBadRequest,
    TelegramConflictError,
    TelegramForbiddenError,
    TelegramNetworkError,
    TelegramRetryAfter,
    TelegramServerError,
    TelegramUnauthorizedError,
)
from aiogram.methods import Response, TelegramMethod
from aiogram.methods.base import TelegramType

from answer.another import Shown
from answer.answer import Answer
from answer.query import Memory, Scope, ScopeOptions
from bot.metrics import Meters
from bot.telegram.answering import Phrases
from bot.telegram.desk import Asks, Desk

_OUTCOMES: Sequence[tuple[type[Exception], str]] = (
    (TelegramRetryAfter, "flood"),
    (TelegramNetworkError, "network"),
    (TelegramServerError, "server"),
    (TelegramForbiddenError, "forbidden"),
    (TelegramConflictError, "conflict"),
    (TelegramUnauthorizedError, "unauthorized"),
    (TelegramBadRequest, "refused"),
)


class MeteredRequests(BaseRequestMiddleware):
    """Counts every single request; to be registered after what repeats requests."""

    def __init__(self, meters: Meters) -> None:
        self._meters = meters

    async def __call__(
        self,
        make_request: NextRequestMiddlewareType[TelegramType],
        bot: Bot,
        method: TelegramMethod[TelegramType],
    ) -> Response[TelegramType]:
        name = method.__api_method__
        try:
            response = await make_request(bot, method)
        except Exception as error:
            self._meters.requested(
                name, next((o for kind, o in _OUTCOMES if isinstance(error, kind)), "error")
            )
            raise
        self._meters.requested(name, "ok")
        return response


class MeteredDesk(Desk):
    """Counts answers, and the questions that wait."""

    def __init__(self, assistant: Asks, meters: Meters) -> None:
        super().__init__(assistant)
        self._meters = meters

    async def ask(self, message: str, memory: Memory, options: ScopeOptions) -> tuple[Answer, Memory]:
        with self._meters.at_desk():
            answer, memory = await super().ask(message, memory, options)
        self._meters.answered(answer)
        return answer, memory

    async def again(self, question: str, scope: Scope, *, detailed: bool = False) -> Answer:
        with self._meters.at_desk():
            answer = await super().again(question, scope, detailed=detailed)
        self._meters.answered(answer)
        return answer

    async def another(self, question: str, scope: Scope, shown: Shown) -> Answer:
        with self._meters.at_desk():
            answer = await super().another(question, scope, shown)
        self._meters.answered(answer)
        return answer


class MeteredPhraser:
    """Counts what a model makes of answers."""

    def __init__(self, phraser: Phrases, meters: Meters) -> None:
        self._phraser = phraser
        self._meters = meters
        self.concurrency = phraser.concurrency

    def wants(self, answer: Answer) -> bool:
        return self._phraser.wants(answer)

    async def phrase(self, question: str, answer: Answer) -> Answer:
        began, outcome = time.monotonic(), "error"
        try:
            phrased = await self._phraser.phrase(question, answer)
            outcome = "worded" if phrased.mode != "extractive" else "kept"
        except asyncio.CancelledError:
            outcome = "cancelled"
            raise
        finally:
            self._meters.worded(outcome, time.monotonic() - began)
        return phrased
