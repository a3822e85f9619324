"""Questions from a JSONL file, answers into another, models loaded once."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from answer.answer import Answer
from answer.query import ScopeOptions


class BatchRowError(Exception):
    """A row that is no question; names the file and the line."""


class BatchRow(BaseModel):
    """One row; keys beside these four are handed through under `case`."""

    model_config = ConfigDict(extra="allow")

    question: str
    grade: int | None = Field(default=None, ge=1, le=11)
    paragraph: str | None = None
    book_id: str | None = None

    def options(self, defaults: ScopeOptions) -> ScopeOptions:
        """The row's scope over the command line's."""
        return ScopeOptions(
            grade=self.grade if self.grade is not None else defaults.grade,
            paragraph=self.paragraph if self.paragraph is not None else defaults.paragraph,
            book_id=self.book_id if self.book_id is not None else defaults.book_id,
        )


def read_rows(path: Path) -> list[BatchRow]:
    """All rows of a JSONL file; blank lines are skipped.

    Raises BatchRowError before anything is answered, so that a typo costs no run.
    """
    rows = []
    with path.open(encoding="utf-8-sig") as lines:
        try:
            for number, line in enumerate(lines, 1):
                if line.strip():
                    rows.append(_row(path, number, line))
        except UnicodeDecodeError as error:
            raise BatchRowError(f"{path}: файл не в кодировке UTF-8. Сохраните его в UTF-8.") from error
    return rows


def _row(path: Path, number: int, line: str) -> BatchRow:
    try:
        value: Any = json.loads(line)
        if isinstance(value, dict) and isinstance(value.get("paragraph"), int):
            value["paragraph"] = str(value["paragraph"])
        return BatchRow.model_validate(value)
    except json.JSONDecodeError as error:
        raise BatchRowError(f"{path}, строка {number}: это не JSON ({error.msg}).") from error
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(map(str, first["loc"])) or "строка"
        raise BatchRowError(
            f"{path}, строка {number}: поле {field}: {first['msg']}. "
            'Нужно {"question": "…", "grade"?: 1–11, "paragraph"?: "…", "book_id"?: "…"}.'
        ) from error


def answer_batch(
    ask: Callable[[str, ScopeOptions], Answer], source: Path, out: Path, defaults: ScopeOptions
) -> int:
    """Answer every row in order; returns how many. `out` appears whole or not at all."""
    rows = read_rows(source)
    partial = out.with_name(out.name + ".part")
    try:
        with partial.open("w", encoding="utf-8") as sink:
            for row in rows:
                answer = ask(row.question, row.options(defaults)).to_json()
                if row.model_extra:
                    answer["case"] = row.model_extra
                sink.write(json.dumps(answer, ensure_ascii=False) + "\n")
    except OSError as error:
        raise BatchRowError(f"{out}: не удалось записать ({error.strerror}).") from error
    partial.replace(out)
    return len(rows)
