"""A teacher's list of questions against the sample books: columns, encodings, answers in the book or not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evaluation.errors import CaseInvalid
from evaluation.teacher_list import read_teacher_list
from index.embedders import load_embedder
from index.library import Library
from index.store import Store

VERBATIM = "В узком смысле обществом называют группу людей"


@pytest.fixture(scope="module")
def library(sample_store: Path) -> Library:
    return Library.load(Store(sample_store), load_embedder("bundled"))


def write(path: Path, text: str, encoding: str = "utf-8") -> Path:
    path.write_bytes(text.encode(encoding))
    return path


@pytest.mark.parametrize(
    ("encoding", "delimiter"), [("utf-8", ","), ("utf-8-sig", ";"), ("cp1251", ";"), ("utf-8", "\t")]
)
def test_tables_as_programs_save_them(
    encoding: str, delimiter: str, library: Library, tmp_path: Path
) -> None:
    rows = [
        ["Вопрос", "Класс", "Параграф", "Ответ"],
        ["Что такое общество?", "10", "§ 1", VERBATIM],
        ["Как варить борщ?", "10", "", "Нет."],
        ["О чём говорит параграф?", "9.0", "2.0", ""],
        ["", "", "", ""],
    ]
    text = "\r\n".join(delimiter.join(row) for row in rows)
    read = read_teacher_list(write(tmp_path / "вопросы 10.csv", text, encoding), library)
    assert read.remarks == ()
    first, second, third = read.cases
    assert (first.question, first.grade, first.gold_paragraph) == ("Что такое общество?", 10, "1")
    assert first.gold_answer == (VERBATIM,)
    assert first.id == "вопросы 10-2"
    assert not second.answerable
    assert third.grade == 9
    assert third.gold_answer is None
    assert third.gold_context
    chunks = {chunk.text for chunk in library.chunks() if chunk.paragraphs == ("2",) and 9 in chunk.grades}
    assert set(third.gold_context) == chunks


def test_an_answer_in_other_words_falls_back_to_the_section_and_says_so(
    library: Library, tmp_path: Path
) -> None:
    path = write(
        tmp_path / "q.csv",
        "question,grade,paragraph,answer\n"
        "Что такое общество?,10,1,Это когда люди вместе\n"
        "Что такое право?,10,99,Это когда нельзя\n"
        "Что такое труд?,10,,\n"
        f"Что такое общество?,10,1,Чушь | {VERBATIM.upper()}\n",
    )
    read = read_teacher_list(path, library)
    assert [case.kind for case in read.cases] == ["параграф", "ответ"]
    assert read.cases[1].gold_answer == (VERBATIM.upper(),)
    assert [remark.partition(":")[0] for remark in read.remarks] == ["Строка 2", "Строка 3", "Строка 4"]
    assert "найден ли § 1" in read.remarks[0]
    assert "§ 99" in read.remarks[1]
    assert "пропущена" in read.remarks[2]


def test_jsonl_in_either_form(library: Library, tmp_path: Path) -> None:
    rows = [
        {"вопрос": "Как варить борщ?", "ответ": "—"},
        {"question": "Что такое общество?", "grade": 10, "gold_answer": [VERBATIM], "gold_paragraph": "1"},
    ]
    text = "\n".join(json.dumps(row, ensure_ascii=False) for row in rows) + "\n\n"
    first, second = read_teacher_list(write(tmp_path / "q.jsonl", text), library).cases
    assert not first.answerable
    assert second.gold_answer == (VERBATIM,)


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("q.csv", "класс,ответ\n10,да\n", "нет столбца «вопрос»; там класс, ответ"),
        ("q.csv", "", "нет столбца «вопрос»"),
        ("q.csv", "вопрос\n", "ни одного вопроса"),
        ("q.csv", "вопрос;класс\nЧто?;двенадцатый\n", "строка 2"),
        ("q.csv", "вопрос;класс;ответ\nЧто?;12;нет\n", "от 1 до 11"),
        ("q.jsonl", "{", "строка 1: это не JSON"),
        ("q.jsonl", "[1]", "строка 1: нужен объект"),
    ],
)
def test_what_cannot_be_read_is_named(
    name: str, text: str, said: str, library: Library, tmp_path: Path
) -> None:
    with pytest.raises(CaseInvalid, match=said):
        read_teacher_list(write(tmp_path / name, text), library)
    with pytest.raises(CaseInvalid, match="не читается"):
        read_teacher_list(tmp_path / "нет.csv", library)
