"""The command line of ingestion: loads textbooks into the store."""

from __future__ import annotations

import json
import logging
import re
import sys
from dataclasses import replace
from itertools import count
from pathlib import Path

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TaskID, TextColumn, TimeRemainingColumn
from rich.progress import Progress as ProgressBars

from index.embedder import Embedder
from index.embedders import load_embedder
from index.errors import IndexStoreError
from index.russian_click import RussianCommand
from index.settings import IndexSettings
from index.store import Store
from ingest.errors import BadOptions
from ingest.html_report import write_html
from ingest.options import BookOptions
from ingest.parse import Progress
from ingest.pipeline import file_sha256, ingest
from ingest.progress import JsonLines, Lines, end_with_stdin
from ingest.report import IngestReport, show
from ingest.settings import IngestSettings

log = logging.getLogger(__name__)


@click.command(
    cls=RussianCommand,
    help="Загрузить учебники PDF.",
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.argument("files", metavar="ФАЙЛ.pdf…", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--grade", "grades", multiple=True, required=True, help="Класс, несколько через запятую: 10 или 10,11."
)
@click.option("--subject", required=True, help="Предмет.")
@click.option("--title", required=True, help="Название книги.")
@click.option("--book-id", default=None, help="Имя книги в библиотеке; по умолчанию из названия и класса.")
@click.option("--page-offset", type=int, default=None, help="Номер листа файла минус номер страницы на нём.")
@click.option(
    "--store", "store_dir", type=click.Path(path_type=Path), default=None, help="Каталог библиотеки."
)
@click.option(
    "--report",
    "html",
    type=click.Path(path_type=Path, dir_okay=False),
    default=None,
    help="Отчёт для чтения: файл HTML со страницами, параграфами и тем, что не прочитано.",
)
@click.option("--json", "as_json", is_flag=True, help="Отчёт в виде JSON.")
@click.option(
    "--progress-json",
    is_flag=True,
    help="Для программ: ход работы строками JSON в stderr; когда stdin закрывается, загрузка прерывается.",
)
def main(
    files: tuple[Path, ...],
    grades: tuple[str, ...],
    subject: str,
    title: str,
    book_id: str | None,
    page_offset: int | None,
    store_dir: Path | None,
    html: Path | None,
    as_json: bool,
    progress_json: bool,
) -> None:
    """Exit 0: all good; 1: something failed or is partial, the good ones are stored; 2: wrong usage."""
    try:
        first = BookOptions.checked(grades, subject, title, book_id, page_offset)
    except BadOptions as exc:
        raise click.UsageError(str(exc)) from exc
    if progress_json:
        end_with_stdin()
    errors = Console(stderr=True)
    reports: list[IngestReport] = []
    failure: str | None = None
    try:
        settings = IndexSettings()
        store = Store(store_dir or settings.store_dir)
        embedder = load_embedder(settings.embedder, threads=2)
        with _progress(errors) as bar:
            for file in files:
                taken = {report.book_id or "" for report in reports if report.stored}
                options = replace(first, book_id=_book_id(first.book_id, file, store, taken))
                shown = JsonLines(sys.stderr) if progress_json else _shown(bar, file.name)
                reports.append(_one(file, options, store, embedder, shown, named=book_id is not None))
    except IndexStoreError as exc:
        failure = str(exc)
    if as_json:
        print(json.dumps([report.to_json() for report in reports], ensure_ascii=False, indent=1))
    elif reports:
        show(reports, Console())
    if html is not None and failure is None:
        try:
            write_html(reports, html, IngestSettings())
        except OSError as exc:
            failure = f"Отчёт {html} не записан: {exc.strerror}. Укажите другой файл в --report."
    if failure is not None:
        errors.print(failure, style="red", markup=False)
    sys.exit(0 if failure is None and all(report.good for report in reports) else 1)


def _one(
    file: Path, options: BookOptions, store: Store, embedder: Embedder, progress: Progress, named: bool
) -> IngestReport:
    """One file; `named`: the teacher chose the id, and so the book that is replaced.

    A fault of our own must not cost the other files of the command.
    """
    try:
        return ingest(
            file,
            grades=options.grades,
            subject=options.subject,
            title=options.title,
            book_id=options.book_id,
            page_offset=options.page_offset,
            store=store,
            embedder=embedder,
            progress=progress,
            replace_any=named,
        )
    except IndexStoreError:
        raise
    except Exception as exc:
        log.exception("Ingestion of %s failed", file)
        message = f"Внутренняя ошибка ({type(exc).__name__}), подробности в журнале. Книга не загружена."
        return IngestReport(file=str(file), book_id=options.book_id, status="failed", warnings=(message,))


def _book_id(base: str, file: Path, store: Store, taken: set[str]) -> str:
    """The id of one of several files under one title: the second is ID-2, unless it is stored already.

    A file that could not be loaded takes no id.
    """
    same = store.find_by_sha256(file_sha256(file)) if file.is_file() else None
    if same is not None and re.fullmatch(rf"{re.escape(base)}(-\d+)?", same) and same not in taken:
        return same
    return next(name for i in count(1) if (name := base if i == 1 else f"{base}-{i}") not in taken)


def _progress(console: Console) -> ProgressBars:
    return ProgressBars(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("осталось"),
        TimeRemainingColumn(),
        console=console,
        disable=not console.is_terminal,
        transient=True,
    )


def _shown(bar: ProgressBars, name: str) -> Progress:
    """The bar where there is a terminal, else lines: minutes of silence look like a program that hangs."""
    return Lines(sys.stderr, name) if bar.disable else _Bar(bar, name)


class _Bar:
    """One line of the progress bar per step of a book."""

    def __init__(self, bar: ProgressBars, name: str) -> None:
        self._bar = bar
        self._name = name
        self._step = ""
        self._task: TaskID | None = None

    def __call__(self, step: str, done: int, total: int) -> None:
        if self._task is None or step != self._step:
            if self._task is not None:
                self._bar.remove_task(self._task)
            self._step = step
            self._task = self._bar.add_task(f"{self._name}: {step}", total=total)
        self._bar.update(self._task, completed=done, total=total)
