"""The published pipeline, with its faults, on a small PDF and the bundled model."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import pymupdf
import pytest

from evaluation.cases import Case
from evaluation.errors import BaselineMissing
from evaluation.original import Original
from index.book import Book, Page
from index.embedder import Embedder
from index.embedders import load_embedder
from index.library import Library
from index.shard import BookParts

PAGES = (
    "# § 1. Налоги|Налог — это обязательный платёж, который граждане и фирмы вносят в бюджет государства.",
    "Прямые налоги берут с дохода, а косвенные включают в цену товара, и платит их покупатель.",
    "# § 2. Рынок|Рынок — это обмен товарами и услугами между продавцами и покупателями по свободным ценам.",
)


def typeset(path: Path) -> None:
    """Three sheets; § 1 runs over two of them. Sheet and printed number are the same."""
    document = pymupdf.open()
    for number, text in enumerate(PAGES, 1):
        page = document.new_page(width=420, height=595)
        heading, _, body = text.rpartition("|")
        html = f"<h1>{heading.lstrip('# ')}</h1>" if heading else ""
        page.insert_htmlbox(pymupdf.Rect(40, 40, 380, 540), f"{html}<p>{body}</p>")
        page.insert_htmlbox(pymupdf.Rect(190, 560, 230, 590), f"<p>{number}</p>")
    document.save(path)
    document.close()


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    return load_embedder("bundled")


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory, embedder: Embedder) -> Original:
    folder = tmp_path_factory.mktemp("original")
    typeset(folder / "book.pdf")
    return Original.build(
        library(folder / "book.pdf", embedder), embedder, layout=False, cache=folder / "cache"
    )


def library(pdf: Path, embedder: Embedder) -> Library:
    """A library that knows the PDF and its raw text, as far as evaluation needs it."""
    pages = tuple(Page(n, str(n), "body", text, text) for n, text in enumerate(PAGES, 1))
    digest = hashlib.sha256(pdf.read_bytes()).hexdigest() if pdf.exists() else "0" * 64
    book = Book("b", "Обществознание", "обществознание", (8,), digest, 0, pages, ())
    none = np.zeros((0, embedder.dimension), dtype=np.float32)
    return Library.from_parts([BookParts(book, (), none, (), none, pdf)], embedder)


def ask(original: Original, question: str, **options: object) -> list[tuple[str | None, str | None]]:
    """(§, page) of each source."""
    case = Case.model_validate({"id": "c", "question": question, **options})
    answer = original.ask(case)
    assert len(answer.sources) == len(answer.hits)
    assert [hit.chunk.text for hit in answer.hits] == [source.quote for source in answer.sources]
    return [(source.paragraph, source.page) for source in answer.sources]


def test_page_is_the_parsers_page_plus_one(original: Original) -> None:
    assert ask(original, "Что такое налог?")[0] == ("1", "2")


def test_paragraph_is_not_carried_to_the_next_page(original: Original) -> None:
    found = ask(original, "С чего берут прямые налоги, а что включают в цену?")
    assert found[0] == (None, "3")


def test_scope_in_words_filters_after_search(original: Original) -> None:
    assert {paragraph for paragraph, _ in ask(original, "§ 2, 8 класс: что такое налог?")} == {"2"}
    assert {paragraph for paragraph, _ in ask(original, "что такое налог?", grade=8, paragraph="2")} == {"2"}


def test_unknown_paragraph_falls_back_to_the_grade(original: Original) -> None:
    answer = original.ask(Case(id="c", question="§ 7, 8 класс: что такое налог?"))
    assert answer.widened
    assert len(answer.hits) == 3
    assert original.ask(Case(id="c", question="11 класс: что такое налог?")).hits == ()


def test_nothing_is_refused(original: Original) -> None:
    answer = original.ask(Case(id="c", question="Как варить борщ?"))
    assert answer.status == "supported"
    assert answer.hits[0].score >= answer.hits[-1].score
    assert -1 <= answer.hits[0].score <= 1


def test_second_build_takes_the_cache(tmp_path: Path, embedder: Embedder) -> None:
    typeset(tmp_path / "book.pdf")
    books = library(tmp_path / "book.pdf", embedder)
    first = Original.build(books, embedder, layout=False, cache=tmp_path / "cache")
    kept = {path: path.stat().st_mtime_ns for path in (tmp_path / "cache").iterdir()}
    second = Original.build(books, embedder, layout=False, cache=tmp_path / "cache")
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "cache").iterdir()} == kept
    question = "Что такое рынок?"
    assert ask(first, question) == ask(second, question)


def test_a_store_without_its_pdf_is_named(tmp_path: Path, embedder: Embedder) -> None:
    with pytest.raises(BaselineMissing, match="«b»"):
        Original.build(library(tmp_path / "gone.pdf", embedder), embedder, cache=tmp_path)
