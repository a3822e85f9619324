"""Books and cases of the public sets: gold stands where its case says, the left-out text stands nowhere."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pymupdf
import pytest

from evaluation.cases import Case, read_cases
from evaluation.metrics import letters

ROOT = Path(__file__).resolve().parents[2]
QA = ROOT.parent / "shared/data/qa"
BUILD = ROOT / "data/public/build.py"

needs_sets = pytest.mark.skipif(not QA.is_dir(), reason=f"no public question sets in {QA}")


def build(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(BUILD), *map(str, arguments), "--no-store"]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("public")
    done = build(QA, "--out", out, "--split", "test")
    assert done.returncode == 0, done.stderr
    return out / "test"


def cases(folder: Path, name: str) -> list[Case]:
    return read_cases([folder / f"{name}.jsonl"])


def pages(folder: Path, name: str) -> list[str]:
    with pymupdf.open(folder / f"{name}.pdf") as document:
        return [letters(page.get_text()) for page in document]


@needs_sets
@pytest.mark.parametrize("name", ["xquad", "notes"])
def test_gold_answers_stand_on_their_sheets(made: Path, name: str) -> None:
    text = pages(made, name)
    facts: dict[str, Any] = json.loads((made / f"{name}.truth.json").read_text(encoding="utf-8"))
    printed = {page["file_page"]: page["printed"] for page in facts["pages"]}
    begins = {p["number"]: p["file_page"] for p in facts["paragraphs"]}
    answered = [case for case in cases(made, name) if case.gold_answer]
    assert answered
    for case in answered:
        # One sheet, or an answer that runs over a page end.
        if len(case.gold_file_pages) == 1:
            assert letters(case.gold_answer[0]) in text[case.gold_file_pages[0] - 1], case.id  # type: ignore[index]
        assert case.gold_pages == tuple(printed[sheet] for sheet in case.gold_file_pages)
        assert case.gold_file_pages[0] >= begins[case.gold_paragraph], case.id
        assert case.gold_file_pages[0] != int(case.gold_pages[0]), "the book's numbering must be shifted"


@needs_sets
def test_left_out_paragraphs_are_in_no_page(made: Path) -> None:
    split = json.loads((BUILD.parent / "split.json").read_text(encoding="utf-8"))
    data = json.loads((QA / "xquad_ru_dev.json").read_text(encoding="utf-8"))["data"]
    whole = "".join(pages(made, "xquad"))
    near, far = set(), set()
    for article in data:
        for place, paragraph in enumerate(article["paragraphs"]):
            inside = letters(paragraph["context"][:60].lstrip("\ufeff")) in whole
            here = article["title"] in split["test"]["xquad"]
            assert inside == (here and place != 2), article["title"]
            ids = {f"xquad-{qa['id']}" for qa in paragraph["qas"]}
            if here and place == 2:
                near |= ids
            elif not here:
                far |= ids
    found = cases(made, "xquad")
    assert {case.id for case in found if case.kind == "near"} == near
    assert {case.id for case in found if case.kind == "far"} < far
    assert not any(case.answerable for case in found if case.kind in ("near", "far"))


@needs_sets
def test_splits_share_nothing(made: Path) -> None:
    split = json.loads((BUILD.parent / "split.json").read_text(encoding="utf-8"))
    assert not set(split["train"]["xquad"]) & set(split["test"]["xquad"])
    assert len(split["train"]["xquad"]) + len(split["test"]["xquad"]) == 12
    assert not set(split["train"]["notes"]) & set(split["test"]["notes"])
    assert len({case.id for name in ("xquad", "danetqa", "notes") for case in cases(made, name)}) == sum(
        len(cases(made, name)) for name in ("xquad", "danetqa", "notes")
    )


@needs_sets
def test_scoped_variants_ask_the_same(made: Path) -> None:
    by_id = {case.id: case for case in cases(made, "xquad")}
    facts = [case for case in by_id.values() if case.kind == "fact"]
    for case in facts:
        options, words = by_id[f"{case.id}-options"], by_id[f"{case.id}-words"]
        assert (options.question, options.paragraph, options.grade) == (case.question, case.gold_paragraph, 8)
        assert words.question == f"§ {case.gold_paragraph}, 8 класс: {case.question}"
        assert (words.paragraph, words.grade) == (None, None)
        assert case.gold_answer == options.gold_answer == words.gold_answer


@needs_sets
def test_context_holds_the_answer_and_is_in_the_book_once(made: Path) -> None:
    whole = "".join(pages(made, "xquad"))
    for case in cases(made, "xquad"):
        for context in case.gold_context:
            assert letters(case.gold_answer[0]) in letters(context), case.id  # type: ignore[index]
    told = [case for case in cases(made, "xquad") if case.kind == "fact"]
    once = [case for case in told if all(whole.count(letters(span)) <= 1 for span in case.evidence)]
    assert len(once) / len(told) > 0.97


def test_absent_sets_are_named(tmp_path: Path) -> None:
    done = build(tmp_path / "nowhere", "--out", tmp_path)
    assert done.returncode == 0
    assert "no public question sets" in done.stdout
    assert not list(tmp_path.iterdir())
