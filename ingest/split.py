"""Parts of the book → chunks: natural paragraphs inside one § and subheading, at most 1000 characters."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from langchain_text_splitters import RecursiveCharacterTextSplitter

from index.chunk import Chunk
from index.embedder import Embedder
from index.sentences import CELL_GAP, split_sentences
from ingest.paged import PagedText, concat
from ingest.paragraphs import Para
from ingest.repair import SOFT_HYPHEN, Joiner, clean
from ingest.walker import Part

MAX_CHARS = 1000
OVERLAP = 150
SHORT = 250
_LIST_ITEM = re.compile(r"^(?:[•▪●○■*–—-]\s|\(?\d{1,3}[.)]\s|\(?[а-яёa-z]\)\s)")
_TABLE_CAPTION = re.compile(r"^(?:таблица|схема)\b", re.IGNORECASE)


def paragraph_text(para: Para, joiner: Joiner) -> PagedText:
    """Repaired text of a paragraph; a table keeps its rows as lines."""
    if para.flow == "table":
        cells = [[clean(cell) for cell in row.text.split(CELL_GAP)] for row in para.rows]
        rows = [
            PagedText(CELL_GAP.join(line).strip(), ((0, row.page),))
            for row, line in zip(para.rows, cells, strict=True)
        ]
        return concat([row for row in rows if row.text], "\n")
    text = ""
    bounds: list[tuple[int, int]] = []
    for row in para.rows:
        line = clean(row.text)
        if not line:
            continue
        text, between = joiner.seam(text, line)
        text += between
        if not bounds or bounds[-1][1] != row.page:
            bounds.append((len(text), row.page))
        text += line
    whole = PagedText(text, tuple(bounds) or ((0, para.page),))
    return _without(_without_soft_hyphens(whole), "\ufffd")


def _without_soft_hyphens(text: PagedText) -> PagedText:
    if SOFT_HYPHEN not in text.text:
        return text
    pieces: list[PagedText] = []
    start = 0
    for match in re.finditer(SOFT_HYPHEN, text.text):
        pieces.append(text.cut(start, match.start()))
        start = match.end()
    pieces.append(text.cut(start, len(text.text)))
    return concat([piece for piece in pieces if piece.text], "")


def _without(text: PagedText, mark: str) -> PagedText:
    """Leaves out the sentences that hold `mark`: what cannot be read cannot be quoted."""
    if mark not in text.text:
        return text
    kept = [text.cut(a, b) for a, b in split_sentences(text.text) if mark not in text.text[a:b]]
    return concat(kept, " ")


def make_chunks(
    parts: Sequence[Part],
    *,
    book_id: str,
    grades: tuple[int, ...],
    printed: Sequence[str | None],
    texts: Mapping[int, PagedText],
    embedder: Embedder,
) -> list[Chunk]:
    """All chunks in reading order.

    `printed`: printed number of each sheet, index = sheet − 1. `texts`: id of a paragraph → its text.
    """
    out: list[Chunk] = []
    for part in _captions_to_tables(parts):
        for piece in _pieces([texts[id(para)] for para in part.paras if texts[id(para)].text.strip()]):
            out += _fitting(piece, part, len(out), book_id, grades, printed, embedder)
    return out


def _captions_to_tables(parts: Sequence[Part]) -> list[Part]:
    """«Таблица 1. …» above a table goes into the table's chunk."""
    out: list[Part] = []
    for part in parts:
        before = out[-1] if out else None
        if part.kind == "table" and before is not None and before.paras and before.kind != "table":
            caption = before.paras[-1]
            if (
                _TABLE_CAPTION.match(caption.raw)
                and len(caption.raw) < 200
                and before.numbers == part.numbers
            ):
                before.paras = before.paras[:-1]
                part.paras = [caption, *part.paras]
        out.append(part)
    return [part for part in out if part.paras]


def _pieces(texts: Sequence[PagedText]) -> list[PagedText]:
    """Merges what is short with its neighbours and cuts what is long."""
    out: list[PagedText] = []
    group: list[PagedText] = []

    def close() -> None:
        if group:
            out.append(concat(group, "\n"))
            group.clear()

    for text in texts:
        if len(text.text) > MAX_CHARS:
            close()
            out += cut_long(text, MAX_CHARS)
            continue
        size = sum(len(piece.text) + 1 for piece in group)
        short = size < SHORT or len(text.text) < SHORT or _belongs(group, text)
        if group and not (short and size + len(text.text) <= MAX_CHARS):
            close()
        group.append(text)
    close()
    return out


def _belongs(group: Sequence[PagedText], text: PagedText) -> bool:
    """A list stays with its lead-in and its own items."""
    if not group or not _LIST_ITEM.match(text.text):
        return False
    return group[-1].text.rstrip().endswith((":", ";", ",")) or bool(_LIST_ITEM.match(group[-1].text))


def cut_long(text: PagedText, limit: int) -> list[PagedText]:
    """Cuts at sentence ends into pieces of at most `limit` characters that overlap by whole sentences."""
    ends = {end for _, end in split_sentences(text.text)}
    marked = "".join("\n" if ch.isspace() and at in ends else ch for at, ch in enumerate(text.text))
    splitter = RecursiveCharacterTextSplitter(
        chunk_size=limit,
        chunk_overlap=min(OVERLAP, limit // 4),
        separators=["\n", "; ", ", ", " ", ""],
        keep_separator="end",
        add_start_index=True,
    )
    out: list[PagedText] = []
    for document in splitter.create_documents([marked]):
        start = int(document.metadata["start_index"])
        out.append(text.cut(start, start + len(document.page_content)))
    return out


def _fitting(
    piece: PagedText,
    part: Part,
    ordinal: int,
    book_id: str,
    grades: tuple[int, ...],
    printed: Sequence[str | None],
    embedder: Embedder,
) -> list[Chunk]:
    """Chunks of the piece, cut further until the embedder takes each as a whole."""
    limit = len(piece.text)
    todo: Iterable[PagedText] = [piece]
    while True:
        chunks = [_chunk(text, part, ordinal + i, book_id, grades, printed) for i, text in enumerate(todo)]
        if limit <= 40 or all(embedder.count_tokens(c.search_text) <= embedder.max_tokens for c in chunks):
            return chunks
        limit //= 2
        todo = cut_long(piece, limit)


def _chunk(
    text: PagedText,
    part: Part,
    ordinal: int,
    book_id: str,
    grades: tuple[int, ...],
    printed: Sequence[str | None],
) -> Chunk:
    return Chunk(
        chunk_id=f"{book_id}:{ordinal:05d}",
        book_id=book_id,
        ordinal=ordinal,
        text=text.text,
        kind=part.kind,
        grades=grades,
        chapter=part.chapter,
        paragraphs=part.numbers,
        paragraph_title=part.title,
        heading=part.heading,
        spans=text.spans(printed),
    )
