"""The private directory in which textbooks from the chat lie while they are read.

    ROOT/RANDOM/.lock       held by the process whose directory this is
    ROOT/RANDOM/JOB/        one textbook: its PDF under a generated name, its report, temporary files

A process that was killed leaves its directory behind; the next one finds the lock free and removes it.
"""

from __future__ import annotations

import fcntl
import logging
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

logger = logging.getLogger(__name__)

_LOCK = ".lock"


class UploadDir:
    """Directories for jobs; nothing in them outlives the job, or the process by more than one start."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._own: Path | None = None
        self._lock: int | None = None

    def open(self) -> None:
        """Removes what killed processes left and takes a directory of its own. Raises OSError."""
        self._root.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._sweep()
        own = self._root / secrets.token_hex(6)
        own.mkdir(mode=0o700)
        self._lock = os.open(own / _LOCK, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        fcntl.flock(self._lock, fcntl.LOCK_EX)
        self._own = own

    @contextmanager
    def job(self) -> Iterator[Path]:
        """A directory that is removed after the block, with everything in it."""
        if self._own is None:
            raise RuntimeError("open() comes first")
        directory = self._own / secrets.token_hex(6)
        directory.mkdir(mode=0o700)
        try:
            yield directory
        finally:
            shutil.rmtree(directory, ignore_errors=True)

    def free_bytes(self) -> int:
        """What the disk has left."""
        return shutil.disk_usage(self._root).free

    def close(self) -> None:
        """Removes the directory of this process."""
        if self._own is not None:
            shutil.rmtree(self._own, ignore_errors=True)
            self._own = None
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def _sweep(self) -> None:
        for directory in self._root.iterdir():
            if not directory.is_dir() or directory.is_symlink():
                continue
            with suppress(OSError):
                lock = os.open(directory / _LOCK, os.O_RDWR | os.O_CLOEXEC)
                try:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    shutil.rmtree(directory, ignore_errors=True)
                    logger.info("removed what a stopped process had left of a textbook")
                finally:
                    os.close(lock)
