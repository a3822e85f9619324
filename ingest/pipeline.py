"""PDF → stored book: parse, embed, store. The main path of ingestion; the rest hangs on `parse`."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path
from time import perf_counter

import numpy as np

from index.book import Book
from index.chunk import Chunk, Sentence
from index.embedder import Embedder, Vectors
from index.errors import StoreMissing
from index.manifest import CHUNKER
from index.sentences import split_sentences
from index.shard import BookParts
from index.store import Store
from ingest.editions import is_other_book
from ingest.errors import IngestError, OtherBook
from ingest.options import BookOptions
from ingest.parse import Progress, parse
from ingest.report import IngestReport, IngestStatus
from ingest.settings import IngestSettings

_BATCH = 32


def ingest(
    pdf: Path,
    *,
    grades: Iterable[object],
    subject: str,
    title: str,
    book_id: str | None = None,
    page_offset: int | None = None,
    store: Store,
    embedder: Embedder,
    progress: Progress = lambda step, done, total: None,
    settings: IngestSettings | None = None,
    replace_any: bool = True,
) -> IngestReport:
    """Reads `pdf` and stores it. The report says what went wrong with the file; nothing is raised for that.

    A stored book of that id is replaced; without `replace_any` only if this is an edition of the same book.

    Raises:
        BadOptions: grades, title or book id make no sense.
        IndexStoreError: the store cannot be written (built with another embedder, damaged).
    """
    options = BookOptions.checked(grades, subject, title, book_id, page_offset)
    started = perf_counter()
    try:
        digest = file_sha256(pdf)
        same = _unchanged(store, embedder, digest, options)
        if same is not None:
            return replace(same, file=str(pdf), seconds=perf_counter() - started)
        parsed = parse(
            pdf,
            options,
            sha256=digest,
            embedder=embedder,
            settings=settings or IngestSettings(),
            progress=progress,
        )
        old = store.read_book(options.book_id, embedder)
        other_file = old is not None and old.book.sha256 != digest
        if old is not None and other_file and not replace_any and is_other_book(parsed, old):
            raise OtherBook(_other_book(old.book, store))
    except IngestError as exc:
        return IngestReport(
            file=str(pdf),
            book_id=options.book_id,
            status=exc.status,
            warnings=(str(exc),),
            seconds=perf_counter() - started,
        )
    sentences = _sentences(parsed.chunks)
    texts = [parsed.chunks[s.chunk].text[s.start : s.end] for s in sentences]
    known = {} if old is None else _known_vectors(old)
    reused = 0
    vectors, again = _embed(
        [c.search_text for c in parsed.chunks], known, embedder, progress, "Смысл фрагментов"
    )
    reused += again
    sentence_vectors, again = _embed(texts, known, embedder, progress, "Смысл предложений")
    reused += again
    store.put(
        parsed.book,
        parsed.chunks,
        vectors,
        sentences,
        sentence_vectors,
        pdf,
        embedder,
        chunker=_chunker(options),
    )
    status: IngestStatus = "partial" if parsed.partial else "ok"
    report = _report(pdf, parsed.book, parsed.chunks, status, perf_counter() - started)
    if old is not None and other_file:
        note = f"Книга «{options.book_id}», загруженная раньше из другого файла, заменена этой."
        report = replace(report, warnings=(*report.warnings, note))
    return replace(report, texts=len(parsed.chunks) + len(texts), reused=reused)


def _other_book(old: Book, store: Store) -> str:
    taken = {entry.book_id for entry in store.manifest().shards}
    free = next(name for i in count(2) if (name := f"{old.book_id}-{i}") not in taken)
    return (
        f"Под этим названием уже загружена другая книга ({old.book_id}, страниц: {len(old.pages)}), общего "
        f"текста у них нет. Она осталась, а эта не загружена. Если это другая часть или другой учебник, "
        f"добавьте --book-id {free}; если новая книга должна занять место прежней — --book-id {old.book_id}."
    )


def _report(
    pdf: Path, book: Book, chunks: tuple[Chunk, ...], status: IngestStatus, seconds: float
) -> IngestReport:
    return IngestReport(
        file=str(pdf),
        book_id=book.book_id,
        status=status,
        pages=len(book.pages),
        pages_ocr=sum(page.ocr for page in book.pages),
        pages_unreadable=sum(page.kind == "unreadable" for page in book.pages),
        paragraphs=book.paragraphs,
        chunks=len(chunks),
        page_offset=book.page_offset,
        warnings=book.warnings,
        seconds=seconds,
        book=book,
        content=chunks,
    )


def file_sha256(pdf: Path) -> str:
    """Digest of a PDF; «» for what cannot be read, the reader says why."""
    try:
        with pdf.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return ""


def _chunker(options: BookOptions) -> str:
    """What made the chunks: the program's way of reading and what the teacher told it about the pages."""
    return CHUNKER if options.page_offset is None else f"{CHUNKER}+offset={options.page_offset}"


def _unchanged(store: Store, embedder: Embedder, digest: str, options: BookOptions) -> IngestReport | None:
    """Report of the stored book where this very file was read with these very options before."""
    try:
        manifest = store.manifest()
    except StoreMissing:
        return None
    store.check_embedder(manifest, embedder)
    entry = manifest.entry(options.book_id)
    if entry is None or entry.pdf_sha256 != digest or entry.chunker != _chunker(options):
        return None
    if (tuple(entry.grades), entry.subject, entry.title) != (options.grades, options.subject, options.title):
        return None
    parts = store.read_book(options.book_id, embedder)
    # A page that could not be read then may be readable now: with Tesseract, or on a machine less busy.
    if parts is None or any(page.kind == "unreadable" for page in parts.book.pages):
        return None
    return _report(Path(), parts.book, parts.chunks, "unchanged", 0.0)


def _sentences(chunks: Sequence[Chunk]) -> list[Sentence]:
    return [
        Sentence(chunk.ordinal, start, end) for chunk in chunks for start, end in split_sentences(chunk.text)
    ]


def _known_vectors(parts: BookParts) -> dict[str, Vectors]:
    """Text → vector of all that the previous edition had; of this embedder, else the store refuses."""
    known = {chunk.search_text: vector for chunk, vector in zip(parts.chunks, parts.vectors, strict=True)}
    for sentence, vector in zip(parts.sentences, parts.sentence_vectors, strict=True):
        known[parts.chunks[sentence.chunk].text[sentence.start : sentence.end]] = vector
    return known


def _embed(
    texts: Sequence[str], known: Mapping[str, Vectors], embedder: Embedder, progress: Progress, step: str
) -> tuple[Vectors, int]:
    """Vectors of `texts`, and how many of them were known. Equal texts are embedded once."""
    fresh = list(dict.fromkeys(text for text in texts if text not in known))
    made: dict[str, Vectors] = {}
    for start in range(0, len(fresh), _BATCH):
        batch = fresh[start : start + _BATCH]
        made.update(zip(batch, embedder.embed_passages(batch), strict=True))
        progress(step, min(start + _BATCH, len(fresh)), len(fresh))
    rows = [known[text] if text in known else made[text] for text in texts]
    vectors = np.stack(rows) if rows else np.zeros((0, embedder.dimension), dtype=np.float32)
    return vectors, sum(text in known for text in texts)
