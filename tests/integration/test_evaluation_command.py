"""`paragraf evaluate` on a small book that is typeset and loaded here: both systems, JSON, table and HTML."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BOOK = """
title = "Обществознание"
subject = "обществознание"
grade = 8
authors = "Составитель"
year = 2026
licence = "CC0-1.0"

[[chapters]]
number = "1"
title = "Хозяйство"
paragraphs = [1, 2]
"""
SECTIONS = {
    "1": """# § 1. Налоги

**Налог** — это обязательный платёж, который граждане и организации вносят в бюджет государства. Первые налоги
собирали зерном, шкурами и мёдом.

Косвенные налоги включают в цену товара. Их платит покупатель, хотя в бюджет деньги перечисляет продавец.
""",
    "2": """# § 2. Рынок

**Рынок** — это обмен товарами и услугами между продавцами и покупателями по свободным ценам. Для рынка
нужны частная собственность и конкуренция.
""",
}
CASES = [
    {
        "question": "Что такое налог?",
        "grade": 8,
        "kind": "definition",
        "gold_paragraph": "1",
        "gold_answer": ["обязательный платёж, который граждане и организации вносят в бюджет государства"],
    },
    {
        "question": "Кто платит косвенные налоги?",
        "grade": 8,
        "gold_paragraph": "1",
        "gold_answer": ["Их платит покупатель"],
    },
    {"question": "Как правильно варить борщ со свёклой?", "grade": 8, "kind": "far", "gold_answer": None},
]


def run(*arguments: object, folder: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "XDG_CACHE_HOME": str(folder / "cache"), "PYTHONIOENCODING": "utf-8"}
    return subprocess.run(
        [sys.executable, *map(str, arguments)],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`store/`, `cases.jsonl`."""
    folder = tmp_path_factory.mktemp("evaluation")
    source = folder / "книга"
    source.mkdir()
    (source / "book.toml").write_text(BOOK, encoding="utf-8")
    for number, text in SECTIONS.items():
        (source / f"0{number}.md").write_text(text, encoding="utf-8")
    done = run("data/samples/build.py", source, "--out", folder, folder=folder)
    assert done.returncode == 0, done.stderr
    loading = ["--grade", 8, "--subject", "обществознание", "--title", "Обществознание", "--book-id", "small"]
    done = run("-m", "ingest", folder / "книга.pdf", *loading, "--store", folder / "store", folder=folder)
    assert done.returncode == 0, done.stderr
    rows = [json.dumps(row, ensure_ascii=False) for row in CASES]
    (folder / "cases.jsonl").write_text("\n".join(rows), encoding="utf-8")
    return folder


def evaluate(folder: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    return run(
        "-m", "evaluation", folder / "cases.jsonl", "--store", folder / "store", *arguments, folder=folder
    )


def test_json_is_flat_and_right(folder: Path) -> None:
    done = evaluate(folder, "--json")
    assert done.returncode == 0, done.stderr
    got = json.loads(done.stdout)
    assert (got["system"], got["cases"], got["unanswerable"]) == ("paragraf", 3, 1)
    assert (got["hit_at_1"], got["paragraph_accuracy"], got["quote_fidelity"]) == (1.0, 1.0, 1.0)
    assert (got["refusal_recall"], got["answer_contains_gold"]) == (1.0, 1.0)
    assert got["intervals"]["hit_at_1"]["n"] == 2
    assert set(got["kinds"]) == {"definition", "question", "far"}
    assert got["milliseconds"]["p95"] >= got["milliseconds"]["p50"] > 0


def test_comparison_with_the_published_pipeline(folder: Path) -> None:
    done = evaluate(folder, "--compare", "--json", "--html", folder / "report.html")
    assert done.returncode == 0, done.stderr
    got = json.loads(done.stdout)
    assert set(got["systems"]) == {"paragraf", "original"}
    assert (got["comparison"]["first"], got["comparison"]["second"]) == ("original", "paragraf")
    original = got["systems"]["original"]
    assert original["refusal_recall"] == 0.0
    assert original["hit_at_4"] == 1.0
    refusals = got["comparison"]["measures"]["refusal_recall"]
    assert (refusals["difference"], refusals["n"]) == (1.0, 1)
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert page.count("<svg") == 4
    assert "src=" not in page
    assert "<link" not in page
    assert "hit@1" in page


def test_table_names_what_went_wrong(folder: Path) -> None:
    wrong = folder / "wrong.jsonl"
    wrong.write_text(json.dumps({"question": "Что такое рынок?", "grade": 8}), encoding="utf-8")
    done = run("-m", "evaluation", wrong, "--store", folder / "store", folder=folder)
    assert done.returncode == 0, done.stderr
    assert "hit@1" in done.stdout
    assert "надо было отказаться: Что такое рынок?" in done.stdout


def test_a_table_from_excel_is_measured(folder: Path) -> None:
    table = folder / "вопросы.csv"
    rows = ["вопрос;класс;параграф;ответ", "Кто платит косвенные налоги?;8;1;Их платит покупатель"]
    rows += ["Как правильно варить борщ со свёклой?;8;;нет", "Что такое рынок?;8;7;мои слова"]
    table.write_bytes("\r\n".join(rows).encode("cp1251"))
    done = evaluate(folder, table, "--json")
    assert done.returncode == 0, done.stderr
    got = json.loads(done.stdout)
    assert (got["cases"], got["unanswerable"], got["accuracy"]) == (len(CASES) + 2, 2, 1.0)
    assert "вопросы.csv. Строка 4: таких слов в учебнике нет, § 7" in " ".join(done.stderr.split())


def test_faults_are_one_line(folder: Path) -> None:
    bad = folder / "bad.jsonl"
    bad.write_text('{"question": 5}', encoding="utf-8")
    done = run("-m", "evaluation", bad, "--store", folder / "store", folder=folder)
    assert done.returncode == 1
    assert "bad.jsonl, строка 1: поле question" in done.stderr
    done = run("-m", "evaluation", folder / "cases.jsonl", "--store", folder / "none", folder=folder)
    assert done.returncode == 1
    assert done.stderr.startswith("Ошибка: ")
    assert "Traceback" not in done.stderr


def test_results_without_any_set_say_what_to_run(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-m", "evaluation.results", "--out", "results.md"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "make samples" in done.stderr
    assert not (tmp_path / "results.md").exists()
