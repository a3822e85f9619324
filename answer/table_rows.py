"""What is quoted from a table: the rows that the question tells apart, under the names of the columns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from answer.citations import Span
from index.chunk import Chunk, Sentence
from index.lemmas import lemmas
from index.sentences import CELL_GAP

WIDEST = 200
"""Numbers that a range in a cell («16—18 лет») stands for at most."""

_RANGE = re.compile(r"\b(\d{1,4})\s*[-–—−]\s*(\d{1,4})\b")


def is_row(text: str) -> bool:
    """Whether a line of a table chunk is a row of cells and no caption."""
    return CELL_GAP in text


def head(chunk: Chunk, sentences: Sequence[Sentence]) -> int | None:
    """Place of the row that names the columns; None where the chunk is no table of rows."""
    if chunk.kind != "table":
        return None
    texts = (chunk.text[sentence.start : sentence.end] for sentence in sentences)
    return next((place for place, text in enumerate(texts) if is_row(text)), None)


def row_lemmas(text: str) -> frozenset[str]:
    """Lemmas of a row; «16—18 лет» holds 17 as well."""
    inside = (
        range(int(match[1]) + 1, int(match[2]))
        for match in _RANGE.finditer(text)
        if 0 < int(match[2]) - int(match[1]) <= WIDEST
    )
    return frozenset(lemmas(text)) | {str(number) for numbers in inside for number in numbers}


def asked_rows(chunk: Chunk, sentences: Sequence[Sentence], wanted: Iterable[str], whole: bool) -> list[Span]:
    """The head with the rows that hold a wanted lemma which not every row holds; all rows where none does.

    `whole`: all rows are asked for. Empty where the chunk is no table of rows.
    """
    at = head(chunk, sentences)
    if at is None:
        return []
    rows = sentences[at + 1 :]
    known = [row_lemmas(chunk.text[row.start : row.end]) for row in rows]
    telling = frozenset(wanted) - (frozenset.intersection(*known) if len(known) > 1 else frozenset())
    chosen = [row for row, own in zip(rows, known, strict=True) if own & telling]
    kept = [sentences[at], *(rows if whole or not chosen else chosen)]
    return [Span(chunk, sentence.start, sentence.end) for sentence in kept]
