"""Public question sets as in-memory books: an article is a §, its paragraphs are chunks."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from index.book import Book, Page, Section
from index.chunk import Chunk, PageSpan, Sentence
from index.embedder import Embedder, Vectors
from index.sentences import split_sentences
from index.shard import BookParts

PIECE = 1000
"""Characters of a chunk at most, as in ingestion."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question and the spans that answer it."""

    text: str
    answers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Passage:
    """A natural paragraph and what is asked about it."""

    text: str
    questions: tuple[Asked, ...]


@dataclass(frozen=True, slots=True)
class Article:
    """A title and its paragraphs."""

    title: str
    passages: tuple[Passage, ...]


def read_articles(path: Path, titles: Collection[str] | None = None) -> list[Article]:
    """Articles of a SQuAD file (XQuAD), of `titles` (as in the file) alone where given.

    Raises OSError, ValueError, KeyError where it is no such file.
    """
    stored = json.loads(path.read_text(encoding="utf-8"))["data"]
    return [
        Article(
            entry["title"].replace("_", " "),
            tuple(
                Passage(
                    paragraph["context"].replace("\ufeff", "").strip(),
                    tuple(
                        Asked(qa["question"], tuple(answer["text"] for answer in qa["answers"]))
                        for qa in paragraph["qas"]
                    ),
                )
                for paragraph in entry["paragraphs"]
            ),
        )
        for entry in stored
        if titles is None or entry["title"] in titles
    ]


@dataclass(frozen=True, slots=True)
class YesNo:
    """A yes/no question and the passages that tell."""

    text: str
    passages: tuple[str, ...]


def read_yes_no(path: Path, train: bool) -> list[YesNo]:
    """Questions of a DaNetQA file that belong to the split, in an order that does not depend on the file.

    The split is by a digest of the question, the one that data/public/build.py makes.
    """
    found: dict[str, list[str]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        found.setdefault(row["question"].strip(), []).append(
            " ".join(row["passage"].split()).strip("\ufeff ")
        )
    digests = {text: int(hashlib.sha256(text.encode()).hexdigest()[:8], 16) for text in found}
    mine = sorted((text for text in found if (digests[text] % 2 == 0) == train), key=digests.__getitem__)
    return [YesNo(text, tuple(found[text])) for text in mine]


def pieces(text: str) -> Iterator[str]:
    """Runs of whole sentences of at most PIECE characters, as ingestion splits a long paragraph."""
    start = end = 0
    for left, right in split_sentences(text) if len(text) > PIECE else ():
        if right - start > PIECE and end > start:
            yield text[start:end]
            start = left
        end = right
    yield text[start:].strip()


class Remembering:
    """An embedder that embeds each text once, however many books and conditions it is put into."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._passages: dict[str, Vectors] = {}
        self._queries: dict[str, Vectors] = {}

    @property
    def id(self) -> str:
        return self._embedder.id

    @property
    def dimension(self) -> int:
        return self._embedder.dimension

    @property
    def max_tokens(self) -> int:
        return self._embedder.max_tokens

    def count_tokens(self, text: str) -> int:
        return self._embedder.count_tokens(text)

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        new = [text for text in dict.fromkeys(texts) if text not in self._passages]
        if new:
            self._passages.update(zip(new, self._embedder.embed_passages(new), strict=True))
        if not texts:
            return np.zeros((0, self.dimension), dtype=np.float32)
        return np.stack([self._passages[text] for text in texts])

    def embed_query(self, text: str) -> Vectors:
        if text not in self._queries:
            self._queries[text] = self._embedder.embed_query(text)
        return self._queries[text]


def make_book(book_id: str, articles: Sequence[Article], embedder: Embedder) -> BookParts:
    """Article `i` is § `i + 1` on page `i + 1`; each passage has a key («3.2») of its own."""
    sections: list[Section] = []
    chunks: list[Chunk] = []
    for position, article in enumerate(articles):
        number = str(position + 1)
        sections.append(
            Section("paragraph", "§", (number,), article.title, None, position + 1, position + 1, number)
        )
        for place, passage in enumerate(article.passages, 1):
            chunks += [
                Chunk(
                    chunk_id=f"{book_id}:{len(chunks) + i:05d}",
                    book_id=book_id,
                    ordinal=len(chunks) + i,
                    text=piece,
                    kind="text",
                    grades=(9,),
                    chapter=None,
                    paragraphs=(number, f"{number}.{place}"),
                    paragraph_title=article.title,
                    heading=None,
                    spans=(PageSpan(0, len(piece), position + 1, number),),
                )
                for i, piece in enumerate(pieces(passage.text))
            ]
    sentences = [
        Sentence(chunk.ordinal, start, end) for chunk in chunks for start, end in split_sentences(chunk.text)
    ]
    texts = [chunks[sentence.chunk].text[sentence.start : sentence.end] for sentence in sentences]
    pages = tuple(Page(position + 1, str(position + 1), "body", "", "") for position in range(len(articles)))
    book = Book(book_id, book_id, "", (9,), book_id, 0, pages, tuple(sections))
    return BookParts.build(
        book,
        chunks,
        embedder.embed_passages([chunk.search_text for chunk in chunks]),
        sentences,
        embedder.embed_passages(texts),
        Path(),
    )
