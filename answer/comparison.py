"""Questions that set two things side by side: both must be quoted."""

from __future__ import annotations

import re

from answer.morphology import part_of_speech
from answer.terms import is_plain
from index.lemmas import lemmas

_ADJECTIVES = frozenset(["ADJF", "PRTF", "ADJS"])

_SIDES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\bчем\s+(?P<a>.{3,60}?)\s+(?:отлича\w+|различа\w+)\s+от\s+(?P<b>[^?.,;]{3,60})",
        r"\bчем\s+отлича\w+\s+(?P<a>.{3,60}?)\s+от\s+(?P<b>[^?.,;]{3,60})",
        r"\bчем\s+(?:отлича\w+|различа\w+)\s+(?P<a>.{3,60}?)\s+и\s+(?P<b>[^?.,;]{3,60})",
        r"(?P<a>\w+(?:\s+\w+)?)\s+чем\s+(?:отлича\w+|различа\w+)\s+от\s+(?P<b>[^?.,;]{3,60})",
        r"\b(?:разниц\w+|различи\w+|отличи\w+|сходств\w+)\s+между\s+(?P<a>.{3,60}?)\s+и\s+(?P<b>[^?.,;]{3,60})",
        r"\bотличи\w+\s+(?P<a>.{3,60}?)\s+от\s+(?P<b>[^?.,;]{3,60})",
        r"\bсравни\w*\s+(?P<a>.{3,60}?)\s+(?:и|с)\s+(?P<b>[^?.,;]{3,60})",
    )
)


def sides(question: str) -> tuple[frozenset[str], frozenset[str]] | None:
    """Lemmas that only the one and only the other side of a comparison has; None where none is asked for.

    «Чем прямая демократия отличается от представительной?» → {"прямой"}, {"представительный"}: the noun is
    what both are.
    """
    for pattern in _SIDES:
        if match := pattern.search(question):
            one, other = (_own(match[name]) for name in ("a", "b"))
            one, other = one - other, other - one
            if _only_adjectives(one) != _only_adjectives(other):
                one, other = _adjectives(one) or one, _adjectives(other) or other
            if one and other:
                return one, other
    return None


def _only_adjectives(some: frozenset[str]) -> bool:
    return bool(some) and some == _adjectives(some)


def _adjectives(some: frozenset[str]) -> frozenset[str]:
    return frozenset(lemma for lemma in some if part_of_speech(lemma) in _ADJECTIVES)


def _own(text: str) -> frozenset[str]:
    return frozenset(lemma for lemma in lemmas(text) if not is_plain(lemma))
