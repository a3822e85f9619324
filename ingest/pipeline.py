"""PDF → stored book: read, repair, structure, split, embed, store. The main path of ingestion."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter
from typing import Protocol

import numpy as np

from index.book import Book, Page, PageKind, Section
from index.chunk import Chunk, Sentence
from index.embedder import Embedder, Vectors
from index.errors import StoreMissing
from index.sentences import split_sentences
from index.store import Store
from ingest import furniture
from ingest.contents import Entry, find_contents, find_index
from ingest.errors import IngestError, NoText
from ingest.layout import Block, arrange
from ingest.lines import RawBook, RawPage
from ingest.options import check_book_id, parse_grades
from ingest.paged import PagedText
from ingest.pagination import Pagination, paginate
from ingest.paragraphs import SECTION_START, Habits, Para, habits, paragraphs
from ingest.quality import assess
from ingest.reader import read_pdf
from ingest.repair import Joiner
from ingest.report import IngestReport, IngestStatus
from ingest.rows import band_text, bands
from ingest.settings import IngestSettings
from ingest.slug import book_slug
from ingest.split import CHUNKER, make_chunks, paragraph_text
from ingest.structure import Outline, structure

_BATCH = 32
_IMPRINT = re.compile(r"ISBN|УДК|ББК|подписано в печать", re.IGNORECASE)
_RIGHTS = re.compile(r"©|copyright|все права|лицензи|CC0", re.IGNORECASE)
_NO_BOOK = 2000  # characters; a placeholder page has fewer
_FRONT_PAGES = 8
_FEW_LETTERS = 250
_IMPRINT_LETTERS = 1000  # a page about rights with more than this is a preface


class Progress(Protocol):
    """Where the pipeline says how far it is."""

    def __call__(self, step: str, done: int, total: int) -> None:
        """`step`: Russian name of the step; `done` of `total` pages or texts."""
        ...


@dataclass(frozen=True, slots=True)
class Parsed:
    """A book before embedding."""

    book: Book
    chunks: tuple[Chunk, ...]
    partial: bool


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
) -> IngestReport:
    """Reads `pdf` and stores it. The report says what went wrong with the file; nothing is raised for that.

    Raises:
        BadOptions: grades or book id make no sense.
        IndexStoreError: the store cannot be written (built with another embedder, damaged).
    """
    known_grades = parse_grades(grades)
    book_id = check_book_id(book_id or book_slug(title, known_grades))
    started = perf_counter()
    try:
        settings = settings or IngestSettings()
        digest = _sha256(pdf)
        chunker = CHUNKER if page_offset is None else f"{CHUNKER}+offset={page_offset}"
        same = _unchanged(store, embedder, digest, book_id, known_grades, subject, title, chunker)
        if same is not None:
            return replace(same, file=str(pdf), seconds=perf_counter() - started)
        parsed = parse(
            pdf,
            grades=known_grades,
            subject=subject,
            title=title,
            book_id=book_id,
            page_offset=page_offset,
            sha256=digest,
            embedder=embedder,
            progress=progress,
            settings=settings,
        )
    except IngestError as exc:
        return _failure(pdf, book_id, exc, started)
    sentences = _sentences(parsed.chunks)
    vectors = _embed([c.search_text for c in parsed.chunks], embedder, progress, "Смысл фрагментов")
    texts = [parsed.chunks[s.chunk].text[s.start : s.end] for s in sentences]
    sentence_vectors = _embed(texts, embedder, progress, "Смысл предложений")
    store.put(
        parsed.book, parsed.chunks, vectors, sentences, sentence_vectors, pdf, embedder, chunker=chunker
    )
    status: IngestStatus = "partial" if parsed.partial else "ok"
    return _report(pdf, parsed.book, len(parsed.chunks), status, perf_counter() - started)


def parse(
    pdf: Path,
    *,
    grades: tuple[int, ...],
    subject: str,
    title: str,
    book_id: str,
    page_offset: int | None,
    sha256: str,
    embedder: Embedder,
    progress: Progress = lambda step, done, total: None,
    settings: IngestSettings,
) -> Parsed:
    """Everything up to the chunks; nothing is embedded or stored. Raises IngestError."""
    raw = read_pdf(pdf, settings, lambda done, total: progress("Чтение страниц", done, total))
    verdicts = [assess(page) for page in raw.pages]
    reasons = {
        page.file_page: reason for page, (_, reason) in zip(raw.pages, verdicts, strict=True) if reason
    }
    if not any(page.text.strip() for page in raw.pages) or len(reasons) == len(raw.pages):
        raise NoText(_no_text(reasons, len(raw.pages)))
    foreign = _without_russian(raw.pages)
    if foreign and sum(len(page.text) for page in raw.pages) < _NO_BOOK:
        raise NoText("В файле нет ни одного русского слова и почти нет текста: это не учебник.")
    readable = [replace(p, lines=()) if p.file_page in reasons else p for p in raw.pages]
    pagination = paginate(furniture.page_numbers(readable), [p.label for p in raw.pages], page_offset)
    body_size = _body_size(readable)
    bare, heads = furniture.strip(readable, pagination.printed, body_size)
    layout = _layout(bare, heads, body_size)
    paras = paragraphs(layout.blocks, layout.habits)
    joiner = Joiner(row.text for para in paras for row in para.rows)
    texts = {id(para): paragraph_text(para, joiner) for para in paras}
    outline = structure(paras, layout.habits, raw.outline, layout.entries, joiner)
    chunks = make_chunks(
        outline.parts,
        book_id=book_id,
        grades=grades,
        printed=pagination.printed,
        texts=texts,
        embedder=embedder,
    )
    if not chunks:
        raise NoText("В файле не нашлось текста учебника: только обложка, оглавление или пустые страницы.")
    pages = _pages(raw.pages, verdicts, layout, paras, outline, pagination, texts)
    if foreign:
        outline.warnings.append("В книге почти нет русских слов. Проверьте, тот ли это файл.")
    warnings = (*_page_warnings(raw, reasons, pagination), *pagination.warnings, *outline.warnings)
    book = Book(
        book_id=book_id,
        title=title,
        subject=subject,
        grades=grades,
        sha256=sha256,
        page_offset=page_offset if page_offset is not None else pagination.offset,
        pages=pages,
        sections=_sections(outline, pagination, len(pages)),
        warnings=warnings,
    )
    return Parsed(book, tuple(chunks), bool(reasons))


# --- layout of the whole book --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Layout:
    blocks: list[Block]
    habits: Habits
    kinds: dict[int, PageKind]
    """Sheets that are no body."""
    entries: list[Entry]


def _layout(pages: Sequence[RawPage], heads: Sequence[str], body_size: float) -> _Layout:
    """Blocks of the body pages in reading order, and what the other pages are."""
    contents, entries = find_contents(pages)
    kinds: dict[int, PageKind] = dict.fromkeys(contents, "contents")
    kinds |= dict.fromkeys(find_index(pages, heads), "index")
    kinds |= dict.fromkeys(_front(pages, kinds), "front")
    blocks: list[Block] = []
    for page in pages:
        if page.file_page not in kinds:
            blocks += arrange(page, body_size)
    return _Layout(blocks, habits(blocks), kinds, entries)


def _body_size(pages: Sequence[RawPage]) -> float:
    count: dict[float, int] = {}
    for page in pages:
        for line in page.lines:
            count[line.size] = count.get(line.size, 0) + len(line.text)
    return max(count, key=lambda size: count[size]) if count else 10.0


def _front(pages: Sequence[RawPage], kinds: dict[int, PageKind]) -> list[int]:
    """Title and imprint: sheets before the first numbered heading with little text or the signs of an imprint."""
    first = next((p.file_page for p in pages if p.file_page not in kinds and _has_numbered_heading(p)), None)
    contents = min((number for number, kind in kinds.items() if kind == "contents"), default=None)
    out: list[int] = []
    for page in pages[:_FRONT_PAGES]:
        if first is None or page.file_page >= first:
            break
        if page.file_page in kinds or not page.lines:
            continue
        letters = sum(ch.isalpha() for ch in page.text)
        before = contents is None or page.file_page < contents
        rights = letters < _IMPRINT_LETTERS and _RIGHTS.search(page.text)
        if _IMPRINT.search(page.text) or rights or (letters < _FEW_LETTERS and before):
            out.append(page.file_page)
    return out


def _has_numbered_heading(page: RawPage) -> bool:
    return any(SECTION_START.match(band_text(band)) for band in bands(page.lines))


# --- the parts of a Book -------------------------------------------------------------------------------------


def _pages(
    raw: Sequence[RawPage],
    verdicts: Sequence[tuple[float, str | None]],
    layout: _Layout,
    paras: Sequence[Para],
    outline: Outline,
    pagination: Pagination,
    texts: Mapping[int, PagedText],
) -> tuple[Page, ...]:
    markdown: dict[int, list[str]] = {}
    in_index: dict[int, bool] = {}
    for para in paras:
        text = texts[id(para)]
        level = outline.levels.get(id(para))
        for span in text.spans(pagination.printed):
            mark = "#" * level + " " if level and span.start == 0 else ""
            markdown.setdefault(span.file_page, []).append(mark + text.text[span.start : span.end].strip())
            lost = id(para) in outline.index_paras
            in_index[span.file_page] = in_index.get(span.file_page, True) and lost
    out: list[Page] = []
    for page, (quality, reason) in zip(raw, verdicts, strict=True):
        kind = layout.kinds.get(page.file_page, "body")
        if reason is not None:
            kind = "unreadable"
        elif not page.text.strip():
            kind = "blank"
        elif kind == "body" and in_index.get(page.file_page, False):
            kind = "index"
        out.append(
            Page(
                file_page=page.file_page,
                printed_page=pagination.printed[page.file_page - 1],
                kind=kind,
                markdown="\n\n".join(markdown.get(page.file_page, ())),
                text=page.text,
                quality=round(quality, 3),
                warning=reason,
            )
        )
    return tuple(out)


def _sections(outline: Outline, pagination: Pagination, pages: int) -> tuple[Section, ...]:
    out: list[Section] = []
    for i, mark in enumerate(outline.marks):
        rank = {"chapter": 0, "paragraph": 1, "subsection": 2}
        end = next((m.page for m in outline.marks[i + 1 :] if rank[m.kind] <= rank[mark.kind]), pages)
        out.append(
            Section(
                kind=mark.kind,
                unit=mark.unit or "раздел",
                numbers=mark.numbers,
                title=mark.title,
                chapter=mark.chapter,
                file_page=mark.page,
                last_file_page=max(end, mark.page),
                printed_page=pagination.printed[mark.page - 1],
            )
        )
    return tuple(out)


def _without_russian(pages: Sequence[RawPage]) -> bool:
    letters = [ch for page in pages for ch in page.text if ch.isalpha()]
    return sum("\u0400" <= ch <= "\u04ff" for ch in letters) < 0.01 * len(letters)


# --- messages --------------------------------------------------------------------------------------------------


def _no_text(reasons: dict[int, str], pages: int) -> str:
    first = next(iter(reasons.values()), "страницы пусты")
    return f"Ни одна из {pages} страниц не читается: {first}. Нужен PDF с текстовым слоем."


def _page_warnings(raw: RawBook, reasons: dict[int, str], pagination: Pagination) -> list[str]:
    by_reason: dict[str, list[int]] = {}
    for number, reason in sorted(reasons.items()):
        by_reason.setdefault(reason, []).append(number)
    out = [f"Лист {_ranges(numbers)}: {reason}. Не загружено." for reason, numbers in by_reason.items()]
    out += [
        f"Лист {page.file_page}: есть невидимый текст («{' '.join(page.hidden.split())[:60]}…»), он не загружен."
        for page in raw.pages
        if page.hidden and any(ch.isalpha() for ch in page.hidden)
    ]
    if pagination.source == "none":
        out.append(
            "Номера страниц в книге не найдены: в ответах будет номер листа файла. Поможет --page-offset."
        )
    return out


def _ranges(numbers: Sequence[int]) -> str:
    """(3, 4, 5, 9) → «3–5, 9»."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]}–{run[-1]}" for run in runs)


def _report(pdf: Path, book: Book, chunks: int, status: IngestStatus, seconds: float) -> IngestReport:
    return IngestReport(
        file=str(pdf),
        book_id=book.book_id,
        status=status,
        pages=len(book.pages),
        pages_ocr=sum(page.ocr for page in book.pages),
        pages_unreadable=sum(page.kind == "unreadable" for page in book.pages),
        paragraphs=book.paragraphs,
        chunks=chunks,
        page_offset=book.page_offset,
        warnings=book.warnings,
        seconds=seconds,
    )


def _failure(pdf: Path, book_id: str, exc: IngestError, started: float) -> IngestReport:
    return IngestReport(
        file=str(pdf),
        book_id=book_id,
        status=exc.status,  # type: ignore[arg-type]
        warnings=(str(exc),),
        seconds=perf_counter() - started,
    )


# --- the store -------------------------------------------------------------------------------------------------


def _sha256(pdf: Path) -> str:
    """Digest of the file; «» for what cannot be read, the reader says why."""
    try:
        with pdf.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return ""


def _unchanged(
    store: Store,
    embedder: Embedder,
    digest: str,
    book_id: str,
    grades: tuple[int, ...],
    subject: str,
    title: str,
    chunker: str,
) -> IngestReport | None:
    """Report of the stored book where this very file was read with these very options before."""
    try:
        manifest = store.manifest()
    except StoreMissing:
        return None
    store.check_embedder(manifest, embedder)
    entry = manifest.entry(book_id)
    wanted = (digest, grades, subject, title, chunker)
    if entry is None or (
        (entry.pdf_sha256, tuple(entry.grades), entry.subject, entry.title, entry.chunker) != wanted
    ):
        return None
    parts, _ = store.read(embedder)
    book = next((part.book for part in parts if part.book.book_id == book_id), None)
    return None if book is None else _report(Path(), book, entry.chunks, "unchanged", 0.0)


def _sentences(chunks: Sequence[Chunk]) -> list[Sentence]:
    return [
        Sentence(chunk.ordinal, start, end) for chunk in chunks for start, end in split_sentences(chunk.text)
    ]


def _embed(
    texts: Sequence[str], embedder: Embedder, progress: Callable[[str, int, int], None], step: str
) -> Vectors:
    out: list[Vectors] = []
    for start in range(0, len(texts), _BATCH):
        out.append(embedder.embed_passages(texts[start : start + _BATCH]))
        progress(step, min(start + _BATCH, len(texts)), len(texts))
    return np.concatenate(out) if out else np.zeros((0, embedder.dimension), dtype=np.float32)
