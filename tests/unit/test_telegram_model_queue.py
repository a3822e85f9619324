"""The queue in front of the model: fair, bounded, one job a user, cancelled work stops."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from bot.telegram.model_queue import ModelQueue


class Work:
    """Jobs that wait for their gate and note what became of them."""

    def __init__(self) -> None:
        self.gate = asyncio.Event()
        self.started: list[str] = []
        self.ended: list[str] = []
        self.cancelled: list[str] = []

    def job(self, name: str) -> Callable[[], Awaitable[None]]:
        async def run() -> None:
            self.started.append(name)
            try:
                await self.gate.wait()
            except asyncio.CancelledError:
                self.cancelled.append(name)
                raise
            self.ended.append(name)

        return run


async def settle() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


async def test_first_come_first_served_and_never_more_than_the_workers() -> None:
    queue, work = ModelQueue(workers=2), Work()
    for name in "abcd":
        assert queue.submit(name, work.job(name))
    await settle()
    assert work.started == ["a", "b"]
    assert (queue.ahead("a"), queue.ahead("c"), queue.ahead("d")) == (None, 2, 3)
    work.gate.set()
    await settle()
    assert work.ended == ["a", "b", "c", "d"]


async def test_a_user_has_one_job_and_a_newer_one_goes_to_the_end() -> None:
    queue, work = ModelQueue(), Work()
    for name in ("a1", "b1", "c1"):
        queue.submit(name[0], work.job(name))
    queue.submit("b", work.job("b2"))
    await settle()
    assert queue.waiting == ["c", "b"]
    work.gate.set()
    await settle()
    assert work.ended == ["a1", "c1", "b2"]


async def test_a_running_job_is_really_stopped_and_the_next_one_begins() -> None:
    queue, work = ModelQueue(), Work()
    queue.submit("a", work.job("a"))
    queue.submit("b", work.job("b"))
    await settle()
    assert queue.cancel("a")
    await settle()
    assert work.cancelled == ["a"]
    assert work.started == ["a", "b"]
    assert not queue.cancel("a")


async def test_a_full_queue_takes_no_more() -> None:
    queue, work = ModelQueue(limit=2), Work()
    assert [queue.submit(name, work.job(name)) for name in "abcd"] == [True, True, True, False]
    assert queue.submit("b", work.job("b again"))


async def test_the_expected_wait_comes_from_measured_durations() -> None:
    time = 0.0
    queue, work = ModelQueue(workers=1, now=lambda: time), Work()
    queue.submit("a", work.job("a"))
    queue.submit("b", work.job("b"))
    await settle()
    assert queue.expected_wait("b") is None  # nothing is known yet
    time = 8.0
    work.gate.set()
    await settle()
    work.gate.clear()
    for name in "cdef":
        queue.submit(name, work.job(name))
    await settle()
    # c runs (8 s left), d and e come before f: 8 + 8 + 8, and f itself 8. The first two took 8 and 0 s.
    each = 4.0
    assert queue.expected_wait("f") == 4 * each
    time = 11.0
    assert queue.expected_wait("f") == 4 * each - 3


async def test_a_failing_job_does_not_stop_the_queue() -> None:
    queue, work = ModelQueue(), Work()

    async def fail() -> None:
        raise ValueError("broken")

    queue.submit("a", fail)
    queue.submit("b", work.job("b"))
    work.gate.set()
    await settle()
    assert work.ended == ["b"]


async def test_closing_lets_the_running_job_end_and_drops_the_others() -> None:
    queue, work = ModelQueue(), Work()
    for name in "ab":
        queue.submit(name, work.job(name))
    await settle()
    closing = asyncio.create_task(queue.close(5))
    await settle()
    work.gate.set()
    await closing
    assert work.ended == ["a"]
    assert work.started == ["a"]


async def test_closing_stops_what_does_not_end() -> None:
    queue, work = ModelQueue(), Work()
    queue.submit("a", work.job("a"))
    await settle()
    await queue.close(0.01)
    assert work.cancelled == ["a"]
