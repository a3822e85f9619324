"""The way a program that has started ingestion follows it and ends it."""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Callable
from typing import TextIO

INTERVAL = 0.5
"""Seconds between two lines of one step; its first and its last are always written."""

SELDOM = 10.0
"""Seconds between two lines for a person."""


class JsonLines:
    """Writes `{"step", "done", "total"}`, one object a line."""

    def __init__(self, out: TextIO, now: Callable[[], float] = time.monotonic) -> None:
        self._out = out
        self._now = now
        self._step = ""
        self._written = 0.0

    def __call__(self, step: str, done: int, total: int) -> None:
        now = self._now()
        if step == self._step and done < total and now - self._written < INTERVAL:
            return
        self._step, self._written = step, now
        print(json.dumps({"step": step, "done": done, "total": total}, ensure_ascii=False), file=self._out)
        self._out.flush()


class Lines:
    """For logs and pipes, where no bar can be drawn: a line at the start of a step, then now and then."""

    def __init__(self, out: TextIO, name: str, now: Callable[[], float] = time.monotonic) -> None:
        self._out = out
        self._name = name
        self._now = now
        self._step = ""
        self._written = 0.0

    def __call__(self, step: str, done: int, total: int) -> None:
        now = self._now()
        if step == self._step and now - self._written < SELDOM:
            return
        self._step, self._written = step, now
        print(f"{self._name}: {step}, {done} из {total}", file=self._out, flush=True)


def end_with_stdin() -> None:
    """Ends this process, at once, when the other end of its stdin is closed: a caller killed without a chance
    to clean up closes it too. Reading processes end with this one; the store is never half written.
    """

    def wait() -> None:
        while os.read(sys.stdin.fileno(), 4096):
            pass
        os._exit(1)

    threading.Thread(target=wait, name="end with stdin", daemon=True).start()
