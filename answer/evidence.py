"""Do the found chunks hold an answer? A logistic regression over signals, never a bare cosine threshold.

Inference is plain arithmetic; `python -m evaluation.fit` fits the coefficients in `evidence.json`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from typing import Any

from answer.corpus import Corpus
from answer.errors import EvidenceModelDamaged
from answer.forms import asks_for_number, definition_request
from answer.kindred import kindred
from answer.morphology import part_of_speech
from answer.scoring import Scored
from answer.terms import Terms
from index.chunk import Hit

SHIPPED = Path(__file__).with_name("evidence.json")
RIVALS = 4
"""Hits behind the best one that it is compared with."""

TERM = 3
"""Words of a term at most; what is longer, or a quotation, is no term that a book defines."""


@dataclass(frozen=True, slots=True)
class Signals:
    """What is measured about one question and its hits. Ranges hold for books of any size and any filter."""

    sentence: float
    """Greatest cosine of the question and one sentence of a hit, -1..1."""
    nearest: float
    """Score of the likeliest sentence (`answer.scoring.score`): cosine and coverage together, -1..~1.2."""
    gap: float
    """How far it is ahead of the next one, >= 0."""
    lead: float
    """Fused score of the best hit over the mean of the second to fifth best of the whole library."""
    sentence_coverage: float
    """Greatest idf-weighted share of the question's lemmas in one sentence of a hit, 0..1."""
    missing: float
    """Sum of idf of the question's lemmas that neither the likeliest sentence nor its titles hold, >= 0.

    A sum, not a share: the larger the library, the more a word says that does not stand there.
    """
    missing_names: float
    """idf-weighted share of the question that is its capitalised words which no hit holds, 0..1."""
    behind: float
    """Lag of the best hit behind the best one of the whole library, in cosine, <= 0; 0 without a filter."""
    asks_number: float
    """1 where the question asks for a number or a date, else 0."""
    unspoken: float
    """Sum of idf of the question's nouns of which no hit holds even a kindred word, >= 0: «когда умер Пушкин»
    where nobody dies."""
    undefined: float
    """1 where the definition of a term is asked for and no hit gives it in so many words, else 0."""


FEATURES = tuple(field.name for field in fields(Signals))


@dataclass(frozen=True, slots=True)
class EvidenceModel:
    """Standardisation, coefficients and threshold."""

    mean: tuple[float, ...]
    scale: tuple[float, ...]
    weights: tuple[float, ...]
    bias: float
    threshold: float
    """Least probability that counts as enough evidence."""

    @classmethod
    def load(cls, path: Path = SHIPPED) -> EvidenceModel:
        """Read coefficients. Raises EvidenceModelDamaged."""
        fix = "пересчитайте: python -m evaluation.fit QA_DIR — или уберите EVIDENCE_MODEL"
        try:
            stored: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
            if tuple(stored["features"]) != FEATURES:
                raise EvidenceModelDamaged(f"{path}: посчитан для других признаков; {fix}")
            model = cls(
                tuple(map(float, stored["mean"])),
                tuple(map(float, stored["scale"])),
                tuple(map(float, stored["weights"])),
                float(stored["bias"]),
                float(stored["threshold"]),
            )
        except (OSError, ValueError, KeyError, TypeError) as exc:
            raise EvidenceModelDamaged(f"{path} не читается ({exc}); {fix}") from exc
        if {len(model.mean), len(model.scale), len(model.weights)} != {len(FEATURES)} or not all(model.scale):
            raise EvidenceModelDamaged(f"{path}: не то число коэффициентов; {fix}")
        return model

    def probability(self, signals: Signals) -> float:
        """Probability that the hits hold the answer, 0..1."""
        terms = zip(astuple(signals), self.mean, self.scale, self.weights, strict=True)
        logit = self.bias + sum(weight * (value - mean) / scale for value, mean, scale, weight in terms)
        return 1 / (1 + math.exp(-max(-60.0, min(60.0, logit))))


UNDECIDED = EvidenceModel((0.0,) * len(FEATURES), (1.0,) * len(FEATURES), (0.0,) * len(FEATURES), 0.0, 0.5)
"""Knows nothing; for those who want the signals alone."""


def measure(
    question: str,
    terms: Terms,
    hits: Sequence[Hit],
    everywhere: Sequence[Hit],
    candidates: Sequence[Scored],
    corpus: Corpus,
) -> Signals:
    """Signals of a question.

    `hits`: found under its filter, at least one; `everywhere`: the best ones of the whole library;
    `candidates`: the sentences of the hits, best first.
    """
    top = max(hits, key=_strength)
    reachable = sum(map(corpus.library.idf, terms.lemmas))
    best = max(map(_strength, everywhere), default=_strength(top))
    present = frozenset[str]().union(*(corpus.chunk_lemmas(hit.chunk) for hit in hits))
    scores = [candidate.score for candidate in candidates[:2]] or [top.sentence]
    told = _told(candidates[0], corpus) if candidates else corpus.chunk_lemmas(top.chunk)
    idf = corpus.library.idf
    rivals = sorted((hit.score for hit in everywhere), reverse=True)[1 : 1 + RIVALS]
    return Signals(
        sentence=max(hit.sentence for hit in hits),
        nearest=scores[0],
        gap=scores[0] - scores[1] if len(scores) > 1 else 0.0,
        lead=max(hit.score for hit in hits) - sum(rivals) / len(rivals) if rivals else 0.0,
        sentence_coverage=max(
            corpus.coverage(terms.lemmas, known)
            for hit in hits
            for known in corpus.sentence_lemmas(hit.chunk)
        ),
        missing=sum(idf(lemma) for lemma in terms.lemmas if lemma not in told),
        missing_names=_share(terms.names - present, reachable, corpus),
        behind=min(0.0, _strength(top) - best),
        asks_number=float(asks_for_number(question)),
        unspoken=sum(
            idf(lemma)
            for lemma in terms.lemmas
            if part_of_speech(lemma) == "NOUN" and not kindred(lemma, present)
        ),
        undefined=float(_undefined(question, hits, corpus)),
    )


def _told(best: Scored, corpus: Corpus) -> frozenset[str]:
    """Lemmas of a sentence and of the titles above it."""
    chunk = best.hit.chunk
    return corpus.sentence_lemmas(chunk)[best.position] | corpus.title_lemmas(chunk)


def _undefined(question: str, hits: Sequence[Hit], corpus: Corpus) -> bool:
    asked = definition_request(question)
    if asked is None or asked.person or "«" in asked.term or len(asked.term.split()) > TERM:
        return False
    found = {hit.chunk.chunk_id for hit in hits}
    return not corpus.definitions.of(asked.term, lambda chunk: chunk.chunk_id in found)


def _strength(hit: Hit) -> float:
    """Both cosines, 0..1: the parts of the fused score that do not depend on the other hits."""
    return (hit.dense + hit.sentence) / 2


def _share(lemmas: Iterable[str], reachable: float, corpus: Corpus) -> float:
    return min(1.0, sum(map(corpus.library.idf, lemmas)) / reachable) if reachable else 0.0
