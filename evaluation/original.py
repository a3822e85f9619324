"""The published pipeline, as the system to beat (extra `baseline`). Its faults are kept on purpose.

Each page is parsed alone by pymupdf4llm, cut by `MarkdownHeaderTextSplitter` and by
`RecursiveCharacterTextSplitter(1000, 150)`, tagged with grade, § and page by regular expressions, and put
into the FAISS wrapper of langchain-community, which filters after fetching. A § is known only on the page
that names it, the page number is the parser's `page` (absent from its layout mode) plus one, and nothing is
ever refused.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from answer.answer import Answer, Citation
from answer.query import Scope
from evaluation.cases import Case
from evaluation.errors import BaselineMissing
from evaluation.extras import load
from index.book import Book
from index.chunk import Chunk, Hit, PageSpan
from index.embedder import Embedder
from index.errors import BookMissing
from index.library import Library

K = 4
CHUNK_SIZE, CHUNK_OVERLAP = 1000, 150
HEADERS = [("#" * level, f"h{level}") for level in range(1, 7)]
_PARAGRAPH = re.compile(r"(?:§|параграф\w*)\s*№?\s*(\d+)", re.IGNORECASE)
_GRADE = re.compile(r"(\d{1,2})\s*(?:-?\s*й\s*)?класс", re.IGNORECASE)


class Original:
    """Every book of a library, indexed the published way with the library's own embedder."""

    name = "original"

    def __init__(self, documents: Sequence[Any], vectors: Any, embedder: Embedder, library: Library) -> None:
        """`documents` are LangChain's, one row of `vectors` each."""
        faiss = load("langchain_community.vectorstores", "baseline").FAISS
        texts = [document.page_content for document in documents]
        self._library = library
        self._store = faiss.from_embeddings(
            list(zip(texts, vectors.tolist(), strict=True)),
            _langchain(embedder),
            metadatas=[document.metadata for document in documents],
        )

    @classmethod
    def build(
        cls,
        library: Library,
        embedder: Embedder,
        *,
        layout: bool = True,
        cache: Path | None = None,
        progress: Callable[[str], None] = lambda _: None,
    ) -> Original:
        """Parse and embed the PDFs of the library. `layout`: the parser's default mode, slow.

        Parsed pages and vectors are kept in `cache` by the digest of PDF and text. Raises BaselineMissing.
        """
        cache = cache if cache is not None else _default_cache()
        documents: list[Any] = []
        for book in library.books.values():
            progress(f"original: {book.title} ({book.book_id})")
            try:
                pages = _markdown(library.pdf(book.book_id), book.sha256, layout, cache)
            except BookMissing as error:
                raise BaselineMissing(f"{error} The published pipeline starts from the PDF.") from error
            documents += _documents(book, pages)
        if not documents:
            raise BaselineMissing(
                "The store holds no book with text; the published pipeline has nothing to index."
            )
        progress(f"original: векторы {len(documents)} фрагментов")
        return cls(documents, _vectors(documents, embedder, cache), embedder, library)

    def ask(self, case: Case) -> Answer:
        started = time.perf_counter()
        grade, paragraph = case.grade, case.paragraph
        if grade is None and (match := _GRADE.search(case.question)):
            grade = int(match[1])
        if paragraph is None and (match := _PARAGRAPH.search(case.question)):
            paragraph = match[1]
        wanted: dict[str, int | str] = {}
        if grade is not None:
            wanted["grade"] = grade
        if paragraph is not None:
            wanted["paragraph"] = paragraph
        found = self._search(case.question, wanted)
        widened = not found and paragraph is not None
        if widened:
            wanted.pop("paragraph")
            found = self._search(case.question, wanted)
        elapsed = round((time.perf_counter() - started) * 1000)
        return Answer(
            status="supported",
            intent="question",
            answer="\n\n".join(document.page_content for document, _ in found),
            scope=Scope(
                grades=() if grade is None else (grade,), paragraphs=() if paragraph is None else (paragraph,)
            ),
            sources=tuple(self._citation(n, document) for n, (document, _) in enumerate(found, 1)),
            hits=tuple(_hit(n, document, distance) for n, (document, distance) in enumerate(found)),
            widened=widened,
            elapsed_ms=elapsed,
        )

    def _search(self, question: str, wanted: dict[str, int | str]) -> list[tuple[Any, float]]:
        def allowed(metadata: dict[str, Any]) -> bool:
            return all(metadata[key] == value for key, value in wanted.items())

        # fetch_k stays at its default of 20: the filter sees no more than that.
        found: list[tuple[Any, float]] = self._store.similarity_search_with_score(
            question, k=K, filter=allowed if wanted else None
        )
        return found

    def _citation(self, number: int, document: Any) -> Citation:
        of = document.metadata
        return Citation(
            id=f"s{number}",
            book_id=of["book_id"],
            title=self._library.books[of["book_id"]].title,
            grades=(of["grade"],),
            chapter=None,
            paragraph=of["paragraph"],
            paragraph_title=None,
            page=str(of["page"]),
            file_page=of["page"],
            quote=document.page_content,
        )


def _documents(book: Book, pages: Sequence[dict[str, Any]]) -> list[Any]:
    """Chunks of a book with their metadata; a book of several grades stands in the index once for each."""
    splitters = load("langchain_text_splitters", "baseline")
    by_header = splitters.MarkdownHeaderTextSplitter(headers_to_split_on=HEADERS)
    by_size = splitters.RecursiveCharacterTextSplitter(chunk_size=CHUNK_SIZE, chunk_overlap=CHUNK_OVERLAP)
    documents = []
    for page in pages:
        for piece in by_size.split_documents(by_header.split_text(page["text"])):
            header = " ".join(piece.metadata.values())
            match = _PARAGRAPH.search(header) or _PARAGRAPH.search(piece.page_content)
            for grade in book.grades:
                copy = piece.model_copy()
                copy.metadata = {
                    "book_id": book.book_id,
                    "grade": grade,
                    "paragraph": match[1] if match else None,
                    "page": page["metadata"].get("page", 0) + 1,
                }
                documents.append(copy)
    return documents


def _hit(place: int, document: Any, distance: float) -> Hit:
    of = document.metadata
    text = document.page_content
    chunk = Chunk(
        chunk_id=f"{of['book_id']}:original:{place}",
        book_id=of["book_id"],
        ordinal=place,
        text=text,
        kind="text",
        grades=(of["grade"],),
        chapter=None,
        paragraphs=(of["paragraph"],) if of["paragraph"] else (),
        paragraph_title=None,
        heading=None,
        spans=(PageSpan(0, len(text), of["page"], str(of["page"])),),
    )
    # Squared distance of unit vectors → cosine.
    cosine = 1 - float(distance) / 2
    return Hit(chunk=chunk, score=cosine, source="dense", dense=cosine)


def _markdown(pdf: Path, sha256: str, layout: bool, cache: Path) -> list[dict[str, Any]]:
    """Page-wise output of pymupdf4llm: text and the parser's own page metadata."""
    parser = load("pymupdf4llm", "baseline")
    stored = cache / f"{sha256[:32]}-{parser.VERSION}-{'layout' if layout else 'plain'}.json"
    if stored.is_file():
        pages: list[dict[str, Any]] = json.loads(stored.read_text(encoding="utf-8"))
        return pages
    # The parser talks on stdout, partly through a stream that PyMuPDF took at import; that is for --json.
    load("pymupdf", "baseline").set_messages(fd=2)
    parser.use_layout(layout)
    try:
        with contextlib.redirect_stdout(sys.stderr):
            chunks = parser.to_markdown(str(pdf), page_chunks=True, show_progress=False)
    finally:
        parser.use_layout(True)
    pages = [
        {
            "text": chunk["text"],
            "metadata": {
                key: chunk["metadata"][key] for key in ("page", "page_number") if key in chunk["metadata"]
            },
        }
        for chunk in chunks
    ]
    _keep(stored, json.dumps(pages, ensure_ascii=False).encode())
    return pages


def _vectors(documents: Sequence[Any], embedder: Embedder, cache: Path) -> Any:
    texts = [document.page_content for document in documents]
    digest = hashlib.sha256("\0".join([embedder.id, *texts]).encode()).hexdigest()
    stored = cache / f"{digest[:32]}.npy"
    if stored.is_file():
        return np.load(stored, allow_pickle=False)
    vectors = embedder.embed_passages(texts)
    cache.mkdir(parents=True, exist_ok=True)
    part = stored.with_suffix(".part.npy")
    np.save(part, vectors, allow_pickle=False)
    part.replace(stored)
    return vectors


def _keep(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    part.write_bytes(data)
    part.replace(path)


def _default_cache() -> Path:
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "paragraf" / "original"


def _langchain(embedder: Embedder) -> Any:
    """Our embedder in LangChain's clothes."""
    base: Any = load("langchain_core.embeddings", "baseline").Embeddings

    class Adapter(base):  # type: ignore[misc]
        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            vectors: list[list[float]] = embedder.embed_passages(texts).tolist()
            return vectors

        def embed_query(self, text: str) -> list[float]:
            vector: list[float] = embedder.embed_query(text).tolist()
            return vector

    return Adapter()
