"""The queue in front of the model: bounded, one job a user, first come first served."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque
from collections.abc import Awaitable, Callable, Hashable
from contextvars import Context
from functools import partial
from statistics import median

logger = logging.getLogger(__name__)

Job = Callable[[], Awaitable[object]]


class ModelQueue:
    """Runs `workers` jobs at a time; at most `limit` more wait, each key (a user) with one."""

    def __init__(self, workers: int = 1, limit: int = 100, now: Callable[[], float] = time.monotonic) -> None:
        self._workers = workers
        self._limit = limit
        self._now = now
        self._waiting: dict[Hashable, Job] = {}  # in the order of arrival
        self._running: dict[Hashable, tuple[asyncio.Task[None], float]] = {}
        self._seconds: deque[float] = deque(maxlen=20)

    def submit(self, key: Hashable, job: Job) -> bool:
        """Queues a job in place of an older one of this key; False when the queue is full."""
        self.cancel(key)
        if len(self._running) >= self._workers and len(self._waiting) >= self._limit:
            return False
        self._waiting[key] = job
        self._fill()
        return True

    def cancel(self, key: Hashable) -> bool:
        """Takes a waiting job out, or stops a running one; whether there was one."""
        if self._waiting.pop(key, None) is not None:
            return True
        running = self._running.pop(key, None)
        if running is None:
            return False
        running[0].cancel()
        self._fill()
        return True

    def ahead(self, key: Hashable) -> int | None:
        """How many jobs come before this one, the running ones included; None when it is not waiting."""
        for number, waiting in enumerate(self._waiting):
            if waiting == key:
                return number + len(self._running)
        return None

    def expected_wait(self, key: Hashable) -> float | None:
        """Seconds until this job is done, from the median of the last jobs; None while that is unknown."""
        ahead = self.ahead(key)
        if ahead is None or not self._seconds:
            return None
        each = median(self._seconds)
        spent = max((self._now() - since for _, since in self._running.values()), default=0.0)
        rounds = (ahead - len(self._running)) // self._workers + 1
        return max(0.0, each - spent) + rounds * each

    @property
    def waiting(self) -> list[Hashable]:
        """Keys of the waiting jobs, the next first."""
        return list(self._waiting)

    async def close(self, grace: float) -> None:
        """Drops what waits; lets the running jobs end within `grace` seconds, then stops them."""
        self._waiting.clear()
        tasks = [task for task, _ in self._running.values()]
        if not tasks:
            return
        _, late = await asyncio.wait(tasks, timeout=grace)
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)

    def _fill(self) -> None:
        while self._waiting and len(self._running) < self._workers:
            key = next(iter(self._waiting))
            job = self._waiting.pop(key)
            # In a context of its own: the job outlives the update whose handler has queued it.
            task = asyncio.get_running_loop().create_task(self._run(job), context=Context())
            task.add_done_callback(partial(self._ended, key))
            self._running[key] = (task, self._now())

    async def _run(self, job: Job) -> None:
        began = self._now()
        try:
            await job()
            self._seconds.append(self._now() - began)
        except Exception as error:
            logger.error("a job for the model failed with %s", type(error).__name__)

    def _ended(self, key: Hashable, task: asyncio.Task[None]) -> None:
        if key in self._running and self._running[key][0] is task:
            del self._running[key]
        self._fill()
