"""The picture of a textbook page with the quoted lines highlighted."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, Protocol

import pymupdf

from bot.errors import PageUnavailable
from index.book import Book, Page
from index.errors import IndexStoreError
from index.locate import Word, locate
from index.mojibake import repair

LONG_SIDE = 1600
"""Pixels: Telegram and a phone show no more, and an A5 page comes to 190 dots per inch."""
MAX_RATIO = 20
"""Telegram refuses photos longer than 20 times their width."""
MAX_BYTES = 9_500_000
"""A little under Telegram's 10 MB for a photo."""
_FEW_STEPS, _SURE_STEPS = 20, 0.7
"""From word to word in one direction: so many, and such a share of all, tell how the lines of a page run."""
_YELLOW = (1.0, 0.87, 0.15)
# MuPDF is not thread-safe, and the web page and the bot may draw at the same time.
_lock = threading.Lock()


class PageSource(Protocol):
    """What is needed of `index.library.Library`."""

    @property
    def books(self) -> Mapping[str, Book]: ...

    def pdf(self, book_id: str) -> Path: ...


def render_page(library: PageSource, citation_book_id: str, file_page: int, quotes: Sequence[str]) -> bytes:
    """PNG of one page, `quotes` highlighted where they are found; fits Telegram's limits for a photo.

    `file_page` is 1-based. Raises PageUnavailable when the book or the page is no longer there.
    """
    if citation_book_id not in library.books:
        raise PageUnavailable("Этот учебник больше не загружен.")
    try:
        pdf = library.pdf(citation_book_id)
        with _lock, pymupdf.open(pdf) as document:
            if not 1 <= file_page <= document.page_count:
                raise PageUnavailable(f"Листа {file_page} в этом учебнике нет.")
            page = document[file_page - 1]
            pages = library.books[citation_book_id].pages
            words = _words(page, pages[file_page - 1] if file_page <= len(pages) else None)
            way = _way(words)
            _highlight(page, words, quotes, way)
            if way is not None:  # so that nobody has to turn the phone
                page.set_rotation((360 - way) % 360)
            return _png(page)
    except (OSError, IndexStoreError, RuntimeError, ValueError) as exc:
        # MuPDF's own errors are RuntimeErrors (missing or damaged file, broken page).
        raise PageUnavailable("Страницу этого учебника сейчас не показать: файл недоступен.") from exc


def _words(page: Any, known: Page | None) -> Sequence[Word]:
    """The words as ingestion read them: recognised ones, or the PDF's own in their right letters."""
    if known is not None and known.words:
        return known.words
    fault = None if known is None else known.repair
    return [Word(repair(text, fault), x0, y0, x1, y1) for x0, y0, x1, y1, text, *_ in page.get_text("words")]


def _highlight(page: Any, words: Sequence[Word], quotes: Sequence[str], way: int | None) -> None:
    for quote in quotes:
        for found in locate(quote, words):
            rect = pymupdf.Rect(found.x0, found.y0, found.x1, found.y1)
            if rect.is_empty or rect.is_infinite:
                continue
            mark = page.add_highlight_annot(_quad(rect, way))
            mark.set_colors(stroke=_YELLOW)
            mark.update()


def _way(words: Sequence[Word]) -> int | None:
    """Where the lines of the page run: 0 to the right, 90 down, 180, 270 up; None when unsure.

    As the PDF counts places, before its /Rotate; told from the way from word to word.
    """
    ways: Counter[int] = Counter()
    for a, b in pairwise(words):
        dx, dy = (b.x0 + b.x1 - a.x0 - a.x1) / 2, (b.y0 + b.y1 - a.y0 - a.y1) / 2
        if abs(dx) > 3 * abs(dy):
            ways[0 if dx > 0 else 180] += 1
        elif abs(dy) > 3 * abs(dx):
            ways[90 if dy > 0 else 270] += 1
    if not ways:
        return None
    way, count = ways.most_common(1)[0]
    return way if count >= _FEW_STEPS and count > _SURE_STEPS * ways.total() else None


def _quad(rect: Any, way: int | None) -> Any:
    """The mark is drawn along its first edge: along a word that runs up or down the page, too."""
    if way in (90, 270) or (way is None and rect.height > 1.5 * rect.width):
        return pymupdf.Quad(rect.bl, rect.tl, rect.br, rect.tr)
    return rect.quad


def _png(page: Any) -> bytes:
    width, height = page.rect.width, page.rect.height
    zoom = min(LONG_SIDE / max(width, height, 1), 8.0)
    while True:
        pixmap = page.get_pixmap(matrix=pymupdf.Matrix(zoom, zoom), alpha=False)
        picture: bytes = _within_ratio(pixmap).tobytes("png")
        if len(picture) <= MAX_BYTES or zoom < 0.05:
            return picture
        zoom *= 0.7


def _within_ratio(pixmap: Any) -> Any:
    """The same on a white ground that is wide (or high) enough for Telegram."""
    short = -(-max(pixmap.width, pixmap.height) // MAX_RATIO)
    if min(pixmap.width, pixmap.height) >= short:
        return pixmap
    ground = pymupdf.Pixmap(
        pixmap.colorspace, pymupdf.IRect(0, 0, max(pixmap.width, short), max(pixmap.height, short))
    )
    ground.clear_with(255)
    pixmap.set_origin(0, 0)
    ground.copy(pixmap, pixmap.irect)
    return ground
