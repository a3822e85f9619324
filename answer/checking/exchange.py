"""Swapped pairs: would the draft fit its source better with two words exchanged?

Each word of the draft has neighbours; in the source the same words stand near or far, in the same clause or
another, in these roles or others. When exchanging two words of one kind brings them clearly nearer
to what the
source says, the draft has them the wrong way round.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from answer.checking.coverage import Rest, holds
from answer.checking.facts import is_name, is_place
from answer.checking.kinds import contrasts, kinds, other_kind, pair
from answer.checking.lexicon import akin, antonyms
from answer.checking.numbers import kind_of
from answer.checking.source import Source
from answer.checking.words import Sentence, Word

_MARGIN = 1.2
_LEAST = 0.02
# Where one of the two places loses by the exchange, the other must gain much more.
_NO_WORSE = 0.5
_MIXED_MARGIN = 1.35
_INSTEAD_MARGIN = 1.3
_FACT_MARGIN = 1.15
# Both stand in the same sentence of the source.
_NEAR_FACT_MARGIN = 1.5
_OTHER_ROLE = 0.7
_NOUNLIKE = ("NOUN", "ADJF", "ADJS", "PRTF", "UNKN", "LATN", "NUMB", "COMP", "ADVB", "VERB")


@dataclass(frozen=True, slots=True)
class _Fit:
    keep: float
    swap: float
    margin: float

    @property
    def better(self) -> bool:
        return self.swap > self.keep * self.margin + _LEAST


_NO_GAIN = _Fit(1.0, 0.0, 1.0)


def swapped(draft: Sentence, source: Source, rest: Rest) -> list[str]:
    """«swap: A / B» for pairs that stand the wrong way round, «instead: A / B» for A where the source
    has B.
    """
    words = [
        word for word in draft.words if word.pos in _NOUNLIKE and (word.weight > 0.2 or antonyms(word.lemma))
    ]
    found = list(_roles(draft, words, source, rest))
    for i, first in enumerate(words):
        for second in words[i + 1 :]:
            if (
                first.lemma != second.lemma
                and _comparable(first, second, draft, source)
                and _exchange(draft, first, second, source, rest).better
            ):
                found.append(f"swap: {first.lemma} / {second.lemma}")
    found.extend(other_kind(draft, source, rest))
    for word in words:
        found.extend(f"instead: {word.lemma} / {other}" for other in _replaced(draft, word, source, rest))
    return found


def _comparable(first: Word, second: Word, draft: Sentence, source: Source) -> bool:
    """Whether two words of the draft could have been taken for one another.

    Numbers of a kind, two names, opposites, or words that play the same part in different clauses.
    """
    if "NUMB" in (first.pos, second.pos):
        return first.pos == second.pos and kind_of(first.lemma[1:]) == kind_of(second.lemma[1:])
    names = is_name(first, draft), is_name(second, draft)
    if any(names):
        known = source.like(first.lemma) and source.like(second.lemma)  # «США» for «американский» is not
        return all(names) and bool(known) and abs(first.index - second.index) > 1
    adjectives = ("ADJF", "ADJS", "PRTF")
    if first.pos != second.pos and not (first.pos in adjectives and second.pos in adjectives):
        return False
    if first.narrow != second.narrow:
        return False
    if pair(first.lemma, second.lemma) in kinds(source):
        return first.segment != second.segment
    if not _in_one_sentence(first, second, source):
        return False
    if second.lemma in antonyms(first.lemma) or pair(first.lemma, second.lemma) in contrasts(source):
        return True
    if first.segment == second.segment or _listed(first.lemma, second.lemma, source):
        return False
    return bool(_parts(first) & _parts(second))


def _listed(first: str, second: str, source: Source) -> bool:
    """Whether the source has both in one list, whose order does not matter."""
    return any(
        a.sentence == b.sentence
        and bool(a.word.forms & b.word.forms)
        and not any(
            word.pos in ("VERB", "PRTS", "INFN")
            for word in source.sentences[a.sentence].words
            if min(a.word.index, b.word.index) < word.index < max(a.word.index, b.word.index)
        )
        and not {"а", "но", "—"}
        & set(
            source.sentences[a.sentence].tokens[
                min(a.word.index, b.word.index) : max(a.word.index, b.word.index)
            ]
        )
        for a in source.places(first)
        for b in source.places(second)
    )


def _parts(word: Word) -> frozenset[str]:
    """Roles, with subject and object as one: an elliptic clause does not tell them apart."""
    return frozenset(
        "core" if role in ("agent", "patient", ":nomn", ":accs") else role for role in word.roles
    )


def _in_one_sentence(first: Word, second: Word, source: Source) -> bool:
    here = {place.sentence for place in source.places(first.lemma)}
    return any(place.sentence in here for place in source.places(second.lemma))


def _roles(draft: Sentence, words: Sequence[Word], source: Source, rest: Rest) -> Iterator[str]:
    """A in the role of B and B in the role of A."""
    for i, first in enumerate(words):
        for second in words[i + 1 :]:
            if (
                first.segment != second.segment
                or first.lemma == second.lemma
                or not (first.roles and second.roles)
            ):
                continue
            pairs = [
                (a.word, b.word, source.sentences[a.sentence])
                for a in source.places(first.lemma)
                for b in source.places(second.lemma)
                if a.sentence == b.sentence and a.sentence in rest.used and a.word.segment == b.word.segment
            ]
            if pairs and all(_crossed(draft, first, second, s, a, b) for a, b, s in pairs):
                yield f"roles: {first.lemma} / {second.lemma}"


def _one_verb(draft: Sentence, segment: int, other: Sentence, other_segment: int) -> bool:
    """Whether both clauses have the same verb, or none."""
    mine = [
        word.lemma for word in draft.words if word.segment == segment and word.pos in ("VERB", "PRTS", "INFN")
    ]
    theirs = [
        word.lemma
        for word in other.words
        if word.segment == other_segment and word.pos in ("VERB", "PRTS", "INFN")
    ]
    return (not mine and not theirs) or any(akin(a, b) > 0 for a in mine for b in theirs)


def _crossed(draft: Sentence, first: Word, second: Word, source: Sentence, a: Word, b: Word) -> bool:
    if not (a.roles and b.roles) or first.roles & a.roles or second.roles & b.roles:
        return False
    here, there = first.roles & b.roles, second.roles & a.roles
    if not here or not there:
        return False
    parts = {"agent", "patient"}
    return not (here | there) & parts or _one_verb(draft, first.segment, source, a.segment)


def _exchange(draft: Sentence, first: Word, second: Word, source: Source, rest: Rest) -> _Fit:
    """Both words of the draft change places; neither place may lose much by it."""
    around_first, around_second = _around(draft, first, second), _around(draft, second, first)
    if not around_first and not around_second:
        return _NO_GAIN
    keep = swap = 0.0
    margin = _MARGIN
    for around, own, other in ((around_first, first, second), (around_second, second, first)):
        here = _affinity(own.lemma, around, source, rest)
        there = _affinity(other.lemma, around, source, rest)
        if there < _NO_WORSE * here:
            return _NO_GAIN
        if there < here:
            margin = _MIXED_MARGIN
        keep += here
        swap += there
    return _Fit(keep / 2, swap / 2, margin)


def _replaced(draft: Sentence, word: Word, source: Source, rest: Rest) -> Iterator[str]:
    """Words of the best source sentence in whose place `word` stands."""
    around = _around(draft, word, word)
    fact = word.pos == "NUMB" or is_name(word, draft)
    if not around or rest.best < 0 or (fact and word.lemma not in source.by_lemma):
        return
    best = source.sentences[rest.best]
    own = _affinity(word.lemma, around, source, rest)
    for other in best.words:
        if other.lemma == word.lemma or holds(draft, other.lemma):
            continue
        if is_name(word, draft) and _together(word.lemma, other, best):
            continue
        if not _rivals(word, draft, other, best, source):
            continue
        margin = (
            _INSTEAD_MARGIN if not fact else _NEAR_FACT_MARGIN if holds(best, word.lemma) else _FACT_MARGIN
        )
        fit = _Fit(own, _affinity(other.lemma, around, source, rest), margin)
        if fit.better and (word.narrow or word.wide) == (other.narrow or other.wide):
            yield other.lemma


def _rivals(word: Word, draft: Sentence, other: Word, best: Sentence, source: Source) -> bool:
    if word.pos == "NUMB":
        return other.pos == "NUMB" and kind_of(word.lemma[1:]) == kind_of(other.lemma[1:])
    if other.pos == "NUMB":
        return False
    if is_name(word, draft):
        return (
            is_name(other, best)
            and is_place(word) == is_place(other)
            and not _of_full_name(other, best, draft)
        )
    if any(akin(other.lemma, opposite) == 1.0 for opposite in antonyms(word.lemma)):
        return True
    return pair(word.lemma, other.lemma) in contrasts(source)


def _of_full_name(other: Word, best: Sentence, draft: Sentence) -> bool:
    """«Карл» beside «Шееле», when the draft says only «Шееле»."""
    return any(
        word is not other
        and abs(word.index - other.index) <= 2
        and is_name(word, best)
        and holds(draft, word.lemma)
        for word in best.words
    )


def _together(lemma: str, other: Word, best: Sentence) -> bool:
    """Whether the source names both in one breath: «Гуго Гроций и Джон Локк»."""
    near = [
        word for word in best.words if akin(lemma, word.lemma) > 0 and abs(word.index - other.index) <= 12
    ]
    return any(
        not any(
            w.pos == "VERB"
            for w in best.words
            if min(word.index, other.index) < w.index < max(word.index, other.index)
        )
        for word in near
    )


def _around(draft: Sentence, word: Word, partner: Word) -> list[tuple[Word, float]]:
    """Other words with their nearness to `word`: 1 beside it, less further off, little outside its clause.

    Not the adjectives before it, which go where it goes, nor anything akin to it or its partner.
    """
    own_adjectives: set[int] = set()
    if word.pos == "NOUN":
        for other in reversed([w for w in draft.words if w.index < word.index]):
            if other.index != word.index - 1 - len(own_adjectives) or other.pos not in ("ADJF", "PRTF"):
                break
            own_adjectives.add(other.index)
    around = []
    for other in draft.words:
        weight = other.weight if other.pos != "ADVB" else 0.4
        if (
            weight <= 0
            or other.index in own_adjectives
            or akin(other.lemma, word.lemma)
            or akin(other.lemma, partner.lemma)
        ):
            continue
        if other.index == word.index or other.index == partner.index:
            continue
        distance = abs(other.index - word.index)
        near = 1 / (1 + 0.15 * distance) if other.segment == word.segment else 0.2 / (1 + 0.05 * distance)
        around.append((other, weight * near))
    beside = any(other.segment == word.segment for other, _ in around)
    return around if beside or partner is word else []


def _affinity(lemma: str, around: Sequence[tuple[Word, float]], source: Source, rest: Rest) -> float:
    """How near `lemma` stands to these words in the source, 0..1."""
    own = [place for place in source.places(lemma) if place.sentence in rest.used]
    total = 0.0
    weights = 0.0
    for other, weight in around:
        weights += weight
        best = 0.0
        for place in source.places(other.lemma):
            fits = not (other.roles and place.word.roles) or bool(other.roles & place.word.roles)
            for mine in own:
                if mine.sentence != place.sentence:
                    continue
                distance = abs(mine.word.index - place.word.index)
                same = mine.word.segment == place.word.segment
                near = 1 / (1 + 0.1 * distance) if same else 0.35 / (1 + 0.05 * distance)
                best = max(best, near if fits else _OTHER_ROLE * near)
        total += weight * best
    return total / weights if weights else 0.0
