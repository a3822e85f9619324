"""Which words the source tells apart as kinds of one thing: «массовая» and «элитарная» culture."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

from answer.checking.coverage import Rest, holds
from answer.checking.source import Source
from answer.checking.words import Sentence


def pair(first: str, second: str) -> tuple[str, str]:
    """Two lemmas in one order."""
    return min(first, second), max(first, second)


@lru_cache(maxsize=256)
def kinds(source: Source) -> frozenset[tuple[str, str]]:
    """Pairs of adjectives that tell kinds of one thing apart: «массовая культура», «элитарная культура»."""
    of: dict[str, set[str]] = {}
    for sentence in source.sentences:
        for first, second in pairwise(sentence.words):
            if (
                first.pos == "ADJF"
                and second.pos == "NOUN"
                and first.weight > 0.2
                and first.index == second.index - 1
                and first.forms & second.forms
            ):
                of.setdefault(second.lemma, set()).add(first.lemma)
        _add_called(sentence, of)
    return frozenset(pair(a, b) for group in of.values() for a in group for b in group if a < b)


def _add_called(sentence: Sentence, of: dict[str, set[str]]) -> None:
    """«Малой называют группу…»."""
    for adjective, verb, noun in zip(sentence.words, sentence.words[1:], sentence.words[2:], strict=False):
        if (
            adjective.pos == "ADJF"
            and ":ablt" in adjective.forms
            and verb.lemma.startswith(("назыв", "назва"))
            and noun.pos == "NOUN"
        ):
            of.setdefault(noun.lemma, set()).add(adjective.lemma)


@lru_cache(maxsize=256)
def contrasts(source: Source) -> frozenset[tuple[str, str]]:
    """Pairs that the source itself sets side by side: «явные и скрытые», «кадровые и массовые»."""
    pairs = set()
    for sentence in source.sentences:
        adjectives = [word for word in sentence.words if word.weight > 0.2]
        for first, second in pairwise(adjectives):
            between = sentence.tokens[first.index + 1 : second.index]
            if first.pos == second.pos == "ADJF" and between in (["и"], [",", "а"], ["или"]):
                pairs.add(pair(first.lemma, second.lemma))
    return frozenset(pairs)


def other_kind(draft: Sentence, source: Source, rest: Rest) -> Iterator[str]:
    """«Экономическая сфера» in the draft where the source sentence speaks of «политическая сфера»."""
    if rest.best < 0:
        return
    best = source.sentences[rest.best]
    pairs = kinds(source)
    for first, noun in pairwise(draft.words):
        if (
            first.pos != "ADJF"
            or noun.pos != "NOUN"
            or first.index != noun.index - 1
            or holds(best, first.lemma)
        ):
            continue
        for other, same in pairwise(best.words):
            unheard = not source.like(first.lemma) and any(other.lemma in pair for pair in pairs)
            if (
                same.lemma == noun.lemma
                and other.pos == "ADJF"
                and other.weight > 0.2
                and (unheard or pair(first.lemma, other.lemma) in pairs)
                and not holds(draft, other.lemma)
            ):
                yield f"instead: {first.lemma} / {other.lemma}"
