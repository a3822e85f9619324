"""`python -m evaluation.fit QA_DIR`: fits the evidence decision and writes `answer/evidence.json`.

Fitted, and its threshold chosen, on the train part of data/public/split.json and on the questions on the
sample textbooks, cross-validated with one article, or a sixth of the §§ of a set, at a time left out; then
measured once on the test part, whose articles and passages nothing was chosen by. Conditions:
`evaluation.conditions`, `evaluation.gold_conditions`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import click
import numpy as np
from numpy.typing import NDArray

from answer.evidence import FEATURES, SHIPPED, EvidenceModel, Signals
from evaluation.conditions import Case, cases
from evaluation.gold_conditions import FOLDS, GoldSet, gold_cases
from evaluation.reading_sets import Article, YesNo, read_articles, read_yes_no
from evaluation.statistics import Estimate, clustered
from index.embedder import Embedder
from index.embedders import load_embedder

FALSE_REFUSALS = 0.045
"""Share of the answerable questions, as written, that may be refused; cross-validated."""
STRENGTH = 0.02
"""Inverse regularisation of the regression: small, so that no signal is trusted far beyond what was seen."""
CHOICES = (0.01, 0.02, 0.03, 0.045, 0.07, 0.1)
"""Shares of false refusals whose thresholds are listed, with what each buys."""
FORMS = {"written": 1.0, "typed": 0.6, "misspelt": 0.6}
"""Weight of a case by the form of its question."""
THRESHOLD = ("whole", "alone", "small", "section", "reading")
"""The answerable conditions by which the threshold is chosen: questions that others wrote."""
NEAR = ("near", "near_alone", "near_small", "near_section")
FAR = ("far", "far_alone", "far_small")
SPLIT = Path("data/public/split.json")
GOLD = (
    GoldSet(
        "sample",
        Path("data/store"),
        (Path("data/gold/obshestvoznanie_9.jsonl"), Path("data/gold/obshestvoznanie_10.jsonl")),
    ),
    GoldSet("note", Path("build/public/train/store"), (Path("build/public/train/notes.jsonl"),)),
)
"""Made by `make samples public`."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Sets:
    """Questions of one part of the split."""

    articles: tuple[Article, ...]
    yes_no: tuple[YesNo, ...] = ()
    gold: tuple[GoldSet, ...] = ()

    @classmethod
    def read(cls, folder: Path, titles: Sequence[str], train: bool) -> Sets:
        """XQuAD articles by title, and the part's half of DaNetQA where the file is there."""
        danetqa = folder / "danetqa_train.jsonl"
        return cls(
            tuple(read_articles(folder / "xquad_ru_dev.json", titles)),
            tuple(read_yes_no(danetqa, train)) if danetqa.is_file() else (),
            GOLD if train else (),
        )

    def cases(self, embedder: Embedder) -> list[Case]:
        """Every question under every condition."""
        found = list(cases(self.articles, self.yes_no, embedder))
        for place, some in enumerate(self.gold):
            found += gold_cases(some, len(self.articles) + FOLDS * place, embedder)
        return found


def fit(all_cases: Sequence[Case]) -> EvidenceModel:
    """Standardise and regress; the threshold is left at 0.5."""
    from sklearn.linear_model import LogisticRegression

    values, labels = _arrays(all_cases)
    mean, scale = values.mean(axis=0), values.std(axis=0)
    scale[scale == 0] = 1.0
    weights = np.array([FORMS[case.form] for case in all_cases])
    for label in (True, False):
        weights[labels == label] *= len(all_cases) / 2 / weights[labels == label].sum()
    regression = LogisticRegression(C=STRENGTH, max_iter=5000)
    regression.fit((values - mean) / scale, labels, sample_weight=weights)
    return EvidenceModel(
        tuple(map(float, mean)),
        tuple(map(float, scale)),
        tuple(map(float, regression.coef_[0])),
        float(regression.intercept_[0]),
        0.5,
    )


def cross_validated(all_cases: Sequence[Case]) -> Floats:
    """Probability of each case by a model that saw none of its group."""
    groups = np.array([case.group for case in all_cases])
    result = np.zeros(len(all_cases))
    for group in np.unique(groups):
        model = fit([case for case in all_cases if case.group != group])
        rows = np.flatnonzero(groups == group).tolist()
        result[rows] = probabilities(model, [all_cases[row] for row in rows])
    return result


def probabilities(model: EvidenceModel, some: Sequence[Case]) -> Floats:
    """What the model says of each case."""
    return np.array([model.probability(Signals(*case.signals)) for case in some])


def rates(all_cases: Sequence[Case], accepted: NDArray[np.bool_]) -> dict[str, Estimate]:
    """Share of refused questions per condition: to be low for answerable ones, high for the others.

    Intervals are over passages, since questions on one passage fall together.
    """
    rows: dict[str, list[int]] = {}
    for row, case in enumerate(all_cases):
        rows.setdefault(case.kind if case.form == "written" else f"{case.kind}, {case.form}", []).append(row)
    return {
        name: clustered([float(not accepted[row]) for row in some], [all_cases[row].passage for row in some])
        for name, some in rows.items()
    }


def write(train: Sets, test: Sets, embedder: Embedder, out: Path, tell: Callable[[str], object]) -> None:
    """Measure, fit, report and write the coefficients; a `test` without articles is not measured."""
    seen = train.cases(embedder)
    unseen = cross_validated(seen)
    asked = np.array([case.kind in THRESHOLD and case.form == "written" for case in seen])
    threshold = float(np.quantile(unseen[asked], FALSE_REFUSALS))
    model = replace(fit(seen), threshold=threshold)
    for name, weight in sorted(zip(FEATURES, model.weights, strict=True), key=lambda pair: -abs(pair[1])):
        tell(f"{name:18} {weight:+.3f}")
    thresholds = [_bought(seen, unseen, asked, share) for share in CHOICES]
    figures = {"train_cross_validated": rates(seen, unseen >= threshold)}
    if test.articles:
        held_out = test.cases(embedder)
        figures["test"] = rates(held_out, probabilities(model, held_out) >= threshold)
    for part, shares in figures.items():
        for kind, share in shares.items():
            tell(f"{part}: refused, {kind:24} {share.value:.3f} [{share.low:.3f}, {share.high:.3f}]")
    stored = {
        "features": FEATURES,
        "mean": model.mean,
        "scale": model.scale,
        "weights": model.weights,
        "bias": model.bias,
        "threshold": threshold,
        "thresholds": thresholds,
        "training": {
            "embedder": embedder.id,
            "split": str(SPLIT),
            "articles": [article.title for article in train.articles],
            "yes_no": len(train.yes_no),
            "gold": [str(file) for some in train.gold for file in some.files],
            "cases": len(seen),
            "form_weights": FORMS,
            "inverse_regularisation": STRENGTH,
            "false_refusals": FALSE_REFUSALS,
            "test_articles": [article.title for article in test.articles],
            "refused": {
                part: {kind: round(share.value, 4) for kind, share in shares.items()}
                for part, shares in figures.items()
            },
        },
    }
    out.write_text(json.dumps(stored, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def _bought(some: Sequence[Case], unseen: Floats, asked: NDArray[np.bool_], share: float) -> dict[str, float]:
    """The threshold at a share of false refusals, and what it refuses rightly; cross-validated."""
    threshold = float(np.quantile(unseen[asked], share))
    written = np.array([case.form == "written" for case in some])
    bought = {"false_refusals": share, "threshold": round(threshold, 4)}
    for name, kinds in (("near", NEAR), ("far", FAR)):
        rows = written & np.array([case.kind in kinds for case in some])
        bought[f"{name}_refused"] = round(float((unseen[rows] < threshold).mean()), 4)
    return bought


def _arrays(all_cases: Sequence[Case]) -> tuple[Floats, NDArray[np.bool_]]:
    return (
        np.array([case.signals for case in all_cases], dtype=np.float64),
        np.array([case.answerable for case in all_cases]),
    )


@click.command()
@click.argument("folder", metavar="QA_DIR", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), default=SHIPPED, show_default=False)
@click.option("--embedder", default="bundled", show_default=True)
@click.option("--no-test", is_flag=True, help="Do not measure on the test part.")
def main(folder: Path, out: Path, embedder: str, no_test: bool) -> None:
    """Fit the evidence decision on the public question sets of QA_DIR (data/public/README.md)."""
    missing = [some for some in GOLD if not some.there]
    if missing:
        raise click.ClickException(
            f"{missing[0].store}: books or questions are missing; run make samples public"
        )
    split = json.loads(SPLIT.read_text(encoding="utf-8"))
    train, test = (
        Sets.read(folder, split[part]["xquad"] if part == "train" or not no_test else (), part == "train")
        for part in ("train", "test")
    )
    write(train, test, load_embedder(embedder, threads=2), out, click.echo)


if __name__ == "__main__":
    main()
