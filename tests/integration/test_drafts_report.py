"""Planted errors on the sample books: what the checks are published to catch."""

from itertools import islice
from pathlib import Path

import pytest

from evaluation.drafts import GOALS, Row, corpus, run_drafts, table

ROOT = Path(__file__).resolve().parents[2]
DATA, SAMPLES = ROOT / "data" / "drafts", ROOT / "data" / "samples"


@pytest.fixture(scope="module")
def rows() -> dict[str, Row]:
    return {row.kind: row for row in run_drafts(DATA, SAMPLES, half="test")[0]}


def test_no_foreign_reference_gets_through(rows: dict[str, Row]) -> None:
    assert rows["reference"].cases >= 150
    assert rows["reference"].share == 1.0


@pytest.mark.parametrize("kind", ["number", "date", "name"])
def test_wrong_facts_are_caught(rows: dict[str, Row], kind: str) -> None:
    # The interval must reach the goal: on few cases one miss is no proof of a loss.
    assert rows[kind].high >= GOALS[kind]
    assert rows[kind].share >= 0.93


@pytest.mark.parametrize("kind", ["negation", "condition", "swap"])
def test_planted_flips_are_caught(rows: dict[str, Row], kind: str) -> None:
    assert rows[kind].share >= 0.8


def test_verbatim_sentences_are_never_removed(rows: dict[str, Row]) -> None:
    assert rows["honest: verbatim"].caught == 0


def test_the_same_seed_gives_the_same_cases() -> None:
    first = list(islice(corpus(DATA, SAMPLES, None, seed=3), 700))
    assert first == list(islice(corpus(DATA, SAMPLES, None, seed=3), 700))
    assert {case.half for case in first} == {"tune", "test"}


def test_table_has_a_line_per_kind_and_names_missed_goals(rows: dict[str, Row]) -> None:
    printed = table([*rows.values(), Row("swap", 10, 1, 0.0, 0.4)])
    assert all(kind in printed for kind in GOALS)
    assert printed.splitlines()[-1].endswith(">= 85% missed")
