"""`python -m evaluation.results`: runs both systems on every set that is there and writes docs/results.md."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import click
import faiss
import numpy as np
import pymupdf
from rich.console import Console

from answer.errors import AnswerError
from evaluation.cases import read_cases
from evaluation.errors import EvaluationError
from evaluation.metrics import score
from evaluation.report import interval, number
from evaluation.run import SYSTEMS, run_systems
from evaluation.statistics import Difference
from evaluation.summary import MEASURES, Summary, compare, summarise
from evaluation.systems import Paragraf, WithoutSynonyms
from index.errors import IndexStoreError
from index.settings import IndexSettings


@dataclass(frozen=True, slots=True)
class Set:
    """Cases with the store that they are asked of."""

    title: str
    store: Path
    files: tuple[Path, ...]
    makes: str
    """Command that makes what is missing."""

    @property
    def command(self) -> str:
        return f"paragraf evaluate {' '.join(map(str, self.files))} --store {self.store} --compare"


TRAIN = Path("build/public/train")
PUBLIC = Path("build/public/test")
SETS = (
    Set(
        "Sample textbooks",
        Path("data/store"),
        (Path("data/gold/obshestvoznanie_9.jsonl"), Path("data/gold/obshestvoznanie_10.jsonl")),
        "make samples",
    ),
    Set(
        "Public question sets, test split",
        PUBLIC / "store",
        (PUBLIC / "xquad.jsonl", PUBLIC / "danetqa.jsonl", PUBLIC / "notes.jsonl"),
        "python data/public/build.py QA_DIR",
    ),
)
SYNONYM_SETS = (
    SETS[0],
    Set(
        "Public question sets, train split",
        TRAIN / "store",
        (TRAIN / "xquad.jsonl", TRAIN / "danetqa.jsonl", TRAIN / "notes.jsonl"),
        "python data/public/build.py QA_DIR",
    ),
)
SYNONYM_MEASURES = ("hit_at_1", "answer_contains_gold", "refusal_recall", "false_refusals", "accuracy")


@click.command()
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), default=Path("docs/results.md"))
def main(out: Path) -> None:
    """Measure this program and the published pipeline on every set and write the figures down."""
    progress = Console(stderr=True)
    embedder = IndexSettings().embedder
    parts = [_head(embedder)]
    measured = 0
    for one in SETS:
        if not one.store.is_dir() or not all(file.is_file() for file in one.files):
            parts.append(f"## {one.title}\n\nNot measured: not there. `{one.makes}` makes it.\n")
            progress.print(f"{one.title}: not there; {one.makes}")
            continue
        try:
            runs = run_systems(
                SYSTEMS, read_cases(one.files), Paragraf.open(one.store, embedder), embedder, progress
            )
        except (EvaluationError, IndexStoreError, AnswerError) as error:
            click.echo(f"{one.title}: {error}", err=True)
            sys.exit(1)
        summaries = [summarise(name, scores) for name, scores in runs.items()]
        parts.append("\n".join(_section(one, summaries, compare(*runs.values()))))
        measured += 1
    if not measured:
        click.echo(f"No set is there, {out} stays as it is; run: {SETS[0].makes}", err=True)
        sys.exit(1)
    parts.append("\n".join(_synonyms(embedder)))
    out.write_text("\n".join(parts), encoding="utf-8")
    click.echo(str(out))


def _head(embedder: str) -> str:
    libraries = f"FAISS {faiss.__version__}, PyMuPDF {pymupdf.VersionBind}, NumPy {np.__version__}"
    return f"""# Results

Written by `make results` on {datetime.now(UTC):%Y-%m-%d}; do not edit.
Machine: {platform.machine()}, {os.cpu_count()} CPUs, Python {platform.python_version()}, {libraries}.
Embedder of both systems: `{embedder}`.

The sample questions take part in the fit of the evidence decision (`answer/evidence.json`), those of the test
split do not.

`original` is the published pipeline (`evaluation/original.py`): pages parsed one by one, 1000/150 pieces,
filter after search, no refusal; its «answer» is the text of its four hits. Brackets hold 95 % bootstrap
intervals over cases; p is exact McNemar for rates and Wilcoxon's for others. A dash: no case carries the
measure. The measures are defined in `evaluation/summary.py`. Times are of one question after the other in
one process.
"""


def _section(
    one: Set, summaries: Sequence[Summary], differences: Mapping[str, Difference | None]
) -> Iterator[str]:
    first = summaries[0]
    yield f"## {one.title}\n"
    yield f"{first.cases} questions, {first.unanswerable} of them unanswerable. `{one.command}`\n"
    yield f"| measure | {' | '.join(s.system for s in summaries)} | difference | p | n |"
    yield f"|---|{'---:|' * (len(summaries) + 3)}"
    for measure in MEASURES:
        cells = []
        for summary in summaries:
            figure = summary.figures[measure.key]
            cells.append(
                "—"
                if figure is None
                else f"{number(measure.key, figure.value)} [{interval(measure.key, figure)}]"
            )
        found = differences[measure.key]
        rest = (
            ["—", "—", "—"]
            if found is None
            else [f"{number(measure.key, found.difference)}", f"{found.p:.1g}", str(found.n)]
        )
        yield f"| `{measure.key}` | {' | '.join([*cells, *rest])} |"
    areas = " | ".join(f"{s.risk.area:.3f} (best order {s.risk.best_area:.3f})" for s in summaries)
    yield f"| area under risk–coverage, less is better | {areas} | | | |"
    times = " | ".join(" / ".join(f"{value:.0f}" for value in s.milliseconds.values()) for s in summaries)
    yield f"| ms a question, {' / '.join(first.milliseconds)} | {times} | | | |\n"
    yield f"| kind of case | n | what counts | {' | '.join(s.system for s in summaries)} |"
    yield f"|---|---:|---|{'---:|' * len(summaries)}"
    for kind, of in first.kinds.items():
        kinds = [summary.kinds[kind] for summary in summaries]
        shown = [k.right if of.answerable else k.refused for k in kinds]
        values = " | ".join(f"{e.value:.3f} [{interval(kind, e)}]" for e in shown)
        yield f"| {kind} | {of.n} | {'right answer' if of.answerable else 'refusal'} | {values} |"
    yield ""


def _synonyms(embedder: str) -> Iterator[str]:
    """The same questions with and without the lists of synonyms, in one run."""
    yield "## Synonyms\n"
    yield "Every question once without and once with the lists of `answer/synonyms/`, nothing else changed.\n"
    yield "| questions | measure | without | with | p | n |"
    yield "|---|---|---:|---:|---:|---:|"
    for one in SYNONYM_SETS:
        if not one.store.is_dir() or not all(file.is_file() for file in one.files):
            yield f"| {one.title} | not there: `{one.makes}` makes them | — | — | — | — |"
            continue
        paragraf, cases = Paragraf.open(one.store, embedder), read_cases(one.files)
        systems = (WithoutSynonyms(paragraf.library), paragraf)
        runs = [
            [score(case, system.ask(case), paragraf.library.books) for case in cases] for system in systems
        ]
        differences = compare(*runs)
        for key in SYNONYM_MEASURES:
            if (found := differences[key]) is not None:
                yield (
                    f"| {one.title} | `{key}` | {found.first:.3f} | {found.second:.3f} "
                    f"| {found.p:.2g} | {found.n} |"
                )
    yield ""


if __name__ == "__main__":
    main()
