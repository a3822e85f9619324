"""Bookmarks of the PDF, matched against the headings on their pages."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from rapidfuzz import fuzz

from ingest.lines import OutlineEntry

_LETTERS = re.compile(r"[^\W_]+")
_SAME = 92.0  # rapidfuzz ratio; a hyphen or a look-alike may differ


def letters(text: str) -> str:
    """What is compared: letters and digits only, lower case."""
    return "".join(_LETTERS.findall(unicodedata.normalize("NFKC", text.replace("\u00ad", "")).lower()))


class Bookmarks:
    """Which bookmark, if any, a heading line is."""

    def __init__(self, entries: Sequence[OutlineEntry]) -> None:
        self._by_page: dict[int, list[tuple[int, str]]] = {}
        for entry in entries:
            title = letters(entry.title)
            if title:
                self._by_page.setdefault(entry.file_page, []).append((entry.level, title))

    def level(self, page: int, *texts: str) -> int | None:
        """Level (1 = top) of the bookmark titled as one of `texts`, on that sheet or the one before."""
        wanted = [letters(text) for text in texts]
        for near in (page, page - 1):
            for level, title in self._by_page.get(near, ()):
                if any(text and (text == title or fuzz.ratio(text, title) >= _SAME) for text in wanted):
                    return level
        return None
