"""Telegram's limits on sending, kept by a scripted session and a fake clock."""

from __future__ import annotations

import asyncio
import heapq
from collections.abc import AsyncGenerator
from typing import Any

import pytest
from aiogram import Bot
from aiogram.client.session.base import BaseSession
from aiogram.exceptions import TelegramMigrateToChat, TelegramRetryAfter
from aiogram.methods import SendChatAction, SendMessage, TelegramMethod
from aiogram.types import Chat, Message

from bot.telegram.pace import Pace, Rate
from bot.telegram.persistence import Follows, Persistence


class Clock:
    """Sleeping is what makes the time pass."""

    def __init__(self) -> None:
        self.time = 100.0

    def __call__(self) -> float:
        return self.time

    async def sleep(self, seconds: float) -> None:
        self.time += seconds
        await asyncio.sleep(0)


class SharedClock(Clock):
    """Many may sleep at once; the time passes to whoever wakes first when all others sleep too."""

    def __init__(self) -> None:
        super().__init__()
        self.sleepers: list[tuple[float, int, asyncio.Future[None]]] = []

    async def sleep(self, seconds: float) -> None:
        woken = asyncio.get_running_loop().create_future()
        heapq.heappush(self.sleepers, (self.time + seconds, len(self.sleepers), woken))
        await woken

    async def pass_until(self, work: asyncio.Future[Any]) -> None:
        while not work.done():
            for _ in range(50):
                await asyncio.sleep(0)
            if self.sleepers:
                self.time, _, woken = heapq.heappop(self.sleepers)
                woken.set_result(None)


class Session(BaseSession):
    """Notes when each request came through; the next error of `script` is raised first."""

    def __init__(self, clock: Clock, *script: Exception | None) -> None:
        super().__init__()
        self.clock, self.script = clock, list(script)
        self.sent: list[tuple[float, int, TelegramMethod[Any]]] = []

    def times(self, chat_id: int | None = None) -> list[float]:
        return [at for at, chat, _ in self.sent if chat_id in (None, chat)]

    async def close(self) -> None: ...

    async def stream_content(self, *args: Any, **kwargs: Any) -> AsyncGenerator[bytes, None]:
        yield b""

    async def make_request(self, bot: Bot, method: TelegramMethod[Any], *_: object, **__: object) -> Any:
        self.sent.append((self.clock(), method.chat_id, method))  # type: ignore[attr-defined]
        error = self.script.pop(0) if self.script else None
        if error is not None:
            raise error
        return Message(message_id=1, date=0, chat=Chat(id=1, type="private"), text="…")


METHOD = SendMessage(chat_id=1, text="…")


def bot_with(session: Session, clock: Clock) -> Bot:
    session.middleware(Persistence(clock.sleep))
    session.middleware(Pace(clock.sleep, clock))
    return Bot("123456:TEST-SECRET", session=session)


def most_within(times: list[float], seconds: float) -> int:
    """The largest number of requests in any stretch of so many seconds."""
    return max(sum(start <= at < start + seconds - 1e-9 for at in times) for start in times)


async def test_one_message_a_second_to_a_chat_after_a_burst_of_two() -> None:
    clock = Clock()
    session = Session(clock)
    bot = bot_with(session, clock)
    for _ in range(8):
        await bot.send_message(7, "…")
    assert session.times() == [100, 100, 101, 102, 103, 104, 105, 106]


async def test_at_most_twenty_messages_a_minute_to_a_group() -> None:
    clock = Clock()
    session = Session(clock)
    bot = bot_with(session, clock)
    for _ in range(60):
        await bot.send_message(-7, "…")
    assert most_within(session.times(), 60) <= 20


async def test_at_most_thirty_messages_a_second_over_all_chats() -> None:
    clock = Clock()
    session = Session(clock)
    bot = bot_with(session, clock)
    for chat_id in range(1, 300):
        await bot.send_message(chat_id, "…")
    assert most_within(session.times(), 1) <= 30
    assert session.times()[-1] - 100 == pytest.approx((299 - 5) / 25, abs=0.1)


async def test_what_has_waited_for_everybody_keeps_the_pace_of_its_chat() -> None:
    clock = SharedClock()
    session = Session(clock)
    bot = bot_with(session, clock)
    school = [bot.send_message(chat_id, "…") for chat_id in range(10, 135)]  # five seconds of work
    answer = [bot.send_message(7, "…") for _ in range(4)]
    await clock.pass_until(asyncio.gather(*school, *answer))
    times = session.times(7)
    assert len(times) == 4
    assert times[0] > 104
    assert times[2] - times[0] >= 1 - 1e-9
    assert times[3] - times[1] >= 1 - 1e-9


async def test_a_chat_that_was_told_to_wait_is_left_alone_by_all_requests() -> None:
    clock = Clock()
    session = Session(clock, TelegramRetryAfter(METHOD, "Too Many Requests", 17))
    bot = bot_with(session, clock)
    first = asyncio.create_task(bot.send_message(7, "первая"))
    second = asyncio.create_task(bot.send_message(7, "вторая"))
    await asyncio.gather(first, second)
    assert [at for at in session.times(7) if 100 < at < 117] == []
    assert len(session.times(7)) == 3


async def test_typing_signs_beyond_their_rate_are_left_out_and_delay_nothing() -> None:
    clock = Clock()
    session = Session(clock)
    bot = bot_with(session, clock)
    for chat_id in range(1, 1000):
        assert await bot.send_chat_action(chat_id, "typing")
    assert clock() == 100
    signs = [method for _, _, method in session.sent if isinstance(method, SendChatAction)]
    assert 1 <= len(signs) <= 10


async def test_a_group_that_has_moved_is_followed() -> None:
    clock, moves = Clock(), []
    session = Session(clock, TelegramMigrateToChat(METHOD, "upgraded", -1007))

    async def moved(old: int, new: int) -> None:
        moves.append((old, new))

    session.middleware(Follows(moved))
    bot = bot_with(session, clock)
    await bot.send_message(-7, "первая")
    await bot.send_message(-7, "вторая")
    assert [chat for _, chat, _ in session.sent] == [-7, -1007, -1007]
    assert moves == [(-7, -1007)]


def test_a_rate_is_a_burst_and_a_steady_flow() -> None:
    rate = Rate(per_second=2.0, burst=2)
    assert [rate.reserve(0.0) for _ in range(4)] == [0, 0, 0.5, 1.0]
    assert not rate.spare(0.5)
    assert rate.spare(60.0)
