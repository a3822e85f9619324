"""An immutable snapshot of the loaded textbooks, ready to be searched."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

import numpy as np

from index.book import Book
from index.chunk import Chunk, Hit, Sentence
from index.dense import FaissIndex
from index.embedder import Embedder, Vectors
from index.errors import BookMissing
from index.lemmas import lemmas
from index.reranker import RERANKED, Reranker, rerank
from index.search import EVERYTHING, Filter, FilterIndex, HybridSearch, SentenceIndex
from index.shard import BookParts
from index.sparse import Bm25Index
from index.store import Store


class Library:
    """Books in the order of the store; chunks in reading order, book after book. Threads may share it."""

    books: Mapping[str, Book]
    damaged: Mapping[str, str]
    """Book id → Russian reason why it is not served."""

    def __init__(
        self,
        parts: Sequence[BookParts],
        embedder: Embedder,
        damaged: Mapping[str, str] | None = None,
        reranker: Reranker | None = None,
    ) -> None:
        self.books = MappingProxyType({part.book.book_id: part.book for part in parts})
        if len(self.books) != len(parts):
            raise ValueError("Two books of one library have the same id.")
        self.damaged = MappingProxyType(dict(damaged or {}))
        self._embedder = embedder
        self._reranker = reranker
        self._pdfs = {part.book.book_id: part.pdf for part in parts}
        self._chunks = [chunk for part in parts for chunk in part.chunks]
        self._sentences = [sentence for part in parts for sentence in part.sentences]
        self._first = {}
        first = 0
        for part in parts:
            self._first[part.book.book_id] = first
            first += len(part.chunks)
        counts = np.zeros(first + 1, dtype=np.int64)
        for part in parts:
            rows = [self._first[part.book.book_id] + sentence.chunk + 1 for sentence in part.sentences]
            np.add.at(counts, rows, 1)
        self._borders = np.cumsum(counts)
        self._filters = FilterIndex(self._chunks, self.books)
        self._sparse = Bm25Index([words for part in parts for words in part.words()])
        self._sentence_index = SentenceIndex(
            _stack([part.sentence_vectors for part in parts], embedder.dimension), self._borders
        )
        self._search = HybridSearch(
            self._chunks,
            FaissIndex(_stack([part.vectors for part in parts], embedder.dimension)),
            self._sparse,
            self._sentence_index,
        )

    @classmethod
    def load(cls, store: Store, embedder: Embedder, reranker: Reranker | None = None) -> Library:
        """Raises StoreMissing, StoreDamaged, EmbedderMismatch. Damaged books are left out and named."""
        parts, damaged = store.read(embedder)
        return cls(parts, embedder, damaged, reranker)

    @classmethod
    def from_parts(cls, parts: Sequence[BookParts], embedder: Embedder) -> Library:
        """In memory, for evaluation and tests."""
        return cls(parts, embedder)

    def chunks(self, filter: Filter = EVERYTHING) -> list[Chunk]:
        """All chunks that the filter allows, in reading order."""
        ids = self._filters.ids(filter)
        return list(self._chunks) if ids is None else [self._chunks[i] for i in ids]

    def embed(self, question: str) -> Vectors:
        """Vector of a question, `(d,)`."""
        return self._embedder.embed_query(question)

    def search(self, question: str, vector: Vectors, filter: Filter = EVERYTHING, k: int = 4) -> list[Hit]:
        """The `k` best chunks of those that the filter allows, best first; `k` whenever there are so many.

        `vector` is `embed(question)`, or of a text that stands for it.
        """
        found = self._search.search(
            lemmas(question),
            vector,
            self._filters.ids(filter),
            k if self._reranker is None else max(k, RERANKED),
        )
        return found if self._reranker is None else rerank(self._reranker, question, found)[:k]

    def sentence_scores(self, chunk: Chunk, vector: Vectors) -> list[tuple[Sentence, float]]:
        """The chunk's sentences in their order, each with its cosine to `vector`."""
        position = self._first[chunk.book_id] + chunk.ordinal
        cosines = map(float, self._sentence_index.of(position, vector))
        return list(zip(self.sentences(chunk), cosines, strict=True))

    def sentences(self, chunk: Chunk) -> list[Sentence]:
        """The chunk's sentences in their order."""
        position = self._first[chunk.book_id] + chunk.ordinal
        return self._sentences[self._borders[position] : self._borders[position + 1]]

    def idf(self, lemma: str) -> float:
        """Rarity over chunks, > 0; greatest for a lemma that occurs nowhere."""
        return self._sparse.idf(lemma)

    def frequency(self, lemma: str) -> int:
        """How many chunks hold the lemma."""
        return self._sparse.frequency(lemma)

    def pdf(self, book_id: str) -> Path:
        """The book's PDF. Raises BookMissing, also for a book replaced after this library was loaded."""
        path = self._pdfs.get(book_id)
        if path is None or not path.is_file():
            raise BookMissing(f"Нет PDF учебника «{book_id}»: он не загружен или заменён новым.")
        return path

    def __iter__(self) -> Iterator[Chunk]:
        return iter(self._chunks)

    def __len__(self) -> int:
        return len(self._chunks)


def _stack(arrays: Sequence[Vectors], dimension: int) -> Vectors:
    return np.concatenate(arrays) if arrays else np.zeros((0, dimension), dtype=np.float32)
