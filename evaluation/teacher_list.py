"""A teacher's own list of questions → cases: a table as Excel saves it (CSV), or JSONL.

Columns: вопрос, класс, параграф, ответ; only the first is needed. «ответ» holds words of the book; «нет» says
that the books do not answer. Where it is empty or in the teacher's own words, finding the § counts instead.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from evaluation.cases import Case
from evaluation.errors import CaseInvalid
from evaluation.metrics import letters
from index.library import Library
from index.search import Filter

_NAMES = {
    "question": ("вопрос", "question"),
    "grade": ("класс", "grade"),
    "paragraph": ("параграф", "§", "paragraph"),
    "answer": ("ответ", "answer"),
}
_NONE = {"нет", "нет ответа", "нет в учебнике", "-", "–", "—"}
# Excel in Russia saves tables in the second one.
_ENCODINGS = ("utf-8-sig", "cp1251")


@dataclass(frozen=True, slots=True)
class TeacherList:
    """The cases of a list, and what had to be left out or weakened: Russian sentences."""

    cases: tuple[Case, ...]
    remarks: tuple[str, ...]


def read_teacher_list(path: Path, library: Library) -> TeacherList:
    """Reads the list and looks its answers up in the loaded books.

    Raises CaseInvalid for a file that cannot be read, has no column of questions, or no question.
    """
    cases: list[Case] = []
    remarks: list[str] = []
    for line, row in _rows(path):
        try:
            case, remark = _case(row, f"{path.stem}-{line}", library)
        except (ValueError, ValidationError) as exc:
            raise CaseInvalid(
                f"{path.name}, строка {line}: {_reason(exc)}. Класс — число от 1 до 11, параграф — его номер."
            ) from exc
        if case is not None:
            cases.append(case)
        if remark:
            remarks.append(f"Строка {line}: {remark}")
    if not cases:
        raise CaseInvalid(f"{path.name}: ни одного вопроса для проверки. {' '.join(remarks)}".strip())
    return TeacherList(tuple(cases), tuple(remarks))


def _reason(exc: Exception) -> str:
    return str(exc.errors()[0]["msg"]) if isinstance(exc, ValidationError) else str(exc)


def _rows(path: Path) -> Iterable[tuple[int, Mapping[str, Any]]]:
    """Line of the file, 1-based, and its fields under our names; empty rows are left out."""
    text = _text(path)
    if path.suffix.lower() in {".jsonl", ".json"}:
        for line, raw in enumerate(text.splitlines(), 1):
            if raw.strip():
                try:
                    row = json.loads(raw)
                except json.JSONDecodeError as exc:
                    raise CaseInvalid(f"{path.name}, строка {line}: это не JSON ({exc.msg}).") from exc
                if not isinstance(row, dict):
                    raise CaseInvalid(f"{path.name}, строка {line}: нужен объект JSON в фигурных скобках.")
                yield line, row if row.keys() & {"gold_answer", "gold_context"} else _renamed(row)
        return
    head = text.partition("\n")[0]
    delimiter = max(";,\t", key=head.count)
    reader = csv.DictReader(text.splitlines(keepends=True), delimiter=delimiter)
    names = [str(name).strip().lower() for name in reader.fieldnames or ()]
    if not set(names) & set(_NAMES["question"]):
        raise CaseInvalid(
            f"{path.name}: в первой строке нет столбца «вопрос»; там {', '.join(names) or 'пусто'}."
        )
    for fields in reader:
        row = _renamed({str(name): value for name, value in fields.items() if name is not None})
        if any(str(value or "").strip() for value in row.values()):
            yield reader.line_num, row


def _text(path: Path) -> str:
    try:
        data = path.read_bytes()
    except OSError as exc:
        raise CaseInvalid(f"{path}: не читается ({exc.strerror}).") from exc
    for encoding in _ENCODINGS:
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    raise CaseInvalid(f"{path.name}: это не текст. Сохраните таблицу как CSV (UTF-8).")


def _renamed(row: Mapping[str, Any]) -> dict[str, Any]:
    lower = {name.strip().lower(): value for name, value in row.items()}
    return {key: lower.get(next((n for n in names if n in lower), "")) for key, names in _NAMES.items()}


def _case(row: Mapping[str, Any], case_id: str, library: Library) -> tuple[Case | None, str | None]:
    """The case, or why there is none; a remark where it is judged otherwise than the teacher wrote it."""
    if "gold_answer" in row or "gold_context" in row:
        return Case.model_validate({"id": case_id, **row}), None
    question, answer = _field(row, "question"), _field(row, "answer")
    if not question:
        return None, "нет вопроса, строка пропущена."
    grade = int(float(text)) if (text := _field(row, "grade")) else None
    paragraph = re.sub(r"^§\s*|\.0$", "", _field(row, "paragraph")) or None
    known = {"id": case_id, "question": question, "grade": grade, "gold_paragraph": paragraph}
    if answer.lower().rstrip(".") in _NONE:
        return Case.model_validate({**known, "gold_paragraph": None, "kind": "нет в учебнике"}), None
    grades = frozenset({grade}) if grade is not None else None
    stands = [letters(chunk.text) for chunk in library.chunks(Filter(grades=grades))]
    spans = [part.strip() for part in answer.split("|") if letters(part)]
    found = [span for span in spans if any(letters(span) in text for text in stands)]
    if found:
        return Case.model_validate({**known, "kind": "ответ", "gold_answer": found}), None
    remark = "таких слов в учебнике нет" if spans else None
    section = frozenset({paragraph}) if paragraph else None
    context = [chunk.text for chunk in library.chunks(Filter(grades=grades, paragraphs=section))]
    if section is None or not context:
        why = f"§ {paragraph} в загруженных учебниках нет" if section else "не указан и параграф"
        return None, f"{remark or 'нет ответа'}, {why}: строка пропущена."
    case = Case.model_validate({**known, "kind": "параграф", "gold_context": context})
    return case, remark and f"{remark}: проверяется только, найден ли § {paragraph}."


def _field(row: Mapping[str, Any], name: str) -> str:
    value = row.get(name)
    return "" if value is None else " ".join(str(value).split())
