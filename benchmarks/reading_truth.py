"""Reads a real book (parse only) and scores it against ground truth. Used by the benchmark and by tests."""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from rapidfuzz import fuzz
from rapidfuzz.distance import Levenshtein

from index.embedder import Vectors
from ingest.errors import IngestError
from ingest.options import BookOptions
from ingest.parse import Parsed, parse
from ingest.settings import IngestSettings

Key = tuple[str, str, int]
"""Level («§», «1», …, «А»), number and sheet: what a heading is told by."""

# Letters that cannot be told apart by eye.
_FOLD = str.maketrans("aeopcyxABEKMHOPCTXё", "аеорсухАВЕКМНОРСТХе")
_SHARED_TRUTH = "kiselyov_paragraphs_1-206.json"
_GARBAGE = re.compile("[\ufffd\ue000-\uf8ff\u0000-\u0008\u000b-\u001f\u007f-\u009f]")
_MOJIBAKE = re.compile("[\u00c0-\u00ff]{4,}")
_MIXED = re.compile(r"[а-яёА-ЯЁ][a-zA-Z][а-яёА-ЯЁ]|[a-zA-Z][а-яёА-ЯЁ][a-zA-Z]|[а-яё]{2}[a-z]{1,2}(?![^\W_])")


class Counting:
    """Counts tokens by length; embedding is no part of this."""

    id, dimension, max_tokens = "counting", 1, 512

    def count_tokens(self, text: str) -> int:
        return len(text) // 3

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        return np.ones((len(texts), 1), dtype=np.float32)

    def embed_query(self, text: str) -> Vectors:
        return np.ones(1, dtype=np.float32)


@dataclass(frozen=True, slots=True)
class Read:
    """A book as ingestion reads it."""

    parsed: Parsed
    seconds: float


@dataclass(slots=True)
class BookScore:
    """Counts for one book; ratios are 1 where there is nothing to count."""

    pages: int
    pages_ocr: int
    seconds: float
    expected: int = 0
    found: int = 0
    right: int = 0
    titles: int = 0
    printed_shown: int = 0
    printed_right: int = 0
    unshown: int = 0
    unshown_right: int = 0
    letters: int = 0
    letters_wrong: int = 0
    words: int = 0
    words_wrong: int = 0
    garbage: int = 0
    missed: list[str] = field(default_factory=list)
    spurious: list[str] = field(default_factory=list)
    other_titles: list[str] = field(default_factory=list)
    other_printed: list[str] = field(default_factory=list)

    @property
    def precision(self) -> float:
        return self.right / self.found if self.found else float(self.expected == 0)

    @property
    def recall(self) -> float:
        return self.right / self.expected if self.expected else 1.0

    @property
    def f1(self) -> float:
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0


def truth_files(folder: Path) -> list[tuple[str, dict[str, Any]]]:
    """PDF name → its truth, books with the same pages included."""
    out: list[tuple[str, dict[str, Any]]] = []
    for path in sorted(folder.glob("*.json")):
        truth = json.loads(path.read_text(encoding="utf-8"))
        out += [(name, truth) for name in (truth["file"], *truth.get("same_pages_as", ()))]
    return out


def read_book(pdf: Path) -> Read | str:
    """The parsed book, or the reason why it is refused. Never embeds."""
    started = perf_counter()
    try:
        parsed = parse(
            pdf,
            BookOptions.checked([9], "предмет", "Книга"),
            sha256="0" * 64,
            embedder=Counting(),
            settings=IngestSettings(),
        )
    except IngestError as exc:
        return str(exc)
    return Read(parsed, perf_counter() - started)


def expected(truth: Mapping[str, Any], pdfs: Path) -> list[tuple[Key, str]]:
    """Numbered headings with their titles. The geometry's first half lies beside its PDF."""
    out = [
        ((_level(s["unit"]), _number(s["number"]), int(s["file_page"])), str(s["title"]))
        for s in truth["sections"]
        if s["number"] is not None
    ]
    shared = pdfs.parent / "pdf" / _SHARED_TRUTH
    if truth["file"].startswith("kiselyov") and shared.exists():
        entries = json.loads(shared.read_text(encoding="utf-8"))
        out += [(("§", _number(e["num"]), int(e["pdf_page"])), e["title"]) for e in entries]
    return out


def _level(unit: str) -> str:
    """§§ count by themselves; all other numbered headings are told by number and sheet."""
    return "§" if unit == "§" else ""


def _number(text: str) -> str:
    roman = {"I": "1", "II": "2", "III": "3", "X": "10"}
    return roman.get(text, text.lower().translate(_FOLD))


def letters(text: str) -> str:
    """What must agree: letters and digits, look-alikes folded."""
    text = unicodedata.normalize("NFKC", text.replace("\u00ad", "")).translate(_FOLD)
    return "".join(ch for ch in text.lower() if ch.isalnum())


def score(read: Read, wanted: Sequence[tuple[Key, str]], truth: Mapping[str, Any]) -> BookScore:
    book = read.parsed.book
    out = BookScore(len(book.pages), sum(page.ocr for page in book.pages), read.seconds)
    _sections(out, read.parsed, wanted)
    for sheet, shown in truth["printed_pages"].items():
        got = book.page(int(sheet)).printed_page
        if shown is not None:
            out.printed_shown += 1
            out.printed_right += got == shown
            if got != shown:
                out.other_printed.append(f"{sheet}: {shown} → {got}")
        else:
            out.unshown += 1
            out.unshown_right += got is None or _foretold(truth["printed_pages"], int(sheet), got)
    for sheet, text in truth["page_texts"].items():
        _text(out, read.parsed, int(sheet), text)
    out.garbage = sum(is_garbage(chunk.text) for chunk in read.parsed.chunks)
    return out


def _sections(out: BookScore, parsed: Parsed, wanted: Sequence[tuple[Key, str]]) -> None:
    got: list[tuple[Key, str]] = []
    units = {unit for (unit, _, _), _ in wanted}
    for s in parsed.book.sections:
        level = "§" if "§" in units and s.kind == "paragraph" else ""
        got += [((level, _number(number), s.file_page), s.title) for number in s.numbers]
    got = list(dict.fromkeys(got))  # a chapter without sections is a unit as well
    rest = list(got)
    for key, title in wanted:
        same = [item for item in rest if item[0] == key]
        same.sort(key=lambda item: fuzz.ratio(letters(item[1]), letters(title)), reverse=True)
        if not same:
            out.missed.append(f"{key[0]}{key[1]} «{title[:40]}» ({key[2]})")
            continue
        rest.remove(same[0])
        out.right += 1
        if letters(same[0][1]) == letters(title):
            out.titles += 1
        else:
            out.other_titles.append(f"{key[1]} «{title[:60]}» → «{same[0][1][:60]}»")
    out.spurious = [f"{key[0]}{key[1]} «{title[:40]}» ({key[2]})" for key, title in rest]
    out.expected, out.found = len(wanted), len(got)


def _foretold(printed: Mapping[str, str | None], sheet: int, got: str) -> bool:
    """May a sheet that shows no number be called `got`, by the numbers around it?"""
    shown = {int(n): int(p) for n, p in printed.items() if p is not None and p.isdecimal()}
    if not got.isdecimal():
        first = min(shown, default=sheet)
        return sheet < first
    near = min(shown, key=lambda n: abs(n - sheet), default=sheet)
    return int(got) == shown.get(near, 0) + sheet - near


def _text(out: BookScore, parsed: Parsed, sheet: int, text: str) -> None:
    """Compares what chunks say on a sheet, headings put back, with the typed page."""
    page = parsed.book.page(sheet)
    mine = letters(re.sub(r"^#+ ", "", page.markdown, flags=re.MULTILINE))
    theirs = letters(text)
    out.letters += len(theirs)
    out.letters_wrong += int(Levenshtein.distance(mine, theirs))
    a, b = Counter(_words(page.markdown)), Counter(_words(text))
    out.words += sum(b.values())
    out.words_wrong += max(sum((a - b).values()), sum((b - a).values()))


def _words(text: str) -> list[str]:
    return [letters(word) for word in re.split(r"[\s—–]+", text) if letters(word)]


def has_lost_letters(text: str) -> bool:
    """Signs without a name, or letters of one encoding read as another's."""
    return bool(_GARBAGE.search(text) or _MOJIBAKE.search(text))


def is_garbage(text: str) -> bool:
    """Signs that no book prints, mojibake, or Russian words with Latin letters in them."""
    return has_lost_letters(text) or bool(_MIXED.search(text))
