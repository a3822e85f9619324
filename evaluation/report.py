"""Figures on the terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.table import Table

from evaluation.metrics import Score
from evaluation.statistics import Difference, Estimate
from evaluation.summary import MEASURES, Summary


def number(key: str, value: float) -> str:
    """A rate with three digits, a length with none."""
    return f"{value:.0f}" if key == "quoted_characters" else f"{value:.3f}"


def interval(key: str, figure: Estimate | Difference | None) -> str:
    """«0.91–0.95» of the 95 % interval."""
    return "" if figure is None else f"{number(key, figure.low)}–{number(key, figure.high)}"


def print_summaries(summaries: Sequence[Summary], console: Console) -> None:
    """One table, a pair of columns for each system."""
    first = summaries[0]
    table = Table(title=f"Вопросов: {first.cases}, из них без ответа в учебнике: {first.unanswerable}")
    table.add_column("мера")
    for summary in summaries:
        table.add_column(summary.system, justify="right", no_wrap=True)
        table.add_column("95 %", style="dim", no_wrap=True)
    for measure in MEASURES:
        figures = [summary.figures[measure.key] for summary in summaries]
        table.add_row(measure.name, *(cell for figure in figures for cell in _cells(measure.key, figure)))
    table.add_section()
    for kind, of in first.kinds.items():
        name = f"{kind} ({of.n}): {'верно' if of.answerable else 'отказ'}"
        kinds = [summary.kinds[kind] for summary in summaries]
        shown = [k.right if of.answerable else k.refused for k in kinds]
        table.add_row(name, *(cell for figure in shown for cell in _cells(kind, figure)))
    table.add_section()
    areas = [(f"{s.risk.area:.3f}", f"≥ {s.risk.best_area:.3f}") for s in summaries]
    table.add_row("площадь риск–охват", *(cell for row in areas for cell in row))
    for share in first.milliseconds:
        times = [(f"{s.milliseconds[share]:.0f}", "") for s in summaries]
        table.add_row(f"мс на вопрос, {share}", *(cell for row in times for cell in row))
    console.print(table)


def _cells(key: str, figure: Estimate | None) -> tuple[str, str]:
    return ("—", "") if figure is None else (number(key, figure.value), interval(key, figure))


def print_comparison(comparison: Mapping[str, Difference | None], console: Console) -> None:
    """Second system minus first on the cases that both carry."""
    table = Table(title="Парное сравнение на тех же вопросах: paragraf − original")
    for column in ("мера", "разность", "95 %", "p", "n"):
        table.add_column(column, justify="left" if column == "мера" else "right")
    for measure in MEASURES:
        found = comparison[measure.key]
        if found is not None:
            sign = "+" if found.difference > 0 else ""
            table.add_row(
                measure.name,
                sign + number(measure.key, found.difference),
                interval(measure.key, found),
                f"{found.p:.2g}",
                str(found.n),
            )
    console.print(table)


def print_faults(scores: Sequence[Score], console: Console) -> None:
    """The cases that went wrong, one a line."""
    for item in scores:
        fault = describe_fault(item)
        if fault:
            console.print(f"{item.case.id}  {fault}: {item.case.question}", markup=False, highlight=False)


def describe_fault(item: Score) -> str:
    """What is wrong with an answer, in Russian; empty where nothing is."""
    if not item.case.answerable:
        return "" if item.refused else "надо было отказаться"
    if item.refused:
        return "ложный отказ"
    if item.rank is None or item.rank > 4:
        return "не найдено"
    if item.page_right is False:
        return "не та страница"
    return "не та цитата" if item.answer_right is False else ""
