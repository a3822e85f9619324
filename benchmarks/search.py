"""Search over 10,000, 100,000 and 1,000,000 chunks, and against the langchain-community FAISS wrapper.

    python benchmarks/search.py [--chunks N …] [--questions N] [--compare N]

Vectors are random, in clusters that go through all books: the same topic stands in many §§, and most of what
is near a question is outside the § that it asks about. Ours is the whole hybrid search (dense, word ranking,
sentences, fusion); the wrapper searches vectors alone, in the same process, at the size of `--compare`.
Recall is that of the ten nearest vectors against a full scan by NumPy. At a million chunks a chunk has one
sentence and a third of the words, so that the benchmark fits a machine of 16 GB. Needs the extra `baseline`.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from langchain_community.vectorstores import FAISS
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings

from index.book import Book, Page
from index.chunk import Chunk, PageSpan, Sentence
from index.dense import FaissIndex, Ids
from index.embedder import Vectors
from index.library import Library
from index.search import EVERYTHING, Filter
from index.shard import BookParts

DIMENSION = 384
BOOKS = 20
PARAGRAPHS = 50
TOPICS = 500
SENTENCES = 3
WORDS = 60
MANY = 500_000
"""From so many chunks on they are short."""
NEAREST = 10
K = 4
GOAL = 50


class NoEmbedder:
    """Stands where an embedder is asked for; questions come as vectors here."""

    id = "none"
    dimension = DIMENSION
    max_tokens = 512

    def count_tokens(self, text: str) -> int:
        return len(text)

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        raise NotImplementedError

    def embed_query(self, text: str) -> Vectors:
        raise NotImplementedError


class NoLangchainEmbeddings(Embeddings):
    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        raise NotImplementedError

    def embed_query(self, text: str) -> list[float]:
        raise NotImplementedError


def unit(vectors: Vectors) -> Vectors:
    normal: Vectors = (vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)).astype(np.float32)
    return normal


def chunk(book_id: str, ordinal: int, text: str, grade: int, paragraph: str) -> Chunk:
    return Chunk(
        chunk_id=f"{book_id}:{ordinal}",
        book_id=book_id,
        ordinal=ordinal,
        text=text,
        kind="text",
        grades=(grade,),
        chapter=None,
        paragraphs=(paragraph,),
        paragraph_title=None,
        heading=None,
        spans=(PageSpan(0, len(text), 1, "1"),),
    )


def synthetic_books(chunks: int, random: np.random.Generator) -> list[BookParts]:
    """Books of `PARAGRAPHS` §§; chunks lie around the centres of topics, their words follow Zipf's law."""
    size = chunks // BOOKS
    many = chunks >= MANY
    sentences, count = (1, WORDS // 3) if many else (SENTENCES, WORDS)
    centres = random.standard_normal((TOPICS, DIMENSION), dtype=np.float32)
    books = []
    for number in range(BOOKS):
        book_id = f"book{number}"
        paragraph = np.arange(size) * PARAGRAPHS // size
        topic = random.integers(0, TOPICS, size)
        vectors = unit(centres[topic] + random.standard_normal((size, DIMENSION), dtype=np.float32))
        noise = random.standard_normal((size, sentences, DIMENSION), dtype=np.float32)
        sentence_vectors = unit(vectors[:, None, :] + 0.05 * noise).reshape(-1, DIMENSION)
        words = np.minimum(random.zipf(1.3, (size, count)), 50_000).astype(str)
        texts = [" ".join(row) for row in words]
        grade = 5 + number % 7
        books.append(
            BookParts(
                book=Book(book_id, book_id, "", (grade,), "0" * 64, 0, (Page(1, "1", "body", "", ""),), ()),
                chunks=tuple(
                    chunk(book_id, i, text, grade, str(paragraph[i] + 1)) for i, text in enumerate(texts)
                ),
                vectors=vectors,
                sentences=tuple(Sentence(i, s * 5, s * 5 + 5) for i in range(size) for s in range(sentences)),
                sentence_vectors=sentence_vectors,
                pdf=Path("none.pdf"),
                lemmas=tuple(tuple(row) for row in words.tolist()),
            )
        )
    return books


def timed(call: Callable[[int], int], questions: int) -> tuple[float, Vectors]:
    """Mean number of right hits, and the milliseconds of each call; the first one, not timed, warms up."""
    call(0)
    hits, times = 0, []
    for question in range(questions):
        start = time.perf_counter()
        hits += call(question)
        times.append((time.perf_counter() - start) * 1000)
    return hits / questions, np.array(times, dtype=np.float32)


def report(name: str, hits: float, times: Vectors) -> None:
    p50, p95 = np.percentile(times, (50, 95))
    print(f"{name:<44} {hits:.2f} of {K} hits   p50 {p50:8.2f} ms   p95 {p95:8.2f} ms")


def memory_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure(size: int, count: int, compare: bool) -> None:
    """Build a library of `size` chunks, ask `count` questions under each filter, print."""
    random = np.random.default_rng(0)
    books = synthetic_books(size, random)
    before, start = memory_mb(), time.perf_counter()
    library = Library.from_parts(books, NoEmbedder())
    print(
        f"\n{len(library):,} chunks: search structures built in {time.perf_counter() - start:.1f} s, "
        f"{(memory_mb() - before) * 1024 / len(library):.1f} KB a chunk at the peak beside the books"
    )

    # A question is about the topic of some chunk, takes words from it, and asks for a § of its own.
    about, asked = random.integers(0, len(library), (2, count))
    chunks = library.chunks()
    vectors = np.concatenate([book.vectors for book in books])
    noise = random.standard_normal((count, DIMENSION), dtype=np.float32)
    questions = unit(vectors[about] + 0.05 * noise)
    texts = [" ".join(chunks[i].text.split()[:6]) for i in about]
    scopes = [
        Filter(books=frozenset({chunks[i].book_id}), paragraphs=frozenset(chunks[i].paragraphs))
        for i in asked
    ]
    grades = [Filter(grades=frozenset(chunks[i].grades)) for i in asked]

    def ours(filters: Sequence[Filter]) -> Callable[[int], int]:
        def call(question: int) -> int:
            hits = library.search(texts[question], questions[question], filters[question], k=K)
            allowed = filters[question]
            return sum(
                (allowed.books is None or hit.chunk.book_id in allowed.books)
                and (allowed.paragraphs is None or set(hit.chunk.paragraphs) <= allowed.paragraphs)
                and (allowed.grades is None or set(hit.chunk.grades) <= allowed.grades)
                for hit in {hit.chunk.chunk_id: hit for hit in hits}.values()
            )

        return call

    hits, scoped = timed(ours(scopes), count)
    report("ours, one §", hits, scoped)
    assert hits == K, "a hit of the asked § is missing"
    report("ours, one grade", *timed(ours(grades), count))
    report("ours, no filter", *timed(ours([EVERYTHING] * count), count))
    print_recall(vectors, questions, np.arange(0, len(library), BOOKS))
    if compare:
        against_langchain(chunks, vectors, questions, asked, scoped)


def print_recall(vectors: Vectors, questions: Vectors, some: Ids) -> None:
    """The index that is chosen at this size against a full scan, over all chunks and over some."""
    index = FaissIndex(vectors)
    for name, allowed in (("all", None), ("one chunk in 20", some)):
        rows = np.arange(len(vectors)) if allowed is None else allowed
        found = 0
        for question in questions:
            exact = rows[np.argsort(-(vectors[rows] @ question), kind="stable")[:NEAREST]]
            found += len(set(exact.tolist()) & set(index.top(question, NEAREST, allowed).tolist()))
        recall = found / NEAREST / len(questions)
        print(f"recall@{NEAREST} of the vector index against exact search, {name}: {recall:.4f}")
        assert recall >= 0.99, "the index loses too many of the nearest"


def against_langchain(
    chunks: Sequence[Chunk], vectors: Vectors, questions: Vectors, asked: Ids, scoped: Vectors
) -> None:
    """The wrapper with its two ways of filtering, and the ratio."""
    store = FAISS.from_embeddings(
        [("", vector) for vector in vectors],
        NoLangchainEmbeddings(),
        metadatas=[{"book": each.book_id, "paragraph": each.paragraph} for each in chunks],
    )

    def theirs(fetch_k: int) -> Callable[[int], int]:
        def call(question: int) -> int:
            scope = chunks[asked[question]]
            wanted = {"book": scope.book_id, "paragraph": scope.paragraph}
            found: list[Document] = store.similarity_search_by_vector(
                questions[question].tolist(), k=K, filter=wanted, fetch_k=fetch_k
            )
            return len(found)

        return call

    count = len(questions)
    report("langchain-community, one §, fetch_k=20", *timed(theirs(20), count))
    hits, whole = timed(theirs(len(chunks)), min(count, 15))
    report("langchain-community, one §, fetch_k=n", hits, whole)
    ratio = float(np.median(whole) / np.median(scoped))
    print(f"one §, all {K} hits: ours is {ratio:.0f} times as fast as fetch_k=n (goal: {GOAL})")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--chunks", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--questions", type=int, default=40)
    parser.add_argument("--compare", type=int, default=100_000, help="size at which the wrapper runs too")
    options = parser.parse_args()
    for size in options.chunks:
        measure(size, options.questions, size == options.compare)


if __name__ == "__main__":
    main()
