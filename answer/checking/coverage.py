"""Which sentences of the source a draft sentence rests on, and how much of it they hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

from answer.checking.facts import is_name
from answer.checking.lexicon import GENERIC, akin
from answer.checking.source import Source
from answer.checking.words import Sentence

_NO_CLAIM = 0.2
"""Weight of a word that the source lacks where its absence says nothing."""
_SENTENCES = 4
_NEARLY = 0.8
_WORTH = 0.12
"""A further sentence must add this share of the draft sentence."""


@dataclass(frozen=True, slots=True)
class Rest:
    """What a draft sentence rests on."""

    best: int
    """Index of the source sentence nearest to it, -1 for none."""
    used: tuple[int, ...]
    """The best one and those that add to it."""
    covered: float
    """Weighted share of its content words found there, 0..1."""
    best_covered: float
    """Share that the best sentence alone holds."""
    beside_covered: float
    """Share that it or another sentence holds together with the one after it: «… . Это значит, что …»."""
    near: tuple[int, ...]
    """Sentences that hold nearly as much of it as the best one."""
    missing: tuple[str, ...]
    """Lemmas of weight that were not found."""


def rest_on(draft: Sentence, source: Source, idf: Mapping[str, float] | None = None) -> Rest:
    """Chooses up to four sentences that cover `draft`, greedily; near ones are preferred."""
    wanted: dict[str, float] = {}
    for word in draft.content:
        if is_name(word, draft) and not source.like(word.lemma):
            continue  # an abbreviated name («ВТО»): the facts answer for it
        if not source.like(word.lemma) and word.lemma in GENERIC:
            wanted[word.lemma] = min(word.weight, _NO_CLAIM)
            continue
        weight = word.weight * (idf.get(word.lemma, 1.0) if idf else 1.0)
        wanted[word.lemma] = max(wanted.get(word.lemma, 0.0), weight)
    total = sum(wanted.values())
    if not total or not source.sentences:
        return Rest(-1, (), 0.0, 0.0, 0.0, (), tuple(wanted))
    scores: list[dict[str, float]] = [{} for _ in source.sentences]
    for lemma in wanted:
        for other, sureness in source.like(lemma):
            for place in source.by_lemma[other]:
                found = scores[place.sentence]
                found[lemma] = max(found.get(lemma, 0.0), sureness)
    best = max(range(len(scores)), key=lambda i: sum(wanted[k] * s for k, s in scores[i].items()))
    have = dict(scores[best])
    used = [best]
    best_covered = sum(wanted[k] * s for k, s in have.items()) / total
    while len(used) < _SENTENCES:
        gains = [
            (
                sum(wanted[k] * max(0.0, s - have.get(k, 0.0)) for k, s in scores[i].items())
                / (1 + 0.05 * abs(i - best)),
                i,
            )
            for i in range(len(scores))
            if i not in used
        ]
        gain, index = max(gains, default=(0.0, -1))
        if gain < _WORTH * total:
            break
        used.append(index)
        for k, s in scores[index].items():
            have[k] = max(have.get(k, 0.0), s)
    covered = sum(wanted[k] * s for k, s in have.items()) / total
    alone = [sum(wanted[k] * s for k, s in found.items()) / total for found in scores]
    beside = [
        sum(wanted[k] * max(first.get(k, 0.0), second.get(k, 0.0)) for k in first.keys() | second.keys())
        / total
        for first, second in pairwise(scores)
    ]
    near = tuple(i for i in used if alone[i] >= _NEARLY * best_covered)
    lacking = tuple(k for k in wanted if k not in have and wanted[k] >= 0.5)
    return Rest(best, tuple(used), covered, best_covered, max(beside, default=best_covered), near, lacking)


def holds(sentence: Sentence, lemma: str) -> bool:
    """Whether a sentence has a word akin to `lemma`."""
    return any(akin(lemma, word.lemma) > 0 for word in sentence.words)
