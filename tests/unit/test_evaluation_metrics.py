"""Scores, measures and curves against examples worked out by hand."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from answer.answer import Answer, Citation
from answer.query import Scope
from evaluation.cases import Case, read_cases
from evaluation.errors import CaseInvalid
from evaluation.metrics import Score, letters, score
from evaluation.ranking import ranking
from evaluation.risk import risk_coverage
from evaluation.summary import compare, summarise
from index.book import Book, Page
from index.chunk import Chunk, Hit, PageSpan

PAGES = (
    "Учебник для восьмого класса",
    "§ 1. Налоги\nНалог — это обязатель-\nный платёж. Ставка равна 24 %.",
    "§ 2. Рынок\nРынок — это обмен товарами. Их было 24.",
)


@pytest.fixture
def books() -> dict[str, Book]:
    pages = tuple(
        Page(n, None if n == 1 else str(n - 1), "body", text, text) for n, text in enumerate(PAGES, 1)
    )
    return {"b": Book("b", "Книга", "обществознание", (8,), "0" * 64, 1, pages, ())}


CASE = Case(
    id="c",
    question="Что такое налог?",
    gold_book_id="b",
    gold_paragraph="1",
    gold_pages=("1",),
    gold_file_pages=(2,),
    gold_answer=("Налог — это обязательный платёж",),
)


def hit(text: str, paragraph: str = "1", book_id: str = "b", score: float = 0.5) -> Hit:
    chunk = Chunk(
        chunk_id=f"{book_id}:{text[:20]}",
        book_id=book_id,
        ordinal=0,
        text=text,
        kind="text",
        grades=(8,),
        chapter=None,
        paragraphs=(paragraph,),
        paragraph_title=None,
        heading=None,
        spans=(PageSpan(0, len(text), 2, "1"),),
    )
    return Hit(chunk, score, "both")


def source(quote: str, page: str | None, file_page: int, paragraph: str = "1") -> Citation:
    return Citation("s1", "b", "Книга", (8,), None, paragraph, None, page, file_page, quote)


def answer(*sources: Citation, hits: tuple[Hit, ...] = (), status: str = "supported") -> Answer:
    return Answer(
        status=status,  # type: ignore[arg-type]
        intent="question",
        answer="",
        scope=Scope(),
        sources=sources,
        hits=hits,
        elapsed_ms=7,
    )


RIGHT = source("Налог — это обязательный платёж.", "1", 2)


def test_a_right_answer_is_right_in_everything(books: dict[str, Book]) -> None:
    got = score(CASE, answer(RIGHT, hits=(hit("Налог — это обязательный платёж. Ставка…"),)), books)
    assert got.rank == 1
    assert (got.paragraph_right, got.source_paragraph_right) == (True, True)
    assert (got.page_right, got.file_page_right, got.page_true) == (True, True, True)
    assert (got.answer_right, got.faithful, got.right) == (True, True, True)
    assert got.quoted == len(RIGHT.quote)
    assert got.milliseconds == 7


def test_page_off_by_one_is_wrong_however_good_the_quote(books: dict[str, Book]) -> None:
    got = score(CASE, answer(source(RIGHT.quote, "2", 3)), books)
    assert (got.page_right, got.file_page_right, got.page_true, got.faithful) == (False, False, False, False)
    assert got.answer_right is True


def test_page_of_another_quote_is_true_but_not_the_gold_one(books: dict[str, Book]) -> None:
    got = score(CASE, answer(source("Рынок — это обмен товарами.", "2", 3, "2")), books)
    assert (got.page_true, got.page_right, got.source_paragraph_right) == (True, False, False)
    assert (got.faithful, got.answer_right, got.right) == (True, False, False)


def test_a_quote_that_no_page_holds_is_unfaithful(books: dict[str, Book]) -> None:
    assert score(CASE, answer(source("Налог — это добровольный платёж.", "1", 2)), books).faithful is False


def test_context_keeps_a_short_answer_from_counting_elsewhere(books: dict[str, Book]) -> None:
    case = CASE.model_copy(update={"gold_answer": ("24",), "gold_context": ("Ставка равна 24 %",)})
    elsewhere = score(case, answer(source("Их было 24.", "2", 3), hits=(hit("Их было 24."),)), books)
    assert (elsewhere.rank, elsewhere.answer_right) == (None, False)
    there = score(case, answer(source("Ставка равна 24 %.", "1", 2), hits=(hit("x"), hit(PAGES[1]))), books)
    assert (there.rank, there.answer_right) == (2, True)


def test_hits_of_another_book_do_not_count(books: dict[str, Book]) -> None:
    got = score(CASE, answer(hits=(hit(PAGES[1], book_id="other"), hit(PAGES[1]))), books)
    assert got.rank == 2
    assert got.paragraph_right is False


@pytest.mark.parametrize("status", ["insufficient", "clarify"])
def test_refusals(books: dict[str, Book], status: str) -> None:
    absent = Case(id="n", question="Кто такой Бах?")
    assert not absent.answerable
    assert score(absent, answer(status=status), books).right
    assert not score(absent, answer(RIGHT), books).right
    refused = score(CASE, answer(status=status, hits=(hit(PAGES[1]),)), books)
    assert (refused.refused, refused.right, refused.answer_right, refused.page_right) == (
        True,
        False,
        None,
        None,
    )
    assert refused.rank == 1


def test_a_retrieval_case_is_judged_by_its_hits(books: dict[str, Book]) -> None:
    case = CASE.model_copy(update={"gold_answer": None, "gold_context": ("Ставка равна 24 %",)})
    assert case.answerable
    got = score(case, answer(source("Рынок — это обмен товарами.", "2", 3), hits=(hit(PAGES[1]),)), books)
    assert (got.answer_right, got.right) == (None, True)


def test_letters_see_through_hyphens_marks_and_case() -> None:
    assert letters("**Обязатель-\nный** платёж") == letters("обязательный ПЛАТЕЖ") == "обязательныйплатеж"


def test_ranking_by_hand() -> None:
    # Ranks 1, 3, absent, 11, and no hits at all; nDCG of one relevant passage is 1 / log2(1 + rank).
    got = ranking([1, 3, None, 11, None], [4, 4, 4, 12, 0])
    assert got["hit_at_1"] == [1, 0, 0, 0, 0]
    assert got["hit_at_4"] == [1, 1, 0, 0, 0]
    assert got["mrr"] == pytest.approx([1, 1 / 3, 0, 1 / 11, 0])
    assert got["ndcg_at_10"] == pytest.approx([1, 0.5, 0, 0, 0])


def test_risk_coverage_by_hand() -> None:
    curve = risk_coverage([0.9, 0.8, 0.7, 0.1], [False, True, False, True])
    assert curve.coverage == (0.25, 0.5, 0.75, 1.0)
    assert curve.risk == pytest.approx((0, 1 / 2, 1 / 3, 1 / 2))
    assert curve.area == pytest.approx((0 + 1 / 2 + 1 / 3 + 1 / 2) / 4)
    assert curve.best_area == pytest.approx((0 + 0 + 1 / 3 + 1 / 2) / 4)


def test_equal_confidences_cannot_be_ordered() -> None:
    one = risk_coverage([0.5, 0.5, 0.5], [True, False, False])
    assert one == risk_coverage([0.5, 0.5, 0.5], [False, False, True])
    assert (one.coverage, one.risk) == ((1.0,), (pytest.approx(1 / 3),))


def scores(books: dict[str, Book]) -> list[Score]:
    """Two answered (one wrongly), one false refusal, one right and one missed refusal."""
    absent = Case(id="n", question="Кто такой Бах?", kind="far")
    found = (hit(PAGES[1]),)
    return [
        score(CASE, answer(RIGHT, hits=found), books),
        score(
            CASE, answer(source("Рынок — это обмен товарами.", "2", 3, "2"), hits=(hit("нет"), *found)), books
        ),
        score(CASE, answer(status="insufficient"), books),
        score(absent, answer(status="insufficient"), books),
        score(absent, answer(RIGHT), books),
    ]


def test_summary_by_hand(books: dict[str, Book]) -> None:
    summary = summarise("x", scores(books))
    got = {key: None if figure is None else figure.value for key, figure in summary.figures.items()}
    assert got["hit_at_1"] == pytest.approx(1 / 3)
    assert got["hit_at_4"] == pytest.approx(2 / 3)
    assert got["mrr"] == pytest.approx((1 + 1 / 2) / 3)
    assert got["empty_results"] == pytest.approx(1 / 3)
    assert got["page_accuracy"] == got["file_page_accuracy"] == 0.5
    assert got["page_truth"] == 1.0
    assert got["answer_contains_gold"] == 0.5
    assert got["quote_fidelity"] == 1.0
    assert got["refusal_precision"] == 0.5
    assert got["refusal_recall"] == 0.5
    assert got["false_refusals"] == pytest.approx(1 / 3)
    assert got["accuracy"] == pytest.approx(2 / 5)
    assert summary.kinds["far"].refused.value == 0.5
    assert summary.milliseconds["p50"] == 7
    flat = summary.to_json()
    assert flat["refusal_recall"] == 0.5
    assert flat["intervals"]["refusal_recall"]["n"] == 2
    json.dumps(flat, allow_nan=False)


def test_measures_that_no_case_carries_are_none(books: dict[str, Book]) -> None:
    summary = summarise("x", [score(Case(id="n", question="?"), answer(status="insufficient"), books)])
    assert summary.figures["hit_at_1"] is None
    assert summary.figures["quote_fidelity"] is None
    assert summary.to_json()["answer_contains_gold"] is None


def test_comparison_takes_the_cases_that_both_carry(books: dict[str, Book]) -> None:
    second = scores(books)
    second[1] = score(CASE, answer(RIGHT, hits=(hit(PAGES[1]),)), books)
    first = [replace(s, milliseconds=1.0) for s in scores(books)]
    found = compare(first, second)
    hits = found["hit_at_1"]
    assert hits is not None
    assert (hits.n, hits.first, hits.second) == (3, pytest.approx(1 / 3), pytest.approx(2 / 3))
    assert hits.difference == pytest.approx(1 / 3)
    # One case won, none lost: McNemar's exact test knows nothing yet.
    assert hits.p == 1.0
    contains = found["answer_contains_gold"]
    assert contains is not None
    assert contains.n == 2  # the third case is refused by both


def test_cases_are_read_with_names_of_faults(tmp_path: Path) -> None:
    file = tmp_path / "набор.jsonl"
    file.write_text('{"question": "Что?", "gold_answer": ["да"], "gold_pages": [5], "extra": 1}\n\n', "utf-8")
    (case,) = read_cases([file])
    assert (case.id, case.gold_pages, case.answerable) == ("набор-1", ("5",), True)
    file.write_text('{"question": "Что?"}\n{"question": "Кто?", "grade": 12}\n', "utf-8")
    with pytest.raises(CaseInvalid, match=r"набор.*строка 2.*grade"):
        read_cases([file])
    file.write_text("не JSON\n", "utf-8")
    with pytest.raises(CaseInvalid, match="строка 1"):
        read_cases([file])
