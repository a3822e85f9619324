"""What is counted while the bot runs: for Prometheus (since the start) and for /stats (by day).

No label holds a person, a chat or a text; labels come from closed lists, besides the ids of books.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.process_collector import ProcessCollector

from answer.answer import Answer
from bot.stats import SECONDS, Tally

SILENT_AFTER = 180.0
"""Seconds without an answer from Telegram after which the bot counts as cut off (a long poll takes 25)."""


class Meters:
    """One object per running bot. Threads may share it."""

    def __init__(self, tally: Tally | None = None, now: Callable[[], float] = time.monotonic) -> None:
        self.tally = tally or Tally()
        self._now = now
        self._telegram_seen: float | None = None
        self.registry = registry = CollectorRegistry()
        ProcessCollector(registry=registry)
        self._answers = Counter(
            "paragraf_answers",
            "Answers by what was asked and how it ended.",
            ["intent", "status"],
            registry=registry,
        )
        self._cited = Counter(
            "paragraf_answers_by_book",
            "Answers by the book of their first source.",
            ["book"],
            registry=registry,
        )
        self._worked = Histogram(
            "paragraf_answer_seconds",
            "Finding an answer, without waiting.",
            ["intent"],
            buckets=SECONDS,
            registry=registry,
        )
        self._replied = Histogram(
            "paragraf_reply_seconds",
            "From taking a message up to its reply in the chat.",
            ["kind"],
            buckets=SECONDS,
            registry=registry,
        )
        self._worded = Histogram(
            "paragraf_wording_seconds",
            "A model's words, waiting for it included.",
            ["outcome"],
            buckets=SECONDS,
            registry=registry,
        )
        self._refused = Counter(
            "paragraf_refused", "Messages that were not worked on.", ["reason"], registry=registry
        )
        self._errors = Counter("paragraf_errors", "Errors by where they were.", ["where"], registry=registry)
        self._uploads = Counter(
            "paragraf_uploads", "Textbooks from the chat by outcome.", ["outcome"], registry=registry
        )
        self._uploads_waiting = Gauge(
            "paragraf_uploads_waiting", "Textbooks that wait or are read.", registry=registry
        )
        self._requests = Counter(
            "paragraf_telegram_requests",
            "Requests to Telegram by outcome.",
            ["method", "outcome"],
            registry=registry,
        )
        self._queue = Gauge(
            "paragraf_questions_waiting",
            "Questions at the desk, the one in work included.",
            registry=registry,
        )
        self.waiting = 0

    @contextmanager
    def at_desk(self) -> Iterator[None]:
        """A question waits for its answer while the block runs."""
        self._waits(+1)
        try:
            yield
        finally:
            self._waits(-1)

    def answered(self, answer: Answer) -> None:
        """An answer was found (or refused, or asked back)."""
        self._answers.labels(answer.intent, answer.status).inc()
        self._worked.labels(answer.intent).observe(answer.elapsed_ms / 1000)
        if answer.intent != "smalltalk":
            self.tally.add("status", answer.status)
        if answer.sources:
            self._cited.labels(answer.sources[0].book_id).inc()
            self.tally.add("book", answer.sources[0].book_id)

    def replied(self, kind: str, seconds: float) -> None:
        """A message («question») or a button («press») was worked off."""
        self._replied.labels(kind).observe(seconds)
        if kind == "question":
            self.tally.add_seconds(seconds)

    def worded(self, outcome: str, seconds: float) -> None:
        """A model was asked for words: «worded», «kept» (the quotes stay), «cancelled»."""
        self._worded.labels(outcome).observe(seconds)
        self.tally.add("model", outcome)

    def refused(self, reason: str) -> None:
        """«access», «rate», «daily»."""
        self._refused.labels(reason).inc()
        self.tally.add("refused", reason)

    def error(self, where: str) -> None:
        """An error that a user saw a number of, or the log."""
        self._errors.labels(where).inc()
        self.tally.add("error", where)

    def upload(self, outcome: str) -> None:
        """A textbook from the chat has ended: «ok», «partial», «unchanged», «failed», «refused»…"""
        self._uploads.labels(outcome).inc()
        self.tally.add("upload", outcome)

    def uploads_waiting(self, number: int) -> None:
        """How many textbooks wait or are read."""
        self._uploads_waiting.set(number)

    def requested(self, method: str, outcome: str) -> None:
        """A request to Telegram: «ok», «flood», «network», «server», «refused», «forbidden»."""
        self._requests.labels(method, outcome).inc()
        if outcome not in ("network", "server"):
            self._telegram_seen = self._now()

    @property
    def telegram_silent(self) -> float | None:
        """Seconds since Telegram answered for the last time; None before the first answer."""
        return self._now() - self._telegram_seen if self._telegram_seen is not None else None

    def exposition(self) -> bytes:
        """Everything, in Prometheus' text format."""
        return generate_latest(self.registry)

    def _waits(self, change: int) -> None:
        self.waiting += change
        self._queue.set(self.waiting)
