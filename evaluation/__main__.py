"""`python -m evaluation`, called by `paragraf evaluate`."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path

import click
from answer.assistant import Assistant
from rich.console import Console
from rich.progress import track
from rich.table import Table

from answer.errors import AnswerError
from answer.query import ScopeOptions
from evaluation.cases import Case, read_cases
from evaluation.errors import EvaluationError
from evaluation.metrics import Score, Summary, score, summarise
from index.errors import IndexStoreError
from index.settings import IndexSettings

ROWS = {
    "hit_at_1": "hit@1",
    "hit_at_4": "hit@4",
    "mrr": "MRR",
    "paragraph_accuracy": "§ первого фрагмента верен",
    "page_accuracy": "печатная страница верна",
    "answer_contains_gold": "ответ содержит эталон",
    "quote_fidelity": "цитаты стоят на странице дословно",
    "refusal_precision": "точность отказов",
    "refusal_recall": "полнота отказов",
    "false_refusals": "ложные отказы",
}


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument(
    "files", nargs=-1, required=True, type=click.Path(path_type=Path, exists=True, dir_okay=False)
)
@click.option(
    "--store", type=click.Path(path_type=Path, file_okay=False), help="Каталог загруженных учебников."
)
@click.option("--json", "as_json", is_flag=True, help="JSON вместо таблицы.")
def main(files: tuple[Path, ...], store: Path | None, as_json: bool) -> None:
    """Измерить качество ответов на наборе вопросов (JSONL)."""
    settings = IndexSettings()
    try:
        cases = read_cases(files)
        assistant = Assistant.open(store if store is not None else settings.store_dir, settings.embedder)
    except (EvaluationError, IndexStoreError, AnswerError) as error:
        click.echo(f"Ошибка: {error}", err=True)
        sys.exit(1)
    scores = [
        _run(case, assistant)
        for case in track(cases, "Вопросы", console=Console(stderr=True), transient=True)
    ]
    summary = summarise(scores)
    if as_json:
        click.echo(json.dumps(asdict(summary), ensure_ascii=False, indent=1))
    else:
        print_summary(summary, scores, Console())


def _run(case: Case, assistant: Assistant) -> Score:
    options = ScopeOptions(grade=case.grade, paragraph=case.paragraph, book_id=case.book_id)
    return score(case, assistant.ask(case.question, options=options).answer, assistant.library)


def print_summary(summary: Summary, scores: list[Score], console: Console) -> None:
    """Table of the means, then the cases that went wrong."""
    table = Table(title=f"{summary.cases} вопросов, из них без ответа в учебнике {summary.unanswerable}")
    table.add_column("мера")
    table.add_column("значение", justify="right")
    values = asdict(summary)
    for field, name in ROWS.items():
        table.add_row(name, "—" if values[field] is None else f"{values[field]:.3f}")
    table.add_row(
        "знаков в цитатах", "—" if summary.quoted_characters is None else f"{summary.quoted_characters:.0f}"
    )
    table.add_row(
        "мс на вопрос, медиана / p95", f"{summary.milliseconds_p50:.0f} / {summary.milliseconds_p95:.0f}"
    )
    console.print(table)
    for item in scores:
        fault = _fault(item)
        if fault:
            console.print(f"{item.case.id}  {fault}: {item.case.question}", markup=False, highlight=False)


def _fault(item: Score) -> str:
    if not item.case.answerable:
        return "" if item.refused else "надо было отказаться"
    if item.refused:
        return "ложный отказ"
    if item.rank is None or item.rank > 4:
        return "не найдено"
    if item.page_right is False:
        return "не та страница"
    return "" if item.answer_right else "не та цитата"


if __name__ == "__main__":
    main()
