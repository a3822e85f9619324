"""Real Russian PDFs of many producers, read without embedding, against what their pages show."""

from __future__ import annotations

import importlib.util
import sys
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
PDFS = ROOT.parent / "shared" / "data" / "pdf"


def _scoring() -> ModuleType:
    """The benchmark's own scoring, so that the table and the tests mean the same."""
    spec = importlib.util.spec_from_file_location("reading_truth", ROOT / "benchmarks" / "reading_truth.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["reading_truth"] = module
    spec.loader.exec_module(module)
    return module


scoring = _scoring()
BOOKS: list[tuple[str, dict[str, Any]]] = scoring.truth_files(ROOT / "tests" / "truth")
READABLE = [(name, truth) for name, truth in BOOKS if truth["sections"]]


@cache
def read(name: str) -> Any:
    if not (PDFS / name).exists():
        pytest.skip(f"{name} is not beside this repository (../shared/data/pdf)")
    return scoring.read_book(PDFS / name)


@cache
def scored(name: str) -> Any:
    truth = next(truth for book, truth in BOOKS if book == name)
    return scoring.score(read(name), scoring.expected(truth, PDFS), truth)


names = pytest.mark.parametrize("name", [name for name, _ in READABLE])


@names
def test_numbered_headings_are_found_on_their_pages(name: str) -> None:
    score = scored(name)
    assert score.f1 >= 0.99, (score.missed, score.spurious)


@names
def test_found_headings_have_the_printed_title(name: str) -> None:
    score = scored(name)
    assert score.titles >= 0.99 * score.right, score.other_titles


@names
def test_printed_page_is_right_on_pages_that_show_one(name: str) -> None:
    score = scored(name)
    assert score.printed_right >= 0.99 * score.printed_shown, score.other_printed
    assert score.unshown_right == score.unshown


@names
def test_text_of_hand_typed_pages(name: str) -> None:
    """In reading order; a displaced caption of a figure counts."""
    score = scored(name)
    assert score.letters > 0
    assert score.letters_wrong <= 0.01 * score.letters


@names
def test_no_chunk_holds_signs_that_no_book_prints(name: str) -> None:
    garbage = [c.text for c in read(name).parsed.chunks if scoring.has_lost_letters(c.text)]
    assert garbage == []


def test_a_book_without_content_is_refused() -> None:
    reason = read("developers-reference-ru.pdf")
    assert isinstance(reason, str)
    assert "не учебник" in reason


def test_run_in_paragraphs_know_chapter_and_section() -> None:
    book = read("kiselyov_geometry_letterspaced.pdf").parsed.book
    by_number = {section.numbers[0]: section for section in book.paragraphs}
    assert len(by_number) == len(book.paragraphs) == 412
    assert by_number["27"].title == "Теоремы, аксиомы, определения"
    assert by_number["27"].chapter == "Глава 1. Прямая линия. Математические предложения"
    assert by_number["36"].title == ""
    assert by_number["405"].chapter == "Глава 10. Круглые тела. Шар"


def test_text_of_a_run_in_paragraph_stays_whole_and_in_it() -> None:
    chunks = read("kiselyov_geometry_actualtext.pdf").parsed.chunks
    of_27 = [chunk for chunk in chunks if chunk.paragraphs == ("27",)]
    assert of_27[0].text.startswith("27. Теоремы, аксиомы, определения. Из того, что было изложено")
    assert {chunk.file_pages[0] for chunk in of_27} <= {20, 21}
    exercises = [chunk for chunk in chunks if chunk.kind == "questions"]
    assert exercises
    assert all(chunk.paragraphs == () for chunk in exercises)
