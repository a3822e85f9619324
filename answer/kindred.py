"""Words that begin alike, as «общество» and «общественный» do."""

from __future__ import annotations

from collections.abc import Collection

_ROOT = 4
_ENDING = 3


def kindred(lemma: str, others: Collection[str]) -> bool:
    """Whether a lemma, or one that begins like it, is among others."""
    return lemma in others or any(_begin_alike(lemma, other) for other in others)


def _begin_alike(one: str, other: str) -> bool:
    """All but the last three letters of the shorter one are the same, and at least four."""
    least = max(_ROOT, min(len(one), len(other)) - _ENDING)
    return len(one) >= least and one[:least] == other[:least]
