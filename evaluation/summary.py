"""From scores of cases to the figures of a system."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from evaluation.metrics import Score
from evaluation.ranking import ranking
from evaluation.risk import RiskCoverage, risk_coverage
from evaluation.statistics import Difference, Estimate, estimate, paired

PERCENTILES = (50, 90, 95, 99)


@dataclass(frozen=True, slots=True)
class Measure:
    """A figure that is the mean of values of cases."""

    key: str
    name: str
    """Russian, as shown."""
    of: Callable[[Score], float | bool | None] | None
    """Value of a case, None where the measure does not apply; None: a ranking measure."""
    better: int = 1
    """1: greater is better, -1: less is better, 0: neither."""


MEASURES = (
    Measure("hit_at_1", "hit@1", None),
    Measure("hit_at_4", "hit@4", None),
    Measure("mrr", "MRR", None),
    Measure("ndcg_at_10", "nDCG@10", None),
    Measure(
        "empty_results", "ничего не найдено вовсе", lambda s: s.hits == 0 if s.case.answerable else None, -1
    ),
    Measure("paragraph_accuracy", "§ первого фрагмента верен", lambda s: s.paragraph_right),
    Measure("source_paragraph_accuracy", "§ первого источника верен", lambda s: s.source_paragraph_right),
    Measure("page_accuracy", "печатная страница — эталонная", lambda s: s.page_right),
    Measure("file_page_accuracy", "лист файла — эталонный", lambda s: s.file_page_right),
    Measure("page_truth", "цитата стоит на названной странице", lambda s: s.page_true),
    Measure("answer_contains_gold", "ответ содержит эталон", lambda s: s.answer_right),
    Measure("quoted_characters", "знаков в цитатах", lambda s: None if s.refused else s.quoted, 0),
    Measure(
        "quote_fidelity", "цитаты стоят на странице дословно", lambda s: None if s.refused else s.faithful
    ),
    Measure("refusal_precision", "точность отказов", lambda s: not s.case.answerable if s.refused else None),
    Measure("refusal_recall", "полнота отказов", lambda s: None if s.case.answerable else s.refused),
    Measure("false_refusals", "ложные отказы", lambda s: s.refused if s.case.answerable else None, -1),
    Measure("accuracy", "верный ответ или верный отказ", lambda s: s.right),
)


@dataclass(frozen=True, slots=True)
class KindOfCase:
    """Cases of one `kind`: how often refused, how often right."""

    n: int
    answerable: int
    refused: Estimate
    right: Estimate


@dataclass(frozen=True, slots=True)
class Summary:
    """One system on one set of cases; None where no case carries the measure."""

    system: str
    cases: int
    unanswerable: int
    figures: Mapping[str, Estimate | None]
    kinds: Mapping[str, KindOfCase]
    risk: RiskCoverage
    milliseconds: Mapping[str, float]
    """«p50» → milliseconds a question."""

    def to_json(self) -> dict[str, Any]:
        """Figures flat beside their intervals, so that `jq .hit_at_1` just works."""
        return {
            "system": self.system,
            "cases": self.cases,
            "unanswerable": self.unanswerable,
            **{key: None if figure is None else figure.value for key, figure in self.figures.items()},
            "intervals": {
                key: {"low": figure.low, "high": figure.high, "n": figure.n}
                for key, figure in self.figures.items()
                if figure is not None
            },
            "kinds": {kind: asdict(figures) for kind, figures in self.kinds.items()},
            "risk_coverage": asdict(self.risk),
            "milliseconds": dict(self.milliseconds),
        }


def summarise(system: str, scores: Sequence[Score]) -> Summary:
    """Figures of the scores of one system (at least one)."""
    values = case_values(scores)
    kinds = dict.fromkeys(
        sorted({score.case.kind for score in scores}, key=lambda kind: (_refusable(kind, scores), kind))
    )
    times = [score.milliseconds for score in scores]
    return Summary(
        system=system,
        cases=len(scores),
        unanswerable=sum(not score.case.answerable for score in scores),
        figures={key: estimate([v for v in column if v is not None]) for key, column in values.items()},
        kinds={kind: _kind([score for score in scores if score.case.kind == kind]) for kind in kinds},
        risk=risk_coverage(
            [score.confidence for score in scores], [not score.answered_right for score in scores]
        ),
        milliseconds={f"p{share}": float(np.percentile(times, share)) for share in PERCENTILES},
    )


def case_values(scores: Sequence[Score]) -> dict[str, list[float | None]]:
    """Measure → value per case, None where it does not apply."""
    places = ranking([score.rank for score in scores], [score.hits for score in scores])
    columns: dict[str, list[float | None]] = {}
    for measure in MEASURES:
        if measure.of is None:
            columns[measure.key] = [
                value if score.case.answerable else None
                for value, score in zip(places[measure.key], scores, strict=True)
            ]
        else:
            column = [measure.of(score) for score in scores]
            columns[measure.key] = [None if value is None else float(value) for value in column]
    return columns


def compare(first: Sequence[Score], second: Sequence[Score]) -> dict[str, Difference | None]:
    """Measure → second system against first: same cases, same order, without those that either lacks."""
    columns, others = case_values(first), case_values(second)
    differences = {}
    for key, column in columns.items():
        pairs = [(a, b) for a, b in zip(column, others[key], strict=True) if a is not None and b is not None]
        differences[key] = paired([a for a, _ in pairs], [b for _, b in pairs])
    return differences


def _kind(scores: Sequence[Score]) -> KindOfCase:
    refused = estimate([float(score.refused) for score in scores])
    right = estimate([float(score.right) for score in scores])
    if refused is None or right is None:
        raise ValueError("a kind of case has at least one case")
    return KindOfCase(len(scores), sum(score.case.answerable for score in scores), refused, right)


def _refusable(kind: str, scores: Sequence[Score]) -> bool:
    return all(not score.case.answerable for score in scores if score.case.kind == kind)
