"""The typesetter of the sample textbooks, checked on the PDFs it makes."""

from __future__ import annotations

import importlib.util
import json
import re
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import pymupdf
import pytest

pytest.importorskip("reportlab", reason="needs the extra «samples»")

SAMPLES = Path(__file__).resolve().parents[2] / "data" / "samples"


def _load_build() -> ModuleType:
    spec = importlib.util.spec_from_file_location("samples_build", SAMPLES / "build.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


build = _load_build()

from typesetting.flowables import Style, Text  # noqa: E402
from typesetting.fonts import MissingGlyph  # noqa: E402
from typesetting.gold import GoldError, add_pages  # noqa: E402
from typesetting.lines import Face, break_lines  # noqa: E402
from typesetting.markdown import SourceError, read_book, read_paragraph, read_runs  # noqa: E402
from typesetting.model import Book, Chapter, Paragraph, Prose, Run  # noqa: E402

SENTENCES = (
    "Человеческое общество возникло значительно раньше государства и продолжает изменяться непрерывно.",
    "Социально-экономическое развитие зависит от производительности общественного труда, т. е. от людей.",
    "Реформа 1861 г. освободила крестьян, а в 1941–1945 гг. страна отстояла свою независимость.",
    "А. С. Пушкин писал, что «лучшие и прочнейшие изменения» происходят от улучшения нравов.",
    "Промышленная революция преобразовала сельскохозяйственное производство и повседневность.",
    "Учёные объясняют происхождение неравенства по-разному (см. § 1), и единого ответа ещё нет.",
)
LONG = 11
"""Paragraphs of § 1 without a subheading."""
CROSSING = "Межпоколенческое взаимопонимание складывается десятилетиями"


def _prose(seed: int, sentences: int) -> str:
    return " ".join(SENTENCES[(seed * 5 + i) % len(SENTENCES)] for i in range(sentences))


def _paragraph(number: int, title: str, body: str) -> str:
    return f"""# § {number}. {title}

{body}

## Подзаголовок параграфа {number}

{_prose(number, 6)}

- первое **важное** обстоятельство;
- второе обстоятельство.

Таблица {number}. Сравнение обществ
| Признак | Значение |
|---|---|
| ресурс | земля и труд |

::: словарь
**Обычай {"ё" * number}** — правило поведения, которое вошло в привычку.
:::

::: документ
Из устава вымышленного города.
:::

## Вопросы и задания
1. Что такое обычай?
2. Приведите пример из жизни вашего класса.
"""


def _write_book(folder: Path, layout: str) -> Path:
    folder.mkdir()
    (folder / "book.toml").write_text(
        """title = "Обществознание"
subject = "обществознание"
grade = 8
authors = "Авторы"
year = 2026
licence = "CC0-1.0"
[[chapters]]
number = "I"
title = "Общество"
paragraphs = [1, 2]
[[chapters]]
number = "II"
title = "Право"
paragraphs = [3]
""",
        encoding="utf-8",
    )
    (folder / "layout.toml").write_text(layout, encoding="utf-8")
    long = "\n\n".join(f"{_prose(i, 5)} {CROSSING}: раз {'и ещё раз ' * i}." for i in range(LONG))
    columns = f"::: колонки\n{_prose(1, 9)}\n\n{_prose(2, 9)}\n:::"
    for number, (title, body) in enumerate(
        [
            ("Что такое общество", long),
            ("Общество и природа, или Как долго человек покорял реки, степи и леса", columns),
            ("Право", _prose(3, 8)),
        ],
        start=1,
    ):
        text = _paragraph(number, title, body)
        (folder / f"{number:02}-text.md").write_text(text, encoding="utf-8")
    return folder


@dataclass
class Built:
    source: Path
    pdf: Path
    facts: dict[str, Any]
    document: pymupdf.Document

    def body(self, sheet: int) -> str:
        page = self.document[sheet - 1]
        return str(page.get_text(clip=(0, 46, page.rect.width, page.rect.height - 46)))


LABELLED = "page_labels = true\noutline = true\nindex = true\neven_front = true\nmirrored = true\n"
PLAIN = 'furniture_first = false\nhyphen = "‐"\nbullet = "—"\n'


@pytest.fixture(scope="module", params=[LABELLED, PLAIN], ids=["labelled", "plain"])
def book(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Built:
    folder = tmp_path_factory.mktemp("книга со пробелом")
    source = _write_book(folder / "source", request.param)
    pdf = folder / "book.pdf"
    build.build_book(source, pdf)
    facts = json.loads(pdf.with_suffix(".truth.json").read_text(encoding="utf-8"))
    return Built(source, pdf, facts, pymupdf.open(pdf))


def _is_labelled(book: Built) -> bool:
    return "page_labels" in (book.source / "layout.toml").read_text(encoding="utf-8")


def test_same_source_same_bytes(book: Built, tmp_path: Path) -> None:
    build.build_book(book.source, tmp_path / "again.pdf")
    assert (tmp_path / "again.pdf").read_bytes() == book.pdf.read_bytes()


def test_truth_knows_the_number_at_the_foot_of_every_page(book: Built) -> None:
    assert len(book.facts["pages"]) == book.document.page_count
    for page, facts in zip(book.document, book.facts["pages"], strict=True):
        foot = page.get_text(clip=(0, page.rect.height - 46, page.rect.width, page.rect.height)).strip()
        assert foot == (facts["printed"] or "")
    body = [p for p in book.facts["pages"] if p["kind"] in ("body", "glossary", "index")]
    assert [p["printed"] for p in body] == [str(n) for n in range(1, len(body) + 1)]
    assert body[0]["file_page"] == book.facts["front_pages"] + 1 > 1


def test_page_labels_are_written_or_absent(book: Built) -> None:
    if not _is_labelled(book):
        assert book.document.get_page_labels() == []
        return
    labels = [page.get_label() for page in book.document]
    assert labels == [p["label"] for p in book.facts["pages"]]
    assert labels[:5] == ["i", "ii", "iii", "iv", "1"]


def test_headings_stand_where_truth_says(book: Built) -> None:
    tops = []
    for paragraph in book.facts["paragraphs"]:
        begins = f"§ {paragraph['number']}. {paragraph['title'][:10]}"
        large = [
            (page.number + 1, line["bbox"][1])
            for page in book.document
            for block in page.get_text("dict")["blocks"]
            for line in block.get("lines", ())
            if line["spans"][0]["size"] > 13 and "".join(s["text"] for s in line["spans"]).startswith(begins)
        ]
        assert [sheet for sheet, _ in large] == [paragraph["file_page"]]
        assert paragraph["page"] == str(paragraph["file_page"] - book.facts["front_pages"])
        tops.append(large[0][1])
    # § 2 begins in the middle of a page, under the end of § 1.
    assert tops[1] > 150
    assert [p["chapter"] for p in book.facts["paragraphs"]] == ["I", "I", "II"]


def test_contents_page_agrees_with_truth(book: Built) -> None:
    sheets = [p["file_page"] for p in book.facts["pages"] if p["kind"] == "contents"]
    text = " ".join(book.body(sheet) for sheet in sheets).replace("\n", " ")
    for paragraph in book.facts["paragraphs"]:
        title = re.escape(paragraph["title"]).replace(r"\ ", r"\s+")
        entry = re.search(rf"§ {paragraph['number']}\. {title}\s*\.{{3,}}\s*(\d+)", text)
        assert entry
        assert entry[1] == paragraph["page"]


def test_words_are_broken_with_a_visible_hyphen(book: Built) -> None:
    text = "".join(page.get_text() for page in book.document)
    hyphen = "-" if _is_labelled(book) else "\u2010"
    assert len(re.findall(rf"[а-яё]{hyphen}\n[а-яё]", text)) > 15
    assert "\u00ad" not in text
    # A hyphen of the word itself stays what it is.
    assert "Социально-" in text


def test_nothing_of_the_text_is_lost_or_doubled(book: Built) -> None:
    first, second = book.facts["paragraphs"][:2]
    # Two tables would come in the order of their cells; prose is what counts here.
    text = "".join(book.body(sheet) for sheet in range(first["file_page"], second["file_page"] + 1))
    solid = re.sub(r"[\s\u2010-]", "", text)
    for number in range(LONG):
        prose = re.sub(r"[\s-]", "", f"{_prose(number, 5)} {CROSSING}: раз {'и ещё раз ' * number}.")
        assert solid.count(prose) == 1


def test_everything_stays_inside_the_page(book: Built) -> None:
    for page in book.document:
        for x0, y0, x1, y1, *_ in page.get_text("words"):
            assert x0 >= 44
            assert y0 >= 20
            assert x1 <= page.rect.width - 44
            assert y1 <= page.rect.height - 20


def test_two_columns_stand_side_by_side(book: Built) -> None:
    second = book.facts["paragraphs"][1]
    sheets = range(second["file_page"], second["file_page"] + 2)
    left, right = [], []
    for sheet in sheets:
        for *box, _text, _block, _line, _word in book.document[sheet - 1].get_text("words"):
            (left if box[0] < 200 else right).append((sheet, *box))
    middle = book.document[0].rect.width / 2
    pairs = [
        (a, b)
        for a in left
        for b in right
        if a[0] == b[0] and a[3] < middle and b[1] > middle and a[2] == b[2] and b[1] - a[3] > 12
    ]
    assert len(pairs) > 10


def test_running_heads(book: Built) -> None:
    heads = {p["printed"]: p["head"] for p in book.facts["pages"] if p["kind"] == "body"}
    assert heads["1"] is None  # the chapter opens there
    assert heads["2"] == ("Глава I. Общество" if _is_labelled(book) else "Обществознание")
    assert heads["3"] == "§ 1. Что такое общество"
    for facts in book.facts["pages"]:
        page = book.document[facts["file_page"] - 1]
        if facts["head"]:
            assert page.get_text(clip=(0, 0, page.rect.width, 46)).strip() == facts["head"]


def test_running_head_is_first_or_last_in_the_content_stream(book: Built) -> None:
    facts = next(p for p in book.facts["pages"] if p["printed"] == "3")
    lines = book.document[facts["file_page"] - 1].get_text().strip().splitlines()
    at = lines.index(facts["head"])
    assert at == 0 if _is_labelled(book) else at == len(lines) - 2


def test_bookmarks(book: Built) -> None:
    toc = book.document.get_toc()
    if not _is_labelled(book):
        assert toc == []
        return
    sections = [(title, sheet) for level, title, sheet in toc if level == 2]
    assert sections == [(f"§ {p['number']}. {p['title']}", p["file_page"]) for p in book.facts["paragraphs"]]


def test_back_matter(book: Built) -> None:
    kinds = {p["kind"]: p["file_page"] for p in reversed(book.facts["pages"])}
    assert "Обычай ёё — правило поведения" in re.sub(r"\s+", " ", book.body(kinds["glossary"]))
    if not _is_labelled(book):
        assert "index" not in kinds
        return
    entries = dict(re.findall(r"(Обычай ё+), ([\d, –]+)", book.body(kinds["index"])))
    assert list(entries) == ["Обычай ё", "Обычай ёё", "Обычай ёёё"]
    for term, pages in entries.items():
        for printed in re.findall(r"\d+", pages):
            assert term.lower() in book.body(int(printed) + book.facts["front_pages"]).lower()


def test_gold_answers_get_their_pages(book: Built, tmp_path: Path) -> None:
    second = book.facts["paragraphs"][1]
    # Find an answer that really runs over a page end, by the PDF alone.
    last = book.body(book.facts["front_pages"] + 2).split()[-4:-1]
    following = next(w for w in book.body(book.facts["front_pages"] + 3).split()[1:] if w.isalpha())
    source = (book.source / "01-text.md").read_text(encoding="utf-8")
    crossing = re.search(re.escape(" ".join(last)) + r"(?:(?!\n).){0,60}?" + following, source)
    assert crossing
    cases = tmp_path / "cases.jsonl"
    rows = [
        {"id": "a", "gold_paragraph": "1", "gold_answer": [crossing[0]]},
        {"id": "b", "gold_paragraph": "2", "gold_answer": ["Из устава вымышленного города."]},
        {"id": "c", "gold_paragraph": None, "gold_answer": None},
    ]
    cases.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    assert add_pages(cases, book.pdf, book.facts) == 2
    done = [json.loads(line) for line in cases.read_text(encoding="utf-8").splitlines()]
    assert {"2", "3"} <= set(done[0]["gold_pages"])
    (sheet,) = done[1]["gold_file_pages"]
    assert sheet >= second["file_page"]
    assert "Из устава вымышленного города" in book.body(sheet)
    assert done[2]["gold_pages"] is None


def test_a_gold_answer_that_is_not_in_its_section_is_refused(book: Built, tmp_path: Path) -> None:
    cases = tmp_path / "cases.jsonl"
    row = {"id": "x-7", "gold_paragraph": "3", "gold_answer": [CROSSING]}  # stands in § 1 only
    cases.write_text(json.dumps(row), encoding="utf-8")
    with pytest.raises(GoldError, match="x-7"):
        add_pages(cases, book.pdf, book.facts)


def _one_paragraph_book(text: str) -> Book:
    return Book("Вопросы", (Chapter("1", "Глава", (Paragraph("1", "Тема", (Prose((Run(text),)),)),)),))


def test_a_book_made_in_python_with_letters_that_charis_lacks(tmp_path: Path) -> None:
    build.typeset(_one_paragraph_book("Город Тбилиси (თბილისი) и конь (ἵππος)."), tmp_path / "b.pdf")
    with pymupdf.open(tmp_path / "b.pdf") as document:
        text = "".join(page.get_text() for page in document)
    assert "თბილისი" in text
    assert "ἵππος" in text


def test_a_character_that_no_font_has_is_named(tmp_path: Path) -> None:
    with pytest.raises(MissingGlyph, match="U\\+E123"):
        build.typeset(_one_paragraph_book("Знак \ue123."), tmp_path / "b.pdf")


def test_lines_keep_what_belongs_together() -> None:
    runs = (Run(SENTENCES[3] + " " + SENTENCES[1]),)
    for width in range(120, 330, 7):
        lines = [line.text for line in break_lines(runs, Face(10.5), width, width)]
        assert not any(line.endswith((" А.", " С.", " т.")) for line in lines)
        assert not any(line.startswith("—") for line in lines)
        joined = "".join(line[:-1] if line.endswith("-") else f"{line} " for line in lines)
        assert joined.replace("-", "").split() == runs[0].text.replace("-", "").split()


def test_no_single_line_is_left_at_a_page_end() -> None:
    text = Text((Run(" ".join(SENTENCES)),), Style(Face(10), 13, indent=15))
    text.wrap(260, 1000)
    lines = text.lines
    assert lines
    for height in range(0, 13 * len(lines), 5):
        parts = text.split(260, height)
        if height < 26:
            assert not parts
        for part in parts:
            assert len(part.lines) >= 2
        assert sum((part.lines for part in parts), ()) in ((), lines)


def test_faces_of_markdown() -> None:
    assert read_runs("**Мера** — *mensura*.") == (
        Run("Мера", bold=True),
        Run(" — "),
        Run("mensura", italic=True),
        Run("."),
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("## Без заголовка\n", "line 1"),
        ("# § 1. А\n\n::: словарь\n**Б** — в.\n", "not closed"),
        ("# § 1. А\n\n::: рисунок\n:::\n", "рисунок"),
        ("# § 1. А\n\n| а | б |\n| в |\n", "number of cells"),
    ],
)
def test_malformed_source_is_named(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "01-а.md"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SourceError, match=message) as caught:
        read_paragraph(path)
    assert "01-а.md" in str(caught.value)


def test_wrong_particulars_are_named(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"book\.toml is missing"):
        read_book(tmp_path)
    folder = _write_book(tmp_path / "book", "two_sided = true\n")
    with pytest.raises(SourceError, match="two_sided is unknown"):
        read_book(folder)
    (folder / "layout.toml").unlink()
    (folder / "03-text.md").unlink()
    with pytest.raises(SourceError, match="names § 3"):
        read_book(folder)


@pytest.mark.parametrize("grade", [9, 10])
def test_the_sample_books_and_their_gold_questions(grade: int, tmp_path: Path) -> None:
    name = f"obshestvoznanie_{grade}"
    build.build_book(SAMPLES / name, tmp_path / f"{name}.pdf")
    facts = json.loads((tmp_path / f"{name}.truth.json").read_text(encoding="utf-8"))
    assert len(facts["pages"]) >= 32
    assert len(facts["paragraphs"]) == 12
    assert len(facts["chapters"]) == 3
    # Where the text or the layout has changed: python data/samples/build.py --gold data/gold
    committed = SAMPLES.parent / "gold" / f"{name}.jsonl"
    cases = tmp_path / committed.name
    cases.write_bytes(committed.read_bytes())
    build.locate_gold(cases, tmp_path / f"{name}.pdf")
    assert cases.read_text(encoding="utf-8") == committed.read_text(encoding="utf-8")
