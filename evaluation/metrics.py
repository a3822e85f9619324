"""Scores of one answer against its case, and their means. Pure functions.

All rates are 0..1, greater is better, except `false_refusals`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from index.library import Library

from answer.answer import Answer, Citation
from evaluation.cases import Case
from index.chunk import Hit

NOT_LETTERS = re.compile(r"[\W_]+")
REFUSALS = ("insufficient", "clarify")


def letters(text: str) -> str:
    """Letters and digits only, NFKC, lower case, ё as е: equal for a quote and its hyphenated original."""
    folded = unicodedata.normalize("NFKC", text).casefold().replace("ё", "е")
    return NOT_LETTERS.sub("", folded)


@dataclass(frozen=True, slots=True)
class Score:
    """One case, scored. None where a measure does not apply to the case."""

    case: Case
    refused: bool
    rank: int | None
    """1-based rank of the first hit that holds a gold span; None when absent or unanswerable."""
    paragraph_right: bool | None
    """§ of the first hit."""
    page_right: bool | None
    """Printed page of the first source, answered cases only."""
    answer_right: bool | None
    """The shown quotes hold a gold span."""
    quoted: int
    """Characters quoted."""
    faithful: bool
    """Every quote stands literally on its page."""
    milliseconds: int


def score(case: Case, answer: Answer, library: Library) -> Score:
    """Compare an answer with its case; `library` gives the raw page text for quote fidelity."""
    spans = tuple(letters(span) for span in case.gold_answer or ())
    refused = answer.status in REFUSALS
    sources = _all_sources(answer)
    answered = case.answerable and not refused
    shown = letters(" ".join(source.quote for source in sources))
    return Score(
        case=case,
        refused=refused,
        rank=_rank(case, answer.hits, spans) if case.answerable else None,
        paragraph_right=_paragraph_right(case, answer) if case.answerable and case.gold_paragraph else None,
        page_right=(bool(sources) and sources[0].page in case.gold_pages)
        if answered and case.gold_pages
        else None,
        answer_right=any(span in shown for span in spans) if answered else None,
        quoted=sum(len(source.quote) for source in sources),
        faithful=all(_on_its_page(source, library) for source in sources),
        milliseconds=answer.elapsed_ms,
    )


def _all_sources(answer: Answer) -> tuple[Citation, ...]:
    parts = answer.parts or ()
    return answer.sources or tuple(source for part in parts for source in part.sources)


def _rank(case: Case, hits: Sequence[Hit], spans: Sequence[str]) -> int | None:
    for rank, hit in enumerate(hits, 1):
        if case.gold_book_id not in (None, hit.chunk.book_id):
            continue
        text = letters(hit.chunk.text)
        if any(span in text for span in spans):
            return rank
    return None


def _paragraph_right(case: Case, answer: Answer) -> bool:
    if not answer.hits:
        return False
    chunk = answer.hits[0].chunk
    return case.gold_paragraph in chunk.paragraphs and case.gold_book_id in (None, chunk.book_id)


def _on_its_page(source: Citation, library: Library) -> bool:
    book = library.books[source.book_id]
    return letters(source.quote) in letters(book.page(source.file_page).text)


@dataclass(frozen=True, slots=True)
class Summary:
    """Means over a set of cases; None where no case carries the measure."""

    cases: int
    unanswerable: int
    hit_at_1: float | None
    hit_at_4: float | None
    mrr: float | None
    paragraph_accuracy: float | None
    page_accuracy: float | None
    answer_contains_gold: float | None
    quote_fidelity: float | None
    refusal_precision: float | None
    """Of the refused, the share that had to be refused."""
    refusal_recall: float | None
    """Of the unanswerable, the share refused."""
    false_refusals: float | None
    """Of the answerable, the share refused."""
    quoted_characters: float | None
    """Mean over answered cases."""
    milliseconds_p50: float
    milliseconds_p95: float


def summarise(scores: Sequence[Score]) -> Summary:
    """Means of the scores of one system on one set of cases (at least one)."""
    answerable = [s for s in scores if s.case.answerable]
    unanswerable = [s for s in scores if not s.case.answerable]
    refused = [s for s in scores if s.refused]
    times = [s.milliseconds for s in scores]
    return Summary(
        cases=len(scores),
        unanswerable=len(unanswerable),
        hit_at_1=_mean([s.rank == 1 for s in answerable]),
        hit_at_4=_mean([s.rank is not None and s.rank <= 4 for s in answerable]),
        mrr=_mean([1 / s.rank if s.rank else 0.0 for s in answerable]),
        paragraph_accuracy=_mean([s.paragraph_right for s in scores if s.paragraph_right is not None]),
        page_accuracy=_mean([s.page_right for s in scores if s.page_right is not None]),
        answer_contains_gold=_mean([s.answer_right for s in scores if s.answer_right is not None]),
        quote_fidelity=_mean([s.faithful for s in scores if not s.refused]),
        refusal_precision=_mean([not s.case.answerable for s in refused]),
        refusal_recall=_mean([s.refused for s in unanswerable]),
        false_refusals=_mean([s.refused for s in answerable]),
        quoted_characters=_mean([s.quoted for s in scores if not s.refused]),
        milliseconds_p50=float(np.percentile(times, 50)),
        milliseconds_p95=float(np.percentile(times, 95)),
    )


def _mean(values: Sequence[float | bool]) -> float | None:
    return float(np.mean(values)) if values else None
