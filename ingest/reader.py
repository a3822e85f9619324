"""PDF file → `RawBook`, read by child processes under time and memory limits."""

from __future__ import annotations

import multiprocessing
import os
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from time import monotonic

from ingest.errors import Damaged, Encrypted, IngestError, NoPages, NotPdf, TooLarge
from ingest.lines import OutlineEntry, RawBook, RawPage
from ingest.settings import IngestSettings
from ingest.worker import header_is_pdf, serve

Progress = Callable[[int, int], None]
"""`progress(done, total)` in pages."""

_START_SECONDS = 60.0  # a busy machine may need long to start an interpreter
_PAGES_WORTH_A_PROCESS = 60

_SPAWN = multiprocessing.get_context("spawn")


def read_pdf(path: Path, settings: IngestSettings, progress: Progress = lambda done, total: None) -> RawBook:
    """Reads all pages; a page that fails is there with its `failure`.

    Raises:
        IngestError: the file as a whole cannot be read.
    """
    _check_file(path, settings)
    total, outline = _open(path, settings)
    if total > settings.max_pages:
        raise TooLarge(
            f"В файле {total} страниц, больше {settings.max_pages} не принимаем. Разделите его на части."
        )
    pages: dict[int, RawPage] = {}

    def keep(page: RawPage) -> None:
        pages[page.file_page] = page
        progress(len(pages), total)

    _Crew(path, settings, keep).run(range(1, total + 1))
    return RawBook(tuple(pages[number] for number in range(1, total + 1)), outline)


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


def _open(path: Path, settings: IngestSettings) -> tuple[int, tuple[OutlineEntry, ...]]:
    worker = _Worker(path, None, settings)
    try:
        if not worker.pipe.poll(_START_SECONDS):
            raise Damaged("Файл не удаётся открыть: чтение зависает. Пересохраните его другой программой.")
        kind, value, *rest = worker.pipe.recv()
    except (EOFError, OSError):
        raise Damaged("Файл повреждён: программа чтения падает на нём. Скачайте его заново.") from None
    finally:
        worker.stop()
    if kind == "open":
        return int(value), rest[0]
    raise {
        "encrypted": Encrypted("Файл закрыт паролем. Снимите пароль и повторите."),
        "not_pdf": NotPdf("Это не PDF. Сохраните учебник в формате PDF и повторите."),
        "empty": NoPages("В файле нет ни одной страницы."),
    }.get(value, Damaged("Файл повреждён и не открывается. Скачайте его заново."))


class _Worker:
    """A reading process and the pages it still owes."""

    def __init__(self, path: Path, pages: list[tuple[int, bool]] | None, settings: IngestSettings) -> None:
        self.owed: deque[tuple[int, bool]] = deque(pages or ())
        ours, theirs = _SPAWN.Pipe(duplex=False)
        self.pipe: Connection = ours
        self.process: BaseProcess = _SPAWN.Process(
            target=serve, args=(str(path), pages, settings.memory_mb, theirs), daemon=True
        )
        self.process.start()
        theirs.close()
        self.started = False
        self.deadline = monotonic() + _START_SECONDS

    def stop(self) -> None:
        if self.process.is_alive():
            self.process.kill()
        self.process.join()
        self.process.close()
        self.pipe.close()


@dataclass(slots=True)
class _Crew:
    """Several workers over one book; restarts behind a page that kills or stalls its worker."""

    path: Path
    settings: IngestSettings
    keep: Callable[[RawPage], None]
    _workers: list[_Worker] = field(default_factory=list)

    def run(self, numbers: Iterable[int]) -> None:
        tasks = [(number, False) for number in numbers]
        cores = self.settings.workers or len(os.sched_getaffinity(0))
        count = max(1, min(cores, len(tasks) // _PAGES_WORTH_A_PROCESS))
        size = -(-len(tasks) // count)
        try:
            for i in range(0, len(tasks), size):
                self._workers.append(_Worker(self.path, tasks[i : i + size], self.settings))
            while self._workers:
                self._step()
        finally:
            for worker in self._workers:
                worker.stop()

    def _step(self) -> None:
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
        worker.started = True
        worker.deadline = monotonic() + self.settings.page_seconds
        if kind == "page":
            self.keep(value)
            worker.owed.popleft()
            if not worker.owed:
                worker.stop()
                self._workers.remove(worker)
        elif kind == "refused":
            worker.stop()
            self._workers.remove(worker)
            raise Damaged("Файл повреждён и не открывается. Скачайте его заново.")

    def _replace(self, worker: _Worker, reason: str) -> None:
        """The page in work is tried once more as plain text, then given up."""
        worker.stop()
        self._workers.remove(worker)
        number, plain = worker.owed.popleft()
        if plain or not worker.started:
            self.keep(RawPage(number, 0.0, 0.0, failure=reason))
        else:
            worker.owed.appendleft((number, True))
        if worker.owed:
            self._workers.append(_Worker(self.path, list(worker.owed), self.settings))
