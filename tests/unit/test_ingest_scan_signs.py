"""Recognised pages beyond their words: numbers against the count, heads of few pages, signs, type sizes."""

from __future__ import annotations

import numpy as np
import pytest

from ingest.furniture import strip
from ingest.glyphs import parted, sized
from ingest.leftover import Piece, merge
from ingest.lines import Line, RawPage
from ingest.pagination import Candidates, paginate
from ingest.repair import section_sign
from ingest.tesseract import OcrLine, OcrWord


def shown(*numbers: int | None) -> list[Candidates]:
    return [{} if number is None else {("arabic", number): 1.0} for number in numbers]


@pytest.mark.parametrize(
    ("numbers", "printed", "doubtful"),
    [
        pytest.param((2, 3, 6, 7), ("2", "3", "6", "7"), (), id="two sheets of two pages each"),
        pytest.param((2, 3, 6, 7, 10, 11), ("2", "3", "6", "7", "10", "11"), (), id="three of them"),
        pytest.param((2, 3, 4, 9, None), ("2", "3", "4", None, None), (4,), id="pages may be missing"),
        pytest.param((2, 3, 4, 1, None), ("2", "3", "4", None, "6"), (4,), id="no page number comes back"),
        pytest.param((2, 3, 12, 5, 6), ("2", "3", "4", "5", "6"), (), id="both sides bear out the count"),
        pytest.param((2, 3, 4, 1941), ("2", "3", "4", "5"), (), id="a year"),
    ],
)
def test_no_page_is_called_otherwise_than_it_shows(
    numbers: tuple[int | None, ...], printed: tuple[str | None, ...], doubtful: tuple[int, ...]
) -> None:
    found = paginate(shown(*numbers), [""] * len(numbers))
    assert found.printed == printed
    assert tuple(found.doubts) == doubtful


def line(text: str, base: float, size: float = 10.0, bold: bool = False) -> Line:
    return Line(text, 40, base - 0.8 * size, 300, base + 0.25 * size, base, size, bold, italic=False)


def body(first: float) -> list[Line]:
    return [line("Общество есть совокупность людей и связей между ними.", first + 13 * i) for i in range(20)]


@pytest.mark.parametrize(
    ("head", "first", "stays"),
    [
        pytest.param(line("§ 1. Что такое общество", 37, 8), 68, False, id="small, apart"),
        pytest.param(line("Глава II. Общество", 37, 8), 68, False, id="chapter"),
        pytest.param(line("§ 1. Что такое общество", 37, 13), 68, True, id="large"),
        pytest.param(line("§ 1. Что такое общество", 37, 10), 68, True, id="as large as the text"),
        pytest.param(line("§ 1. Что такое общество", 37, 8, bold=True), 68, True, id="bold"),
        pytest.param(line("§ 1 рассказывает об обществе.", 56, 8), 68, True, id="a line of the text"),
        pytest.param(line("Рисунок 4. Пирамида власти", 37, 8), 68, True, id="names no section"),
    ],
)
def test_a_running_head_that_is_seen_once_is_no_heading(head: Line, first: float, stays: bool) -> None:
    page = RawPage(1, 400, 600, lines=(head, *body(first)))
    other = RawPage(2, 400, 600, lines=tuple(body(50)))
    (stripped, _), _ = strip([page, other], ["3", "4"], 10.0)
    assert (head in stripped.lines) == stays
    assert len(stripped.lines) == 20 + stays


def drawn(*glyphs: tuple[int, int]) -> np.ndarray[tuple[int, int], np.dtype[np.uint8]]:
    """White paper, 200 by 60, with black glyphs from x to x, 20 to 50 pixels down."""
    grey = np.full((60, 200), 255, np.uint8)
    for x0, x1 in glyphs:
        grey[20:50, x0:x1] = 0
    return grey


@pytest.mark.parametrize(
    ("glyphs", "words"),
    [
        pytest.param(((10, 30), (60, 80), (88, 92)), ["8", "2."], id="a sign and a number"),
        pytest.param(((10, 30), (34, 54), (58, 62)), ["82."], id="a number"),
    ],
)
def test_a_sign_read_as_a_digit_stands_apart(glyphs: tuple[tuple[int, int], ...], words: list[str]) -> None:
    read = OcrLine((10, 20, 92, 50), 40, 50, [OcrWord("82.", (10, 20, 92, 50), 90)])
    (found,) = parted(drawn(*glyphs), [read])
    assert [word.text for word in found.words] == words
    assert found.words[0].box[0] == 10
    assert found.words[-1].box[2] == 92


def test_small_letters_taken_for_capitals_do_not_make_type_small() -> None:
    grey = np.full((400, 400), 255, np.uint8)
    lines = []
    for i in range(8):
        base = 40 * i + 60
        grey[base - 20 : base, 20:380:2] = 0  # «х» is 20 pixels high in every line
        size = 28.0 if i == 7 else 38.0
        lines.append(
            OcrLine((20, base - 28, 380, base), size, base, [OcrWord("словарь", (20, 0, 380, 9), 95)])
        )
        lines[-1].words.append(OcrWord("общества", (20, 0, 380, 9), 95))
    assert [round(line.size) for line in sized(grey, lines)] == [38] * 8


def test_a_list_number_keeps_its_surer_reading() -> None:
    text = OcrLine((60, 20, 300, 50), 30, 48, [OcrWord("Если", (60, 20, 120, 50), 90)])
    piece = Piece((20.0, 22.0, 45.0, 50.0), np.zeros((28, 25), np.uint8))
    russian = {0: OcrWord("2.", (0, 0, 20, 20), 96.0)}
    digits = {0: OcrWord("2", (0, 0, 20, 20), 0.0)}
    assert [line.text for line in merge([text], [piece], russian, digits)] == ["2. Если"]
    unsure = {0: OcrWord("З", (0, 0, 20, 20), 50.0)}
    assert [line.text for line in merge([text], [piece], unsure, {0: OcrWord("3", (0, 0, 9, 9), 80.0)})] == [
        "3 Если"
    ]


@pytest.mark.parametrize("seen", ["$ 3. Группы", "8$ 3. Группы", "$8 3. Группы", "&3. Группы"])
def test_section_signs_as_recognition_sees_them(seen: str) -> None:
    assert section_sign(seen).replace(" ", "") == "§3.Группы"
