"""Intervals and tests: reproducible, and right where the truth is known."""

from __future__ import annotations

import pytest

from evaluation.errors import ExtraMissing
from evaluation.extras import load
from evaluation.statistics import clustered, estimate, paired


def test_interval_is_reproducible_and_holds_the_mean() -> None:
    values = [1.0] * 80 + [0.0] * 20
    first, second = estimate(values), estimate(values)
    assert first is not None
    assert first == second
    assert (first.value, first.n) == (0.8, 100)
    # The normal approximation: 0.8 ± 1.96 · sqrt(0.8 · 0.2 / 100).
    assert first.low == pytest.approx(0.8 - 0.0784, abs=0.02)
    assert first.high == pytest.approx(0.8 + 0.0784, abs=0.02)


def test_more_cases_make_it_narrower() -> None:
    few, many = estimate([1.0, 0.0] * 10), estimate([1.0, 0.0] * 200)
    assert few is not None
    assert many is not None
    assert many.high - many.low < (few.high - few.low) / 3


def test_edges() -> None:
    assert estimate([]) is None
    assert paired([], []) is None
    one = estimate([0.3])
    assert one is not None
    assert (one.low, one.high) == (0.3, 0.3)
    same = estimate([1.0, 1.0, 1.0])
    assert same is not None
    assert (same.low, same.high) == (1.0, 1.0)


def test_paired_uses_the_pairs() -> None:
    # Both systems are right on half of the cases, on the same ones but for twelve that only the second gets.
    first = [1.0] * 50 + [0.0] * 50
    second = [1.0] * 62 + [0.0] * 38
    found = paired(first, second)
    assert found is not None
    assert found.difference == pytest.approx(0.12)
    assert 0 < found.low < 0.12 < found.high
    assert found.p == pytest.approx(2 * 0.5**12)  # exact McNemar: 12 won, 0 lost
    back = paired(second, first)
    assert back is not None
    assert back.difference == pytest.approx(-0.12)


def test_paired_without_a_difference() -> None:
    found = paired([0.2, 0.4, 0.9], [0.2, 0.4, 0.9])
    assert found is not None
    assert (found.difference, found.low, found.high, found.p) == (0, 0, 0, 1.0)


def test_paired_graded_values() -> None:
    first = [i / 40 for i in range(20)]
    found = paired(first, [value + 0.01 + i / 1000 for i, value in enumerate(first)])
    assert found is not None
    assert found.p < 0.001


def test_missing_extra_is_named() -> None:
    with pytest.raises(ExtraMissing, match=r"paragraf\[evaluation\]"):
        load("no_such_library_anywhere")


def test_an_interval_over_clusters_is_wider_where_questions_fall_together() -> None:
    clusters = [str(n // 10) for n in range(100)]
    together = [float(n // 10 % 2) for n in range(100)]
    apart = [float(n % 2) for n in range(100)]
    wide, narrow = clustered(together, clusters), clustered(apart, clusters)
    assert wide.value == narrow.value == 0.5
    assert (narrow.low, narrow.high) == (0.5, 0.5), "every cluster has the same mean"
    assert wide.low < 0.3 < 0.7 < wide.high
    assert clustered(together, clusters) == wide, "seeded"
    uneven = clustered([1.0, 1.0, 1.0, 0.0], ["a", "a", "a", "b"])
    assert (uneven.value, uneven.low, uneven.high, uneven.n) == (0.75, 0.0, 1.0, 4)
