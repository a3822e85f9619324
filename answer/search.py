"""Searching for one question: its terms, its vector, and the best hits under a filter and everywhere."""

from __future__ import annotations

from dataclasses import dataclass, replace

from answer.corpus import Corpus
from answer.evidence import EvidenceModel, measure
from answer.extract import Scored, score
from answer.spelling import correct
from answer.terms import Terms
from index.chunk import Chunk, ChunkKind, Hit
from index.embedder import Vectors
from index.search import Filter

EVIDENCE_KINDS: frozenset[ChunkKind] = frozenset({"text", "glossary", "table", "document"})
"""Question blocks are no evidence: they hold every word of a question and none of its answer."""
HITS = 4
"""Chunks that are measured, quoted from, and shown."""


@dataclass(frozen=True, slots=True)
class Found:
    """Hits of one question under one filter and the probability that they hold its answer, 0..1."""

    hits: tuple[Hit, ...]
    candidates: tuple[Scored, ...]
    """Sentences of the hits, the likeliest answer first."""
    probability: float
    sufficient: bool


class Finder:
    """One question over one corpus; what does not depend on the filter is done once."""

    def __init__(self, question: str, corpus: Corpus, model: EvidenceModel) -> None:
        self.question = correct(question, corpus.vocabulary)
        """The question as it is searched, misspelt words put right."""
        self.terms = Terms.of(self.question)
        self.vector: Vectors = corpus.library.embed(self.question)
        self._corpus = corpus
        self._model = model
        self._everywhere = self._search(Filter())

    def find(self, filter: Filter) -> Found:
        """Best hits among evidence that the filter allows."""
        restricted = replace(filter, kinds=EVIDENCE_KINDS) != Filter(kinds=EVIDENCE_KINDS)
        hits = self._search(filter) if restricted else self._everywhere
        if not hits:
            return Found((), (), 0.0, False)
        candidates = score(self.terms, self.vector, hits, self._corpus)
        probability = self._model.probability(
            measure(self.question, self.terms, hits, self._everywhere, candidates, self._corpus)
        )
        return Found(hits, tuple(candidates), probability, probability >= self._model.threshold)

    def hit(self, chunk: Chunk) -> Hit:
        """The hit of one chunk, wherever it ranks."""
        section = Filter(books=frozenset({chunk.book_id}), paragraphs=frozenset(chunk.paragraphs) or None)
        hits = self._search(section, len(self._corpus.library))
        return next(hit for hit in hits if hit.chunk.chunk_id == chunk.chunk_id)

    def _search(self, filter: Filter, k: int = HITS) -> tuple[Hit, ...]:
        return tuple(
            self._corpus.library.search(self.question, self.vector, replace(filter, kinds=EVIDENCE_KINDS), k)
        )
