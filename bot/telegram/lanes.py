"""Jobs of one user in order, of different users side by side."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Hashable

logger = logging.getLogger(__name__)

Job = Callable[[], Awaitable[object]]


class Lanes:
    """A queue per key. Each is worked off by one task, which lives only while there is something to do."""

    def __init__(self, limit: int = 20) -> None:
        self._limit = limit
        self._waiting: dict[Hashable, deque[Job]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._stopping = False

    def submit(self, key: Hashable, job: Job, *, force: bool = False) -> bool:
        """Queues a job; False (and it is not queued) when `limit` jobs of this key are waiting already.

        `force` queues it all the same.
        """
        lane = self._waiting.get(key)
        if lane is not None:
            if len(lane) >= self._limit and not force:
                return False
            lane.append(job)
            return True
        lane = self._waiting[key] = deque([job])
        task = asyncio.create_task(self._work(key, lane))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return True

    async def stop(self, grace: float) -> None:
        """Starts no further jobs; those in work are awaited for `grace` seconds, then cancelled."""
        self._stopping = True
        if not self._tasks:
            return
        _, late = await asyncio.wait(self._tasks, timeout=grace)
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)
        if late:
            logger.warning("stopped while the messages of %d users were in work", len(late))

    async def _work(self, key: Hashable, lane: deque[Job]) -> None:
        try:
            while lane and not self._stopping:
                try:
                    await lane.popleft()()
                except Exception:
                    # The failures router has answered what it could; a lane must survive the rest.
                    logger.exception("a job failed outside its handlers")
        finally:
            del self._waiting[key]
