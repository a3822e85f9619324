"""What is stored and found: `Chunk`, and `Hit` that wraps it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

ChunkKind = Literal["text", "questions", "glossary", "table", "document"]


@dataclass(frozen=True, slots=True)
class PageSpan:
    """Characters `[start, end)` of a chunk's text that stand on one page."""

    start: int
    end: int
    file_page: int
    """1-based sheet of the PDF."""
    printed_page: str | None
    """The number printed on that page («57», «iv»), or None where it shows none."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of one section: whole paragraphs of the book, at most 1000 characters.

    `spans` are in order, do not overlap and cover the text, so each quote knows its page.
    `paragraphs` are the keys of the § it belongs to («13», «13а»; two for a joint «§ 13–14»),
    empty for text outside every §. In books without § they are keys of the unit in `Section.number`.
    """

    chunk_id: str
    book_id: str
    ordinal: int
    """Position in the book's reading order, from 0."""
    text: str
    """Repaired text, the one that is shown and quoted."""
    kind: ChunkKind
    grades: tuple[int, ...]
    chapter: str | None
    paragraphs: tuple[str, ...]
    paragraph_title: str | None
    heading: str | None
    """Nearest subheading inside the §."""
    spans: tuple[PageSpan, ...]

    @property
    def paragraph(self) -> str | None:
        """First § key, as the answer contract shows it."""
        return self.paragraphs[0] if self.paragraphs else None

    @property
    def file_pages(self) -> tuple[int, int]:
        """First and last sheet, 1-based."""
        return self.spans[0].file_page, self.spans[-1].file_page

    @property
    def search_text(self) -> str:
        """What is embedded and put into BM25: § title, subheading, then the text.

        The titles carry the topic that a paragraph in mid-section no longer names.
        """
        head = ". ".join(part for part in (self.paragraph_title, self.heading) if part)
        return f"{head}\n{self.text}" if head else self.text


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a chunk: `book.chunks[chunk].text[start:end]`."""

    chunk: int
    """`Chunk.ordinal`."""
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Hit:
    """A found chunk. Scores are for this question only; greater is better."""

    chunk: Chunk
    score: float
    """Fused score, the order of the list."""
    source: Literal["dense", "sparse", "both"]
    """Which of the two rankings brought it up."""
    dense: float = 0.0
    """Cosine of question and chunk, -1..1 (e5: 0.7..0.95)."""
    sparse: float = 0.0
    """BM25 over lemmas, >= 0."""
    sentence: float = 0.0
    """Greatest cosine of the question and one sentence of the chunk, -1..1."""
