"""Fixtures of several integration tests: the assistant over the samples, a stand-in for the Bot API."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from botapi.server import BotApi

from answer.assistant import Assistant


@pytest.fixture(scope="module")
def assistant(sample_store: Path) -> Assistant:
    """Answers from the sample textbooks. Tests only ask it."""
    return Assistant.open(sample_store)


@pytest.fixture
async def api() -> AsyncIterator[BotApi]:
    """A stand-in of its own for each test."""
    async with BotApi() as api:
        yield api
