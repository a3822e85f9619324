"""Pages of contents and alphabetical index: told apart from the text, and read for what should be there."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ingest.lines import RawPage
from ingest.numbers import keys
from ingest.rows import band_text, bands

CONTENTS_TITLE = re.compile(r"^\W*(?:оглавление|содержание(?:\s+(?:книги|учебника))?)\W*$", re.IGNORECASE)
INDEX_TITLE = re.compile(
    r"^\W*(?:(?:предметн\w+|именн\w+|алфавитн\w+|терминологическ\w+|географическ\w+)(?:[\s-]+(?:и\s+)?\w+){0,2}\s+)?"
    r"указател[ьи](?:\s+(?:имён|имен|терминов|названий|понятий))?\W*$",
    re.IGNORECASE,
)
_LEADER = re.compile(r"(?:\.\s?){4,}|…{2,}|(?:·\s?){4,}|_{4,}")
_ENTRY = re.compile(r"[^\W\d_]{2,}.*?(?:\s|\.|…)(\d{1,4}|[ivxlc]{1,6})\s*$", re.IGNORECASE)
_PAGE_END = re.compile(r"(?:\d|[ivxlc])\s*$", re.IGNORECASE)
_INDEX_ENTRY = re.compile(r"[^\W\d_]{2,}[^.!?]*?,\s*\d{1,4}(?:\s*[,–—-]\s*\d{1,4})*\s*$")
_PARAGRAPH = re.compile(
    r"^\W*(?:§+|параграф)\s*(\d+\s*[а-я]?(?:\s*[–—,-]\s*\d+)?)\b\s*[.:]?\s*(.*)$", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Entry:
    """A § in the printed contents."""

    numbers: tuple[str, ...]
    title: str
    """Without leader and page number."""
    page: str | None = None
    """The printed page it is said to begin on."""


def find_contents(pages: Sequence[RawPage]) -> tuple[set[int], list[Entry]]:
    """Sheets (1-based) of the contents, and the §§ named there."""
    found: set[int] = set()
    entries: list[Entry] = []
    open_ = False
    for page in pages:
        texts = [band_text(band) for band in bands(page.lines)]
        titled = any(CONTENTS_TITLE.match(text) for text in texts[:6])
        leaders = sum(bool(_LEADER.search(text)) for text in texts)
        ends = sum(bool(_PAGE_END.search(text[-8:]) and _ENTRY.search(text)) for text in texts)
        share = max(leaders, ends) / max(len(texts), 1)
        dotted = leaders >= 3 and leaders >= 0.3 * len(texts) and ends >= 3
        if (titled and ends >= 2 and share >= 0.3) or dotted or (open_ and ends >= 3 and share >= 0.35):
            found.add(page.file_page)
            entries += _entries(texts)
            open_ = True
        else:
            open_ = False
    return found, entries


def _entries(texts: Sequence[str]) -> list[Entry]:
    out: list[Entry] = []
    pending: tuple[tuple[str, ...], str] | None = None
    for text in texts:
        head = _PARAGRAPH.match(text)
        if head is not None and keys(head[1]):
            if pending is not None:
                out.append(Entry(*pending))
            pending = (keys(head[1]), head[2])
        elif pending is not None:
            pending = (pending[0], f"{pending[1]} {text}")
        if pending is not None:
            done = _ENTRY.search(pending[1]) or re.fullmatch(r"\W*\d{1,4}\W*", pending[1])
            if done:
                title = _LEADER.split(pending[1])[0]
                title = re.sub(r"[\s.…]*\d{1,4}\s*$", "", title).strip(" .…")
                page = re.search(r"(\d{1,4})\W*$", pending[1])
                out.append(Entry(pending[0], title, page[1] if page else None))
                pending = None
    return out


def find_index(pages: Sequence[RawPage], heads: Sequence[str]) -> set[int]:
    """Sheets that hold an alphabetical index and nothing else.

    `heads`: the running heads; an index often has its own.
    """
    headed = any(INDEX_TITLE.match(re.sub(r"\d+", "", head)) for head in heads)
    found: set[int] = set()
    open_ = False
    for page in pages:
        pieces = [ln.text.strip() for ln in page.lines if not ln.blank]
        titled = any(INDEX_TITLE.match(piece) for piece in pieces[:4])
        entries = sum(piece[-1].isdigit() and bool(_INDEX_ENTRY.search(piece)) for piece in pieces)
        share = entries / max(len(pieces), 1)
        if (titled and share >= 0.3) or ((open_ or headed) and entries >= 4 and share >= 0.45):
            found.add(page.file_page)
            open_ = True
        else:
            open_ = False
    return found
