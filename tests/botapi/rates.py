"""Telegram's limits on sending: 30 messages a second in all, one a second to a chat, 20 a minute to a group.

Like Telegram, a chat tolerates a short burst (three messages) before it refuses.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field

from botapi.records import flood

EVERYBODY = 0
COUNTED = frozenset(
    {
        "sendMessage",
        "sendPhoto",
        "sendDocument",
        "editMessageText",
        "editMessageReplyMarkup",
        "editMessageCaption",
    }
)


@dataclass(slots=True)
class Rates:
    """Raises 429 with the seconds to wait. A refused request does not count."""

    everybody: tuple[float, float] = (30, 1)
    """Requests in so many seconds; each limit is a bucket of that size, refilled steadily."""
    private: tuple[float, float] = (3, 3)
    group: tuple[float, float] = (20, 60)
    refusals: int = 0

    _level: dict[int, tuple[float, float]] = field(default_factory=dict)

    def check(self, method: str, chat_id: int) -> None:
        """Counts a request. Raises Refused."""
        if method not in COUNTED:
            return
        now = time.monotonic()
        wanted = {EVERYBODY: self.everybody, chat_id: self.private if chat_id > 0 else self.group}
        levels = {key: self._left(key, limit, now) for key, limit in wanted.items()}
        wait = max((1 - levels[key]) * seconds / size for key, (size, seconds) in wanted.items())
        if wait > 0:
            self.refusals += 1
            raise flood(math.ceil(wait))
        for key, left in levels.items():
            self._level[key] = (left - 1, now)

    def _left(self, key: int, limit: tuple[float, float], now: float) -> float:
        left, since = self._level.get(key, (limit[0], now))
        return min(limit[0], left + (now - since) * limit[0] / limit[1])
