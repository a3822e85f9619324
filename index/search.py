"""Filters, and the search that joins the dense and the word ranking."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, reduce

import numpy as np
from numpy.typing import NDArray

from index.book import Book
from index.chunk import Chunk, ChunkKind, Hit
from index.dense import DenseIndex, Ids
from index.embedder import Vectors
from index.fusion import fuse
from index.sparse import SparseIndex

log = logging.getLogger(__name__)

# Chunks that each ranking brings up before fusion. On 620 questions 30 gave the same first four as all did.
_POOL = 50


@dataclass(frozen=True, slots=True)
class Filter:
    """What may be found. None: no restriction; the restrictions are ANDed, the values of one ORed."""

    books: frozenset[str] | None = None
    grades: frozenset[int] | None = None
    paragraphs: frozenset[str] | None = None
    printed_pages: frozenset[str] | None = None
    kinds: frozenset[ChunkKind] | None = None


EVERYTHING = Filter()


class FilterIndex:
    """Filter → ids of the chunks that it allows."""

    def __init__(self, chunks: Sequence[Chunk], books: Mapping[str, Book]) -> None:
        self._books = books
        lists: dict[str, dict[object, list[int]]] = defaultdict(lambda: defaultdict(list))
        for position, chunk in enumerate(chunks):
            lists["books"][chunk.book_id].append(position)
            lists["kinds"][chunk.kind].append(position)
            for grade in set(chunk.grades):
                lists["grades"][grade].append(position)
            for key in set(chunk.paragraphs):
                lists["paragraphs"][key].append(position)
            for page in {span.printed_page for span in chunk.spans}:
                lists["printed_pages"][page].append(position)
        self._ids: dict[str, dict[object, Ids]] = {
            field: {value: np.array(ids, dtype=np.int64) for value, ids in values.items()}
            for field, values in lists.items()
        }
        self.ids = lru_cache(maxsize=512)(self._find)

    def _find(self, filter: Filter) -> Ids | None:
        """Ascending ids, or None where nothing is restricted."""
        parts = [self._union(field, values) for field, values in _restrictions(filter)]
        if not parts:
            return None
        ids = reduce(lambda left, right: np.intersect1d(left, right, assume_unique=True), parts)
        if not len(ids):
            self._report_empty(filter)
        ids.flags.writeable = False  # shared by all searches with this filter
        return ids

    def _union(self, field: str, values: Iterable[object]) -> Ids:
        known = self._ids.get(field, {})
        lists = [known[value] for value in values if value in known]
        if not lists:
            return np.empty(0, dtype=np.int64)
        return lists[0].copy() if len(lists) == 1 else np.unique(np.concatenate(lists))

    def _report_empty(self, filter: Filter) -> None:
        """Logs a grade or § that a loaded book has and no chunk carries: a fault of tagging."""
        for book in self._books.values():
            if filter.books is not None and book.book_id not in filter.books:
                continue
            if filter.grades is not None and filter.grades.isdisjoint(book.grades):
                continue
            for grade in sorted((filter.grades or frozenset()).intersection(book.grades)):
                if not len(self._of_book(book.book_id, "grades", grade)):
                    log.error("Book %s is for grade %s, but none of its chunks is", book.book_id, grade)
            named = {key for section in book.paragraphs for key in section.numbers}
            for key in sorted((filter.paragraphs or frozenset()) & named):
                if not len(self._of_book(book.book_id, "paragraphs", key)):
                    log.error("Book %s has § %s, but none of its chunks is in it", book.book_id, key)

    def _of_book(self, book_id: str, field: str, value: object) -> Ids:
        return np.intersect1d(self._union("books", [book_id]), self._union(field, [value]))


def _restrictions(filter: Filter) -> list[tuple[str, frozenset[object]]]:
    fields = ("books", "grades", "paragraphs", "printed_pages", "kinds")
    return [(field, values) for field in fields if (values := getattr(filter, field)) is not None]


class SentenceIndex:
    """Vectors of all sentences; those of chunk `i` are rows `borders[i]:borders[i + 1]`."""

    def __init__(self, vectors: Vectors, borders: Ids) -> None:
        self._vectors = vectors
        self._borders = borders

    def of(self, position: int, vector: Vectors) -> Vectors:
        """Cosines of the sentences of one chunk, in their order."""
        return self._vectors[self._borders[position] : self._borders[position + 1]] @ vector

    def best(self, vector: Vectors, ids: Ids) -> Vectors:
        """Greatest cosine of a sentence of each chunk; -1 for a chunk without sentences."""
        counts = self._borders[ids + 1] - self._borders[ids]
        best = np.full(len(ids), -1.0, dtype=np.float32)
        filled = np.flatnonzero(counts)
        if len(filled):
            counts = counts[filled]
            starts = np.concatenate(([0], np.cumsum(counts)[:-1]))
            rows = np.arange(counts.sum()) + np.repeat(self._borders[ids[filled]] - starts, counts)
            best[filled] = np.maximum.reduceat(self._vectors[rows] @ vector, starts)
        return best


class HybridSearch:
    """Dense and word ranking bring candidates; `fuse` orders them."""

    def __init__(
        self, chunks: Sequence[Chunk], dense: DenseIndex, sparse: SparseIndex, sentences: SentenceIndex
    ) -> None:
        self._chunks = chunks
        self._dense = dense
        self._sparse = sparse
        self._sentences = sentences

    def search(self, lemmas: Sequence[str], vector: Vectors, allowed: Ids | None, k: int) -> list[Hit]:
        """The best `k` of `allowed` (None: all), best first; fewer only where fewer are allowed."""
        if k < 1:
            raise ValueError(f"k is {k}; at least one hit must be asked for.")
        pool = max(_POOL, k)
        by_vector = self._dense.top(vector, pool, allowed)
        by_words = self._sparse.top(lemmas, pool, allowed)
        ids = np.union1d(by_vector, by_words)
        if not len(ids):
            return []
        dense = self._dense.scores(vector, ids)
        sparse = self._sparse.scores(lemmas, ids)
        sentence = self._sentences.best(vector, ids)
        sentence = np.where(sentence < 0, dense, sentence)  # a chunk without sentences is its own
        fused = fuse(dense, sentence, sparse, self._sparse.ceiling(lemmas))
        in_vector: NDArray[np.bool_] = np.isin(ids, by_vector)
        in_words: NDArray[np.bool_] = np.isin(ids, by_words)
        return [
            Hit(
                chunk=self._chunks[ids[i]],
                score=float(fused[i]),
                source="both" if in_vector[i] and in_words[i] else "dense" if in_vector[i] else "sparse",
                dense=float(dense[i]),
                sparse=float(sparse[i]),
                sentence=float(sentence[i]),
            )
            for i in np.argsort(-fused, kind="stable")[:k]
        ]
