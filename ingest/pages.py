"""The pages of a whole book: which are contents, index or front matter, and the blocks of the others."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from index.book import PageKind
from ingest.contents import Entry, find_contents, find_index
from ingest.doubts import doubt
from ingest.layout import Block, arrange
from ingest.lines import RawPage
from ingest.paragraphs import SECTION_START, Habits, habits
from ingest.rows import band_text, bands

_IMPRINT = re.compile(r"ISBN|УДК|ББК|подписано в печать", re.IGNORECASE)
_RIGHTS = re.compile(r"©|copyright|все права|лицензи|CC0", re.IGNORECASE)
_FRONT_PAGES = 8
_FEW_LETTERS = 250
_IMPRINT_LETTERS = 1000  # a page about rights with more than this is a preface


@dataclass(frozen=True, slots=True)
class Layout:
    blocks: list[Block]
    habits: Habits
    kinds: dict[int, PageKind]
    """Sheets that are no body."""
    entries: list[Entry]
    doubts: dict[int, str]
    """Sheets that a person should look at, and why (Russian)."""


def lay_out(pages: Sequence[RawPage], heads: Sequence[str], body_size: float) -> Layout:
    """Blocks of the body pages in reading order, and what the other pages are."""
    contents, entries = find_contents(pages)
    kinds: dict[int, PageKind] = dict.fromkeys(contents, "contents")
    kinds |= dict.fromkeys(find_index(pages, heads), "index")
    kinds |= dict.fromkeys(_front(pages, kinds), "front")
    blocks: list[Block] = []
    doubts: dict[int, str] = {}
    for page in pages:
        if page.file_page not in kinds:
            arranged = arrange(page, body_size)
            reason = doubt(page, arranged)
            if reason is not None:
                doubts[page.file_page] = reason
            blocks += arranged
    return Layout(blocks, habits(blocks), kinds, entries, doubts)


def body_size_of(pages: Sequence[RawPage]) -> float:
    """Font size of most letters."""
    count: Counter[float] = Counter()
    for page in pages:
        for line in page.lines:
            count[line.size] += len(line.text)
    return count.most_common(1)[0][0] if count else 10.0


def _front(pages: Sequence[RawPage], kinds: dict[int, PageKind]) -> list[int]:
    """Title and imprint: sheets before the first numbered heading with little text or signs of an imprint."""
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
