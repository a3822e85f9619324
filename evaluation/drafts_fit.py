"""`python -m evaluation.drafts_fit [--qa FILE]`: how much of a sentence its source must hold.

On the tuning half alone: the pair of thresholds that lets fewest sentences through which no fragment holds,
while at most one honest paraphrase in a hundred falls for want of coverage. For COVERED and BESIDE_COVERED of
`answer/checking/support.py`, which are written by hand.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from pathlib import Path

import click

from answer.checking.coverage import rest_on
from answer.checking.sentence import analyse
from answer.checking.source import read_source
from evaluation.drafts import DATA, SAMPLES, SEED
from evaluation.drafts_cases import Case, corpus

FALSE_ALARMS = 0.01
"""Share of honest paraphrases that coverage alone may remove; the other rules need the rest of the 5 %."""
STEPS = (0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65)


def coverages(cases: Iterable[Case]) -> list[tuple[float, float]]:
    """Shares of each draft held by the fragment that it cites, and by two neighbouring sentences of it."""
    found = []
    for case in cases:
        cited = [fragment for fragment in case.fragments if fragment.id == case.cited]
        rest = rest_on(analyse(case.text), read_source(cited))
        found.append((rest.covered, rest.beside_covered))
    return found


def share_below(points: list[tuple[float, float]], whole: float, best: float) -> float:
    """Share of the points that either threshold stops."""
    return sum(covered < whole or alone < best for covered, alone in points) / len(points)


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--qa", type=click.Path(path_type=Path, exists=True, dir_okay=False), help="Набор в формате SQuAD."
)
def main(qa: Path | None) -> None:
    """Подобрать пороги доли слов, найденных в источнике, на половине для настройки."""
    cases = [case for case in corpus(DATA, SAMPLES, qa, seed=SEED) if case.half == "tune"]
    honest = coverages(case for case in cases if case.kind in ("honest: paraphrase", "honest: fresh, fit"))
    unheld = coverages(case for case in cases if case.kind == "unheld")
    grid = [
        (share_below(unheld, whole, best), -share_below(honest, whole, best), whole, best)
        for whole, best in product(STEPS, STEPS)
        if best <= whole and share_below(honest, whole, best) <= FALSE_ALARMS
    ]
    for caught, alarms, whole, best in sorted(grid, reverse=True)[:5]:
        click.echo(f"COVERED={whole} BESIDE_COVERED={best}: замечено {caught:.1%}, ложных {-alarms:.1%}")


if __name__ == "__main__":
    main()
