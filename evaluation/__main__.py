"""`python -m evaluation`, called by `paragraf evaluate`."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from answer.errors import AnswerError
from evaluation.cases import judged, read_cases
from evaluation.drafts import run_drafts, show_drafts
from evaluation.errors import EvaluationError
from evaluation.html import write_html
from evaluation.report import print_comparison, print_faults, print_summaries
from evaluation.run import SYSTEMS, run_systems
from evaluation.statistics import Difference
from evaluation.summary import Summary, compare, summarise
from evaluation.systems import Paragraf
from evaluation.teacher_list import read_teacher_list
from index.errors import IndexStoreError
from index.russian_click import RussianCommand
from index.settings import IndexSettings


@click.command(cls=RussianCommand, context_settings={"help_option_names": ["-h", "--help"]})
@click.argument(
    "files",
    metavar="[ВОПРОСЫ]…",
    nargs=-1,
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
)
@click.option(
    "--system",
    "name",
    type=click.Choice(["paragraf", "original"]),
    default="paragraf",
    show_default=True,
    help="Что измеряется: эта программа или опубликованный конвейер.",
)
@click.option("--compare", "both", is_flag=True, help="Обе системы на тех же вопросах и парное сравнение.")
@click.option(
    "--store", type=click.Path(path_type=Path, file_okay=False), help="Каталог загруженных учебников."
)
@click.option("--json", "as_json", is_flag=True, help="JSON вместо таблицы.")
@click.option(
    "--html", type=click.Path(path_type=Path, dir_okay=False), help="Записать отчёт с графиками в файл."
)
@click.option(
    "--drafts", is_flag=True, help="Вместо вопросов: сколько ошибок модели замечает проверка её текста."
)
@click.option(
    "--qa",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="К --drafts: ещё и тексты набора в формате SQuAD.",
)
def main(
    files: tuple[Path, ...],
    name: str,
    both: bool,
    store: Path | None,
    as_json: bool,
    html: Path | None,
    drafts: bool,
    qa: Path | None,
) -> None:
    """Измерить качество ответов на наборе вопросов.

    ВОПРОСЫ — таблица CSV со столбцами «вопрос», «класс», «параграф», «ответ» («нет», если в учебнике его нет)
    или файл JSONL.
    """
    if drafts == bool(files):
        raise click.UsageError("Укажите файлы с вопросами или --drafts.")
    if qa is not None and not drafts:
        raise click.UsageError("--qa нужен только с --drafts.")
    if drafts:
        try:
            show_drafts(run_drafts(qa), as_json=as_json)
        except EvaluationError as error:
            click.echo(f"Ошибка: {error}", err=True)
            sys.exit(1)
        return
    names = SYSTEMS if both else (name,)
    progress = Console(stderr=True)
    try:
        settings = IndexSettings()
        tables = [file for file in files if file.suffix.lower() == ".csv"]
        listed = [file for file in files if file not in tables]
        cases, unjudged = judged(read_cases(listed)) if listed else ([], 0)
        if unjudged:
            progress.print(f"С пометкой review не измеряются: {unjudged}.")
        paragraf = Paragraf.open(store if store is not None else settings.store_dir, settings.embedder)
        for table in tables:
            teacher = read_teacher_list(table, paragraf.library)
            cases += teacher.cases
            for remark in teacher.remarks:
                progress.print(f"{table.name}. {remark}", markup=False)
        runs = run_systems(names, cases, paragraf, settings.embedder, progress)
        summaries = [summarise(system, scores) for system, scores in runs.items()]
        comparison = compare(*runs.values()) if both else None
        if html is not None:
            write_html(html, files, runs, summaries, comparison)
    except (EvaluationError, IndexStoreError, AnswerError, OSError) as error:
        click.echo(f"Ошибка: {error}", err=True)
        sys.exit(1)
    if as_json:
        click.echo(json.dumps(_json(summaries, comparison), ensure_ascii=False, indent=1))
        return
    console = Console()
    print_summaries(summaries, console)
    if comparison is not None:
        print_comparison(comparison, console)
    else:
        print_faults(next(iter(runs.values())), console)


def _json(summaries: Sequence[Summary], comparison: dict[str, Difference | None] | None) -> dict[str, Any]:
    if comparison is None:
        return summaries[0].to_json()
    return {
        "systems": {summary.system: summary.to_json() for summary in summaries},
        "comparison": {
            "first": summaries[0].system,
            "second": summaries[1].system,
            "measures": {key: asdict(value) for key, value in comparison.items() if value is not None},
        },
    }


if __name__ == "__main__":
    main(prog_name="paragraf evaluate")
