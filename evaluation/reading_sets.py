"""Public question sets in the SQuAD format as books: an article is a §, its paragraphs are chunks."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from index.book import Book, Page, Section
from index.chunk import Chunk, PageSpan, Sentence
from index.embedder import Embedder, Vectors
from index.sentences import split_sentences
from index.shard import BookParts


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


def read_articles(path: Path) -> list[Article]:
    """Articles of a SQuAD file (XQuAD). Raises OSError, ValueError, KeyError where it is none."""
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
    ]


class BookMaker:
    """Makes in-memory books of articles; each text is embedded once however many books it is put into."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._known: dict[str, Vectors] = {}

    def book(self, book_id: str, articles: Sequence[Article]) -> BookParts:
        """Article `i` is § `i + 1` on page `i + 1`; each passage is a chunk with a key («3.2») of its own."""
        sections: list[Section] = []
        chunks: list[Chunk] = []
        for position, article in enumerate(articles):
            number = str(position + 1)
            sections.append(
                Section("paragraph", "§", (number,), article.title, None, position + 1, position + 1, number)
            )
            for place, passage in enumerate(article.passages, 1):
                chunks.append(
                    Chunk(
                        chunk_id=f"{book_id}:{len(chunks):05d}",
                        book_id=book_id,
                        ordinal=len(chunks),
                        text=passage.text,
                        kind="text",
                        grades=(9,),
                        chapter=None,
                        paragraphs=(number, f"{number}.{place}"),
                        paragraph_title=article.title,
                        heading=None,
                        spans=(PageSpan(0, len(passage.text), position + 1, number),),
                    )
                )
        sentences = [
            Sentence(chunk.ordinal, start, end)
            for chunk in chunks
            for start, end in split_sentences(chunk.text)
        ]
        texts = [chunks[sentence.chunk].text[sentence.start : sentence.end] for sentence in sentences]
        pages = tuple(
            Page(position + 1, str(position + 1), "body", "", "") for position in range(len(articles))
        )
        book = Book(book_id, book_id, "", (9,), book_id, 0, pages, tuple(sections))
        return BookParts.build(
            book,
            chunks,
            self._passages([chunk.search_text for chunk in chunks]),
            sentences,
            self._passages(texts),
            Path(),
        )

    def _passages(self, texts: Sequence[str]) -> Vectors:
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if new:
            self._known.update(zip(new, self._embedder.embed_passages(new), strict=True))
        if not texts:
            return np.zeros((0, self._embedder.dimension), dtype=np.float32)
        return np.stack([self._known[text] for text in texts])
