"""Risk–coverage: what happens to the share of wrong answers when only the surest questions are answered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class RiskCoverage:
    """`risk[i]` is the share of wrong answers among the surest `coverage[i]` of the questions, both 0..1."""

    coverage: tuple[float, ...]
    risk: tuple[float, ...]
    area: float
    """Mean risk over all coverages, 0..1; less is better."""
    best_area: float
    """The area if all right answers came first: no ordering can do better with these answers."""


def risk_coverage(confidences: Sequence[float], wrong: Sequence[bool]) -> RiskCoverage:
    """Curve over at least one case. Equal confidences are one step, so that their order cannot matter."""
    order = np.argsort(-np.asarray(confidences, dtype=float), kind="stable")
    sure = np.asarray(confidences, dtype=float)[order]
    errors = np.asarray(wrong, dtype=float)[order]
    n = len(errors)
    last = np.append(np.flatnonzero(np.diff(sure)), n - 1)
    covered = last + 1
    risks = np.cumsum(errors)[last] / covered
    weights = np.diff(np.concatenate([[0], covered]))
    ideal = np.cumsum(np.sort(errors)) / np.arange(1, n + 1)
    return RiskCoverage(
        coverage=tuple(float(share) for share in covered / n),
        risk=tuple(float(risk) for risk in risks),
        area=float(np.average(risks, weights=weights)),
        best_area=float(ideal.mean()),
    )
