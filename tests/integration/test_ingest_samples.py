"""The sample textbooks, typeset from their sources: what ingestion finds against what was set."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pymupdf
import pytest

from index.embedder import Vectors
from ingest.options import BookOptions
from ingest.parse import Parsed, parse
from ingest.settings import IngestSettings

ROOT = Path(__file__).resolve().parents[2]


class CountingEmbedder:
    """Counts tokens generously; embeds nothing, for parsing needs no vectors."""

    id = "counting/1"
    dimension = 1
    max_tokens = 512

    def count_tokens(self, text: str) -> int:
        return len(text) // 2

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        return np.ones((len(texts), 1), dtype=np.float32)

    def embed_query(self, text: str) -> Vectors:
        return np.ones(1, dtype=np.float32)


@pytest.fixture(scope="module", params=(9, 10))
def sample(request: pytest.FixtureRequest, sample_pdfs: dict[int, Path]) -> tuple[int, Path, Parsed]:
    grade: int = request.param
    pdf = sample_pdfs[grade]
    parsed = parse(
        pdf,
        BookOptions.checked([grade], "обществознание", "Обществознание"),
        sha256="0" * 64,
        embedder=CountingEmbedder(),
        settings=IngestSettings(),
    )
    return grade, pdf, parsed


def truth(pdf: Path) -> dict[str, Any]:
    facts: dict[str, Any] = json.loads(pdf.with_suffix(".truth.json").read_text(encoding="utf-8"))
    return facts


def letters(text: str) -> str:
    """What must agree: everything but blanks, hyphens and marks of the source format."""
    return re.sub(r"[\s*\-–—•\u2010\u00ad|#]", "", text)


def test_every_section_is_found_with_number_title_chapter_and_page(sample: tuple[int, Path, Parsed]) -> None:
    _, pdf, parsed = sample
    facts = truth(pdf)
    found = [(s.numbers, s.title, s.printed_page, s.file_page, s.chapter) for s in parsed.book.paragraphs]
    assert found == [
        (
            (p["number"],),
            p["title"],
            p["page"],
            p["file_page"],
            f"Глава {p['chapter']}. {p['chapter_title']}",
        )
        for p in facts["paragraphs"]
    ]
    chapters = [(s.title, s.file_page) for s in parsed.book.sections if s.kind == "chapter" and s.numbers]
    assert chapters == [(c["title"], c["file_page"]) for c in facts["chapters"]]


def test_every_sheet_has_the_number_that_was_set_on_it(sample: tuple[int, Path, Parsed]) -> None:
    _, pdf, parsed = sample
    for page, fact in zip(parsed.book.pages, truth(pdf)["pages"], strict=True):
        assert page.file_page == fact["file_page"]
        if fact["printed"] is not None:
            assert page.printed_page == fact["printed"]


def test_every_chunk_lies_in_its_section_of_the_source(sample: tuple[int, Path, Parsed]) -> None:
    grade, _, parsed = sample
    sources = {
        path.name[:2].lstrip("0"): letters(path.read_text(encoding="utf-8"))
        for path in (ROOT / f"data/samples/obshestvoznanie_{grade}").glob("[0-9]*.md")
    }
    checked = 0
    for chunk in parsed.chunks:
        if not chunk.paragraphs:
            assert chunk.chapter is not None  # the glossary at the end of the book
            continue
        lines = chunk.text.splitlines()
        if chunk.kind == "table":
            lines = [cell for line in lines for cell in line.split("\u2003")]
        for line in lines:
            checked += 1
            assert letters(line) in sources[chunk.paragraphs[0]], (chunk.chunk_id, line)
    assert checked > 250


def test_whole_text_of_each_section_is_in_its_chunks(sample: tuple[int, Path, Parsed]) -> None:
    grade, _, parsed = sample
    for path in sorted((ROOT / f"data/samples/obshestvoznanie_{grade}").glob("[0-9]*.md")):
        number = path.name[:2].lstrip("0")
        text = letters("\n".join(c.text for c in parsed.chunks if c.paragraphs == (number,)))
        for line in path.read_text(encoding="utf-8").splitlines():
            if not line or line.startswith(("#", ":::", "|")):
                continue
            bare = re.sub(r"^(?:[-–•]|\d+\.)\s+", "", line)
            for sentence in re.split(r"(?<=[.!?…])\s+", bare):
                assert letters(sentence) in text, (path.name, sentence)


def test_every_piece_of_a_chunk_stands_on_the_page_it_names(sample: tuple[int, Path, Parsed]) -> None:
    _, pdf, parsed = sample
    with pymupdf.open(pdf) as document:
        raw = [letters(page.get_text()) for page in document]
    for chunk in parsed.chunks:
        assert len(chunk.text) <= 1000
        assert chunk.spans[0].start == 0
        assert chunk.spans[-1].end == len(chunk.text)
        for span in chunk.spans:
            assert span.printed_page == parsed.book.page(span.file_page).printed_page
            for line in chunk.text[span.start : span.end].splitlines():
                cells = line.split("\u2003") if chunk.kind == "table" else [line]
                for cell in cells:
                    assert letters(cell) in raw[span.file_page - 1], (chunk.chunk_id, cell)


def test_kinds_of_text_are_told_apart(sample: tuple[int, Path, Parsed]) -> None:
    _, _, parsed = sample
    for section in parsed.book.paragraphs:
        kinds = {chunk.kind for chunk in parsed.chunks if chunk.paragraphs == section.numbers}
        assert {"text", "questions"} <= kinds, section.label
    everywhere = {chunk.kind for chunk in parsed.chunks}
    assert {"glossary", "document", "table"} <= everywhere
    contents = [page for page in parsed.book.pages if page.kind == "contents"]
    assert contents
    for chunk in parsed.chunks:
        assert not any(span.file_page == page.file_page for span in chunk.spans for page in contents)
