"""Ingestion as a child process: progress while it runs, a report at the end, an end to it at any moment."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bot.caption import Wish

logger = logging.getLogger(__name__)

Progress = Callable[[str, int, int], None]
NICENESS = 10
"""Students who ask at the same moment come first."""
_LONGEST_LINE = 64 * 1024
_SECRETS = ("BOT_TOKEN", "OPENAI_API_KEY", "DATABASE_URL", "WEBHOOK_SECRET")


@dataclass(frozen=True, slots=True)
class Ingested:
    """How it ended. `report` is the object of `paragraf ingest --json`, None where there is none."""

    report: dict[str, Any] | None
    problem: str | None = None
    """The child's own sentence, where it stopped before any report (another embedder, a damaged store)."""


class IngestTimeout(Exception):
    """It took longer than it may."""


async def run_ingest(
    pdf: Path,
    wish: Wish,
    store_dir: Path,
    html: Path,
    *,
    seconds: float,
    progress: Progress,
    book_id: str | None = None,
) -> Ingested:
    """Reads `pdf` into the store. Whatever ends this coroutine ends the child and all its processes.

    Temporary files of the child lie beside `pdf`. Raises IngestTimeout.
    """
    command = [sys.executable, "-P", "-m", "ingest", str(pdf), "--grade", ",".join(map(str, wish.grades))]
    command += ["--subject", wish.subject, "--title", wish.title, "--store", str(store_dir)]
    command += ["--json", "--progress-json", "--report", str(html)]
    if book_id is not None:
        command += ["--book-id", book_id]
    child = await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.PIPE,  # stays open; when this process dies, it closes and the child ends
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        limit=_LONGEST_LINE,
        env=_environment(pdf.parent),
        start_new_session=True,
    )
    try:
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, child.pid, NICENESS)
        async with asyncio.timeout(seconds):
            said, printed, _ = await asyncio.gather(
                _follow(child, progress), _read(child.stdout), child.wait()
            )
    except TimeoutError:
        raise IngestTimeout from None
    finally:
        await _end(child)
    return _ending(child.returncode, printed, said)


def _environment(directory: Path) -> dict[str, str]:
    """Ours without what ingestion has no use for; its temporary files go where they are cleaned up."""
    kept = {name: value for name, value in os.environ.items() if name.upper() not in _SECRETS}
    return {**kept, "TMPDIR": str(directory), "PYTHONIOENCODING": "utf-8", "OMP_NUM_THREADS": "1"}


async def _follow(child: asyncio.subprocess.Process, progress: Progress) -> str:
    """Hands progress on; returns the last lines that were none."""
    assert child.stderr is not None  # noqa: S101 - it was asked for
    others: list[str] = []
    while True:
        try:
            line = (await child.stderr.readline()).decode(errors="replace")
        except ValueError:
            continue  # longer than the limit
        if not line:
            return "\n".join(others[-5:])
        step = _step(line)
        if step is None:
            others.append(line.rstrip())
            del others[:-20]
        else:
            progress(*step)


def _step(line: str) -> tuple[str, int, int] | None:
    try:
        said = json.loads(line)
        return str(said["step"]), int(said["done"]), int(said["total"])
    except (ValueError, KeyError, TypeError):
        return None


async def _read(stream: asyncio.StreamReader | None) -> bytes:
    return await stream.read() if stream is not None else b""


async def _end(child: asyncio.subprocess.Process) -> None:
    """Kills what is left of the child's process group; the store is switched in one step and stays whole."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)
    if child.stdin is not None:
        child.stdin.close()
    if child.returncode is None:
        await child.wait()


def _ending(code: int | None, printed: bytes, said: str) -> Ingested:
    try:
        reports = json.loads(printed)
        report = reports[0] if reports else None
    except (ValueError, LookupError, TypeError):
        report = None
    if report is None or code not in (0, 1):
        logger.error("ingestion ended with code %s: %s", code, said[-500:])
    problem = said.strip() or None
    return Ingested(report if isinstance(report, dict) else None, problem if report is None else None)
