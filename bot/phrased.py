"""An answer said in the model's words, where a model is configured; every delivery asks through here."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from answer.answer import Answer
from answer.assistant import Assistant
from answer.generating.settings import GenerationSettings
from answer.phrasing import Phraser
from answer.query import ScopeOptions


def open_phraser(assistant: Assistant, store: Path) -> Phraser | None:
    """None without a model; loads weights where it runs in this process. Raises GeneratorUnavailable."""
    return Phraser.open(assistant, store, GenerationSettings())


async def phrased(phraser: Phraser | None, message: str, answer: Answer) -> Answer:
    """The answer phrased and checked; as it was where there is no model or nothing to phrase."""
    if phraser is None or not phraser.wants(answer):
        return answer
    return await phraser.phrase(message, answer)


@contextmanager
def asking(assistant: Assistant, store: Path) -> Iterator[Callable[[str, ScopeOptions], Answer]]:
    """A function from question to answer for callers without an event loop; the model is loaded once."""
    phraser = open_phraser(assistant, store)
    with asyncio.Runner() as runner:
        try:
            yield lambda message, options: runner.run(
                phrased(phraser, message, assistant.ask(message, options=options).answer)
            )
        finally:
            if phraser is not None:
                runner.run(phraser.close())
