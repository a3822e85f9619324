"""PDF file → `RawBook`, read by child processes under time and memory limits."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, Pipe, wait
from pathlib import Path
from time import monotonic

from ingest.errors import Damaged, Encrypted, IngestError, NoPages, NotPdf, TooLarge
from ingest.lines import OutlineEntry, RawBook, RawPage
from ingest.settings import IngestSettings
from ingest.worker import Limits, Task, Way, header_is_pdf

Progress = Callable[[int, int], None]
"""`progress(done, total)` in pages."""

WORKER = "ingest.worker"
"""Module that runs in the reading processes."""
_START_SECONDS = 60.0  # a busy machine may need long to start an interpreter
_PAGES_WORTH_A_PROCESS = 60


def read_pdf(path: Path, settings: IngestSettings, progress: Progress = lambda done, total: None) -> RawBook:
    """Reads all pages; a page that fails is there with its `failure`.

    Raises:
        IngestError: the file as a whole cannot be read.
    """
    _check_file(path, settings)
    first = _Worker(path, settings)
    try:
        total, outline = _opened(first)
        if total > settings.max_pages:
            raise TooLarge(
                f"В файле {total} страниц, больше {settings.max_pages} не принимаем. Разделите его на части."
            )
    except BaseException:
        first.stop()
        raise
    numbers = range(1, total + 1)
    pages = _read(path, settings, first, numbers, "full", progress)
    return RawBook(tuple(pages[number] for number in numbers), outline)


def read_again(
    path: Path,
    settings: IngestSettings,
    numbers: Sequence[int],
    way: Way,
    progress: Progress = lambda done, total: None,
) -> dict[int, RawPage]:
    """Some sheets of a file that `read_pdf` has read, in another way. Raises IngestError if it is gone."""
    if not numbers:
        return {}
    first = _Worker(path, settings)
    try:
        _opened(first)
    except BaseException:
        first.stop()
        raise
    return _read(path, settings, first, numbers, way, progress)


def _read(
    path: Path,
    settings: IngestSettings,
    first: _Worker,
    numbers: Sequence[int],
    way: Way,
    progress: Progress,
) -> dict[int, RawPage]:
    pages: dict[int, RawPage] = {}

    def keep(page: RawPage) -> None:
        pages[page.file_page] = page
        progress(len(pages), len(numbers))

    _Crew(path, settings, keep).run([(number, way) for number in numbers], first)
    return {number: pages[number] for number in numbers}


def _check_file(path: Path, settings: IngestSettings) -> None:
    try:
        size = path.stat().st_size
        if not path.is_file():
            raise NotPdf("Это не файл. Укажите путь к файлу PDF.")
        if size == 0:
            raise NoPages("Файл пуст (0 байт). Скачайте или сохраните его заново.")
        if size > settings.max_file_mb * 1024 * 1024:
            raise TooLarge(
                f"Файл больше {settings.max_file_mb} МБ. Разделите его на части или сожмите картинки."
            )
        if not header_is_pdf(path):
            raise NotPdf("Это не PDF. Сохраните учебник в формате PDF и повторите.")
    except FileNotFoundError:
        raise NotPdf("Такого файла нет. Проверьте путь.") from None
    except PermissionError:
        raise IngestError(
            "Файл нельзя прочитать: не хватает прав. Дайте право на чтение и повторите."
        ) from None


def _opened(worker: _Worker) -> tuple[int, tuple[OutlineEntry, ...]]:
    """Page count and outline, as the process found them."""
    try:
        if not worker.pipe.poll(_START_SECONDS):
            raise Damaged("Файл не удаётся открыть: чтение зависает. Пересохраните его другой программой.")
        kind, value, *rest = worker.pipe.recv()
    except (EOFError, OSError):
        raise Damaged("Файл повреждён: программа чтения падает на нём. Скачайте его заново.") from None
    if kind == "open":
        return int(value), rest[0]
    raise {
        "encrypted": Encrypted("Файл закрыт паролем. Снимите пароль и повторите."),
        "not_pdf": NotPdf("Это не PDF. Сохраните учебник в формате PDF и повторите."),
        "empty": NoPages("В файле нет ни одной страницы."),
    }.get(value, Damaged("Файл повреждён и не открывается. Скачайте его заново."))


class _Worker:
    """A reading process and the pages it still owes."""

    def __init__(self, path: Path, settings: IngestSettings, tasks: Sequence[Task] = ()) -> None:
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
        if tasks:
            self.give(tasks)

    def give(self, tasks: Sequence[Task]) -> None:
        """The pages to read; told once. A process that died meanwhile is noticed when it should answer."""
        self.owed.extend(tasks)
        with contextlib.suppress(BrokenPipeError):
            self.pipe.send((list(tasks), self._limits))

    def stop(self) -> None:
        if self.process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.pipe.close()


@dataclass(slots=True)
class _Crew:
    """Several workers over one book; restarts behind a page that kills or stalls its worker."""

    path: Path
    settings: IngestSettings
    keep: Callable[[RawPage], None]
    _workers: list[_Worker] = field(default_factory=list)
    _end: float = 0.0

    def run(self, tasks: Sequence[Task], first: _Worker) -> None:
        """Does all the tasks; `first` has opened the file already."""
        cores = self.settings.workers or len(os.sched_getaffinity(0))
        enough = 1 if tasks[0][1] == "ocr" else _PAGES_WORTH_A_PROCESS
        count = max(1, min(cores, len(tasks) // enough))
        size = -(-len(tasks) // count)
        self._end = monotonic() + self.settings.book_seconds
        self._workers.append(first)
        try:
            for start in range(size, len(tasks), size):
                self._workers.append(_Worker(self.path, self.settings, tasks[start : start + size]))
            first.give(tasks[:size])
            self._begin(first)
            while self._workers:
                self._step()
        finally:
            for worker in self._workers:
                worker.stop()

    def _begin(self, worker: _Worker) -> None:
        worker.reading = True
        way = worker.owed[0][1]
        seconds = self.settings.ocr_seconds if way == "ocr" else self.settings.page_seconds
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
        if kind == "page":
            self.keep(value)
            worker.owed.popleft()
        if worker.owed:
            self._begin(worker)
        else:
            worker.stop()
            self._workers.remove(worker)
        if kind == "refused":
            raise Damaged("Файл повреждён и не открывается. Скачайте его заново.")

    def _give_up(self) -> None:
        for worker in self._workers:
            worker.stop()
            for number, _ in worker.owed:
                self.keep(RawPage(number, 0.0, 0.0, failure="время на чтение книги вышло"))
        self._workers.clear()

    def _replace(self, worker: _Worker, reason: str) -> None:
        """The page in work is tried once more as plain text, then given up."""
        worker.stop()
        self._workers.remove(worker)
        number, way = worker.owed.popleft()
        if way != "full" or not worker.reading:
            self.keep(RawPage(number, 0.0, 0.0, failure=reason))
        else:
            worker.owed.appendleft((number, "plain"))
        if worker.owed:
            self._workers.append(_Worker(self.path, self.settings, list(worker.owed)))
