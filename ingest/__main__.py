"""`python -m ingest`: loads textbooks into the store. `paragraf ingest` runs it as a child process."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from index.embedders import load_embedder
from index.errors import IndexStoreError
from index.settings import IndexSettings
from index.store import Store
from ingest.errors import BadOptions
from ingest.options import check_book_id, parse_grades
from ingest.pipeline import ingest
from ingest.report import IngestReport, show
from ingest.slug import book_slug


@click.command(help="Загрузить учебники PDF.")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
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
@click.option("--json", "as_json", is_flag=True, help="Отчёт в виде JSON.")
def main(
    files: tuple[Path, ...],
    grades: tuple[str, ...],
    subject: str,
    title: str,
    book_id: str | None,
    page_offset: int | None,
    store_dir: Path | None,
    as_json: bool,
) -> None:
    """Exit 0: all good; 1: something failed or is partial, the good ones are stored; 2: wrong usage."""
    try:
        known = parse_grades(grades)
        ids = _book_ids(files, book_id, title, known)
    except BadOptions as exc:
        raise click.UsageError(str(exc)) from exc
    if not subject.strip() or not title.strip():
        raise click.UsageError("Предмет и название не должны быть пустыми.")
    settings = IndexSettings()
    errors = Console(stderr=True)
    reports: list[IngestReport] = []
    try:
        store = Store(store_dir or settings.store_dir)
        embedder = load_embedder(settings.embedder, threads=2)
        with _progress(errors) as bar:
            for file, name in zip(files, ids, strict=True):
                reports.append(
                    ingest(
                        file,
                        grades=known,
                        subject=subject.strip(),
                        title=title.strip(),
                        book_id=name,
                        page_offset=page_offset,
                        store=store,
                        embedder=embedder,
                        progress=_Bar(bar, file.name),
                    )
                )
    except IndexStoreError as exc:
        if as_json:
            print(json.dumps([report.to_json() for report in reports], ensure_ascii=False))
        errors.print(str(exc), style="red", markup=False)
        sys.exit(1)
    if as_json:
        print(json.dumps([report.to_json() for report in reports], ensure_ascii=False, indent=1))
    else:
        show(reports, Console())
    sys.exit(0 if all(report.good for report in reports) else 1)


def _book_ids(files: tuple[Path, ...], book_id: str | None, title: str, grades: tuple[int, ...]) -> list[str]:
    """One id per file. Several files under one title are parts of it: their ids are numbered."""
    base = check_book_id(book_id or book_slug(title, grades))
    if len(files) == 1:
        return [base]
    return [f"{base}-{i}" for i in range(1, len(files) + 1)]


def _progress(console: Console) -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("осталось"),
        TimeRemainingColumn(),
        console=console,
        disable=not console.is_terminal,
        transient=True,
    )


class _Bar:
    """One line of the progress bar per step of a book."""

    def __init__(self, bar: Progress, name: str) -> None:
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


if __name__ == "__main__":
    main()
