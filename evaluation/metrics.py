"""What one answer is worth against its case. Pure functions.

All values are 0..1, greater is better, unless said otherwise; None where a measure does not apply to a case.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from answer.answer import Answer, Citation
from evaluation.cases import Case
from index.book import Book
from index.chunk import Hit
from index.locate import normalise

REFUSALS = ("insufficient", "clarify")


@lru_cache(maxsize=8192)
def letters(text: str) -> str:
    """Letters and digits alone, as a quote is looked for on its page: hyphens, marks, case do not matter."""
    return normalise(text)


@dataclass(frozen=True, slots=True)
class Score:
    """One case, scored."""

    case: Case
    refused: bool
    confidence: float
    """The system's own belief that the books hold the answer, for ordering cases; greater is surer."""
    hits: int
    rank: int | None
    """1-based rank of the first hit that holds the gold evidence; None when absent or unanswerable."""
    paragraph_right: bool | None
    """§ of the first hit."""
    source_paragraph_right: bool | None
    """§ of the first source, answered cases only."""
    page_right: bool | None
    """Printed page of the first source is one of the gold pages, answered cases only."""
    file_page_right: bool | None
    """Sheet of the first source is one of the gold sheets, answered cases only."""
    page_true: bool | None
    """The sheet that carries the printed number named for the first source holds its quote."""
    answer_right: bool | None
    """The quotes, one by one or as the answer shows them, hold the gold evidence; answered cases only."""
    quoted: int
    """Characters quoted."""
    faithful: bool | None
    """Every quote stands literally on its page; None where nothing is quoted."""
    milliseconds: float

    @property
    def right(self) -> bool:
        """Answered with the gold answer, or refused where nothing could be answered."""
        return self.refused if not self.case.answerable else self.answered_right

    @property
    def answered_right(self) -> bool:
        """Not refused, and the quotes (of a retrieval case: the hits) hold the gold evidence."""
        shown = self.answer_right if self.case.gold_answer is not None else self.rank is not None
        return bool(shown) and not self.refused


def score(case: Case, answer: Answer, books: Mapping[str, Book]) -> Score:
    """Compare an answer with its case; `books` give the raw page text."""
    spans = tuple(letters(span) for span in case.evidence)
    refused = answer.status in REFUSALS
    sources = _all_sources(answer)
    answered = case.answerable and not refused
    first = sources[0] if sources else None
    # A sentence that a page border cuts makes two sources; in the text it stands in one piece.
    shown = (letters(" ".join(source.quote for source in sources)), letters(answer.answer))
    return Score(
        case=case,
        refused=refused,
        confidence=_confidence(answer),
        hits=len(answer.hits),
        rank=_rank(case, answer.hits, spans),
        paragraph_right=_paragraph_right(case, answer.hits)
        if case.answerable and case.gold_paragraph
        else None,
        source_paragraph_right=_from_gold_book(case, first) and first.paragraph == case.gold_paragraph
        if answered and first and case.gold_paragraph
        else None,
        page_right=_from_gold_book(case, first) and first.page in case.gold_pages
        if answered and first and case.gold_pages
        else None,
        file_page_right=_from_gold_book(case, first) and first.file_page in case.gold_file_pages
        if answered and first and case.gold_file_pages
        else None,
        page_true=_page_true(case, first, books) if answered and first else None,
        answer_right=any(span in text for span in spans for text in shown)
        if answered and case.gold_answer is not None
        else None,
        quoted=sum(len(source.quote) for source in sources),
        faithful=all(_stands_on(source.quote, source.file_page, books[source.book_id]) for source in sources)
        if sources
        else None,
        milliseconds=float(answer.elapsed_ms),
    )


def _all_sources(answer: Answer) -> tuple[Citation, ...]:
    parts = answer.parts or ()
    return answer.sources or tuple(source for part in parts for source in part.sources)


def _confidence(answer: Answer) -> float:
    if answer.confidence is not None:
        return answer.confidence
    return max((float(hit.score) for hit in answer.hits), default=0.0)


def _rank(case: Case, hits: Sequence[Hit], spans: Sequence[str]) -> int | None:
    for rank, hit in enumerate(hits, 1):
        if case.gold_book_id not in (None, hit.chunk.book_id):
            continue
        text = letters(hit.chunk.text)
        if any(span in text for span in spans):
            return rank
    return None


def _paragraph_right(case: Case, hits: Sequence[Hit]) -> bool:
    if not hits:
        return False
    chunk = hits[0].chunk
    return case.gold_paragraph in chunk.paragraphs and case.gold_book_id in (None, chunk.book_id)


def _from_gold_book(case: Case, source: Citation) -> bool:
    return case.gold_book_id in (None, source.book_id)


def _page_true(case: Case, source: Citation, books: Mapping[str, Book]) -> bool | None:
    """None unless the case tells, by a pair of sheet and printed number, how the book is numbered."""
    offset = _offset(case)
    if offset is None or not _from_gold_book(case, source):
        return None
    if source.page is None or not source.page.isdecimal():
        return False
    return _stands_on(source.quote, int(source.page) + offset, books[source.book_id])


def _offset(case: Case) -> int | None:
    """Sheet minus printed number, where all pages of the case agree."""
    pairs = zip(case.gold_file_pages, case.gold_pages, strict=False)
    offsets = {sheet - int(page) for sheet, page in pairs if page.isdecimal()}
    return offsets.pop() if len(offsets) == 1 else None


def _stands_on(quote: str, sheet: int, book: Book) -> bool:
    return 1 <= sheet <= len(book.pages) and letters(quote) in letters(book.page(sheet).text)
