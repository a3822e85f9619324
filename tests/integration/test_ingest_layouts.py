"""Layouts of textbook pages, a small PDF each: margins, merged cells, boxes over a page turn, doubts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

import numpy as np
import pymupdf
import pytest

from index.embedder import Vectors
from ingest.options import BookOptions
from ingest.parse import Parsed, parse
from ingest.settings import IngestSettings

STATE = (
    "Государство возникло тогда, когда люди стали жить большими общинами и им понадобились правила, "
    "обязательные для каждого. Учёные до сих пор спорят о том, что было причиной его появления: рост "
    "населения, войны или раздел труда. Одни полагают, что власть родилась из семьи, где отец распоряжался "
    "всеми; другие считают, что люди договорились между собой и отдали часть свободы ради безопасности. "
    "Во всяком случае у всякого государства есть общие признаки: территория, население, публичная власть, "
    "право и налоги. Без любого из них государство существовать не может, хотя в истории бывали народы, у "
    "которых не было ни постоянной территории, ни писаных законов, и жили они по обычаям своих предков"
)
NOTE = "Суверенитет — верховенство власти внутри страны и её независимость вовне, в делах с другими странами."
REST = "и потому граждане вправе требовать от власти отчёта о том, как она тратит собранные с них налоги."

Line = tuple[str, float, float, float]
"""Text, x, baseline, size."""


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
def font() -> pymupdf.Font:
    """Charis SIL out of MuPDF, which knows Cyrillic."""
    face = pymupdf.Font("helv")
    face.this = pymupdf.mupdf.fz_new_builtin_font("Charis SIL", 0, 0)
    return face


def new_page(document: pymupdf.Document, lines: Iterable[Line]) -> pymupdf.Page:
    """An A5 page."""
    page = document.new_page(width=420, height=595)
    page.insert_font(fontname="F0", fontbuffer=font().buffer)
    for text, x, y, size in lines:
        page.insert_text((x, y), text, fontname="F0", fontsize=size)
    return page


def set_text(
    text: str, x: float, width: float, y: float = 100, size: float = 10, step: float = 13
) -> list[Line]:
    """Lines filled with words as far as they go, flush left."""
    lines: list[str] = []
    for word in text.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and font().text_length(longer, size) <= width:
            lines[-1] = longer
        else:
            lines.append(word)
    return [(line, x, y + step * i, size) for i, line in enumerate(lines)]


def heading(number: int) -> Line:
    return (f"§ {number}. Государство", 50, 60, 16)


def read(path: Path, document: pymupdf.Document) -> Parsed:
    document.save(path)
    options = BookOptions.checked([10], "физика", "Физика")
    settings = IngestSettings(ocr=False, workers=1)
    return parse(path, options, sha256="0" * 64, embedder=Counting(), settings=settings)


def whole(parsed: Parsed) -> str:
    return "\n".join(chunk.text for chunk in parsed.chunks)


def unsure(parsed: Parsed) -> list[str]:
    return [warning for warning in parsed.book.warnings if "колонки" in warning]


# --- margins ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("text_x", "note_x"), [(50, 300), (140, 45)], ids=["outer right", "outer left"])
@pytest.mark.parametrize("size", [8, 10])
def test_notes_in_a_margin_stand_after_the_text_and_do_not_break_it(
    tmp_path: Path, text_x: float, note_x: float, size: float
) -> None:
    document = pymupdf.open()
    notes = set_text(NOTE, note_x, 80, 126, size, 13)
    new_page(document, [heading(1), *set_text(STATE, text_x, 230), *notes])
    new_page(document, set_text(REST, text_x, 230, 60))
    parsed = read(tmp_path / "поля.pdf", document)
    text = whole(parsed).replace("\n", " ")
    assert f"{STATE} {REST}" in text
    assert NOTE in text
    assert unsure(parsed) == []


def test_columns_of_one_text_are_no_margin(tmp_path: Path) -> None:
    """Three columns: the first is narrow only as long as the others are taken for one."""
    words = STATE.split()
    document = pymupdf.open()
    thirds = [" ".join(words[i * len(words) // 3 : (i + 1) * len(words) // 3]) for i in range(3)]
    columns = [line for i, third in enumerate(thirds) for line in set_text(third, 40 + 122 * i, 105, size=9)]
    new_page(document, [heading(1), *columns])
    parsed = read(tmp_path / "три.pdf", document)
    assert STATE in whole(parsed).replace("\n", " ")
    assert unsure(parsed) == []


# --- tables ----------------------------------------------------------------------------------------------


def table(page: pymupdf.Page, strokes: Iterable[tuple[float, float, float, float]]) -> None:
    for x0, y0, x1, y1 in strokes:
        page.draw_line((x0, y0), (x1, y1))


def test_merged_cells_are_read_whole_and_keep_their_column(tmp_path: Path) -> None:
    """«Форма правления» over two columns; «Европа» over two rows, its two lines between the rows."""
    document = pymupdf.open()
    cells: list[Line] = [
        ("Часть света", 55, 214, 10),
        ("Форма правления и её примеры", 165, 214, 10),
        ("Европа и её", 55, 240, 10),
        ("соседи", 55, 252, 10),
        ("монархия", 165, 234, 10),
        ("Испания", 275, 234, 10),
        ("республика", 165, 254, 10),
        ("Франция", 275, 254, 10),
        ("Азия", 55, 274, 10),
        ("монархия", 165, 274, 10),
        ("Япония", 275, 274, 10),
    ]
    page = new_page(document, [heading(1), *set_text(REST, 50, 320), *cells])
    across = [
        (50, 200, 380, 200),
        (50, 220, 380, 220),
        (160, 240, 380, 240),
        (50, 260, 380, 260),
        (50, 280, 380, 280),
    ]
    upright = [(50, 200, 50, 280), (160, 200, 160, 280), (270, 220, 270, 280), (380, 200, 380, 280)]
    table(page, [*across, *upright])
    parsed = read(tmp_path / "ячейки.pdf", document)
    rows = next(chunk for chunk in parsed.chunks if chunk.kind == "table").text.splitlines()
    assert rows == [
        "Часть света\u2003Форма правления и её примеры",
        "Европа и её соседи\u2003монархия\u2003Испания",
        "республика\u2003Франция",
        "Азия\u2003монархия\u2003Япония",
    ]


def test_rows_without_a_stroke_between_them_stay_rows(tmp_path: Path) -> None:
    """The stroke is wanting in the first column only, yet each row has its own text there."""
    document = pymupdf.open()
    cells: list[Line] = []
    for i, (name, capital) in enumerate([("Испания", "Мадрид"), ("Франция", "Париж"), ("Япония", "Токио")]):
        cells += [(name, 55, 214 + 20 * i, 10), (capital, 165, 214 + 20 * i, 10)]
    page = new_page(document, [heading(1), *set_text(REST, 50, 320), *cells])
    across = [(50, 200, 270, 200), (160, 220, 270, 220), (50, 240, 270, 240), (50, 260, 270, 260)]
    table(page, [*across, (50, 200, 50, 260), (160, 200, 160, 260), (270, 200, 270, 260)])
    parsed = read(tmp_path / "без линии.pdf", document)
    rows = next(chunk for chunk in parsed.chunks if chunk.kind == "table").text.splitlines()
    assert rows == ["Испания\u2003Мадрид", "Франция\u2003Париж", "Япония\u2003Токио"]


def test_a_frame_around_the_page_with_a_title_block_is_no_table(tmp_path: Path) -> None:
    document = pymupdf.open()
    stamp: list[Line] = [
        ("Изм.", 45, 552, 8),
        ("Лист", 85, 552, 8),
        ("Подп.", 45, 572, 8),
        ("Дата", 85, 572, 8),
    ]
    page = new_page(document, [heading(1), *set_text(STATE, 50, 300), *stamp])
    page.draw_rect((40, 30, 390, 580))
    table(page, [(40, 540, 390, 540), (40, 560, 390, 560), (80, 540, 80, 580), (120, 540, 120, 580)])
    parsed = read(tmp_path / "рамка.pdf", document)
    assert STATE in whole(parsed).replace("\n", " ")
    assert [section.title for section in parsed.book.paragraphs] == ["Государство"]


# --- boxes -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("broken", ["смо-|жете", "вы|можете"])
def test_a_sentence_goes_on_in_a_box_over_the_page_turn(tmp_path: Path, broken: str) -> None:
    end, start = broken.split("|")
    document = pymupdf.open()
    page = new_page(
        document,
        [
            heading(1),
            *set_text(REST, 50, 320),
            ("Документ. Давая клятву, проверьте,", 60, 530, 10),
            (f"всегда ли {end}", 60, 543, 10),
        ],
    )
    page.draw_rect((50, 500, 370, 560), fill=(0.9, 0.9, 0.9), overlay=False)
    page = new_page(
        document,
        [
            (f"{start} её сдержать, и помните о ней.", 60, 60, 10),
            ("Так учил князь.", 60, 73, 10),
            *set_text(REST, 50, 320, 140),
        ],
    )
    page.draw_rect((50, 40, 370, 90), fill=(0.9, 0.9, 0.9), overlay=False)
    parsed = read(tmp_path / "рамка.pdf", document)
    joined = "сможете" if end.endswith("-") else "вы можете"
    chunk = next(chunk for chunk in parsed.chunks if "проверьте" in chunk.text)
    assert f"проверьте, всегда ли {joined} её сдержать" in chunk.text
    assert {span.file_page for span in chunk.spans} == {1, 2}


def test_two_boxes_that_meet_at_a_page_turn_stay_two(tmp_path: Path) -> None:
    document = pymupdf.open()
    page = new_page(
        document,
        [
            heading(1),
            *set_text(REST, 50, 320),
            ("Право есть система", 60, 530, 10),
            ("норм государства.", 60, 543, 10),
        ],
    )
    page.draw_rect((50, 500, 370, 560), fill=(0.9, 0.9, 0.9), overlay=False)
    page = new_page(
        document,
        [("Закон принимает", 60, 60, 10), ("парламент страны.", 60, 73, 10), *set_text(REST, 50, 320, 140)],
    )
    page.draw_rect((50, 40, 370, 90), fill=(0.9, 0.9, 0.9), overlay=False)
    parsed = read(tmp_path / "две рамки.pdf", document)
    assert "норм государства.\nЗакон принимает" in whole(parsed)


# --- what a person should look at -------------------------------------------------------------------------


def test_a_page_with_text_run_into_a_note_is_flagged_by_its_sheet(tmp_path: Path) -> None:
    document = pymupdf.open()
    new_page(document, [heading(1), *set_text(STATE, 50, 300)])
    new_page(document, [*set_text(STATE, 50, 230), *set_text(f"{NOTE} {NOTE}", 265, 110, 107)])
    new_page(document, set_text(STATE, 50, 300))
    parsed = read(tmp_path / "внахлёст.pdf", document)
    (warning,) = unsure(parsed)
    assert warning.startswith("Лист 2: колонки на странице различаются неуверенно")
    assert parsed.book.page(2).kind == "body"  # it is loaded all the same
    assert [page.warning is None for page in parsed.book.pages] == [True, False, True]
    assert not parsed.partial


def test_a_word_list_without_strokes_is_flagged(tmp_path: Path) -> None:
    pairs = [
        ("the state", "государство, страна"),
        ("government bodies", "органы власти страны"),
        ("to vote", "голосовать на выборах"),
        ("the law of the land", "закон данной страны"),
        ("citizen rights", "права граждан страны"),
        ("a tax on income", "налог на доходы"),
    ]
    document = pymupdf.open()
    lines = [
        line
        for i, (a, b) in enumerate(pairs)
        for line in ((a, 50, 150 + 13 * i, 10), (b, 200, 150 + 13 * i, 10))
    ]
    new_page(document, [heading(1), *set_text(REST, 50, 320), *lines])
    assert len(unsure(read(tmp_path / "словарик.pdf", document))) == 1


def test_text_that_stands_upright_is_reported(tmp_path: Path) -> None:
    document = pymupdf.open()
    page = new_page(document, [heading(1), *set_text(STATE, 50, 280)])
    for i, (text, *_) in enumerate(set_text(f"{NOTE} {REST}", 0, 300)):
        page.insert_text((360 + 14 * i, 500), text, fontname="F0", fontsize=10, rotate=90)
    parsed = read(tmp_path / "боком.pdf", document)
    assert any(w.startswith("Лист 1: часть текста стоит боком и не прочитана") for w in parsed.book.warnings)


@pytest.mark.parametrize("gutter", [6, 10, 20])
def test_plain_columns_are_not_flagged(tmp_path: Path, gutter: float) -> None:
    document = pymupdf.open()
    half = len(STATE.split()) // 2
    left, right = (" ".join(part) for part in (STATE.split()[:half], STATE.split()[half:]))
    new_page(document, [heading(1), *set_text(left, 50, 150), *set_text(right, 200 + gutter, 150)])
    parsed = read(tmp_path / "колонки.pdf", document)
    assert STATE in whole(parsed).replace("\n", " ")
    assert unsure(parsed) == []
