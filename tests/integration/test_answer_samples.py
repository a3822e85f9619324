"""The ingested sample textbooks, first of all the two questions that the published bot failed on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from answer.assistant import Assistant
from answer.query import ScopeOptions


@pytest.fixture(scope="module")
def truth(sample_pdfs: dict[int, Path]) -> dict[int, dict[str, dict[str, object]]]:
    """Grade → § number → what the layout engine knows about it."""
    return {
        grade: {
            str(entry["number"]): entry
            for entry in json.loads(pdf.with_suffix(".truth.json").read_text("utf-8"))["paragraphs"]
        }
        for grade, pdf in sample_pdfs.items()
    }


def test_society_in_grade_ten(assistant: Assistant) -> None:
    answer = assistant.ask("Что такое общество, 10 класс").answer
    assert answer.status == "supported"
    assert {source.paragraph for source in answer.sources} == {"1"}
    assert {source.grades for source in answer.sources} == {(10,)}
    assert "обособившаяся от природы" in answer.answer
    for source in answer.sources:
        page = assistant.library.books[source.book_id].page(source.file_page)
        assert page.printed_page == source.page


def test_theories_of_the_origin_of_man(assistant: Assistant) -> None:
    answer = assistant.ask("основные теории происхождения человека").answer
    assert answer.status == "supported"
    assert answer.sources[0].grades == (9,)
    assert answer.sources[0].paragraph == "1"
    for theory in ("креационизм", "эволюционную теорию", "теорию внешнего вмешательства"):
        assert theory in answer.answer


def test_contents_agree_with_the_layout(
    assistant: Assistant, truth: dict[int, dict[str, dict[str, object]]]
) -> None:
    answer = assistant.ask("оглавление", options=ScopeOptions(grade=10)).answer
    for number, entry in truth[10].items():
        assert f"§ {number} «{entry['title']}» — стр. {entry['page']}" in answer.answer


def test_questions_after_a_section_are_answered_from_it(assistant: Assistant) -> None:
    answer = assistant.ask("Ответы на вопросы 3 параграфа 10 класса").answer
    assert answer.intent == "section_questions"
    assert answer.parts is not None
    assert len(answer.parts) >= 4
    assert {part.status for part in answer.parts} == {"supported", "insufficient"}
    assert all((source.paragraph, source.grades) == ("3", (10,)) for source in answer.sources)
