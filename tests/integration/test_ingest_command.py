"""`python -m ingest` as a process: reports, exit codes, clean output, the store."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pymupdf
import pytest

from index.embedders import load_embedder
from index.library import Library
from index.store import Store

ROOT = Path(__file__).resolve().parents[2]


def run(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "ingest", *arguments],
        cwd=cwd,
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin", "OMP_NUM_THREADS": "1", "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
    )


def textbook(path: Path, fact: str) -> Path:
    document = pymupdf.open()
    law = "Право есть система норм, которую охраняет государство."
    for number, title, words in ((1, "Глава о власти", fact), (2, "Глава о праве", law)):
        page = document.new_page(width=420, height=595)
        page.insert_htmlbox(pymupdf.Rect(50, 50, 370, 540), f"<h2>§ {number}. {title}</h2><p>{words}</p>")
    document.save(path)
    document.close()
    return path


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, subprocess.CompletedProcess[str]]:
    """A good file, one that is no PDF and a second good one, in one command; Cyrillic paths with blanks."""
    folder = tmp_path_factory.mktemp("учебники 10 класса")
    textbook(folder / "Первая часть.pdf", "Власть есть способность влиять на людей.")
    (folder / "плохой.pdf").write_text("не PDF", encoding="utf-8")
    textbook(folder / "Вторая часть.pdf", "Государство собирает налоги.")
    done = run(
        "Первая часть.pdf", "плохой.pdf", "Вторая часть.pdf",
        "--grade", "10", "--subject", "обществознание", "--title", "Обществознание",
        "--store", "моё хранилище", "--json",
        cwd=folder,
    )  # fmt: skip
    return folder, done


def test_report_is_json_alone_and_the_good_files_are_stored(
    loaded: tuple[Path, subprocess.CompletedProcess[str]],
) -> None:
    folder, done = loaded
    assert done.returncode == 1, done.stderr
    reports: list[dict[str, Any]] = json.loads(done.stdout)
    assert [(r["file"], r["book_id"], r["status"]) for r in reports] == [
        ("Первая часть.pdf", "obshchestvoznanie-10", "ok"),
        ("плохой.pdf", "obshchestvoznanie-10-2", "not_pdf"),
        ("Вторая часть.pdf", "obshchestvoznanie-10-2", "ok"),
    ]
    assert set(reports[0]) == {
        "file", "book_id", "status", "pages", "pages_ocr", "pages_unreadable", "paragraphs", "chunks",
        "page_offset", "warnings", "seconds",
    }  # fmt: skip
    assert reports[0]["paragraphs"] == [
        {"number": "1", "title": "Глава о власти", "page": None, "file_page": 1},
        {"number": "2", "title": "Глава о праве", "page": None, "file_page": 2},
    ]
    assert reports[1]["warnings"] == ["Это не PDF. Сохраните учебник в формате PDF и повторите."]
    embedder = load_embedder("bundled")
    library = Library.load(Store(folder / "моё хранилище"), embedder)
    assert sorted(library.books) == ["obshchestvoznanie-10", "obshchestvoznanie-10-2"]
    question = "Что такое власть?"
    hits = library.search(question, library.embed(question))
    assert hits[0].chunk.text == "Власть есть способность влиять на людей."


def test_same_command_again_changes_nothing(loaded: tuple[Path, subprocess.CompletedProcess[str]]) -> None:
    folder, _ = loaded
    store = Store(folder / "моё хранилище")
    version = store.version()
    done = run(
        "Первая часть.pdf", "--grade", "10", "--subject", "обществознание", "--title", "Обществознание",
        "--store", "моё хранилище",
        cwd=folder,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "без изменений" in done.stdout
    assert store.version() == version


def test_wrong_usage_is_told_in_one_sentence(tmp_path: Path) -> None:
    done = run("книга.pdf", "--grade", "12", "--subject", "физика", "--title", "Физика", cwd=tmp_path)
    assert done.returncode == 2
    assert "от 1 до 11" in done.stderr
    assert done.stdout == ""
    assert run("--grade", "9", "--subject", "физика", "--title", "Физика", cwd=tmp_path).returncode == 2


def test_store_of_another_embedder_is_left_alone(
    loaded: tuple[Path, subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    folder, _ = loaded
    manifest = folder / "моё хранилище" / "manifest.json"
    copy = tmp_path / "store"
    copy.mkdir()
    data = json.loads(manifest.read_text(encoding="utf-8"))
    data["embedder"] = "somebody/else"
    (copy / "manifest.json").write_text(json.dumps(data), encoding="utf-8")
    before = (copy / "manifest.json").read_bytes()
    done = run(
        str(folder / "Первая часть.pdf"), "--grade", "10", "--subject", "обществознание",
        "--title", "Обществознание", "--store", str(copy), "--json",
        cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 1
    assert json.loads(done.stdout) == []
    assert "somebody/else" in done.stderr.replace("\n", "")
    assert (copy / "manifest.json").read_bytes() == before
