"""Adds to gold questions the pages on which their answers stand in the finished PDF."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import pymupdf

from typesetting.styles import BOTTOM, TOP

_IGNORED: Final = re.compile(r"[\s\u00ad\u2010-]+")
_MARGIN: Final = 10.0


class GoldError(ValueError):
    """A gold answer does not stand in its §; the message names the question."""


def add_pages(cases: Path, pdf: Path, truth: dict[str, Any]) -> int:
    """Rewrites the JSONL with «gold_pages» (printed numbers) and «gold_file_pages» (sheets from 1).

    A question's pages are those of every place in its § where one of its answers stands; an answer that
    runs over a page end has two. Unanswerable questions get null. Returns the number of answerable ones.
    """
    stream = _Stream.of(pdf, truth)
    rows = [json.loads(line) for line in cases.read_text(encoding="utf-8").splitlines() if line.strip()]
    for row in rows:
        sheets: list[int] | None = None
        if row["gold_answer"]:
            found = [stream.sheets(answer, str(row["gold_paragraph"])) for answer in row["gold_answer"]]
            for answer, pages in zip(row["gold_answer"], found, strict=True):
                if not pages:
                    where = f"{pdf.name}, § {row['gold_paragraph']}"
                    raise GoldError(f"{cases.name}: {row['id']}: «{answer}» is not in {where}")
            sheets = sorted(set().union(*found))
        printed = {page["file_page"]: page["printed"] for page in truth["pages"]}
        row["gold_pages"] = None if sheets is None else [printed[sheet] for sheet in sheets]
        row["gold_file_pages"] = sheets
    cases.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return sum(row["gold_answer"] is not None for row in rows)


class _Stream:
    """Body text of a whole PDF without white space and hyphens, and where its pages and §§ begin."""

    def __init__(self, text: str, pages: Sequence[int], sections: dict[str, tuple[int, int]]) -> None:
        self.text, self.pages, self.sections = text, pages, sections

    @classmethod
    def of(cls, pdf: Path, truth: dict[str, Any]) -> _Stream:
        parts: list[str] = []
        with pymupdf.open(pdf) as document:
            for page in document:
                body = pymupdf.Rect(0, TOP - _MARGIN, page.rect.width, page.rect.height - BOTTOM + _MARGIN)
                parts.append(_letters(page.get_text(clip=body)))
        pages = [sum(map(len, parts[:n])) for n in range(len(parts) + 1)]
        text = "".join(parts)
        marks = [
            *(
                (pages[p["file_page"] - 1], _letters(f"§{p['number']}.{p['title']}"), p["number"])
                for p in truth["paragraphs"]
            ),
            *(
                (pages[c["file_page"] - 1], _letters(f"Глава{c['number']}{c['title']}"), "")
                for c in truth["chapters"]
            ),
        ]
        begins = sorted((text.index(heading, at), number) for at, heading, number in marks)
        body_end = next(
            (p["file_page"] for p in truth["pages"] if p["kind"] in ("glossary", "index")), len(parts) + 1
        )
        ends = [start for start, _ in begins[1:]] + [pages[body_end - 1]]
        return cls(text, pages, {n: (start, end) for (start, n), end in zip(begins, ends, strict=True) if n})

    def sheets(self, answer: str, paragraph: str) -> set[int]:
        """Sheets touched by the answer, wherever it stands in the §."""
        start, end = self.sections[paragraph]
        return {
            sheet
            for first, last in _occurrences(_letters(answer), self.text, start, end)
            for sheet in range(self._sheet(first), self._sheet(last - 1) + 1)
        }

    def _sheet(self, at: int) -> int:
        return sum(start <= at for start in self.pages)


def _occurrences(needle: str, text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    at = text.find(needle, start, end)
    while at >= 0:
        yield at, at + len(needle)
        at = text.find(needle, at + 1, end)


def _letters(text: str) -> str:
    return _IGNORED.sub("", text)
