"""Statements turned around: who is more than whom, who does what, which term has which description."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from answer.checking.coverage import Rest
from answer.checking.lexicon import akin, antonyms
from answer.checking.source import Source
from answer.checking.words import Sentence, Word

_THAN = frozenset({"чем", "нежели"})
_NOMINAL = ("NOUN", "ADJF", "PRTF", "UNKN", "LATN")
_JOINTS = frozenset({"а", "но", "и", "—", "–", "-", ",", ";", "тогда", "зато", "однако"})
_OPPOSITE = {
    "от": {"к", "до"}, "из": {"в", "к"}, "к": {"от", "из"}, "в": {"из"}, "до": {"после", "от"},
    "после": {"до"}, "над": {"под"}, "под": {"над"}, "с": {"без"}, "без": {"с"},
    "за": {"против"}, "против": {"за"},
}  # fmt: skip
_CLEARLY = 0.7
"""How much better, of two descriptions, the crossed reading must fit than the straight one."""


def turned(draft: Sentence, source: Source, rest: Rest) -> list[str]:
    """«compared: A / B», «agent: A / B», «direction: A», «terms: A / B»."""
    used = [source.sentences[index] for index in rest.used]
    return [
        *_compared(draft, used),
        *_agents(draft, used),
        *_directions(draft, used),
        *_terms(draft, used),
    ]


@dataclass(frozen=True, slots=True)
class _Comparison:
    left: Word
    others: tuple[Word, ...]
    """All that stands before the comparative in its clause."""
    how: str
    """Token of the comparative, or «отличие»."""
    right: Word | None


def _compared(draft: Sentence, used: Sequence[Sentence]) -> Iterator[str]:
    for mine in _comparisons(draft):
        if mine.right is None:
            continue
        for theirs in (found for sentence in used for found in _comparisons(sentence)):
            if theirs.right is None:
                crossed = any(_same(mine.right, word) for word in theirs.others) and not any(
                    _same(mine.left, word) for word in theirs.others
                )
                straight = False
            else:
                crossed = _same(mine.left, theirs.right) and _same(mine.right, theirs.left)
                straight = _same(mine.left, theirs.left) and _same(mine.right, theirs.right)
            opposite = theirs.how in antonyms(mine.how)
            if (crossed and mine.how == theirs.how) or (straight and opposite):
                yield f"compared: {mine.left.lemma} / {mine.right.lemma}"


def _comparisons(sentence: Sentence) -> list[_Comparison]:
    found = []
    nominal = [w for w in sentence.words if w.pos in _NOMINAL and w.weight > 0]
    for word in sentence.words:
        if word.pos != "COMP":
            continue
        after = [w for w in nominal if w.index > word.index]
        than = next((i for i, t in enumerate(sentence.tokens) if i > word.index and t in _THAN), None)
        if than is not None:
            right = next((w for w in after if w.index > than), None)
        else:
            right = next((w for w in after if w.index <= word.index + 2 and ":gent" in w.forms), None)
        before = [w for w in nominal if w.index < word.index and w.segment == word.segment]
        if right is not None and right.pos in ("ADJF", "PRTF"):
            left = next((w for w in reversed(before) if w.pos in ("ADJF", "PRTF")), None)
        else:
            left = next((w for w in reversed(before) if ":nomn" in w.forms), None) or (
                before[-1] if before else None
            )
        if left is not None:
            found.append(_Comparison(left, tuple(before), sentence.tokens[word.index], right))
    tokens = sentence.tokens
    for i in range(len(tokens) - 2):
        if tokens[i + 1 : i + 3] in (["отличие", "от"], ["противоположность", "от"]):
            right = next((w for w in nominal if w.index > i + 2), None)
            left = next(
                (
                    w
                    for w in nominal
                    if right and w.segment != right.segment and w.pos == right.pos and w.index != i + 1
                ),
                None,
            )
            if left is not None:
                found.append(_Comparison(left, (left,), "отличие", right))
    return found


def _same(first: Word, second: Word) -> bool:
    return akin(first.lemma, second.lemma) >= 0.8


def _agents(draft: Sentence, used: Sequence[Sentence]) -> Iterator[str]:
    """Who does something in the draft suffers it in the source, and the other way round."""
    for verb in draft.words:
        mine = _agent_of(draft, verb)
        if mine is None:
            continue
        for sentence in used:
            for other in sentence.words:
                if akin(verb.lemma, other.lemma) < 0.9:
                    continue
                theirs = _agent_of(sentence, other)
                if theirs is None or _same(mine, theirs):
                    continue
                if _only_otherwise(mine, sentence) and _only_otherwise(theirs, draft):
                    yield f"agent: {mine.lemma} / {theirs.lemma}"


def _agent_of(sentence: Sentence, verb: Word) -> Word | None:
    """The only sure agent beside a verb."""
    if verb.pos != "VERB" or verb.lemma.endswith("ся") or verb.weight <= 0.2:
        return None
    agents = [
        word
        for word in sentence.words
        if word.segment == verb.segment
        and word.pos == "NOUN"
        and word.weight > 0.2
        and "agent" in word.roles
        and "patient" not in word.roles
    ]
    return agents[0] if len(agents) == 1 else None


def _only_otherwise(word: Word, sentence: Sentence) -> bool:
    places = [
        other for other in sentence.words if akin(word.lemma, other.lemma) >= 0.9 and other.pos == "NOUN"
    ]
    return bool(places) and all("agent" not in place.roles and ":nomn" not in place.roles for place in places)


def _directions(draft: Sentence, used: Sequence[Sentence]) -> Iterator[str]:
    """«к обеспеченным» for «от обеспеченных», beside the same verb."""
    for word in draft.words:
        mine = {form.split(":")[0] for form in word.forms} - {""}
        if word.weight <= 0.2 or len(mine) != 1:
            continue
        preposition = next(iter(mine))
        for sentence in used:
            places = [w for w in sentence.words if akin(word.lemma, w.lemma) >= 0.9 and w.forms]
            theirs = {form.split(":")[0] for w in places for form in w.forms}
            same_verb = any(
                akin(verb.lemma, other.lemma) >= 0.9
                for verb in _verbs(draft, {word.segment})
                for other in _verbs(sentence, {place.segment for place in places})
            )
            if places and same_verb and theirs <= _OPPOSITE.get(preposition, set()):
                yield f"direction: {word.lemma}"


def _verbs(sentence: Sentence, segments: set[int]) -> list[Word]:
    return [w for w in sentence.words if w.segment in segments and w.pos in ("VERB", "INFN", "PRTS")]


def _terms(draft: Sentence, used: Sequence[Sentence]) -> Iterator[str]:
    """«A — x, b — y» in the draft, «A — y, b — x» in the source."""
    terms = [word for word in draft.words if word.pos in ("NOUN", "ADJF") and word.weight > 0.2]
    for i, first in enumerate(terms):
        for second in terms[i + 1 :]:
            if first.segment == second.segment or not _parallel(draft, first, second):
                continue
            mine = _after(draft, first, second)
            if not all(mine):
                continue
            straight = crossed = 0.0
            for sentence in used:
                for a in _places(sentence, first):
                    for b in _places(sentence, second):
                        if a is b:
                            continue
                        early, late = (a, b) if a.index < b.index else (b, a)
                        for blocks in (_after(sentence, early, late), _before(sentence, early, late)):
                            own = blocks if early is a else (blocks[1], blocks[0])
                            straight = max(straight, _fit(mine[0], own[0]) + _fit(mine[1], own[1]))
                            crossed = max(crossed, _fit(mine[0], own[1]) + _fit(mine[1], own[0]))
            if crossed >= 1.2 and crossed > straight + _CLEARLY:
                yield f"terms: {first.lemma} / {second.lemma}"


def _parallel(draft: Sentence, first: Word, second: Word) -> bool:
    """Two subjects, the second one after a joint («, а цель»)."""
    before = draft.tokens[max(0, second.index - 2) : second.index]
    return (
        first.pos == second.pos
        and bool(first.forms & second.forms)
        and ":nomn" in first.forms | second.forms
        and bool(_JOINTS & set(before))
        # In a list the order does not matter: something must be said of the first one.
        and any(
            word.pos in ("VERB", "INFN", "PRTS", "ADJS")
            for word in draft.words
            if first.index < word.index < second.index
        )
    )


def _places(sentence: Sentence, word: Word) -> list[Word]:
    return [
        other for other in sentence.words if other.pos == word.pos and akin(word.lemma, other.lemma) >= 0.9
    ]


_Blocks = tuple[list[Word], list[Word]]


def _after(sentence: Sentence, first: Word, second: Word) -> _Blocks:
    content = [w for w in sentence.content if w.weight > 0.2 and w is not first and w is not second]
    return (
        [w for w in content if first.index < w.index < second.index],
        [w for w in content if w.index > second.index],
    )


def _before(sentence: Sentence, first: Word, second: Word) -> _Blocks:
    content = [w for w in sentence.content if w.weight > 0.2 and w is not first and w is not second]
    return [w for w in content if w.index < first.index], [
        w for w in content if first.index < w.index < second.index
    ]


def _fit(mine: list[Word], theirs: list[Word]) -> float:
    """Share of the first block that the second one holds, 0..1."""
    total = sum(word.weight for word in mine)
    held = sum(
        w.weight * max((akin(w.lemma, o.lemma) for o in theirs if o.narrow == w.narrow), default=0.0)
        for w in mine
    )
    return held / total if total else 0.0
