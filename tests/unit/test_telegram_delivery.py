"""Sending through a scripted session and a fake clock: flood waits, blocked users, lost connections."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator
from typing import Any

import pytest
from aiogram import Bot
from aiogram.client.session.base import BaseSession
from aiogram.exceptions import (
    ClientDecodeError,
    TelegramBadRequest,
    TelegramForbiddenError,
    TelegramNetworkError,
    TelegramRetryAfter,
    TelegramServerError,
)
from aiogram.methods import SendChatAction, SendMessage, TelegramMethod
from aiogram.types import Chat, Message

from bot.telegram.delivery import Target, Typing
from bot.telegram.desk import Turns
from bot.telegram.lanes import Lanes
from bot.telegram.persistence import Persistence


class ScriptedSession(BaseSession):
    """Answers each request with the next entry of its script, an exception or «fine» (None)."""

    def __init__(self, *script: Exception | None) -> None:
        super().__init__()
        self.script = list(script)
        self.requests: list[TelegramMethod[Any]] = []

    @property
    def texts(self) -> list[str]:
        return [request.text for request in self.requests if isinstance(request, SendMessage)]

    async def close(self) -> None: ...

    async def stream_content(self, *args: Any, **kwargs: Any) -> AsyncGenerator[bytes, None]:
        yield b""

    async def make_request(self, bot: Bot, method: TelegramMethod[Any], *_: object, **__: object) -> Any:
        self.requests.append(method)
        error = self.script.pop(0) if self.script else None
        if error is not None:
            raise error
        if isinstance(method, SendMessage):
            return Message(message_id=1, date=0, chat=Chat(id=1, type="private"), text="…")
        return True


class FakeClock:
    def __init__(self) -> None:
        self.slept: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.slept.append(seconds)


METHOD = SendMessage(chat_id=1, text="…")


def flood(seconds: int) -> TelegramRetryAfter:
    return TelegramRetryAfter(METHOD, "Too Many Requests", seconds)


def target(session: ScriptedSession, clock: FakeClock) -> Target:
    session.middleware(Persistence(clock))
    return Target(Bot("123456:TEST-SECRET", session=session), chat_id=1)


async def test_a_flood_wait_lasts_what_telegram_asks_and_no_part_is_sent_twice() -> None:
    session, clock = ScriptedSession(None, flood(25), None), FakeClock()
    await target(session, clock).send_html(["первая", "вторая"])
    assert clock.slept == [25]
    assert session.texts == ["первая", "вторая", "вторая"]


async def test_a_very_long_flood_wait_is_given_up_at_once(caplog: pytest.LogCaptureFixture) -> None:
    session, clock = ScriptedSession(flood(3600)), FakeClock()
    with caplog.at_level(logging.WARNING), pytest.raises(TelegramRetryAfter):
        await target(session, clock).say("ответ")
    assert clock.slept == []
    assert "given up: flood wait of 3600 s" in caplog.text


async def test_flood_waits_in_a_row_come_to_an_end() -> None:
    session, clock = ScriptedSession(*[flood(2)] * 20), FakeClock()
    with pytest.raises(TelegramRetryAfter):
        await target(session, clock).say("ответ")
    assert clock.slept == [2] * 5


async def test_a_lost_connection_is_tried_again_with_back_off() -> None:
    lost, busy = TelegramNetworkError(METHOD, "lost"), TelegramServerError(METHOD, "Bad Gateway")
    session, clock = ScriptedSession(lost, busy, None), FakeClock()
    await target(session, clock).say("ответ")
    assert clock.slept == [1, 2]
    assert session.texts == ["ответ"] * 3


async def test_a_connection_that_stays_lost_is_given_up_after_ten_minutes() -> None:
    session, clock = ScriptedSession(*[TelegramNetworkError(METHOD, "lost")] * 99), FakeClock()
    with pytest.raises(TelegramNetworkError):
        await target(session, clock).say("ответ")
    assert clock.slept[:6] == [1, 2, 4, 8, 16, 30]
    assert 550 < sum(clock.slept) <= 600


async def test_what_no_chat_waits_for_is_given_up_sooner() -> None:
    session, clock = ScriptedSession(*[TelegramNetworkError(METHOD, "lost")] * 99), FakeClock()
    bot = target(session, clock).bot
    with pytest.raises(TelegramNetworkError):
        await bot.get_file("f")
    assert clock.slept == [1, 2, 4]
    with pytest.raises(TelegramNetworkError):
        await bot.get_me()  # its loop says what to check
    assert clock.slept == [1, 2, 4]


async def test_a_gateways_error_page_is_no_answer() -> None:
    page = ClientDecodeError("Failed to decode object", ValueError(), "<html>502</html>")
    session, clock = ScriptedSession(page, None), FakeClock()
    await target(session, clock).say("ответ")
    assert session.texts == ["ответ"] * 2


async def test_html_that_telegram_refuses_is_sent_once_more_as_plain_text() -> None:
    bad = TelegramBadRequest(METHOD, "Bad Request: can't parse entities: Unsupported start tag")
    session, clock = ScriptedSession(bad, None), FakeClock()
    await target(session, clock).send_html(["<b>x &lt; y</b>"])
    first, second = session.requests
    assert isinstance(first, SendMessage)
    assert isinstance(second, SendMessage)
    assert (first.parse_mode, first.text) == ("HTML", "<b>x &lt; y</b>")
    assert (second.parse_mode, second.text) == (None, "x < y")


async def test_other_refusals_are_not_repeated() -> None:
    session, clock = ScriptedSession(TelegramBadRequest(METHOD, "Bad Request: chat not found")), FakeClock()
    with pytest.raises(TelegramBadRequest):
        await target(session, clock).send_html(["ответ"])
    assert len(session.requests) == 1


async def test_typing_goes_on_while_the_answer_is_worked_out() -> None:
    session, clock = ScriptedSession(), FakeClock()
    async with Typing(target(session, clock), interval=0.01):
        for _ in range(1000):
            await asyncio.sleep(0.01)
            if len(session.requests) >= 3:
                break
    shown = len(session.requests)
    assert shown >= 3
    await asyncio.sleep(0.03)
    assert len(session.requests) == shown
    assert all(isinstance(request, SendChatAction) for request in session.requests)


async def test_a_flood_wait_on_the_typing_sign_delays_nothing() -> None:
    session, clock = ScriptedSession(flood(100)), FakeClock()
    async with asyncio.timeout(1), Typing(target(session, clock)):
        await asyncio.sleep(0.01)
    assert clock.slept == []


BLOCKED = TelegramForbiddenError(METHOD, "Forbidden: bot was blocked by the user")


async def test_whoever_blocked_the_bot_gets_no_answer_worked_out_for_nothing() -> None:
    worked = []

    async def work() -> None:
        async with Typing(target(ScriptedSession(BLOCKED), FakeClock())):
            await asyncio.sleep(5)
            worked.append(1)

    with pytest.raises(TelegramForbiddenError):
        await work()
    assert worked == []


async def test_a_cancellation_from_outside_is_not_taken_for_a_blocked_bot() -> None:
    async def work() -> None:
        async with Typing(target(ScriptedSession(BLOCKED), FakeClock())):
            asyncio.get_running_loop().call_soon(task.cancel)
            await asyncio.sleep(5)

    task = asyncio.create_task(work())
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_an_error_of_the_work_itself_wins_over_the_typing_sign() -> None:
    with pytest.raises(ZeroDivisionError):
        async with Typing(target(ScriptedSession(BLOCKED), FakeClock())):
            raise ZeroDivisionError


# --- lanes -------------------------------------------------------------------------------------------------


async def test_jobs_of_one_user_keep_their_order_and_others_do_not_wait() -> None:
    lanes, done, gate = Lanes(), [], asyncio.Event()

    async def slow() -> None:
        await gate.wait()
        done.append("slow")

    async def quick(name: str) -> None:
        done.append(name)

    lanes.submit("anya", slow)
    lanes.submit("anya", lambda: quick("anya 2"))
    lanes.submit("boris", lambda: quick("boris"))
    await asyncio.sleep(0.01)
    assert done == ["boris"]
    gate.set()
    await asyncio.sleep(0.01)
    assert done == ["boris", "slow", "anya 2"]


async def test_a_failing_job_does_not_end_its_lane(caplog: pytest.LogCaptureFixture) -> None:
    lanes, done = Lanes(), []

    async def fail() -> None:
        raise ValueError("broken")

    async def work() -> None:
        done.append(1)

    lanes.submit("anya", fail)
    lanes.submit("anya", work)
    await asyncio.sleep(0.01)
    assert done == [1]
    assert "broken" in caplog.text


async def test_a_lane_takes_only_so_many_jobs() -> None:
    lanes, gate = Lanes(limit=3), asyncio.Event()
    taken = [lanes.submit("anya", gate.wait) for _ in range(10)]
    await asyncio.sleep(0)
    assert taken.count(True) == 3
    assert lanes.submit("anya", gate.wait, force=True)
    gate.set()
    await asyncio.sleep(0.01)
    assert lanes.submit("anya", gate.wait)
    await lanes.stop(1)


async def test_stopping_lets_a_job_end_and_starts_no_other() -> None:
    lanes, done, gate = Lanes(), [], asyncio.Event()

    async def slow() -> None:
        await gate.wait()
        done.append("slow")

    async def late() -> None:
        done.append("late")

    lanes.submit("anya", slow)
    lanes.submit("anya", late)
    stopping = asyncio.create_task(lanes.stop(5))
    await asyncio.sleep(0.01)
    gate.set()
    await stopping
    assert done == ["slow"]


async def test_stopping_ends_what_does_not_end_by_itself(caplog: pytest.LogCaptureFixture) -> None:
    lanes = Lanes()
    lanes.submit("anya", asyncio.Event().wait)
    await asyncio.sleep(0.01)
    async with asyncio.timeout(2):
        await lanes.stop(0.05)
    assert "1 users were in work" in caplog.text


# --- the desk ----------------------------------------------------------------------------------------------


async def test_turns_go_in_order_but_what_belongs_to_a_begun_answer_goes_first() -> None:
    turns, done, gate = Turns(), [], asyncio.Event()

    async def work(name: str, *, first: bool = False) -> None:
        await turns.take(first=first)
        await gate.wait()
        done.append(name)
        turns.give_back()

    tasks = [asyncio.create_task(work(name)) for name in "abc"]
    await asyncio.sleep(0)
    assert turns.waiting == 2
    tasks[1].cancel()
    tasks.append(asyncio.create_task(work("urgent", first=True)))
    await asyncio.sleep(0)
    gate.set()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert done == ["a", "urgent", "c"]
    assert turns.waiting == 0
    await work("d")
    assert done[-1] == "d"


async def test_after_stopping_only_begun_answers_get_turns() -> None:
    turns = Turns()
    await turns.take()
    waiting = asyncio.create_task(turns.take())
    await asyncio.sleep(0)
    turns.stop()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    turns.give_back()
    with pytest.raises(asyncio.CancelledError):
        await turns.take()
    async with asyncio.timeout(1):
        await turns.take(first=True)
