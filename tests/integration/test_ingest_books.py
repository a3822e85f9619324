"""Free books from `../shared` against what was read off their page images by hand (`tests/truth`)."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rapidfuzz import fuzz
from rapidfuzz.distance import Indel

from index.embedder import Vectors
from ingest.errors import NoText
from ingest.options import BookOptions
from ingest.parse import Parsed, parse
from ingest.settings import IngestSettings

ROOT = Path(__file__).resolve().parents[2]
BOOKS = ROOT.parent / "shared" / "data" / "pdf"
_ALIKE = str.maketrans("aeopcxykё", "аеорсхуке")

pytestmark = pytest.mark.skipif(not BOOKS.is_dir(), reason=f"{BOOKS} is absent: no books to read")


class LengthEmbedder:
    """Counts tokens by length; parsing embeds nothing."""

    id = "length/1"
    dimension = 1
    max_tokens = 512

    def count_tokens(self, text: str) -> int:
        return len(text) // 3

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        return np.ones((len(texts), 1), dtype=np.float32)

    def embed_query(self, text: str) -> Vectors:
        return np.ones(1, dtype=np.float32)


@cache
def parsed(name: str) -> Parsed:
    return parse(
        BOOKS / f"{name}.pdf",
        BookOptions.checked([10], "предмет", "Книга"),
        sha256="0" * 64,
        embedder=LengthEmbedder(),
        settings=IngestSettings(),
    )


def truth(name: str) -> dict[str, Any]:
    facts: dict[str, Any] = json.loads((ROOT / "tests/truth" / f"{name}.json").read_text(encoding="utf-8"))
    return facts


def letters(text: str) -> str:
    """Letters and digits; look-alikes folded, for an image does not tell Latin from Cyrillic."""
    return re.sub(r"[\W_]", "", text.lower()).translate(_ALIKE)


@pytest.mark.parametrize("name", ["debian-faq.ru", "two_column_notes", "kiselyov_geometry_letterspaced"])
def test_printed_numbers_are_those_on_the_pages(name: str) -> None:
    book = parsed(name).book
    for sheet, number in truth(name)["printed_pages"].items():
        if number is not None:
            assert book.page(int(sheet)).printed_page == number, sheet


@pytest.mark.parametrize("name", ["debian-faq.ru", "two_column_notes", "kiselyov_geometry_letterspaced"])
def test_pages_read_as_they_look(name: str) -> None:
    book = parsed(name).book
    facts = truth(name)
    for sheet, text in facts["page_texts"].items():
        read = re.sub(r"^#+ ", "", book.page(int(sheet)).markdown, flags=re.MULTILINE)
        assert Indel.normalized_similarity(letters(text), letters(read)) > 0.99, sheet
    for kind in ("contents", "index"):
        assert [p.file_page for p in book.pages if p.kind == kind] == facts[f"{kind}_file_pages"]


@pytest.mark.parametrize("name", ["debian-faq.ru", "two_column_notes"])
def test_headings_stand_where_they_are_seen(name: str) -> None:
    facts, book = truth(name), parsed(name).book
    away = {*facts["contents_file_pages"], *facts["index_file_pages"]}
    for wanted in facts["sections"]:
        if wanted["file_page"] in away:
            continue
        title = letters((wanted["number"] or "") + wanted["title"])
        here = [
            letters("".join(s.numbers) + s.title) for s in book.sections if s.file_page == wanted["file_page"]
        ]
        bare = letters(wanted["title"])
        assert any(fuzz.ratio(title, h) > 90 or fuzz.ratio(bare, h) > 90 for h in here), wanted


def test_numbered_sections_are_the_units_of_a_book_without_signs() -> None:
    units = [(s.unit, s.numbers[0]) for s in parsed("debian-faq.ru").book.paragraphs]
    assert units[:3] == [("раздел", "1.1"), ("раздел", "1.2"), ("раздел", "1.3")]
    assert len(units) == len(set(units))


def test_geometry_is_quoted_letter_by_letter() -> None:
    """Sentences without formulas stand in the text layer of the very page that is named."""
    raw = {
        p.file_page: re.sub(r"[\s\-\u2010\u00ad]", "", p.text)
        for p in parsed("kiselyov_geometry_letterspaced").book.pages
    }
    checked = missing = 0
    for chunk in parsed("kiselyov_geometry_letterspaced").chunks:
        for span in chunk.spans:
            for line in chunk.text[span.start : span.end].splitlines():
                for sentence in re.split(r"(?<=[.;:])\s", line):
                    if len(sentence) < 30 or re.search(r"[=<>√+]|\d", sentence):
                        continue
                    checked += 1
                    missing += re.sub(r"[\s\-\u2010\u00ad]", "", sentence) not in raw[span.file_page]
    assert checked > 2000
    assert missing <= 0.01 * checked


def test_placeholder_is_no_book() -> None:
    with pytest.raises(NoText, match="русского"):
        parsed("developers-reference-ru")
