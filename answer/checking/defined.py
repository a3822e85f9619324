"""What a sentence defines, and whether a draft says it of another term: «объектом» for «субъектом»."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from answer.checking.coverage import Rest, holds
from answer.checking.lexicon import akin
from answer.checking.source import Source
from answer.checking.words import Sentence, Word

_SUBJECT = ("NOUN", "ADJF", "UNKN")
_WITHIN = 4
"""Tokens from the start of a sentence in which its term stands."""


def misattributed(draft: Sentence, source: Source, rest: Rest) -> list[str]:
    """«term: A / B»: the draft says of A what the source says of B, and both are terms of the source."""
    if rest.best < 0:
        return []
    best = source.sentences[rest.best]
    known = _terms(source)
    mine = [word for word in (*_defined(draft), *_opening(draft)) if not holds(best, word.lemma)]
    theirs = [word for word in _defined(best) if not holds(draft, word.lemma)]
    return [
        f"term: {one.lemma} / {other.lemma}"
        for one in mine
        for other in theirs
        if one.pos == other.pos and any(akin(one.lemma, term) >= 0.9 for term in known)
    ]


@lru_cache(maxsize=256)
def _terms(source: Source) -> frozenset[str]:
    return frozenset(word.lemma for sentence in source.sentences for word in _defined(sentence))


def _defined(sentence: Sentence) -> Iterator[Word]:
    """«X — это…», «X называют…», «под X понимают», «X, которое…» as an item of a list, «при X…»."""
    tokens = sentence.tokens
    dash = next((i for i, token in enumerate(tokens) if token in ("—", "–")), -1)
    called = any(token.startswith(("назыв", "назва", "именую", "понима")) for token in tokens)
    for word in sentence.words:
        if word.pos not in _SUBJECT or word.weight <= 0.2:
            continue
        early = word.index < _WITHIN
        item = word.index == 0 and word.text[:1].islower() and word.pos == "ADJF" and tokens[1:2] == [","]
        if (
            (early and word.index < dash and ":nomn" in word.forms)
            or (called and {":ablt", "под:ablt"} & word.forms)
            or (early and {"при:loct", "в:loct"} & word.forms and word.index <= 2 and word.pos == "ADJF")
            or item
            or (
                word.pos == "ADJF"
                and ":nomn" in word.forms
                and tokens[word.index - 1 : word.index] == ["это"]
                and dash >= 0
            )
        ):
            yield word


def _opening(sentence: Sentence) -> Iterator[Word]:
    """The subject that a sentence begins with, and its adjective."""
    for word in sentence.words:
        if word.index > 1:
            return
        if word.pos in _SUBJECT and word.weight > 0.2 and {":nomn", "в:loct", "при:loct"} & word.forms:
            yield word
