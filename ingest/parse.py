"""PDF → `Parsed`: the book and its chunks, before anything is embedded or stored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from index.book import Book, Page, Section
from index.chunk import Chunk
from index.embedder import Embedder
from ingest import furniture, layer, spreads, tesseract
from ingest.crew import BROKEN
from ingest.errors import Damaged, NoText
from ingest.lines import RawBook, RawPage
from ingest.options import BookOptions
from ingest.paged import PagedText
from ingest.pages import Layout, body_size_of, lay_out
from ingest.pagination import Pagination, paginate
from ingest.paragraphs import Para, paragraphs
from ingest.quality import Verdict, assess, is_other_cyrillic
from ingest.reader import read_again, read_pdf
from ingest.repair import Joiner
from ingest.settings import IngestSettings
from ingest.split import make_chunks, paragraph_text
from ingest.structure import structure
from ingest.walker import Outline

CUT = "Файл повреждён (обрезан?): конца нет, часть страниц могла пропасть. Скачайте его заново."
_NO_BOOK = 2000  # characters; a placeholder page has fewer


class Progress(Protocol):
    """Where ingestion says how far it is."""

    def __call__(self, step: str, done: int, total: int) -> None:
        """`step`: Russian name of the step; `done` of `total` pages or texts."""
        ...


@dataclass(frozen=True, slots=True)
class Parsed:
    """A book before embedding."""

    book: Book
    chunks: tuple[Chunk, ...]
    partial: bool
    """Some pages could not be read."""


def parse(
    pdf: Path,
    options: BookOptions,
    *,
    sha256: str,
    embedder: Embedder,
    settings: IngestSettings,
    progress: Progress = lambda step, done, total: None,
) -> Parsed:
    """Reads, repairs, structures and splits. `embedder` only counts tokens here. Raises IngestError."""
    raw = read_pdf(pdf, settings, lambda done, total: progress("Чтение страниц", done, total))
    pages, hint = _readable(pdf, raw, settings, progress)
    return assemble(replace(raw, pages=pages), options, sha256=sha256, embedder=embedder, hint=hint)


def _readable(
    pdf: Path, raw: RawBook, settings: IngestSettings, progress: Progress
) -> tuple[tuple[RawPage, ...], str | None]:
    """The pages with their letters repaired, the unreadable ones recognised; and what hinders recognition."""
    pages = layer.decode(raw.pages)
    wanted = sorted({*layer.to_recognise(pages), *layer.to_sample(pages)})
    if not wanted:
        return tuple(pages), None
    off = "Распознавание выключено. Включите его: INGEST_OCR=true."
    hint = tesseract.missing(settings.tesseract) if settings.ocr else off
    if hint is not None:
        return tuple(pages), hint if any(assess(page).reason for page in pages) else None

    def said(done: int, total: int) -> None:
        progress("Распознавание страниц", done, total)

    def recognised(numbers: Sequence[int]) -> dict[int, RawPage]:
        return read_again(pdf, settings, numbers, "ocr", said)

    seen = recognised(wanted)
    seen |= recognised(layer.behind(pages, seen))
    return tuple(layer.choose(pages, seen)), None


def assemble(
    raw: RawBook, options: BookOptions, *, sha256: str, embedder: Embedder, hint: str | None = None
) -> Parsed:
    """The book out of its pages as read. `hint`: why no page was recognised. Raises NoText."""
    halves = spreads.cut(raw) if options.page_offset is None else None
    if halves is None:
        return _assemble(raw, options, sha256=sha256, embedder=embedder, hint=hint)
    parsed = _assemble(halves.raw, options, sha256=sha256, embedder=embedder, hint=hint, sheets=halves.sheets)
    chunks = tuple(spreads.join_chunk(chunk, halves.sheets) for chunk in parsed.chunks)
    return Parsed(spreads.join_book(parsed.book, halves.sheets, raw), chunks, parsed.partial)


def _assemble(
    raw: RawBook,
    options: BookOptions,
    *,
    sha256: str,
    embedder: Embedder,
    hint: str | None,
    sheets: Sequence[int] | None = None,
) -> Parsed:
    """`sheets`: the sheet of each page, where a sheet holds two."""
    verdicts = [assess(page) for page in raw.pages]
    reasons = {
        page.file_page: verdict.reason
        for page, verdict in zip(raw.pages, verdicts, strict=True)
        if verdict.reason
    }
    if not any(page.text.strip() for page in raw.pages) or len(reasons) == len(raw.pages):
        if raw.cut:
            raise Damaged(BROKEN)
        raise NoText(_no_text(reasons, len(raw.pages), hint))
    foreign = _without_russian(raw.pages)
    if foreign and sum(len(page.text) for page in raw.pages) < _NO_BOOK:
        raise NoText("В файле нет ни одного русского слова и почти нет текста: это не учебник.")
    readable = [replace(p, lines=()) if p.file_page in reasons else p for p in raw.pages]
    pagination = paginate(furniture.page_numbers(readable), [p.label for p in raw.pages], options.page_offset)
    body_size = body_size_of(readable)
    bare, heads = furniture.strip(readable, pagination.printed, body_size)
    layout = lay_out(bare, heads, body_size)
    paras = paragraphs(layout.blocks, layout.habits, reasons)
    joiner = Joiner(row.text for para in paras for row in para.rows)
    texts = {id(para): paragraph_text(para, joiner) for para in paras}
    outline = structure(paras, layout.habits, raw.outline, layout.entries, joiner, pagination.printed)
    chunks = make_chunks(
        outline.parts,
        book_id=options.book_id,
        grades=options.grades,
        printed=pagination.printed,
        texts=texts,
        embedder=embedder,
    )
    if not chunks:
        raise NoText("В файле не нашлось текста учебника: только обложка, оглавление или пустые страницы.")
    doubts = {**pagination.doubts, **layout.doubts}
    pages = _pages(raw.pages, verdicts, layout, doubts, paras, outline, pagination, texts)
    if foreign:
        outline.warnings.append("В книге почти нет русских слов. Проверьте, тот ли это файл.")
    elif is_other_cyrillic([ch for page in raw.pages for ch in page.text if ch.isalpha()]):
        outline.warnings.append(
            "Книга не на русском языке (кириллица с другими буквами). Поиск и вопросы рассчитаны на русский."
        )
    if hint is not None:
        outline.warnings.append(hint)
    warnings = (
        *_page_warnings(raw, reasons, doubts, pagination, sheets),
        *pagination.warnings,
        *outline.warnings,
    )
    book = Book(
        book_id=options.book_id,
        title=options.title,
        subject=options.subject,
        grades=options.grades,
        sha256=sha256,
        page_offset=pagination.offset if options.page_offset is None else options.page_offset,
        pages=pages,
        sections=_sections(outline, pagination, len(pages)),
        warnings=warnings,
    )
    return Parsed(book, tuple(chunks), bool(reasons))


def _pages(
    raw: Sequence[RawPage],
    verdicts: Sequence[Verdict],
    layout: Layout,
    doubts: Mapping[int, str],
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
    for page, verdict in zip(raw, verdicts, strict=True):
        kind = layout.kinds.get(page.file_page, "body")
        if verdict.reason is not None:
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
                ocr=page.ocr,
                quality=round(verdict.quality, 3),
                warning=verdict.reason or page.remark or doubts.get(page.file_page),
                repair=page.repair,
                words=page.words,
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


def _no_text(reasons: dict[int, str], pages: int, hint: str | None) -> str:
    if not reasons:
        return f"В файле нет текста (страниц: {pages}). Проверьте, тот ли это файл."
    cure = hint or "Нужен PDF с текстовым слоем или более чёткий скан."
    return f"Не читается ни одна страница (всего: {pages}): {next(iter(reasons.values()))}. {cure}"


def _page_warnings(
    raw: RawBook,
    reasons: Mapping[int, str],
    doubts: Mapping[int, str],
    pagination: Pagination,
    sheets: Sequence[int] | None,
) -> list[str]:
    out = [CUT] if raw.cut else []
    out += [f"Лист {numbers}: {reason}. Не загружено." for reason, numbers in _grouped(reasons, sheets)]
    out += [f"Лист {numbers}: {reason}. Проверьте." for reason, numbers in _grouped(doubts, sheets)]
    out += [
        f"Лист {page.file_page}: есть невидимый текст («{' '.join(page.hidden.split())[:50]}…»), не загружен."
        for page in raw.pages
        if page.hidden and any(ch.isalpha() for ch in page.hidden)
    ]
    if pagination.source == "none":
        out.append(
            "Номера страниц в книге не найдены: в ответах будет номер листа файла. Поможет --page-offset."
        )
    return out


def _grouped(reasons: Mapping[int, str], sheets: Sequence[int] | None) -> list[tuple[str, str]]:
    """Each reason with the sheets it holds for, «3–5, 9»."""
    by_reason: dict[str, list[int]] = {}
    for number, reason in sorted(reasons.items()):
        sheet = number if sheets is None else sheets[number - 1]
        if sheet not in by_reason.setdefault(reason, []):
            by_reason[reason].append(sheet)
    return [(reason, _ranges(numbers)) for reason, numbers in by_reason.items()]


def _ranges(numbers: Sequence[int]) -> str:
    """(3, 4, 5, 9) → «3–5, 9»."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]}–{run[-1]}" for run in runs)
