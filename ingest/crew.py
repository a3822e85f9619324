"""The reading processes of one book: started, given pages to read, replaced behind a page that kills them."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, Pipe, wait
from pathlib import Path
from time import monotonic
from types import TracebackType
from typing import Self

from ingest.errors import Damaged, Encrypted, NoPages, NotPdf
from ingest.lines import OutlineEntry, RawPage
from ingest.settings import IngestSettings
from ingest.worker import Limits, Task, Way

WORKER = "ingest.worker"
"""Module that runs in the reading processes."""
BROKEN = "Файл повреждён (обрезан?): ни одна страница не открывается. Скачайте или сохраните его заново."
_START_SECONDS = 60.0  # a busy machine may need long to start an interpreter
_PAGES_WORTH_A_PROCESS = 60
_BYTES_WORTH_A_PROCESS = 300_000  # such a file may well have that many pages for two
_BATCH = 12  # pages handed out at once, at most: few messages, yet all processes end together


@dataclass(frozen=True, slots=True)
class Opened:
    """What the first process says of the file."""

    pages: int
    outline: tuple[OutlineEntry, ...]
    cut: bool
    """Its end is missing."""


class _Worker:
    """A reading process and the pages it still owes."""

    def __init__(self, path: Path, settings: IngestSettings) -> None:
        self.owed: deque[Task] = deque()
        self._limits = Limits(
            settings.max_page_mb, settings.max_image_mpx, settings.tesseract, settings.ocr_seconds
        )
        ours, theirs = Pipe()
        self.pipe: Connection = ours
        # Not multiprocessing.Process: that runs the caller's main module anew, be it a script or a notebook.
        # The parser prints what it likes; our output must stay clean.
        self.process = subprocess.Popen(  # noqa: S603
            [
                sys.executable,
                "-P",
                "-m",
                WORKER,
                str(theirs.fileno()),
                path,
                str(settings.memory_mb),
            ],
            pass_fds=[theirs.fileno()],
            env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # what it starts itself is ended with it
        )
        theirs.close()
        self.reading = False
        """It has opened the file and is at work on `owed[0]`."""
        self.deadline = monotonic() + _START_SECONDS

    def opened(self) -> Opened:
        """What is in the file, as the process found them. Raises IngestError where it cannot open."""
        try:
            if not self.pipe.poll(_START_SECONDS):
                raise Damaged(
                    "Файл не удаётся открыть: чтение зависает. Пересохраните его другой программой."
                )
            kind, *said = self.pipe.recv()
        except (EOFError, OSError):
            raise Damaged(
                "Файл повреждён: программа чтения падает на нём. Скачайте или сохраните его заново."
            ) from None
        if kind == "open":
            return Opened(*said)
        raise {
            "encrypted": Encrypted("Файл закрыт паролем. Снимите пароль и повторите."),
            "not_pdf": NotPdf("Это не PDF. Сохраните учебник в формате PDF и повторите."),
            "empty": NoPages("В файле нет ни одной страницы."),
        }.get(said[0], Damaged(BROKEN))

    def give(self, tasks: Sequence[Task]) -> None:
        """Pages to read. A process that died meanwhile is noticed when it should answer."""
        self.owed.extend(tasks)
        with contextlib.suppress(BrokenPipeError):
            self.pipe.send((list(tasks), self._limits))

    def stop(self) -> None:
        if self.process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.pipe.close()


class Crew:
    """Use as a context: leaving it ends all processes."""

    def __init__(self, path: Path, settings: IngestSettings) -> None:
        self._path = path
        self._settings = settings
        self._cores = settings.workers or len(os.sched_getaffinity(0))
        self._workers: list[_Worker] = []
        self._queue: deque[Task] = deque()
        self._batch = 1
        self._end = 0.0
        self._keep: Callable[[RawPage], None] = lambda page: None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for worker in self._workers:
            worker.stop()
        self._workers.clear()

    def open(self) -> Opened:
        """What is in the file. Raises IngestError.

        A second process starts along with the first where it is likely to be wanted, for the time that an
        interpreter needs is the time of many pages.
        """
        self._start()
        if self._cores > 1 and self._path.stat().st_size >= _BYTES_WORTH_A_PROCESS:
            self._start()
        return self._workers[0].opened()

    def read(self, numbers: Sequence[int], way: Way, keep: Callable[[RawPage], None]) -> None:
        """Reads the 1-based pages, once per crew; `keep` gets each as it comes, one that failed included."""
        worth = 1 if way == "ocr" else _PAGES_WORTH_A_PROCESS
        count = max(1, min(self._cores, len(numbers) // worth))
        self._batch = 1 if way == "ocr" else _BATCH
        self._queue.extend((number, way) for number in numbers)
        self._keep = keep
        self._end = monotonic() + self._settings.book_seconds
        while len(self._workers) > count:
            self._workers.pop().stop()
        while len(self._workers) < count:
            self._start()
        for worker in self._workers:
            self._hand_out(worker)
        self._begin(self._workers[0])  # which has opened the file already
        while self._workers:
            self._step()

    def _start(self) -> None:
        self._workers.append(_Worker(self._path, self._settings))

    def _hand_out(self, worker: _Worker) -> None:
        """The next pages of the book; fewer towards its end, that no process waits for another one."""
        share = -(-len(self._queue) // (2 * len(self._workers)))
        tasks = [self._queue.popleft() for _ in range(min(share, self._batch))]
        worker.give(tasks)

    def _begin(self, worker: _Worker) -> None:
        worker.reading = True
        way = worker.owed[0][1]
        seconds = self._settings.ocr_seconds if way == "ocr" else self._settings.page_seconds
        worker.deadline = min(monotonic() + seconds, self._end)

    def _step(self) -> None:
        if monotonic() >= self._end:
            self._give_up()
            return
        timeout = max(0.0, min(worker.deadline for worker in self._workers) - monotonic())
        ready = wait([worker.pipe for worker in self._workers], timeout)
        for worker in list(self._workers):
            if worker.pipe in ready:
                self._receive(worker)
            elif monotonic() > worker.deadline:
                self._replace(worker, "чтение страницы заняло слишком много времени")

    def _receive(self, worker: _Worker) -> None:
        try:
            kind, value, *_ = worker.pipe.recv()
        except (EOFError, OSError):
            self._replace(worker, "программа чтения упала на странице или ей не хватило памяти")
            return
        if kind == "refused":
            raise Damaged(BROKEN)
        page = value if kind == "page" else None
        if page is not None:
            worker.owed.popleft()
        if not worker.owed and self._queue:
            self._hand_out(worker)
        if worker.owed:
            self._begin(worker)
        else:
            worker.stop()
            self._workers.remove(worker)
        if page is not None:
            self._keep(page)  # last, for the process reads on meanwhile

    def _give_up(self) -> None:
        for worker in self._workers:
            worker.stop()
            self._queue.extend(worker.owed)
        self._workers.clear()
        for number, _ in self._queue:
            self._keep(RawPage(number, 0.0, 0.0, failure="время на чтение книги вышло"))

    def _replace(self, worker: _Worker, reason: str) -> None:
        """The page in work is tried once more as plain text, then given up."""
        worker.stop()
        self._workers.remove(worker)
        number, way = worker.owed.popleft()
        if way != "full" or not worker.reading:
            self._keep(RawPage(number, 0.0, 0.0, failure=reason))
        else:
            worker.owed.appendleft((number, "plain"))
        if not worker.owed and not self._queue:
            return
        self._start()
        if worker.owed:
            self._workers[-1].give(list(worker.owed))
        else:
            self._hand_out(self._workers[-1])
