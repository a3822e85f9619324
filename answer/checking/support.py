"""Sentence by sentence: does what the model wrote stand in the fragments it cites?"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Protocol

from answer.checking.bearers import misplaced
from answer.checking.conditions import lost
from answer.checking.copies import altered
from answer.checking.coverage import rest_on
from answer.checking.defined import misattributed
from answer.checking.drafts import Checked, CheckedSentence, Draft, Fragment
from answer.checking.exchange import swapped
from answer.checking.facts import missing_facts
from answer.checking.polarity import flipped
from answer.checking.sentence import analyse
from answer.checking.source import read_source
from answer.checking.turned import turned
from answer.checking.words import Sentence
from index.sentences import split_sentences

COVERED = 0.5
"""Least share of a sentence's content words that its source must hold; this and the next one are chosen by
`python -m evaluation.drafts_fit` on the tuning half of data/drafts.
"""
BESIDE_COVERED = 0.45
"""Least share that two neighbouring sentences must hold: words scattered over a fragment support nothing."""
SHORT, SHORT_COVERED = 3, 0.65
"""In a sentence of so few content words a word that the source lacks is a third of what is said."""
_MARGIN = 0.15
_CLOSER = 0.15
_FACTS = ("number", "date", "name")
_MARK = re.compile(r"\s*\[\s*[\w-]{1,12}(?:\s*[,;]\s*[\w-]{1,12})*\s*\]")


class Entailment(Protocol):
    """An optional second opinion (an NLI model or a cross-encoder); judges only cases at the margin."""

    def score(self, premise: str, hypothesis: str) -> float:
        """Probability that `premise` entails `hypothesis`, 0..1."""
        ...


@dataclass(frozen=True, slots=True)
class _Support:
    covered: float
    reasons: tuple[str, ...]

    @property
    def holds(self) -> bool:
        return not self.reasons


def check_support(
    draft: Draft,
    fragments: Sequence[Fragment],
    *,
    idf: Mapping[str, float] | None = None,
    entailment: Entailment | None = None,
) -> Checked:
    """Judges each sentence of `draft` against the fragments that it cites, or that the whole draft cites.

    A sentence that another fragment holds is kept and cites that one («moved»); one that none
    holds is removed.
    Citations that hold nothing of their sentence are dropped.
    """
    known = {fragment.id: fragment for fragment in fragments}
    checked: list[CheckedSentence] = []
    pieces: list[tuple[str, str]] = []
    for lead, text, marks in _sentences(draft.answer):
        cited = [known[mark] for mark in marks if mark in known]
        cited = cited or [known[mark] for mark in dict.fromkeys(draft.citations) if mark in known]
        sentence = _judge(text, cited, fragments, idf, entailment)
        checked.append(sentence)
        if sentence.verdict != "removed":
            pieces.append((lead, text))
    answer = "".join(lead + text for lead, text in pieces).strip()
    citations = dict.fromkeys(chain.from_iterable(s.fragment_ids for s in checked if s.verdict != "removed"))
    return Checked(tuple(checked), answer, tuple(citations))


def _sentences(answer: str) -> list[tuple[str, str, tuple[str, ...]]]:
    """(white space before it, sentence without marks, ids of its marks); marks after a full stop
    belong before it.
    """
    found: list[tuple[str, str, tuple[str, ...]]] = []
    last = 0
    for start, end in split_sentences(answer):
        raw = answer[start:end]
        marks = tuple(re.findall(r"[\w-]+", " ".join(_MARK.findall(raw))))
        text = re.sub(r"\s+([.,;:!?…])", r"\1", _MARK.sub("", raw)).strip()
        lead = answer[last:start]
        last = end
        if found and marks and (leading := re.match(rf"(?:{_MARK.pattern})+", raw)):
            own = tuple(re.findall(r"[\w-]+", leading.group()))
            found[-1] = (found[-1][0], found[-1][1], (*found[-1][2], *own))
            marks = marks[len(own) :]
        if text.strip(" .!?…"):
            found.append((lead if found else "", text, marks))
    return found


def _judge(
    text: str,
    cited: Sequence[Fragment],
    fragments: Sequence[Fragment],
    idf: Mapping[str, float] | None,
    entailment: Entailment | None,
) -> CheckedSentence:
    sentence = analyse(text)
    alone = {f.id: _support(text, sentence, [f], idf, entailment) for f in fragments}
    alone = _against_contradiction(alone)
    holding = [f.id for f in cited if alone[f.id].holds]
    if holding:
        return CheckedSentence(text, tuple(holding), "supported")
    if len(cited) > 1 and (together := _support(text, sentence, cited, idf, entailment)).holds:
        return CheckedSentence(
            text, _contributing(text, sentence, cited, together, idf, entailment), "supported"
        )
    others = sorted((f.id for f in fragments if alone[f.id].holds), key=lambda id_: -alone[id_].covered)
    if others:
        return CheckedSentence(text, (others[0],), "moved")
    best = max(
        (alone[f.id] for f in cited or fragments),
        key=lambda s: s.covered,
        default=_Support(0.0, ("coverage: no fragment",)),
    )
    return CheckedSentence(text, (), "removed", best.reasons)


def _against_contradiction(alone: dict[str, _Support]) -> dict[str, _Support]:
    """A fragment that speaks of the matter much more closely and says otherwise outweighs loose support."""
    contradicting = [
        s for s in alone.values() if s.reasons and not s.reasons[0].startswith(("coverage", *_FACTS))
    ]
    closest = max(contradicting, key=lambda s: s.covered, default=None)
    if closest is None:
        return alone
    return {
        id_: _Support(s.covered, closest.reasons) if s.holds and s.covered <= closest.covered - _CLOSER else s
        for id_, s in alone.items()
    }


def _contributing(
    text: str,
    sentence: Sentence,
    cited: Sequence[Fragment],
    together: _Support,
    idf: Mapping[str, float] | None,
    entailment: Entailment | None,
) -> tuple[str, ...]:
    """The cited fragments without which the sentence would not hold as well."""
    kept = list(cited)
    for fragment in cited:
        fewer = [other for other in kept if other is not fragment]
        if (
            fewer
            and (support := _support(text, sentence, fewer, idf, entailment)).holds
            and support.covered >= together.covered - 0.02
        ):
            kept = fewer
    return tuple(fragment.id for fragment in kept)


def _support(
    text: str,
    sentence: Sentence,
    fragments: Sequence[Fragment],
    idf: Mapping[str, float] | None,
    entailment: Entailment | None,
) -> _Support:
    source_text = "\n".join(fragment.text for fragment in fragments)
    source = read_source(fragments)
    if any(_plain(whole.text) == _plain(text) for whole in source.sentences):
        return _Support(1.0, ())
    rest = rest_on(sentence, source, idf)
    reasons = missing_facts(sentence, source, source_text + "\n" + "\n".join(f.header for f in fragments))
    reasons = reasons or misplaced(sentence, source, rest)
    short = len([word for word in sentence.content if word.weight > 0.2]) <= SHORT
    if rest.covered < (SHORT_COVERED if short else COVERED):
        reasons.append(f"coverage: {rest.covered:.2f} ({', '.join(rest.missing[:6])})")
    elif rest.beside_covered < BESIDE_COVERED:
        reasons.append(f"coverage: {rest.beside_covered:.2f} in neighbouring sentences")
    if not reasons:
        reasons = [
            *flipped(sentence, source, rest),
            *altered(sentence, source, rest),
            *swapped(sentence, source, rest),
            *lost(sentence, source, rest),
            *turned(sentence, source, rest),
            *misattributed(sentence, source, rest),
        ]
    return _Support(
        rest.covered, _second_opinion(text, source_text, rest.covered, tuple(reasons), entailment)
    )


def _plain(text: str) -> str:
    return text.strip(" .!?…;")


def _second_opinion(
    text: str, source: str, covered: float, reasons: tuple[str, ...], entailment: Entailment | None
) -> tuple[str, ...]:
    """Near the threshold of coverage a sure model may accept or reject; it never overrules facts or
    negations.
    """
    if entailment is None or abs(covered - COVERED) > _MARGIN:
        return reasons
    only_coverage = bool(reasons) and all(reason.startswith("coverage") for reason in reasons)
    if reasons and not only_coverage:
        return reasons
    score = entailment.score(source, text)
    if only_coverage and score >= 0.9:
        return ()
    if not reasons and score <= 0.1:
        return (f"entailment: {score:.2f}",)
    return reasons
