"""How sure a figure is. All randomness is seeded: the same scores give the same intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluation.extras import load

RESAMPLES = 2000
LEVEL = 0.95
SEED = 20240901


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over `n` cases with its bootstrap interval: the mean itself where all values agree."""

    value: float
    low: float
    high: float
    n: int


def estimate(values: Sequence[float]) -> Estimate | None:
    """Mean with a percentile-bootstrap interval over cases; None without cases."""
    if not values:
        return None
    data = np.asarray(values, dtype=float)
    mean = float(data.mean())
    if len(data) < 2 or np.ptp(data) == 0:
        return Estimate(mean, mean, mean, len(data))
    low, high = _bootstrap(data)
    return Estimate(mean, low, high, len(data))


def clustered(values: Sequence[float], clusters: Sequence[str]) -> Estimate:
    """Mean of at least one value with a bootstrap interval over clusters: those of one are drawn together."""
    names, index = np.unique(np.asarray(clusters), return_inverse=True)
    data = np.asarray(values, dtype=float)
    sums, sizes = np.bincount(index, weights=data), np.bincount(index)
    drawn = np.random.default_rng(SEED).integers(0, len(names), (RESAMPLES, len(names)))
    means = sums[drawn].sum(axis=1) / sizes[drawn].sum(axis=1)
    low, high = np.quantile(means, ((1 - LEVEL) / 2, (1 + LEVEL) / 2))
    return Estimate(float(data.mean()), float(low), float(high), len(data))


@dataclass(frozen=True, slots=True)
class Difference:
    """Second system minus first, over the cases that both carry."""

    first: float
    second: float
    difference: float
    low: float
    high: float
    n: int
    p: float
    """Two-sided: exact McNemar for yes/no measures, Wilcoxon's signed ranks for others."""


def paired(first: Sequence[float], second: Sequence[float]) -> Difference | None:
    """Compare two systems on the same cases, in the same order. None without cases."""
    if not first:
        return None
    a, b = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    delta = b - a
    mean = float(delta.mean())
    low = high = mean
    if len(delta) > 1 and np.ptp(delta) > 0:
        low, high = _bootstrap(delta)
    return Difference(float(a.mean()), float(b.mean()), mean, low, high, len(delta), _p_value(a, b))


def _bootstrap(data: NDArray[np.float64]) -> tuple[float, float]:
    result = load("scipy.stats").bootstrap(
        (data,),
        np.mean,
        n_resamples=RESAMPLES,
        confidence_level=LEVEL,
        method="percentile",
        batch=256,
        rng=np.random.default_rng(SEED),
    )
    return float(result.confidence_interval.low), float(result.confidence_interval.high)


def _p_value(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    stats = load("scipy.stats")
    if np.isin(np.concatenate([a, b]), (0.0, 1.0)).all():
        gained, lost = int(((a == 0) & (b == 1)).sum()), int(((a == 1) & (b == 0)).sum())
        return float(stats.binomtest(gained, gained + lost).pvalue) if gained + lost else 1.0
    delta = b - a
    # Wilcoxon drops ties; with none left there is no difference to test.
    return float(stats.wilcoxon(delta[delta != 0], method="approx").pvalue) if np.any(delta) else 1.0
