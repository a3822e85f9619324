"""Makes books and case files of public question sets: `python data/public/build.py QA_DIR [--out DIR]`.

QA_DIR holds xquad_ru_dev.json, danetqa_train.jsonl and obshestvoznanie_notes/ (README.md here). Each
split gets DIR/<split>/<set>.pdf and <set>.jsonl (the cases), and DIR/<split>/store with its books.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE.parent / "samples"))

import pymupdf  # noqa: E402
from sets import Question, Reader, read_danetqa, read_notes, read_xquad  # noqa: E402

from evaluation.metrics import letters  # noqa: E402
from typesetting.book import set_book  # noqa: E402
from typesetting.styles import BOTTOM, TOP  # noqa: E402
from typesetting.truth import truth  # noqa: E402

SPLIT = json.loads((HERE / "split.json").read_text(encoding="utf-8"))
"""«train», «test» → articles of XQuAD and notes; DaNetQA is split by a digest of its questions."""


def main() -> int:
    """Exit 0; 0 with a message, too, where the sets are not there; 1 where a book cannot be loaded."""
    parser = argparse.ArgumentParser(description="Books and case files of public question sets.")
    parser.add_argument("qa", type=Path, help="folder with the sets")
    parser.add_argument("--out", type=Path, default=ROOT / "build/public")
    parser.add_argument("--split", choices=["train", "test"], action="append", help="default: both")
    parser.add_argument(
        "--left-out", type=int, default=2, help="paragraph of each XQuAD article that is left out, 0-4"
    )
    parser.add_argument("--no-store", action="store_true", help="PDFs and cases only")
    options = parser.parse_args()
    if not (options.qa / "xquad_ru_dev.json").is_file():
        print(f"{options.qa}: no public question sets there, nothing is built (see data/public/README.md).")
        return 0
    for split in options.split or ["train", "test"]:
        for reader in read_sets(options.qa, split, options.left_out):
            print(write(reader, options.out / split))
            if not options.no_store and load(reader, options.out / split).returncode:
                return 1
    return 0


def read_sets(qa: Path, split: str, left_out: int) -> list[Reader]:
    """All books of a split."""
    other = "test" if split == "train" else "train"
    return [
        read_xquad(qa / "xquad_ru_dev.json", SPLIT[split]["xquad"], SPLIT[other]["xquad"], left_out),
        read_danetqa(qa / "danetqa_train.jsonl", split),
        read_notes(qa / "obshestvoznanie_notes", SPLIT[split]["notes"], SPLIT[other]["notes"]),
    ]


def write(reader: Reader, out: Path) -> Path:
    """Sets the book and writes its cases with the pages on which the answers stand; returns the PDF."""
    out.mkdir(parents=True, exist_ok=True)
    pdf = out / f"{reader.book_id}.pdf"
    facts = truth(reader.book, set_book(reader.book, pdf))
    pdf.with_suffix(".truth.json").write_text(
        json.dumps(facts, ensure_ascii=False, indent=1), encoding="utf-8"
    )
    pages = Pages(pdf, {page["file_page"]: page["printed"] for page in facts["pages"]})
    rows = [_row(question, pages) for question in reader.questions]
    pdf.with_suffix(".jsonl").write_text(
        "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8"
    )
    return pdf


def load(reader: Reader, out: Path) -> subprocess.CompletedProcess[bytes]:
    """Loads the book into the split's store through the command line."""
    command = [sys.executable, "-P", "-m", "ingest", str(out / f"{reader.book_id}.pdf")]
    command += ["--grade", str(reader.grade), "--subject", reader.subject, "--title", reader.book.title]
    command += ["--book-id", reader.book_id, "--store", str(out / "store")]
    return subprocess.run(command, cwd=ROOT, check=False)  # noqa: S603 - our own arguments


class Pages:
    """Letters of a PDF's body and the sheet of each."""

    def __init__(self, pdf: Path, printed: dict[int, str | None]) -> None:
        self.printed, self.pdf = printed, pdf
        self.text, self.starts = "", []
        with pymupdf.open(pdf) as document:
            for page in document:
                body = pymupdf.Rect(0, TOP - 10, page.rect.width, page.rect.height - BOTTOM + 10)
                self.starts.append(len(self.text))
                self.text += letters(page.get_text(clip=body))

    def sheets(self, passage: str, start: int, span: str) -> list[int]:
        """Sheets, from 1, on which `span` stands, which begins at `passage[start]`."""
        at = self.text.find(letters(passage))
        if at < 0:
            raise SystemExit(f"{self.pdf}: the passage «{passage[:60]}…» is not in the text layer")
        first = at + len(letters(passage[:start]))
        last = first + max(len(letters(span)), 1) - 1
        return list(range(self._sheet(first), self._sheet(last) + 1))

    def _sheet(self, position: int) -> int:
        return sum(start <= position for start in self.starts)


def _row(question: Question, pages: Pages) -> dict[str, Any]:
    scoped = question.kind == "scoped_options"
    row: dict[str, Any] = {
        "id": question.id,
        "question": question.text,
        "grade": None if question.kind == "scoped_words" else question.grade,
        "paragraph": question.paragraph if scoped else None,
        "kind": question.kind,
        "gold_book_id": question.book_id,
        "gold_paragraph": question.paragraph,
        "gold_answer": None if question.answer is None else [question.answer],
    }
    if question.passage is not None and question.answer is not None:
        sheets = pages.sheets(question.passage, question.start, question.answer)
        row["gold_pages"] = [pages.printed[sheet] for sheet in sheets]
        row["gold_file_pages"] = sheets
    if question.contexts:
        row["gold_context"] = list(question.contexts)
    return row


if __name__ == "__main__":
    sys.exit(main())
