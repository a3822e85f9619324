"""The bot as a process, for end-to-end tests and benchmarks."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from botapi.server import BotApi

ROOT = Path(__file__).resolve().parents[2]
SLOW = 60
"""Seconds: the process loads the model and the books."""


@dataclass(slots=True)
class Process:
    """A running `paragraf serve --telegram`; what it prints is collected."""

    process: asyncio.subprocess.Process
    _printed: list[bytes] = field(default_factory=list)
    _readers: list[asyncio.Task[None]] = field(default_factory=list)

    async def end(self, number: signal.Signals | None = None) -> tuple[int, str]:
        """Exit code and everything that was printed; `number` asks it to end."""
        if number is not None:
            self.process.send_signal(number)
        code = await asyncio.wait_for(self.process.wait(), SLOW)
        await asyncio.gather(*self._readers)
        return code, self.printed

    @property
    def printed(self) -> str:
        """What was printed so far."""
        return b"".join(self._printed).decode(errors="replace")

    @property
    def peak_mib(self) -> float:
        """The most memory that it has had so far (RSS); 0 when it has ended."""
        try:
            status = Path(f"/proc/{self.process.pid}/status").read_text("ascii")
        except OSError:
            return 0.0
        lines = [line for line in status.splitlines() if line.startswith("VmHWM")]
        return int(lines[0].split()[1]) / 1024 if lines else 0.0

    def collect(self) -> None:
        """Starts reading the output: a full pipe would stop the process."""
        for stream in (self.process.stdout, self.process.stderr):
            assert stream is not None
            self._readers.append(asyncio.create_task(self._read(stream)))

    async def _read(self, stream: asyncio.StreamReader) -> None:
        while chunk := await stream.read(65536):
            self._printed.append(chunk)


@asynccontextmanager
async def serving(api: BotApi, store: Path, folder: Path, **env: str) -> AsyncIterator[Process]:
    """The bot over the store, with its database in `folder`; killed at the end if it still runs."""
    settings = {
        "BOT_TOKEN": api.token,
        "TELEGRAM_API_BASE": api.base,
        "DATABASE_URL": f"sqlite+aiosqlite:///{folder / 'users.sqlite3'}",
        "LOG_LEVEL": "DEBUG",
        "OMP_NUM_THREADS": "1",
    }
    command = [sys.executable, "-W", "error", "-m", "bot", "serve", "--telegram", "--store", str(store)]
    process = Process(
        await asyncio.create_subprocess_exec(
            *command,
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(ROOT), **settings, **env},
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
    )
    process.collect()
    try:
        yield process
    finally:
        if process.process.returncode is None:
            process.process.kill()
            await process.end()
