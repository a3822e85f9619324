"""Search over 100,000 chunks: ours against the langchain-community FAISS wrapper, in one process.

    python benchmarks/search.py [--chunks N] [--questions N]

Vectors are random, in clusters that go through all books: the same topic stands in many §§, and most of what
is near a question is outside the § that it asks about. Ours is the whole hybrid search (dense, word ranking,
sentences, fusion); the wrapper searches vectors alone. Needs the extra `baseline`.
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
    centres = random.standard_normal((TOPICS, DIMENSION), dtype=np.float32)
    books = []
    for number in range(BOOKS):
        book_id = f"book{number}"
        paragraph = np.arange(size) * PARAGRAPHS // size
        topic = random.integers(0, TOPICS, size)
        vectors = unit(centres[topic] + random.standard_normal((size, DIMENSION), dtype=np.float32))
        noise = random.standard_normal((size, SENTENCES, DIMENSION), dtype=np.float32)
        sentence_vectors = unit(vectors[:, None, :] + 0.05 * noise).reshape(-1, DIMENSION)
        words = np.minimum(random.zipf(1.3, (size, WORDS)), 50_000).astype(str)
        texts = [" ".join(row) for row in words]
        grade = 5 + number % 7
        books.append(
            BookParts(
                book=Book(book_id, book_id, "", (grade,), "0" * 64, 0, (Page(1, "1", "body", "", ""),), ()),
                chunks=tuple(
                    chunk(book_id, i, text, grade, str(paragraph[i] + 1)) for i, text in enumerate(texts)
                ),
                vectors=vectors,
                sentences=tuple(Sentence(i, s * 5, s * 5 + 5) for i in range(size) for s in range(SENTENCES)),
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--chunks", type=int, default=100_000)
    parser.add_argument("--questions", type=int, default=40)
    options = parser.parse_args()
    random = np.random.default_rng(0)

    books = synthetic_books(options.chunks, random)
    before, start = memory_mb(), time.perf_counter()
    library = Library.from_parts(books, NoEmbedder())
    print(
        f"{len(library):,} chunks with {SENTENCES} sentences each: search structures built in "
        f"{time.perf_counter() - start:.1f} s, {(memory_mb() - before) * 1024 / len(library):.1f} KB a chunk"
    )

    # A question is about the topic of some chunk, takes words from it, and asks for a § of its own.
    about, asked = random.integers(0, len(library), (2, options.questions))
    chunks = library.chunks()
    vectors = np.concatenate([book.vectors for book in books])
    noise = random.standard_normal((options.questions, DIMENSION), dtype=np.float32)
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

    hits, scoped = timed(ours(scopes), options.questions)
    report("ours, one §", hits, scoped)
    assert hits == K, "a hit of the asked § is missing"
    report("ours, one grade", *timed(ours(grades), options.questions))
    report("ours, no filter", *timed(ours([EVERYTHING] * options.questions), options.questions))

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

    report("langchain-community, one §, fetch_k=20", *timed(theirs(20), options.questions))
    few = min(options.questions, 15)
    hits, whole = timed(theirs(len(chunks)), few)
    report("langchain-community, one §, fetch_k=n", hits, whole)
    ratio = float(np.median(whole) / np.median(scoped))
    print(f"one §, all {K} hits: ours is {ratio:.0f} times as fast as fetch_k=n (goal: {GOAL})")


if __name__ == "__main__":
    main()
