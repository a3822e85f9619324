"""How much one person may ask. In memory only: nothing about anybody is written down for it."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Literal

DAY = 24 * 3600.0
PRESSES_PER_QUESTION = 3
"""Buttons and commands allowed for each question allowed: an answer has about that many."""
_SWEEP_EVERY = 1000

Kind = Literal["question", "press"]


@dataclass(slots=True)
class _Window:
    """Begins with the first question after the last one ended."""

    started: float
    count: int = 0
    told: bool = False


@dataclass(frozen=True, slots=True)
class Refusal:
    """Beyond a limit."""

    daily: bool
    limit: int
    wait: float
    """Seconds until the window ends."""
    first: bool
    """Whether nobody has told this person in this window."""


class Limits:
    """Counts per person. A limit of 0 is none."""

    def __init__(
        self,
        per_window: int,
        window_seconds: float,
        per_day: int,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._rules = (
            (False, per_window, float(window_seconds)),
            (True, per_day, DAY),
        )
        self._now = now
        self._windows: dict[tuple[Hashable, Kind, bool], _Window] = {}
        self._calls = 0

    def take(self, person: Hashable, kind: Kind = "question") -> Refusal | None:
        """Counts one; the refusal, when a limit is reached (what is refused counts nowhere)."""
        now = self._now()
        self._sweep(now)
        windows = []
        for daily, allowed, seconds in self._rules:
            limit = allowed * (PRESSES_PER_QUESTION if kind == "press" else 1)
            if not limit:
                continue
            window = self._windows.get((person, kind, daily))
            if window is None or now - window.started >= seconds:
                window = self._windows[person, kind, daily] = _Window(now)
            if window.count >= limit:
                first, window.told = not window.told, True
                return Refusal(daily, limit, window.started + seconds - now, first)
            windows.append(window)
        for window in windows:
            window.count += 1
        return None

    def _sweep(self, now: float) -> None:
        """Now and then forgets the windows that have ended."""
        self._calls += 1
        if self._calls % _SWEEP_EVERY:
            return
        seconds = {daily: length for daily, _, length in self._rules}
        self._windows = {
            key: window for key, window in self._windows.items() if now - window.started < seconds[key[2]]
        }
