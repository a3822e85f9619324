"""Generators that are no models."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import ClassVar

from answer.generating.generator import GeneratorName, Limits, OnText, Prompt, RawDraft

LIMITS = Limits()
Writes = str | BaseException | RawDraft | Callable[[Prompt], str]


class Scripted:
    """Writes its drafts in order, the last one for ever; exceptions are raised. `delay`: seconds for each."""

    name: ClassVar[GeneratorName] = "transformers"

    def __init__(self, *drafts: Writes, delay: float = 0.0, limits: Limits = LIMITS) -> None:
        self._drafts = drafts
        self._delay = delay
        self.limits = limits
        self.prompts: list[Prompt] = []
        self.running = self.most_running = self.cancelled = 0
        self.closed = False
        self.started = asyncio.Event()

    def count_tokens(self, text: str) -> int:
        return (len(text) + 2) // 3

    async def generate(self, prompt: Prompt, *, on_text: OnText | None = None) -> RawDraft:
        self.prompts.append(prompt)
        written = self._drafts[min(len(self.prompts), len(self._drafts)) - 1]
        self.running += 1
        self.started.set()
        self.most_running = max(self.most_running, self.running)
        try:
            await asyncio.sleep(self._delay)
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        finally:
            self.running -= 1
        if isinstance(written, BaseException):
            raise written
        if isinstance(written, RawDraft):
            return written
        text = written if isinstance(written, str) else written(prompt)
        if on_text is not None:
            for end in range(1, len(text) + 1):
                on_text(text[:end])
        return RawDraft(text)

    async def close(self) -> None:
        self.closed = True
