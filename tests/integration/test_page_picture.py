"""Page pictures from real PDFs: the quoted lines are yellow, the limits of Telegram hold."""

from __future__ import annotations

from pathlib import Path

import pymupdf
import pytest
from botapi.checks import check_photo

from bot.errors import PageUnavailable
from bot.page_picture import LONG_SIDE, render_page
from index.book import Book

QUOTE = "Общество — это обособившаяся от природы часть мира."
LINE = 30.0
TOP = 80.0
"""Each line of text stands in a box of LINE points; the first box begins TOP points below the edge."""
BOOK = Book("o10", "Обществознание", "обществознание", (10,), "0" * 64, 0, (), ())


class Shelf:
    """One book whose PDF is `path`."""

    def __init__(self, path: Path) -> None:
        self.books = {"o10": BOOK}
        self._path = path

    def pdf(self, book_id: str) -> Path:
        return self._path


def make_pdf(path: Path, width: float = 420, height: float = 595, rotation: int = 0) -> Path:
    """Two pages; the first has a line above the quote, the quote on two lines, and a line below."""
    document = pymupdf.open()
    page = document.new_page(width=width, height=height)
    lines = [
        "Первая строка страницы.",
        "Общество — это обособившаяся",
        "от природы часть мира.",
        "Последняя строка.",
    ]
    for number, line in enumerate(lines):
        top = TOP + LINE * number
        page.insert_htmlbox((20, top, width - 20, top + LINE), line, css="* { font-size: 14px; }")
    page.set_rotation(rotation)
    document.new_page()
    document.save(path)
    document.close()
    return path


def yellow(png: bytes) -> tuple[int, tuple[float, float, float, float]]:
    """Number of highlighted pixels and their bounding box as shares of the picture."""
    picture = pymupdf.Pixmap(png)
    data = picture.samples
    points = [
        (i // picture.n % picture.width, i // picture.n // picture.width)
        for i in range(0, len(data), picture.n)
        if data[i] > 220 and data[i + 1] > 190 and data[i + 2] < 120
    ]
    if not points:
        return 0, (0, 0, 0, 0)
    xs, ys = [x for x, _ in points], [y for _, y in points]
    w, h = picture.width, picture.height
    return len(points), (min(xs) / w, min(ys) / h, max(xs) / w, max(ys) / h)


def test_the_quoted_lines_are_highlighted_and_no_others(tmp_path: Path) -> None:
    png = render_page(Shelf(make_pdf(tmp_path / "книга с пробелом.pdf")), "o10", 1, [QUOTE])
    check_photo(png)
    count, (_, top, _, bottom) = yellow(png)
    assert count > 5000
    # The quote stands in the second and third box; its mark is a little higher than the letters.
    assert (TOP + 0.7 * LINE) / 595 < top < (TOP + 2 * LINE) / 595
    assert (TOP + 2 * LINE) / 595 < bottom < (TOP + 3 * LINE) / 595


def test_a_rotated_page_is_highlighted_where_the_words_are(tmp_path: Path) -> None:
    png = render_page(Shelf(make_pdf(tmp_path / "b.pdf", rotation=90)), "o10", 1, [QUOTE])
    count, (left, _, right, _) = yellow(png)
    assert count > 5000
    # Turned clockwise: what was near the top is now near the right edge.
    assert 1 - (TOP + 3 * LINE) / 595 < left < 1 - (TOP + 2 * LINE) / 595
    assert 1 - (TOP + 2 * LINE) / 595 < right < 1 - (TOP + 0.7 * LINE) / 595


@pytest.mark.parametrize(("turned", "rotation"), [(90, 0), (180, 0), (270, 90), (0, 90), (90, 180)])
def test_a_page_that_lies_on_its_side_is_shown_upright(tmp_path: Path, turned: int, rotation: int) -> None:
    """A page set sideways, with /Rotate and without: the picture is the one of the upright page."""
    document = pymupdf.open()
    upright = document.new_page(width=420, height=595)
    text = "Первая строка страницы говорит о природе. " * 8
    upright.insert_htmlbox((30, 40, 390, 300), f"<p>{text}</p><p>{QUOTE}</p>")
    book = pymupdf.open()
    width, height = (595, 420) if turned % 180 else (420, 595)
    page = book.new_page(width=width, height=height)
    page.show_pdf_page(page.rect, document, 0, rotate=turned)
    page.set_rotation(rotation)
    book.save(tmp_path / "book.pdf")
    document.save(tmp_path / "upright.pdf")
    count, box = yellow(render_page(Shelf(tmp_path / "book.pdf"), "o10", 1, [QUOTE]))  # type: ignore[arg-type]
    expected, place = yellow(render_page(Shelf(tmp_path / "upright.pdf"), "o10", 1, [QUOTE]))  # type: ignore[arg-type]
    assert box == pytest.approx(place, abs=0.02)
    assert count == pytest.approx(expected, rel=0.15)


def test_a_quote_that_is_not_on_the_page_highlights_nothing(tmp_path: Path) -> None:
    png = render_page(Shelf(make_pdf(tmp_path / "b.pdf")), "o10", 2, [QUOTE])
    assert yellow(png)[0] == 0


@pytest.mark.parametrize(("width", "height"), [(14000, 100), (100, 14000), (3000, 3000), (60, 60)])
def test_odd_page_sizes_fit_telegrams_limits(tmp_path: Path, width: float, height: float) -> None:
    png = render_page(Shelf(make_pdf(tmp_path / "b.pdf", width, height)), "o10", 1, [])
    check_photo(png)
    picture = pymupdf.Pixmap(png)
    assert max(picture.width, picture.height) <= LONG_SIDE + 1


def test_the_stored_pdf_is_not_changed(tmp_path: Path) -> None:
    path = make_pdf(tmp_path / "b.pdf")
    before = path.read_bytes()
    render_page(Shelf(path), "o10", 1, [QUOTE])
    assert path.read_bytes() == before


@pytest.mark.parametrize("file_page", [0, 3, -1])
def test_a_page_that_does_not_exist_is_said(tmp_path: Path, file_page: int) -> None:
    with pytest.raises(PageUnavailable, match="нет"):
        render_page(Shelf(make_pdf(tmp_path / "b.pdf")), "o10", file_page, [])


def test_a_book_that_is_gone_is_said(tmp_path: Path) -> None:
    with pytest.raises(PageUnavailable, match="больше не загружен"):
        render_page(Shelf(tmp_path / "b.pdf"), "o9", 1, [])


@pytest.mark.parametrize("content", [None, b"", b"%PDF-1.4 broken"])
def test_a_missing_or_damaged_file_is_said(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "b.pdf"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(PageUnavailable, match="недоступен"):
        render_page(Shelf(path), "o10", 1, [])
