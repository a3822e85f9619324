"""Word search: BM25 over lemmas."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol

import numpy as np

from index.dense import Ids
from index.embedder import Vectors

if TYPE_CHECKING:
    import bm25s

BLOCK = 64
"""Scores of which only the greatest is looked at first."""


class SparseIndex(Protocol):
    """Word search, filtered before it ranks."""

    def top(self, lemmas: Sequence[str], k: int, allowed: Ids | None) -> Ids:
        """Up to `k` of `allowed` (None: all) that hold at least one lemma, best first."""
        ...

    def scores(self, lemmas: Sequence[str], ids: Ids) -> Vectors:
        """BM25 of each of `ids`, 0..`ceiling(lemmas)`."""
        ...

    def frequency(self, lemma: str) -> int:
        """Documents that hold the lemma."""
        ...

    def idf(self, lemma: str) -> float:
        """Rarity of the lemma, > 0; greatest for one that occurs nowhere."""
        ...

    def ceiling(self, lemmas: Sequence[str]) -> float:
        """The score that no text can exceed for this question."""
        ...


class Bm25Index:
    """Lucene's BM25. Statistics are those of the whole library, under every filter."""

    def __init__(self, documents: Sequence[Sequence[str]]) -> None:
        self._size = len(documents)
        self._bm25: bm25s.BM25 | None = None
        if any(documents):
            import bm25s

            logging.getLogger("bm25s").setLevel(logging.WARNING)  # its import sets DEBUG
            self._bm25 = bm25s.BM25(method="lucene")
            self._bm25.index([list(document) for document in documents], show_progress=False)
        # One question is scored for its candidates twice, and often again under another filter.
        self._all = lru_cache(maxsize=8)(self._score_all)

    def top(self, lemmas: Sequence[str], k: int, allowed: Ids | None) -> Ids:
        scores = self._all(tuple(lemmas))
        if allowed is None:
            return _greatest(scores, k)
        return allowed[_greatest(scores[allowed], k)]

    def scores(self, lemmas: Sequence[str], ids: Ids) -> Vectors:
        return self._all(tuple(lemmas))[ids]

    def frequency(self, lemma: str) -> int:
        if self._bm25 is not None and (column := self._bm25.vocab_dict.get(lemma)) is not None:
            borders = self._bm25.scores["indptr"]
            if column + 1 < len(borders):
                return int(borders[column + 1] - borders[column])
        return 0

    def idf(self, lemma: str) -> float:
        frequency = self.frequency(lemma)
        return float(np.log1p((self._size - frequency + 0.5) / (frequency + 0.5)))

    def ceiling(self, lemmas: Sequence[str]) -> float:
        return sum(self.idf(lemma) for lemma in dict.fromkeys(lemmas))

    def _score_all(self, lemmas: tuple[str, ...]) -> Vectors:
        scores: Vectors = np.zeros(self._size, dtype=np.float32)
        if self._bm25 is not None:
            known = self._bm25.get_tokens_ids(list(dict.fromkeys(lemmas)))
            scores = self._bm25.get_scores_from_ids(known)
        scores.flags.writeable = False
        return scores


def _greatest(scores: Vectors, k: int) -> Ids:
    """Places of the `k` greatest positive scores, greatest first, of equal ones the earlier first.

    Where `k` blocks hold a score that great, nothing below it is among the greatest: so most of a million
    scores are never sorted.
    """
    whole = len(scores) // BLOCK * BLOCK
    least = 0.0
    if whole > k * BLOCK:
        peaks = scores[:whole].reshape(-1, BLOCK).max(axis=1)
        least = float(np.partition(peaks, len(peaks) - k)[len(peaks) - k])
    ids = np.flatnonzero(scores >= least if least > 0 else scores > 0)
    return ids[np.argsort(-scores[ids], kind="stable")][:k]
