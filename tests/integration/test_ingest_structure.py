"""Patterns of real books, a small PDF each: run-in numbers, spreads, sideways pages, appendices, offsets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import numpy as np
import pymupdf
import pytest

from index.embedder import Vectors
from ingest.headings import kind_of_block
from ingest.options import BookOptions
from ingest.parse import Parsed, parse
from ingest.repair import clean
from ingest.settings import IngestSettings
from ingest.spacing import Glyph, close_up


class Counting:
    """Parsing needs no vectors, only a count of tokens."""

    id, dimension, max_tokens = "counting/1", 1, 512

    def count_tokens(self, text: str) -> int:
        return len(text) // 3 + 4

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        return np.ones((len(texts), 1), dtype=np.float32)

    def embed_query(self, text: str) -> Vectors:
        return np.ones(1, dtype=np.float32)


@cache
def _font(bold: bool) -> pymupdf.Font:
    """Charis SIL out of MuPDF, which knows Cyrillic."""
    font = pymupdf.Font("helv")
    font.this = pymupdf.mupdf.fz_new_builtin_font("Charis SIL", int(bold), 0)
    return font


@dataclass
class Sheet:
    """A page to be set: runs of type at a place."""

    width: float = 420
    height: float = 595
    runs: list[tuple[float, float, str, float, bool]] = field(default_factory=list)
    rotate: int = 0
    """Degrees by which the text runs against the page."""
    turned: int = 0
    """/Rotate of the page."""

    def line(self, y: float, *pieces: tuple[str, bool], x: float = 50, size: float = 10) -> Sheet:
        """Pieces one behind the other on a baseline; (text, bold)."""
        for text, bold in pieces:
            self.runs.append((x, y, text, size, bold))
            x += _font(bold).text_length(text, fontsize=size)
        return self

    def text(self, y: float, *lines: str, x: float = 50) -> Sheet:
        for i, line in enumerate(lines):
            self.line(y + 13 * i, (line, False), x=x)
        return self


def read(path: Path, sheets: Sequence[Sheet], page_offset: int | None = None) -> Parsed:
    document = pymupdf.open()
    for sheet in sheets:
        page = document.new_page(width=sheet.width, height=sheet.height)
        for bold in (False, True):
            page.insert_font(fontname=f"F{int(bold)}", fontbuffer=_font(bold).buffer)
        for x, y, text, size, bold in sheet.runs:
            at = (x, y)
            if sheet.rotate == 90:  # a level line at (x, y) of a page lying on its side
                at = (y, sheet.height - x)
            page.insert_text(at, text, fontname=f"F{int(bold)}", fontsize=size, rotate=sheet.rotate)
        page.set_rotation(sheet.turned)
    document.save(path)
    document.close()
    return parse(
        path,
        BookOptions.checked([7], "геометрия", "Геометрия", page_offset=page_offset),
        sha256="0" * 64,
        embedder=Counting(),
        settings=IngestSettings(ocr=False),
    )


BODY = (
    "Всякое тело сохраняет состояние покоя или движения, пока другие",
    "тела не выведут его из этого состояния. Так учит нас закон.",
)


WORDS = (  # noqa: SIM905
    "нулевой прямой острый тупой полный смежный вертикальный внешний внутренний центральный вписанный "
    "двугранный плоский трёхгранный малый большой"
).split()


def geometry(references: bool, restart: bool = False) -> list[Sheet]:
    """Fifteen bold numbers run into the text, three to a page, under two chapters."""
    sheets = []
    for page in range(5):
        sheet = Sheet()
        y = 60.0
        if page in (0, 3):
            sheet.line(
                y, (f"Глава {1 if page == 0 else 2}. {'Углы' if page == 0 else 'Отрезки'}", True), size=18
            )
            y += 40
        for k in range(3):
            number = 3 * page + k + 1
            shown = k + 1 if restart else number
            title = "Свойства углов. " if k == 0 else ""
            sheet.line(
                y, (f"{shown}. {title}", True), (f"Пусть {WORDS[number]} угол имеет вершину.", False), x=64
            )
            sheet.text(y + 13, *BODY)
            tail = f"Это следует из § {number - 1}." if references and number > 1 else "Это доказано выше."
            sheet.text(y + 39, tail)
            y += 65
        sheet.line(570, (str(page + 1), False), x=205)
        sheets.append(sheet)
    return sheets


def test_bold_numbers_that_count_on_and_are_referred_to_are_paragraphs(tmp_path: Path) -> None:
    parsed = read(tmp_path / "book.pdf", geometry(references=True))
    found = [(s.unit, s.numbers[0], s.title, s.file_page) for s in parsed.book.paragraphs]
    assert found == [
        ("§", str(n), "Свойства углов" if n % 3 == 1 else "", (n - 1) // 3 + 1) for n in range(1, 16)
    ]
    assert {s.chapter for s in parsed.book.paragraphs} == {"Глава 1. Углы", "Глава 2. Отрезки"}
    for chunk in parsed.chunks:
        assert chunk.text.startswith(f"{chunk.paragraph}. ")


@pytest.mark.parametrize(("references", "restart"), [(False, False), (True, True)])
def test_bold_list_numbers_are_no_paragraphs(tmp_path: Path, references: bool, restart: bool) -> None:
    """Nobody refers to them, or they start anew on each page."""
    parsed = read(tmp_path / "book.pdf", geometry(references, restart))
    assert all(section.unit == "глава" for section in parsed.book.paragraphs)


def test_sign_before_run_in_numbers_is_enough(tmp_path: Path) -> None:
    sheet = Sheet()
    for k, title in enumerate(("Клетка", "Ткани", "Органы")):
        y = 60 + 80 * k
        sheet.line(y, (f"§ {k + 5}. {title}. ", True), ("Она есть основа жизни на земле.", False), x=64)
        sheet.text(y + 13, *BODY, "Смотри об этом § 5 и другие части книги.")
    parsed = read(tmp_path / "book.pdf", [sheet])
    assert [(s.numbers, s.title) for s in parsed.book.paragraphs] == [
        (("5",), "Клетка"),
        (("6",), "Ткани"),
        (("7",), "Органы"),
    ]


def test_spread_keeps_the_number_of_each_half(tmp_path: Path) -> None:
    sheets = []
    for k in range(3):
        sheet = Sheet(width=842, height=595)
        for half in (0, 1):
            x, number = 50 + 421 * half, 10 + 2 * k + half
            sheet.line(60, (f"§ {2 * k + half + 1}. Закон номер {2 * k + half + 1}", True), x=x, size=14)
            sheet.text(90, *BODY, *BODY, *BODY, x=x)
            sheet.line(570, (str(number), False), x=x + 150)
        sheets.append(sheet)
    parsed = read(tmp_path / "book.pdf", sheets)
    assert [(s.numbers[0], s.file_page, s.printed_page) for s in parsed.book.paragraphs] == [
        (str(n), (n + 1) // 2, str(n + 9)) for n in range(1, 7)
    ]
    assert [page.printed_page for page in parsed.book.pages] == ["10–11", "12–13", "14–15"]
    assert [page.file_page for page in parsed.book.pages] == [1, 2, 3]
    spans = {(c.paragraph, s.file_page, s.printed_page) for c in parsed.chunks for s in c.spans}
    assert spans == {(str(n), (n + 1) // 2, str(n + 9)) for n in range(1, 7)}


@pytest.mark.parametrize("turned", [0, 90])
def test_page_set_sideways_is_read_level(tmp_path: Path, turned: int) -> None:
    """`turned`: the viewer turns it too (/Rotate)."""
    level = Sheet().line(60, ("§ 1. Покой и движение", True), size=14).text(90, *BODY)
    sideways = (
        Sheet(rotate=90, turned=turned).line(60, ("§ 2. Таблица сил", True), size=14).text(90, *BODY, *BODY)
    )
    parsed = read(tmp_path / "book.pdf", [level, sideways])
    assert [(s.numbers, s.title, s.file_page) for s in parsed.book.paragraphs] == [
        (("1",), "Покой и движение", 1),
        (("2",), "Таблица сил", 2),
    ]
    assert parsed.chunks[-1].text.startswith("Всякое тело сохраняет")


def test_numbering_that_jumps_in_mid_book(tmp_path: Path) -> None:
    """Eight plates are not counted: from sheet 9 on the number is two behind."""
    sheets = []
    for n in range(1, 17):
        sheet = Sheet().text(90, *BODY)
        if n == 1:
            sheet.line(60, ("§ 1. Покой и движение", True), size=14)
        if n not in (8, 9):
            sheet.line(570, (str(n if n < 8 else n - 2), False), x=205)
        sheets.append(sheet)
    printed = [page.printed_page for page in read(tmp_path / "book.pdf", sheets).book.pages]
    assert printed[:7] == [str(n) for n in range(1, 8)]
    assert printed[9:] == [str(n - 2) for n in range(10, 17)]


def test_contents_that_contradict_the_pages_are_reported(tmp_path: Path) -> None:
    """A § found on another page than the contents say, and one without text."""
    contents = Sheet().line(60, ("Оглавление", True), size=16)
    for k, page in enumerate((2, 3, 9)):
        contents.line(90 + 15 * k, (f"§ {k + 1}. Закон движения .................. {page}", False))
    sheets = [contents.line(570, ("1", False), x=205)]
    for n in (1, 2, 3):
        sheet = Sheet().line(60, (f"§ {n}. Закон движения", True), size=14)
        sheets.append((sheet if n == 2 else sheet.text(90, *BODY)).line(570, (str(n + 1), False), x=205))
    warnings = " ".join(read(tmp_path / "book.pdf", sheets).book.warnings)
    assert "§ 3 — стр. 9 по оглавлению, найден на стр. 4" in warnings
    assert "§ 2: заголовок найден, текста под ним нет" in warnings


def test_chapter_without_sections_can_be_named(tmp_path: Path) -> None:
    sheet = Sheet().line(60, ("Глава 1. Законы", True), size=18)
    sheet.line(90, ("1.1 Покой", True), size=13).text(110, *BODY)
    sheet.line(160, ("1.2 Движение", True), size=13).text(180, *BODY)
    sheet.line(230, ("Глава 2. Силы", True), size=18).text(260, *BODY)
    sheet.line(320, ("Глава 3. Работа", True), size=18)
    sheet.line(350, ("3.1 Мощность", True), size=13).text(370, *BODY)
    parsed = read(tmp_path / "book.pdf", [sheet])
    assert [(s.numbers[0], s.title, s.chapter) for s in parsed.book.paragraphs] == [
        ("1.1", "Покой", "Глава 1. Законы"),
        ("1.2", "Движение", "Глава 1. Законы"),
        ("2", "Силы", "Глава 2. Силы"),
        ("3.1", "Мощность", "Глава 3. Работа"),
    ]
    assert [chunk.paragraph for chunk in parsed.chunks] == ["1.1", "1.2", "2", "3.1"]


def test_appendix_and_roman_sections_have_numbers(tmp_path: Path) -> None:
    sheet = Sheet()
    for k, heading in enumerate(("I. Общие сведения", "II. Законы движения", "Приложение А", "Приложение Б")):
        y = 60 + 110 * k
        sheet.line(y, (heading, True), size=16)
        if heading.startswith("Прил"):
            sheet.line(y + 20, ("Таблица мер", True), size=16)
        sheet.text(y + 45, *BODY)
    sections = read(tmp_path / "book.pdf", [sheet]).book.sections
    assert [(s.numbers, s.title) for s in sections] == [
        (("1",), "Общие сведения"),
        (("2",), "Законы движения"),
        (("А",), "Таблица мер"),
        (("Б",), "Таблица мер"),
    ]


def test_large_page_numbers_are_no_text_and_large_chapter_numbers_are(tmp_path: Path) -> None:
    sheets = [
        Sheet()
        .line(60, (f"§ {n}. Закон номер {n}", True), size=14)
        .text(90, *BODY)
        .line(570, (str(n), False), size=14)
        for n in range(1, 6)
    ]
    parsed = read(tmp_path / "book.pdf", sheets)
    assert [chunk.text for chunk in parsed.chunks] == [" ".join(BODY)] * 5


def test_paragraph_with_an_unread_letter_is_left_out_and_said(tmp_path: Path) -> None:
    assert clean("за\ufffdон") == "за\ufffdон"
    assert clean("\x88 Размер шрифта") == "• Размер шрифта"
    assert clean("тела \ufffd и силы \uf8f3") == "тела и силы"
    sheet = Sheet().line(60, ("§ 1. Покой и движение", True), size=14).text(90, *BODY)
    sheet.text(140, "Второй за\ufffdон гласит иное, и его мы здесь не знаем.")
    sheet.text(180, *BODY, *BODY, *BODY)
    parsed = read(tmp_path / "book.pdf", [sheet])
    assert all("\ufffd" not in chunk.text and "Второй" not in chunk.text for chunk in parsed.chunks)


def test_word_of_spaces_that_the_file_writes() -> None:
    """«Ф И Л О С О Ф И Я» with uneven gaps: only a written space parts words."""

    def glyphs(text: str, gaps: Sequence[float]) -> list[Glyph]:
        out, x = [], 0.0
        for ch, gap in zip(text, gaps, strict=True):
            out += [Glyph(ch, x, x + 10), Glyph(" ", x + 10, x + 10 + gap, synthetic=True)]
            x += 10 + gap
        return out[:-1]

    uneven = glyphs("ФИЛОСОФИЯ", [5, 5, 5, 11, 5, 11, 5, 5, 5])
    assert close_up(uneven, 15, spaced=True) == "ФИЛОСОФИЯ"
    written = [
        *glyphs("ЗАКОН", [5] * 5),
        Glyph(" ", 75, 80),
        *(Glyph(g.char, g.x0 + 90, g.x1 + 90, g.synthetic) for g in glyphs("СОХРАНЕНИЯ", [5] * 10)),
    ]
    assert close_up(written, 15, spaced=True) == "ЗАКОН СОХРАНЕНИЯ"
    words = glyphs("иGсBиAсK", [5] * 8)
    assert close_up(words, 10) == "и G с B и A с K"


@pytest.mark.parametrize(
    ("title", "kind"),
    [
        ("Вопросы и задания", "questions"),
        ("Вопросы к § 5", "questions"),
        ("Контрольные вопросы", "questions"),
        ("Вопросы для повторения", "questions"),
        ("Упражнения и задачи", "questions"),
        ("Проверьте свои знания", "questions"),
        ("Подумайте и ответьте", "questions"),
        ("Практикум к главе 1", "questions"),
        ("Рубежный контроль", "questions"),
        ("Подведём итоги", "questions"),
        ("Упражнения 3", "questions"),
        ("Задания к документу", "questions"),
        ("Вопросы местного значения", "text"),
        ("Вопросы философии", "text"),
        ("Задачи на построение", "text"),
        ("Задачи государства", "text"),
        ("Источники права", "text"),
        ("Словарь", "glossary"),
        ("Новые слова", "glossary"),
        ("Документ", "document"),
    ],
)
def test_kinds_of_blocks_by_their_names(title: str, kind: str) -> None:
    assert kind_of_block(title) == kind
