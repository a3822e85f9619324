"""`python -m evaluation.fit XQUAD.json`: fits the evidence decision and writes `answer/evidence.json`.

Answerable: each question over the whole set, over a small part of it, and inside its own §. Unanswerable:
the question after its paragraph was taken out (near), after its article was taken out (far), and inside
another § of the same or of another subject while the book holds the answer elsewhere. Each as written and
as pupils type: in lower case, without the question mark. Figures are cross-validated over articles: no
article is in the training and in the test part of a fold.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import astuple, dataclass, replace
from pathlib import Path

import click
import numpy as np
from numpy.typing import NDArray

from answer.corpus import Corpus
from answer.evidence import FEATURES, SHIPPED, EvidenceModel, Signals, measure
from answer.extract import score
from answer.search import EVIDENCE_KINDS, HITS
from answer.terms import Terms
from evaluation.reading_sets import Article, BookMaker, read_articles
from index.embedder import Embedder
from index.embedders import load_embedder
from index.library import Library
from index.search import Filter

FOLDS = 4
FALSE_REFUSALS = 0.045
"""Share of answerable questions that may be refused, cross-validated."""
STRENGTH = 0.1
"""Inverse regularisation of the regression: small, so that no signal is trusted far beyond what was seen."""
SMALL = 4
"""Articles of the small book."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Case:
    """One question under one condition."""

    kind: str
    """`whole`, `small`, `section` are answerable; the others are not."""
    typed: bool
    """As pupils type, else as written."""
    article: int
    signals: tuple[float, ...]

    @property
    def answerable(self) -> bool:
        return self.kind in ("whole", "small", "section")


def cases(articles: Sequence[Article], embedder: Embedder) -> Iterator[Case]:
    """Every question under every condition."""
    maker = BookMaker(embedder)

    def corpus(chosen: Sequence[Article]) -> Corpus:
        return Corpus(Library.from_parts([maker.book("book", chosen)], embedder))

    whole = corpus(articles)
    for i, article in enumerate(articles):
        others = [other for other in articles if other is not article]
        far = corpus(others)
        small = corpus([article, *(articles[(i + step) % len(articles)] for step in range(1, SMALL))])
        other = frozenset({str((i + 1) % len(articles) + 1)})
        for place, passage in enumerate(article.passages, 1):
            rest = replace(article, passages=tuple(p for p in article.passages if p is not passage))
            near = corpus([*articles[:i], rest, *articles[i + 1 :]])
            own = frozenset({str(i + 1)})
            siblings = frozenset(
                f"{i + 1}.{sibling}" for sibling in range(1, len(article.passages) + 1) if sibling != place
            )
            conditions: list[tuple[str, Corpus, frozenset[str] | None]] = [
                ("whole", whole, None),
                ("small", small, None),
                ("section", whole, own),
                ("near", near, None),
                ("near_section", near, own),
                ("far", far, None),
                ("sibling", whole, siblings),
                ("other_section", whole, other),
            ]
            for asked in passage.questions:
                for text in (asked.text, asked.text.lower().rstrip("? ")):
                    for kind, books, keys in conditions:
                        yield Case(kind, text != asked.text, i, _signals(text, books, keys))


def _signals(text: str, corpus: Corpus, paragraphs: frozenset[str] | None) -> tuple[float, ...]:
    library = corpus.library
    vector = library.embed(text)
    everywhere = library.search(text, vector, Filter(kinds=EVIDENCE_KINDS), HITS)
    hits = everywhere
    if paragraphs is not None:
        hits = library.search(text, vector, Filter(kinds=EVIDENCE_KINDS, paragraphs=paragraphs), HITS)
    terms = Terms.of(text)
    candidates = score(terms, vector, hits, corpus)
    return astuple(measure(text, terms, hits, everywhere, candidates, corpus))


def fit(values: Floats, labels: NDArray[np.bool_]) -> EvidenceModel:
    """Standardise and regress; the threshold is left at 0.5."""
    from sklearn.linear_model import LogisticRegression

    mean, scale = values.mean(axis=0), values.std(axis=0)
    scale[scale == 0] = 1.0
    regression = LogisticRegression(C=STRENGTH, class_weight="balanced", max_iter=5000)
    regression.fit((values - mean) / scale, labels)
    return EvidenceModel(
        tuple(map(float, mean)),
        tuple(map(float, scale)),
        tuple(map(float, regression.coef_[0])),
        float(regression.intercept_[0]),
        0.5,
    )


def cross_validated(all_cases: Sequence[Case]) -> Floats:
    """Probability of each case by a model that saw none of its article."""
    values, labels = _arrays(all_cases)
    folds = np.array([case.article % FOLDS for case in all_cases])
    probabilities = np.zeros(len(all_cases))
    for fold in range(FOLDS):
        model = fit(values[folds != fold], labels[folds != fold])
        rows = np.flatnonzero(folds == fold)
        probabilities[rows] = [model.probability(Signals(*row)) for row in values[rows]]
    return probabilities


def rates(all_cases: Sequence[Case], accepted: NDArray[np.bool_]) -> dict[str, float]:
    """Share of refused questions per condition: to be low for answerable ones, high for the others."""
    kinds = np.array([f"{case.kind}, typed" if case.typed else case.kind for case in all_cases])
    return {kind: float(1 - accepted[kinds == kind].mean()) for kind in dict.fromkeys(kinds.tolist())}


def _arrays(all_cases: Sequence[Case]) -> tuple[Floats, NDArray[np.bool_]]:
    return (
        np.array([case.signals for case in all_cases], dtype=np.float64),
        np.array([case.answerable for case in all_cases]),
    )


@click.command()
@click.argument("questions", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), default=SHIPPED, show_default=False)
@click.option("--embedder", default="bundled", show_default=True)
def main(questions: Path, out: Path, embedder: str) -> None:
    """Fit the evidence decision on a question set in the SQuAD format."""
    write(read_articles(questions), load_embedder(embedder), questions.name, out, click.echo)


def write(
    articles: Sequence[Article], embedder: Embedder, source: str, out: Path, tell: Callable[[str], object]
) -> None:
    """Measure, fit, report and write the coefficients."""
    all_cases = list(cases(articles, embedder))
    values, labels = _arrays(all_cases)
    unseen = cross_validated(all_cases)
    threshold = float(np.quantile(unseen[labels], FALSE_REFUSALS))
    refused = rates(all_cases, unseen >= threshold)
    model = replace(fit(values, labels), threshold=threshold)
    for name, weight in sorted(zip(FEATURES, model.weights, strict=True), key=lambda pair: -abs(pair[1])):
        tell(f"{name:18} {weight:+.3f}")
    for kind, share in refused.items():
        tell(f"refused, {kind:20} {share:.3f}")
    out.write_text(
        json.dumps(
            {
                "features": FEATURES,
                "mean": model.mean,
                "scale": model.scale,
                "weights": model.weights,
                "bias": model.bias,
                "threshold": threshold,
                "training": {
                    "questions": source,
                    "embedder": embedder.id,
                    "articles": len(articles),
                    "cases": len(all_cases),
                    "folds": FOLDS,
                    "inverse_regularisation": STRENGTH,
                    "refused_cross_validated": refused,
                },
            },
            ensure_ascii=False,
            indent=1,
        )
        + "\n",
        encoding="utf-8",
    )


if __name__ == "__main__":
    main()
