"""Questions with known answers, read from JSONL."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from evaluation.errors import CaseInvalid


class Case(BaseModel):
    """One question. `gold_answer` None: the books hold no answer, and a refusal is right.

    `gold_answer` lists acceptable verbatim spans of the book; any of them counts. `gold_context` is for
    answers so short that they stand in other places by chance («24»): the same spans with the words beside
    them in their sentence; what holds one of these holds the answer. A case with `gold_context` alone is
    judged by what is found, not by what is quoted. `gold_pages` are printed page numbers, `gold_file_pages`
    1-based sheets; several where the span crosses a page border, both in the same order.
    """

    model_config = ConfigDict(extra="allow", frozen=True)

    id: str
    question: str
    grade: int | None = Field(default=None, ge=1, le=11)
    paragraph: str | None = None
    book_id: str | None = None
    kind: str = "question"
    gold_book_id: str | None = None
    gold_paragraph: str | None = None
    gold_pages: tuple[str, ...] = ()
    gold_file_pages: tuple[int, ...] = ()
    gold_answer: tuple[str, ...] | None = None
    gold_context: tuple[str, ...] = ()
    review: bool = False
    """Nobody has said yet what is right (a 👎 from the chat): it cannot be measured."""

    @property
    def answerable(self) -> bool:
        """Whether the books hold the answer."""
        return self.gold_answer is not None or bool(self.gold_context)

    @property
    def evidence(self) -> tuple[str, ...]:
        """Spans of which one must stand in a right hit or quote; empty for an unanswerable case."""
        return self.gold_context or self.gold_answer or ()


def read_cases(paths: Iterable[Path]) -> list[Case]:
    """All cases of the files, in order. Raises CaseInvalid naming file and line."""
    cases = []
    for path in paths:
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise CaseInvalid(f"{path}: не читается ({error}).") from error
        cases += [_case(path, number, line) for number, line in enumerate(lines, 1) if line.strip()]
    if not cases:
        raise CaseInvalid("В файлах нет ни одного вопроса.")
    return cases


def judged(cases: Iterable[Case]) -> tuple[list[Case], int]:
    """The cases that can be measured, and how many still wait for a review. Raises CaseInvalid."""
    every = list(cases)
    ready = [case for case in every if not case.review]
    if not ready:
        raise CaseInvalid("Все вопросы с пометкой review: впишите gold_answer и уберите пометку.")
    return ready, len(every) - len(ready)


def _case(path: Path, number: int, line: str) -> Case:
    try:
        row = json.loads(line)
        if isinstance(row, dict):
            row.setdefault("id", f"{path.stem}-{number}")
            row["gold_pages"] = [str(page) for page in row.get("gold_pages") or ()]
            row["gold_file_pages"] = row.get("gold_file_pages") or ()
            row["gold_context"] = row.get("gold_context") or ()
        return Case.model_validate(row)
    except json.JSONDecodeError as error:
        raise CaseInvalid(f"{path}, строка {number}: это не JSON ({error.msg}).") from error
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(map(str, first["loc"]))
        raise CaseInvalid(f"{path}, строка {number}: поле {field}: {first['msg']}.") from error
