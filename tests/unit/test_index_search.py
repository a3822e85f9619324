"""Fusion, filters and search on small libraries with vectors made by hand."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from index.book import Book, Page, Section
from index.chunk import Chunk, ChunkKind, PageSpan, Sentence
from index.dense import FaissIndex
from index.embedder import Vectors
from index.fusion import fuse
from index.library import Library
from index.search import Filter
from index.shard import BookParts
from index.sparse import Bm25Index, _greatest

DIMENSION = 8


class NoEmbedder:
    """Questions come as vectors in these tests."""

    id = "none"
    dimension = DIMENSION
    max_tokens = 512

    def count_tokens(self, text: str) -> int:
        return len(text)

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        raise NotImplementedError

    def embed_query(self, text: str) -> Vectors:
        raise NotImplementedError


def at(angle: float) -> Vectors:
    """Unit vector `angle` radians away from `at(0)`."""
    vector = np.zeros(DIMENSION, dtype=np.float32)
    vector[:2] = np.cos(angle), np.sin(angle)
    return vector


def chunk(
    ordinal: int,
    text: str = "Текст",
    book_id: str = "a",
    grades: tuple[int, ...] = (10,),
    paragraphs: tuple[str, ...] = ("1",),
    page: str | None = "5",
    kind: ChunkKind = "text",
) -> Chunk:
    spans = (PageSpan(0, len(text), 1, page),)
    return Chunk(
        f"{book_id}:{ordinal}", book_id, ordinal, text, kind, grades, None, paragraphs, None, None, spans
    )


def parts(
    chunks: Sequence[Chunk],
    angles: Sequence[float],
    grades: tuple[int, ...] = (10,),
    sections: tuple[str, ...] = (),
) -> BookParts:
    """One book; each chunk is its only sentence and lies at its angle from the question `at(0)`."""
    vectors = np.array([at(angle) for angle in angles], dtype=np.float32).reshape(-1, DIMENSION)
    book_id = chunks[0].book_id
    tree = tuple(Section("paragraph", "§", (key,), "", None, 1, 1, "5") for key in sections)
    return BookParts.build(
        Book(book_id, book_id, "", grades, "0" * 64, None, (Page(1, "5", "body", "", ""),), tree),
        chunks,
        vectors,
        [Sentence(i, 0, len(chunk.text)) for i, chunk in enumerate(chunks)],
        vectors,
        Path("none.pdf"),
    )


def library(*books: BookParts) -> Library:
    return Library.from_parts(books, NoEmbedder())


def test_a_filter_is_applied_before_the_nearest_are_taken() -> None:
    """30 chunks of grade 9 nearly equal to the question do not crowd out 3 of grade 10 far away."""
    nine = parts(
        [chunk(i, book_id="nine", grades=(9,)) for i in range(30)], [0.001 * i for i in range(30)], (9,)
    )
    ten = parts([chunk(i, book_id="ten") for i in range(3)], [1.0, 1.1, 1.2])
    hits = library(nine, ten).search("?", at(0), Filter(grades=frozenset({10})), k=4)
    assert [hit.chunk.chunk_id for hit in hits] == ["ten:0", "ten:1", "ten:2"]


def test_fewer_vectors_than_asked_for_give_no_padding() -> None:
    hits = library(parts([chunk(i) for i in range(3)], [0.3, 0.1, 0.2])).search("?", at(0), k=5)
    assert [hit.chunk.ordinal for hit in hits] == [1, 2, 0]


def test_k_hits_come_whenever_k_match_even_beyond_the_pool() -> None:
    many = library(parts([chunk(i, f"слово {i}") for i in range(130)], [0.01 * i for i in range(130)]))
    assert len(many.search("слово", at(0), k=120)) == 120
    with pytest.raises(ValueError, match="k is 0"):
        many.search("слово", at(0), k=0)


@pytest.mark.parametrize(
    ("filter", "expected"),
    [
        (Filter(), [0, 1, 2, 3, 4]),
        (Filter(paragraphs=frozenset({"13"})), [1, 2]),
        (Filter(paragraphs=frozenset({"14", "13а"})), [2, 3]),
        (Filter(printed_pages=frozenset({"iv"})), [3]),
        (Filter(kinds=frozenset({"text"})), [0, 1, 2, 4]),
        (Filter(kinds=frozenset({"text"}), paragraphs=frozenset({"13а", "1"})), [0]),
        (Filter(grades=frozenset({9, 11})), [4]),
        (Filter(books=frozenset({"b"})), []),
        (Filter(books=frozenset()), []),
        (Filter(paragraphs=frozenset({"99"})), []),
    ],
)
def test_filters_allow_what_they_name(filter: Filter, expected: list[int]) -> None:
    chunks = [
        chunk(0),
        chunk(1, paragraphs=("13",), page=None),
        chunk(2, paragraphs=("13", "14")),
        chunk(3, paragraphs=("13а",), page="iv", kind="questions"),
        chunk(4, grades=(10, 11), paragraphs=()),
    ]
    loaded = library(parts(chunks, [0.1] * 5))
    assert [found.ordinal for found in loaded.chunks(filter)] == expected
    assert sorted(hit.chunk.ordinal for hit in loaded.search("текст", at(0), filter, k=9)) == expected


@given(
    st.lists(
        st.tuples(
            st.sampled_from([9, 10]), st.sampled_from(["1", "2", "3"]), st.sampled_from(["5", "6", None])
        ),
        min_size=1,
        max_size=25,
    ),
    st.sets(st.sampled_from([9, 10, 11])) | st.none(),
    st.sets(st.sampled_from(["1", "2", "3", "4"])) | st.none(),
    st.sets(st.sampled_from(["5", "6", "7"])) | st.none(),
    st.integers(1, 30),
)
def test_search_returns_exactly_the_best_of_what_the_filter_allows(
    rows: list[tuple[int, str, str | None]],
    grades: set[int] | None,
    paragraphs: set[str] | None,
    pages: set[str] | None,
    k: int,
) -> None:
    chunks = [
        chunk(i, grades=(grade,), paragraphs=(key,), page=page) for i, (grade, key, page) in enumerate(rows)
    ]
    order = np.random.default_rng(len(rows)).permutation(len(rows))
    loaded = library(parts(chunks, [0.02 * int(place) for place in order], (9, 10)))
    allowed = Filter(
        grades=None if grades is None else frozenset(grades),
        paragraphs=None if paragraphs is None else frozenset(paragraphs),
        printed_pages=None if pages is None else frozenset(pages),
    )
    matching = [
        i
        for i, (grade, key, page) in enumerate(rows)
        if (grades is None or grade in grades)
        and (paragraphs is None or key in paragraphs)
        and (pages is None or page in pages)
    ]
    logging.disable()
    hits = loaded.search("слово", at(0), allowed, k)
    logging.disable(logging.NOTSET)
    assert [hit.chunk.ordinal for hit in hits] == sorted(matching, key=lambda i: order[i])[:k]


def test_words_bring_up_what_the_vectors_miss_and_say_so() -> None:
    chunks = [chunk(i, f"Обычный текст {i}") for i in range(60)] + [chunk(60, "Страница о фотосинтезе")]
    loaded = library(parts(chunks, [0.001 * i for i in range(60)] + [0.3]))
    hits = {hit.chunk.ordinal: hit for hit in loaded.search("фотосинтез", at(0))}
    assert hits[60].source == "sparse"
    assert hits[60].sparse > 0
    assert hits[0].source == "dense"
    assert hits[0].sparse == 0
    assert hits[0].dense == pytest.approx(1)
    both = library(parts(chunks[:3], [0.1, 0.2, 0.3])).search("обычные", at(0), k=1)[0]
    assert both.source == "both"


def test_the_nearest_sentence_lifts_its_chunk() -> None:
    texts = ["Одно. Другое.", "Третье."]
    sentences = [Sentence(0, 0, 5), Sentence(0, 6, 13), Sentence(1, 0, 7)]
    built = BookParts.build(
        parts([chunk(0, texts[0]), chunk(1, texts[1])], [0.5, 0.5]).book,
        [chunk(0, texts[0]), chunk(1, texts[1])],
        np.array([at(0.5), at(0.5)]),
        sentences,
        np.array([at(0.9), at(0.1), at(0.5)]),
        Path("none.pdf"),
    )
    loaded = library(built)
    first = loaded.search("?", at(0), k=2)[0]
    assert first.chunk.ordinal == 0
    assert first.sentence == pytest.approx(np.cos(0.1), abs=1e-5)
    scores = loaded.sentence_scores(first.chunk, at(0))
    assert [sentence for sentence, _ in scores] == sentences[:2]
    assert [score for _, score in scores] == pytest.approx([np.cos(0.9), np.cos(0.1)], abs=1e-5)


def test_a_chunk_keeps_its_score_under_every_filter() -> None:
    chunks = [chunk(i, f"Общество {i}", paragraphs=(str(i),)) for i in range(5)]
    loaded = library(parts(chunks, [0.1 * i for i in range(5)]))
    free = {hit.chunk.ordinal: hit.score for hit in loaded.search("общество 3", at(0), k=5)}
    [alone] = loaded.search("общество 3", at(0), Filter(paragraphs=frozenset({"3"})))
    assert alone.score == pytest.approx(free[3], abs=1e-6)


def test_a_rare_lemma_weighs_more_and_an_unseen_one_most() -> None:
    loaded = library(parts([chunk(0, "общество и труд"), chunk(1, "общество")], [0.1, 0.2]))
    assert 0 < loaded.idf("общество") < loaded.idf("труд") < loaded.idf("квазар")


def test_an_empty_library_finds_nothing() -> None:
    assert library().search("общество", at(0)) == []
    assert library().chunks() == []
    assert library().idf("общество") > 0


def test_a_book_without_words_can_be_searched() -> None:
    assert len(library(parts([chunk(0, "— — —")], [0.1])).search("", at(0))) == 1


def test_a_grade_or_paragraph_without_chunks_is_logged_only_if_the_book_has_it(
    caplog: pytest.LogCaptureFixture,
) -> None:
    loaded = library(parts([chunk(0)], [0.1], grades=(10, 11), sections=("1", "2")))
    for allowed in (
        Filter(grades=frozenset({9})),
        Filter(paragraphs=frozenset({"7"})),
        Filter(kinds=frozenset({"questions"}), paragraphs=frozenset({"1"})),
    ):
        assert loaded.chunks(allowed) == []
    assert "index.search" not in caplog.text
    assert loaded.chunks(Filter(grades=frozenset({11}))) == []
    assert "Book a is for grade 11, but none of its chunks is" in caplog.text
    assert loaded.chunks(Filter(paragraphs=frozenset({"2"}))) == []
    assert "Book a has § 2, but none of its chunks is in it" in caplog.text


def test_two_books_of_one_id_are_refused() -> None:
    one = parts([chunk(0)], [0.1])
    with pytest.raises(ValueError, match="same id"):
        library(one, one)


cosines_of_some = st.lists(st.floats(-1, 1, width=32), min_size=1, max_size=20)


@given(cosines_of_some, st.floats(0.125, 100, width=32))
def test_fusion_is_monotonic_bounded_and_blind_to_the_other_candidates(
    dense: list[float], ceiling: float
) -> None:
    shuffle = np.random.default_rng(len(dense))
    cosines = np.array(dense, dtype=np.float32)
    sentence = shuffle.permutation(cosines)
    sparse = (shuffle.random(len(dense)) * ceiling).astype(np.float32)
    fused = fuse(cosines, sentence, sparse, ceiling)
    assert fused.shape == cosines.shape
    assert (fused <= 1 + 1e-5).all()
    assert (fused >= -1 - 1e-5).all()
    for better in (
        fuse(cosines + 0.1, sentence, sparse, ceiling),
        fuse(cosines, sentence + 0.1, sparse, ceiling),
        fuse(cosines, sentence, sparse + 0.1 * np.float32(ceiling), ceiling),
    ):
        assert (better > fused).all()
    assert fuse(cosines[:1], sentence[:1], sparse[:1], ceiling)[0] == pytest.approx(fused[0], abs=1e-6)


def test_fusion_of_a_question_without_words_rests_on_the_vectors() -> None:
    zero = np.zeros(2, dtype=np.float32)
    fused = fuse(np.array([0.5, 0.9], dtype=np.float32), np.array([0.5, 0.9], dtype=np.float32), zero, 0.0)
    assert fused[1] > fused[0]
    assert np.isfinite(fused).all()


@given(st.lists(st.lists(st.sampled_from("абвгд"), max_size=12), min_size=1, max_size=12))
def test_bm25_stays_between_zero_and_its_ceiling(documents: list[list[str]]) -> None:
    index = Bm25Index(documents)
    question = ["а", "б", "б", "я"]
    ids = np.arange(len(documents))
    scores = index.scores(question, ids)
    assert (scores >= 0).all()
    assert (scores <= index.ceiling(question)).all()
    holds = [bool({"а", "б"} & set(document)) for document in documents]
    assert [score > 0 for score in scores] == holds
    assert sorted(index.top(question, 99, None)) == [i for i in ids if holds[i]]
    assert list(index.top(question, 2, ids[:1])) == [i for i in ids[:1] if holds[i]]


def test_the_dense_index_agrees_with_sorting_everything() -> None:
    random = np.random.default_rng(3)
    vectors = random.standard_normal((200, DIMENSION), dtype=np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    index = FaissIndex(vectors)
    allowed = np.flatnonzero(random.random(200) < 0.3)
    scores = vectors @ at(0.4)
    assert list(index.top(at(0.4), 10, allowed)) == sorted(allowed, key=lambda i: -scores[i])[:10]
    assert list(index.top(at(0.4), 10, None)) == list(np.argsort(-scores)[:10])
    assert index.scores(at(0.4), allowed) == pytest.approx(scores[allowed], abs=1e-6)
    assert list(index.top(at(0.4), 10, np.empty(0, dtype=np.int64))) == []


def test_half_precision_finds_the_same_and_nearly_the_same_scores() -> None:
    random = np.random.default_rng(1)
    rows = random.standard_normal((3000, 64), dtype=np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    exact, half = FaissIndex(rows, half=False), FaissIndex(rows, half=True)
    some = np.sort(random.choice(3000, 200, replace=False)).astype(np.int64)
    for allowed in (None, some):
        for vector in rows[:20]:
            found = half.top(vector, 10, allowed)
            assert set(found.tolist()) == set(exact.top(vector, 10, allowed).tolist())
            assert half.scores(vector, found) == pytest.approx(exact.scores(vector, found), abs=1e-3)
    assert len(half.scores(rows[0], np.empty(0, dtype=np.int64))) == 0
    assert len(half.top(rows[0], 5, np.empty(0, dtype=np.int64))) == 0


@given(st.lists(st.sampled_from([0.0, 0.5, 1.0, 1.5, 2.0]), max_size=900), st.integers(1, 5))
def test_the_greatest_scores_are_those_of_a_full_sort(values: list[float], k: int) -> None:
    scores = np.array(values, dtype=np.float32)
    order = np.argsort(-scores, kind="stable")
    assert _greatest(scores, k).tolist() == [int(i) for i in order if scores[i] > 0][:k]
