"""How many planted errors the checks of a model's text catch, and how many honest sentences they remove.

`paragraf evaluate --drafts`; `python -m evaluation.drafts` also knows the other half and shows what went wrong.
"""

# ruff: noqa: E501 - a table of Russian wordings reads best one case a line

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from answer.checking.allowed import AllowedReferences
from answer.checking.closed_world import close_world
from answer.checking.drafts import Draft
from answer.checking.references import find_references
from answer.checking.support import check_support
from evaluation.drafts_cases import HONEST, Case, Half, corpus
from evaluation.errors import EvaluationError

GOALS = {
    "number": 0.98, "date": 0.98, "name": 0.98, "reference": 0.98, "negation": 0.85, "condition": 0.85, "swap": 0.85,
    "written: negation": 0.85, "written: condition": 0.85, "written: swap": 0.85,
    "honest: paraphrase": 0.05, "honest: fresh, fit": 0.05, "honest: fresh, validation": 0.05, "honest: verbatim": 0.05, "honest: moved": 0.05,
}  # fmt: skip
NAMES = {
    "number": "подменено число", "date": "подменена дата", "name": "подменено имя", "reference": "выдуманная ссылка",
    "negation": "перевёрнуто отрицание", "condition": "потеряно условие", "swap": "переставлена пара",
    "written: negation": "от руки: отрицание", "written: condition": "от руки: условие", "written: swap": "от руки: пара",
    "unheld": "нет в показанных фрагментах", "other fragment": "из чужого текста",
    "honest: paraphrase": "честный пересказ", "honest: fresh, fit": "второй набор, открытая часть",
    "honest: fresh, validation": "второй набор, закрытая часть", "honest: verbatim": "дословно", "honest: moved": "верно, но не тот фрагмент",
}  # fmt: skip
ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT / "data" / "drafts"
SAMPLES = ROOT / "data" / "samples"
SEED = 7


@dataclass(frozen=True, slots=True)
class Row:
    """A kind of draft and what became of its cases."""

    kind: str
    cases: int
    caught: int
    """Removed, or for references stripped; for honest drafts the false alarms."""
    low: float
    high: float
    """95 % Wilson interval of the share."""

    @property
    def share(self) -> float:
        return self.caught / self.cases if self.cases else 0.0

    @property
    def met(self) -> bool | None:
        """Whether the goal is reached; None without one."""
        goal = GOALS.get(self.kind)
        if goal is None:
            return None
        return self.share <= goal if self.kind in HONEST else self.share >= goal

    def to_json(self) -> dict[str, Any]:
        return {
            "kind": self.kind, "honest": self.kind in HONEST, "cases": self.cases, "caught": self.caught,
            "share": round(self.share, 4), "low": round(self.low, 4), "high": round(self.high, 4),
            "goal": GOALS.get(self.kind), "met": self.met,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class DraftsReport:
    """What the checks did to one half of the drafts."""

    half: Half
    rows: tuple[Row, ...]
    wrong: tuple[Case, ...]
    """Errors that passed and honest sentences that did not."""
    reaching: int
    """Invented references that are still in the text after both checks: they would reach the student."""

    def to_json(self) -> dict[str, Any]:
        return {
            "half": self.half,
            "kinds": [row.to_json() for row in self.rows],
            "invented_references_reaching_the_student": self.reaching,
        }


def run_drafts(
    qa: Path | None = None,
    *,
    half: Half = "test",
    seed: int = SEED,
    data: Path = DATA,
    samples: Path = SAMPLES,
) -> DraftsReport:
    """`data` holds paraphrases.jsonl and errors.jsonl; without `qa` only the sample books are used.

    The same seed gives the same cases. Raises CaseInvalid.
    """
    totals: Counter[str] = Counter()
    caught: Counter[str] = Counter()
    wrong: list[Case] = []
    reaching = 0
    for case in corpus(data, samples, qa, seed=seed):
        if case.half != half:
            continue
        totals[case.kind] += 1
        hit = flagged(case)
        caught[case.kind] += hit
        if hit == (case.kind in HONEST) and case.kind != "honest: fresh, validation":  # only counted
            wrong.append(case)
        if case.kind == "reference":
            reaching += bool(_reaches(case))
    rows = tuple(
        Row(kind, totals[kind], caught[kind], *_wilson(caught[kind], totals[kind])) for kind in _order(totals)
    )
    return DraftsReport(half, rows, tuple(wrong), reaching)


def flagged(case: Case) -> bool:
    """Whether the checks stop the draft: its sentence is removed, or every foreign reference is taken out.

    A «moved» control cites a fragment that does not hold it, though another does.
    """
    if case.kind == "reference":
        allowed = AllowedReferences.of(case.fragments)
        return not foreign_references(close_world(case.text, allowed).text, allowed)
    checked = check_support(Draft(case.text, (case.cited,)), case.fragments)
    if case.kind in HONEST:
        return any(sentence.verdict == "removed" for sentence in checked.sentences)
    return all(sentence.verdict == "removed" for sentence in checked.sentences)


def _reaches(case: Case) -> list[str]:
    """Foreign references in what a student would be shown of the draft."""
    allowed = AllowedReferences.of(case.fragments)
    left = close_world(case.text, allowed).text
    return foreign_references(check_support(Draft(left, (case.cited,)), case.fragments).answer, allowed)


def foreign_references(text: str, allowed: AllowedReferences) -> list[str]:
    """References of `text` that are not allowed, read by a coarse rule of its own beside the finder's."""
    found = [text[r.start : r.end] for r in find_references(text) if r.numbers and not all(
        allowed.allows_number(r, n.low) for n in r.numbers)]  # fmt: skip
    coarse = re.findall(
        r"§\s*\d+|\b(?:ст|стр|гл)\.\s*\d+|\d+-ФЗ|№\s*\d+|(?:стать|страниц|параграф)\w*\s+\d+|\d+-[йм]\s+параграф",
        text,
    )
    return found + [raw for raw in coarse if (number := re.search(r"\d+", raw)) and int(number.group()) >= 60]


def _order(totals: Counter[str]) -> list[str]:
    known = list(NAMES)
    return sorted(totals, key=lambda kind: (known.index(kind) if kind in known else len(known), kind))


def _wilson(hits: int, cases: int, z: float = 1.96) -> tuple[float, float]:
    if not cases:
        return 0.0, 1.0
    share = hits / cases
    centre = (share + z * z / (2 * cases)) / (1 + z * z / cases)
    half = z / (1 + z * z / cases) * (share * (1 - share) / cases + z * z / (4 * cases * cases)) ** 0.5
    return max(0.0, centre - half), min(1.0, centre + half)


def print_drafts(report: DraftsReport, console: Console) -> None:
    """Two tables, errors and controls, and how many invented references would reach a student."""
    half = "проверочная половина" if report.half == "test" else "половина для настройки"
    for honest, title, column in (
        (False, f"Ошибки в тексте модели ({half})", "замечено"),
        (True, f"Верные предложения ({half})", "удалено"),
    ):
        table = Table(title=title)
        for name in ("вид", column, "доля", "95 %", "цель"):
            table.add_column(name, justify="left" if name == "вид" else "right", no_wrap=True)
        for row in report.rows:
            if (row.kind in HONEST) == honest:
                table.add_row(
                    NAMES.get(row.kind, row.kind), f"{row.caught} из {row.cases}", f"{row.share:.1%}",
                    f"{row.low:.1%}–{row.high:.1%}", _goal(row),
                )  # fmt: skip
        console.print(table)
    console.print(f"Выдуманных ссылок дошло бы до ученика: {report.reaching}")


def _goal(row: Row) -> str:
    goal = GOALS.get(row.kind)
    if goal is None:
        return "—"
    return f"{'≤' if row.kind in HONEST else '≥'} {goal:.0%} {'✓' if row.met else '✗'}"


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--qa", type=click.Path(path_type=Path, exists=True, dir_okay=False), help="Набор в формате SQuAD."
)
@click.option("--half", type=click.Choice(["tune", "test"]), default="test", show_default=True)
@click.option("--seed", type=int, default=SEED, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="JSON вместо таблицы.")
@click.option("--wrong", is_flag=True, help="Показать и черновики, на которых проверка ошиблась.")
def main(qa: Path | None, half: Half, seed: int, as_json: bool, wrong: bool) -> None:
    """Измерить проверку черновиков модели."""
    try:
        report = run_drafts(qa, half=half, seed=seed)
    except EvaluationError as error:
        raise click.ClickException(str(error)) from error
    show_drafts(report, as_json=as_json)
    if wrong:
        for case in report.wrong:
            click.echo(f"\n{case.kind}\n  source: {case.source}\n  draft:  {case.text}")


def show_drafts(report: DraftsReport, *, as_json: bool) -> None:
    """On standard output."""
    if as_json:
        click.echo(json.dumps(report.to_json(), ensure_ascii=False, indent=1))
    else:
        print_drafts(report, Console())


if __name__ == "__main__":
    main()
