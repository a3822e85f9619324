"""Searching for one question: its terms, its vector, and the best hits under a filter and everywhere."""

from __future__ import annotations

from dataclasses import dataclass, replace

from answer.corpus import Corpus
from answer.evidence import EvidenceModel, Signals, measure
from answer.scoring import Scored, score
from answer.spelling import correct
from answer.terms import Terms
from index.chunk import Chunk, ChunkKind, Hit
from index.embedder import Vectors
from index.search import Filter

EVIDENCE_KINDS: frozenset[ChunkKind] = frozenset({"text", "glossary", "table", "document"})
"""Question blocks are no evidence: they hold every word of a question and none of its answer."""
HITS = 10
"""Chunks that are shown."""
MEASURED = 4
"""Those of them that are measured and quoted from."""


@dataclass(frozen=True, slots=True)
class Found:
    """Hits of one question under one filter and the probability that they hold its answer, 0..1."""

    hits: tuple[Hit, ...]
    candidates: tuple[Scored, ...]
    """Sentences of the first hits, the likeliest answer first."""
    probability: float
    sufficient: bool


class Finder:
    """One question over one corpus; what does not depend on the filter is done once."""

    def __init__(self, question: str, corpus: Corpus, model: EvidenceModel) -> None:
        self.question = correct(
            corpus.synonyms.in_the_books_words(question), corpus.vocabulary, corpus.library.frequency
        )
        """The question as it is searched: misspelt words put right, things named as the books name them."""
        self.terms = corpus.as_in_books(Terms.of(self.question))
        self.vector: Vectors = corpus.library.embed(self.question)
        self._corpus = corpus
        self._model = model
        self._everywhere = self._search(Filter())

    def find(self, filter: Filter, without: frozenset[str] = frozenset()) -> Found:
        """Best hits among evidence that the filter allows, chunks of the ids `without` left out."""
        restricted = replace(filter, kinds=EVIDENCE_KINDS) != Filter(kinds=EVIDENCE_KINDS)
        if without:
            found = self._search(filter, HITS + len(without))
            hits = tuple(hit for hit in found if hit.chunk.chunk_id not in without)[:HITS]
        else:
            hits = self._search(filter) if restricted else self._everywhere
        if not hits:
            return Found((), (), 0.0, False)
        candidates, signals = self._look(hits)
        probability = self._model.probability(signals)
        # A question without words of its own («что такое») is answered by anything and by nothing.
        sufficient = probability >= self._model.threshold and not self.terms.empty
        return Found(hits, tuple(candidates), probability, sufficient)

    def signals(self, filter: Filter) -> Signals | None:
        """What the evidence decision is made of; None without hits."""
        hits = self._search(filter)
        return self._look(hits)[1] if hits else None

    def _look(self, hits: tuple[Hit, ...]) -> tuple[list[Scored], Signals]:
        first = hits[:MEASURED]
        candidates = score(self.terms, self.vector, first, self._corpus)
        return candidates, measure(
            self.question, self.terms, first, self._everywhere, candidates, self._corpus
        )

    def hit(self, chunk: Chunk) -> Hit:
        """The hit of one chunk, wherever it ranks."""
        section = Filter(books=frozenset({chunk.book_id}), paragraphs=frozenset(chunk.paragraphs) or None)
        hits = self._search(section, len(self._corpus.library))
        return next(hit for hit in hits if hit.chunk.chunk_id == chunk.chunk_id)

    def _search(self, filter: Filter, k: int = HITS) -> tuple[Hit, ...]:
        return tuple(
            self._corpus.library.search(self.question, self.vector, replace(filter, kinds=EVIDENCE_KINDS), k)
        )
