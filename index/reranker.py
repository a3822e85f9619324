"""A cross-encoder that puts the first hits in its own order. Off unless RERANKER names one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from index.chunk import Hit
from index.errors import RerankerUnavailable
from index.hub_models import load_hub_model

RERANKED = 10
"""Hits that are read together with the question; those behind them stay where they are."""


class Reranker(Protocol):
    """How well texts answer a question, by reading both together."""

    def scores(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        """A score for each text; greater is better, comparable within one call alone."""
        ...


class CrossEncoderReranker:
    """A sentence-transformers CrossEncoder: a directory or a hub id. Needs the extra `gpu`."""

    def __init__(self, name: str, *, threads: int = 1) -> None:
        self._model = load_hub_model(
            "CrossEncoder",
            name,
            setting="RERANKER",
            without="уберите RERANKER",
            error=RerankerUnavailable,
            threads=threads,
        )

    def scores(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        pairs = [(question, text) for text in texts]
        return [float(score) for score in self._model.predict(pairs, show_progress_bar=False)]


def load_reranker(name: str | None, *, threads: int = 1) -> Reranker | None:
    """The reranker that RERANKER names, None where it names none. Raises RerankerUnavailable."""
    return CrossEncoderReranker(name, threads=threads) if name else None


def rerank(reranker: Reranker, question: str, hits: Sequence[Hit]) -> list[Hit]:
    """The hits, the first RERANKED of them in the reranker's order; equal scores keep theirs."""
    first = list(hits[:RERANKED])
    if len(first) > 1:
        scores = reranker.scores(question, [hit.chunk.search_text for hit in first])
        order = sorted(range(len(first)), key=lambda i: -scores[i])
        first = [first[i] for i in order]
    return [*first, *hits[RERANKED:]]
