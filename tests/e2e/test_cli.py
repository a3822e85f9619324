"""The command line as a user meets it: real process, real store, real model."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

CONTRACT_KEYS = {
    "status", "mode", "intent", "answer", "scope", "sources", "hits", "parts", "model_error", "elapsed_ms",
}  # fmt: skip
SOURCE_KEYS = {
    "id", "book_id", "title", "grades", "chapter", "paragraph", "paragraph_title", "page",
    "file_page", "quote", "url",
}  # fmt: skip


def paragraf(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-P", "-m", "bot", *map(str, arguments)], capture_output=True, text=True, timeout=120
    )


def ask(store: Path, *arguments: str) -> dict[str, object]:
    done = paragraf("ask", *arguments, "--store", store, "--json")
    assert done.returncode == 0, done.stderr
    value: dict[str, object] = json.loads(done.stdout)
    return value


def test_json_answer_has_the_contract_and_the_right_source(sample_store: Path) -> None:
    answer = ask(sample_store, "Что такое общество, 10 класс")
    assert set(answer) == CONTRACT_KEYS
    assert answer["status"] == "supported"
    assert answer["scope"]["grades"] == [10]
    source = answer["sources"][0]
    assert set(source) == SOURCE_KEYS
    assert source["grades"] == [10]
    assert source["paragraph"] == "1"
    assert source["quote"] in answer["answer"]
    assert source["file_page"] > source["page"]


def test_theories_of_the_origin_of_man(sample_store: Path) -> None:
    answer = ask(sample_store, "основные теории происхождения человека")
    assert answer["status"] == "supported"
    assert {source["paragraph"] for source in answer["sources"]} == {"1"}
    assert answer["sources"][0]["grades"] == [9]


def test_pretty_answer_names_book_paragraph_and_page(sample_store: Path) -> None:
    done = paragraf("ask", "Что такое общество, 10 класс", "--store", sample_store)
    assert done.returncode == 0
    assert "§ 1" in done.stdout
    assert "стр." in done.stdout
    assert "10 класс" in done.stdout


def test_batch_keeps_order_and_extra_keys(sample_store: Path, tmp_path: Path) -> None:
    rows = [
        {"question": "Что такое общество?", "grade": 10, "id": "a", "gold": ["x"]},
        {"question": "", "id": "b"},
        {"question": "Что такое трудовой договор?", "grade": 10, "paragraph": 9, "id": "c"},
    ]
    source, out = tmp_path / "вопросы.jsonl", tmp_path / "ответы.jsonl"
    source.write_text(
        "\n".join(json.dumps(row, ensure_ascii=False) for row in rows) + "\n\n", encoding="utf-8"
    )
    done = paragraf("ask", "--batch", source, "--out", out, "--store", sample_store)
    assert done.returncode == 0, done.stderr
    answers = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert [answer["case"]["id"] for answer in answers] == ["a", "b", "c"]
    assert answers[0]["case"] == {"id": "a", "gold": ["x"]}
    assert answers[1]["status"] == "clarify"
    assert answers[2]["scope"]["paragraphs"] == ["9"]


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("{not json", "строка 2"),
        ('{"grade": 10}', "question"),
        ('{"question": "x", "grade": 12}', "grade"),
        ("[1]", "строка 2"),
    ],
)
def test_bad_batch_row_is_named_and_nothing_is_written(
    sample_store: Path, tmp_path: Path, row: str, said: str
) -> None:
    source, out = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_text('{"question": "Что такое общество?"}\n' + row + "\n", encoding="utf-8")
    done = paragraf("ask", "--batch", source, "--out", out, "--store", sample_store)
    assert done.returncode == 1
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == [source]


def test_usage_errors_exit_with_2(sample_store: Path) -> None:
    for arguments in (
        [],
        ["x", "--grade", "12"],
        ["x", "--batch", "/nonexistent"],
        ["", "--store", str(sample_store)],
    ):
        done = paragraf("ask", *arguments)
        assert done.returncode == 2, arguments
        assert "Traceback" not in done.stderr


def test_missing_store_and_unknown_book_are_one_line(sample_store: Path, tmp_path: Path) -> None:
    for arguments in (["--store", str(tmp_path / "нет")], ["--store", str(sample_store), "--book", "nope"]):
        done = paragraf("ask", "Что такое общество?", *arguments)
        assert done.returncode == 1
        assert len(done.stderr.strip().splitlines()) == 1
        assert done.stdout == ""


def test_long_question_is_answered(sample_store: Path) -> None:
    answer = ask(sample_store, "Что такое общество? " + "ну пожалуйста " * 290)
    assert answer["status"] in {"supported", "insufficient", "clarify"}


def test_books_and_remove(sample_store: Path, sample_pdfs: dict[int, Path], tmp_path: Path) -> None:
    listed = json.loads(paragraf("books", "--json", "--store", sample_store).stdout)
    assert sorted(book["grades"] for book in listed) == [[9], [10]]
    assert paragraf("remove", "nope", "--store", sample_store).returncode == 1


def test_evaluate_prints_the_measures(sample_store: Path, tmp_path: Path) -> None:
    cases = tmp_path / "cases.jsonl"
    cases.write_text(
        '{"question": "Как правильно варить борщ?", "grade": 10, "gold_answer": null}\n', encoding="utf-8"
    )
    done = paragraf("evaluate", cases, "--store", sample_store, "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["refusal_recall"] == 1.0


def test_port_taken_and_bad_address_are_one_line(sample_store: Path) -> None:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        for address, said, code in ((f"127.0.0.1:{port}", "занят", 1), ("nowhere", "ХОСТ:ПОРТ", 2)):
            done = paragraf("serve", "--web", address, "--no-open", "--store", sample_store)
            assert done.returncode == code
            assert said in done.stderr
            assert "Traceback" not in done.stderr
