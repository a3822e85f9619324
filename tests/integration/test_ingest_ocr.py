"""Scans, damaged text layers and wrong encodings: what the pages show is what is loaded and highlighted."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pymupdf
import pytest
from rapidfuzz import fuzz

from bot.page_picture import render_page
from index.book import Book
from index.chunk import Chunk
from index.locate import Word, normalise
from index.store import Store
from ingest.errors import NoText
from ingest.options import BookOptions
from ingest.parse import Parsed, parse
from ingest.pipeline import ingest
from ingest.report import IngestReport
from ingest.settings import IngestSettings
from ingest.tesseract import INSTALL, missing

ROOT = Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared"
needs_tesseract = [
    pytest.mark.tesseract,
    pytest.mark.skipif(missing("tesseract") is not None, reason=f"no Tesseract with rus: {INSTALL}"),
]


class LengthEmbedder:
    """Vectors by length: nothing is searched here."""

    id, dimension, max_tokens = "length/1", 2, 512

    def count_tokens(self, text: str) -> int:
        return len(text) // 3

    def embed_passages(self, texts: Sequence[str]) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
        angles = np.array([len(text) / 700 for text in texts], dtype=np.float32)
        return np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)

    def embed_query(self, text: str) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
        return self.embed_passages([text])[0]


def read(pdf: Path, **settings: object) -> Parsed:
    options = BookOptions.checked([10], "обществознание", "Обществознание")
    limits = IngestSettings(workers=1, **settings)  # type: ignore[arg-type]
    return parse(pdf, options, sha256="0" * 64, embedder=LengthEmbedder(), settings=limits)


def photographed(page: pymupdf.Page, dpi: int, angle: float, noise: float) -> pymupdf.Pixmap:
    """The page as a scanner gives it: turned a little, grey paper, noise."""
    matrix = pymupdf.Matrix(dpi / 72, dpi / 72).prerotate(angle)
    pixmap = page.get_pixmap(matrix=matrix, colorspace=pymupdf.csGRAY)
    grey = np.frombuffer(pixmap.samples, dtype=np.uint8).reshape(pixmap.height, pixmap.stride)
    grey = grey[:, : pixmap.width].astype(float) * 0.85 + 20
    grey = np.clip(grey + np.random.default_rng(1).normal(0, noise, grey.shape), 0, 255)
    samples = grey.astype(np.uint8).tobytes()
    return pymupdf.Pixmap(pymupdf.csGRAY, pixmap.width, pixmap.height, samples, False)


def scan_into(
    document: pymupdf.Document, page: pymupdf.Page, dpi: int = 200, angle: float = 0.0, noise: float = 10.0
) -> pymupdf.Page:
    pixmap = photographed(page, dpi, angle, noise)
    sheet = document.new_page(width=pixmap.width * 72 / dpi, height=pixmap.height * 72 / dpi)
    sheet.insert_image(sheet.rect, stream=pixmap.tobytes("jpg", jpg_quality=80))
    return sheet


@dataclass
class Shelf:
    """One book, as the page picture wants it."""

    book: Book
    path: Path

    @property
    def books(self) -> dict[str, Book]:
        return {"b": self.book}

    def pdf(self, book_id: str) -> Path:
        return self.path


def yellow_box(shelf: Shelf, sheet: int, quote: str) -> tuple[float, float, float, float]:
    """Where the picture of the page is highlighted, as shares of its width and height."""
    picture = pymupdf.Pixmap(render_page(shelf, "b", sheet, [quote]))
    colours = np.frombuffer(picture.samples, dtype=np.uint8).reshape(picture.height, picture.width, picture.n)
    ys, xs = np.nonzero((colours[..., 0] > 180) & (colours[..., 1] > 150) & (colours[..., 2] < 110))
    assert len(ys) > 500, "nothing is highlighted"
    return (
        xs.min() / picture.width,
        ys.min() / picture.height,
        xs.max() / picture.width,
        ys.max() / picture.height,
    )


@dataclass
class Scanned:
    """A stored book of scans and the same sheets as their publisher made them."""

    path: Path
    report: IngestReport
    book: Book
    chunks: tuple[Chunk, ...]
    born: Parsed
    again: Callable[[], IngestReport]
    """Loads the same file once more."""


@pytest.fixture(scope="session")
def mixed(tmp_path_factory: pytest.TempPathFactory, sample_pdfs: dict[int, Path]) -> Scanned:
    """Four sheets of the sample book: digital; scanned askew; with a bad hidden layer; on its side."""
    folder = tmp_path_factory.mktemp("scans")
    source = pymupdf.open(sample_pdfs[10])
    born = pymupdf.open()
    born.insert_pdf(source, from_page=7, to_page=10)
    born.save(folder / "born.pdf")
    book = pymupdf.open()
    book.insert_pdf(born, from_page=0, to_page=0)
    scan_into(book, born[1], dpi=200, angle=0.8)
    layered = scan_into(book, born[2], dpi=150, angle=-0.5, noise=6)
    nonsense = (
        "KpynHeMWMx o6uecTBO ecTb ucTopw4ecKu cnoxuBWaAcA CoBOKYNHOCTb nwoAeN CBA3aHHbIx O6WMMM ycnOBMAMM"
    )
    for i in range(8):
        layered.insert_text((50, 80 + 20 * i), nonsense, fontsize=6, render_mode=3)
    scan_into(book, born[3], dpi=200, angle=-90)
    book.save(folder / "скан.pdf")
    store = Store(folder / "store")

    def load() -> IngestReport:
        return ingest(
            folder / "скан.pdf",
            grades=[10],
            subject="обществознание",
            title="Обществознание",
            store=store,
            embedder=LengthEmbedder(),
            settings=IngestSettings(workers=1),
        )

    report = load()
    parts = store.read_book("obshchestvoznanie-10", LengthEmbedder())
    assert parts is not None, report
    return Scanned(
        folder / "скан.pdf", report, parts.book, tuple(parts.chunks), read(folder / "born.pdf"), load
    )


@pytest.mark.usefixtures("mixed")
class TestScans:
    pytestmark = needs_tesseract

    def test_scans_are_read_as_they_were_printed(self, mixed: Scanned) -> None:
        assert [page.ocr for page in mixed.book.pages] == [False, True, True, True]
        for seen, known in zip(mixed.book.pages[1:], mixed.born.book.pages[1:], strict=True):
            # Line by line, as boxes and tables may be read in another order than they were typeset.
            found = normalise(seen.text)
            lines = [normalise(line) for line in known.text.splitlines() if len(line) >= 20]
            right = sum(len(line) * fuzz.partial_ratio(line, found) / 100 for line in lines)
            assert right / sum(map(len, lines)) >= 0.98, seen.file_page

    def test_structure_and_page_numbers_survive(self, mixed: Scanned) -> None:
        sections = [(s.numbers, s.title, s.file_page) for s in mixed.born.book.paragraphs]
        assert [(s.numbers, s.title, s.file_page) for s in mixed.book.paragraphs] == sections
        numbers = [page.printed_page for page in mixed.born.book.pages]
        assert [page.printed_page for page in mixed.book.pages] == numbers

    def test_no_latin_garbage_is_indexed(self, mixed: Scanned) -> None:
        assert all("KpynHeMWMx" not in chunk.text for chunk in mixed.chunks)

    def test_quotes_are_highlighted_on_the_scan(self, mixed: Scanned) -> None:
        shelf = Shelf(mixed.book, mixed.path)
        for sheet in (2, 3, 4):
            page = mixed.book.page(sheet)
            quote = " ".join(word.text for word in page.words[12:30])
            boxes = page.words[12:30]
            left, top, right, bottom = yellow_box(shelf, sheet, quote)
            width, height = pymupdf.open(mixed.path)[sheet - 1].rect.br
            if sheet == 4:  # scanned on its side, shown upright
                width, height = height, width
                boxes = tuple(Word(w.text, width - w.y1, w.x0, width - w.y0, w.x1) for w in boxes)
            assert left * width == pytest.approx(min(b.x0 for b in boxes), abs=12)
            assert right * width == pytest.approx(max(b.x1 for b in boxes), abs=12)
            assert top * height == pytest.approx(min(b.y0 for b in boxes), abs=12)
            assert bottom * height == pytest.approx(max(b.y1 for b in boxes), abs=12)

    def test_boxes_are_where_the_letters_are(self, mixed: Scanned) -> None:
        """Ink under the box of a word, paper above the first line: the boxes follow the skew of the sheet."""
        with pymupdf.open(mixed.path) as document:
            page = document[1]
            for word in [word for word in mixed.book.page(2).words if len(word.text) > 6]:
                clip = pymupdf.Rect(word.x0, word.y0, word.x1, word.y1)
                grey = np.frombuffer(page.get_pixmap(clip=clip, colorspace=pymupdf.csGRAY).samples, np.uint8)
                assert np.mean(grey < 150) > 0.06, word

    def test_ocr_pages_are_counted_and_the_same_file_is_not_read_again(self, mixed: Scanned) -> None:
        first = mixed.report
        assert (first.status, first.pages_ocr, first.pages_unreadable) == ("ok", 3, 0)
        again = mixed.again()
        assert (again.status, again.pages_ocr) == ("unchanged", 3)
        assert again.seconds < first.seconds / 4


def photo_of_spread(left: pymupdf.Page, right: pymupdf.Page, dpi: int = 170) -> pymupdf.Pixmap:
    """Two open pages on a dark table, askew and in the shadow of the lamp."""
    sheet = pymupdf.open()
    page = sheet.new_page(width=left.rect.width + right.rect.width, height=left.rect.height)
    page.show_pdf_page(left.rect, left.parent, left.number)
    page.show_pdf_page(right.rect + (left.rect.width, 0, left.rect.width, 0), right.parent, right.number)
    matrix = pymupdf.Matrix(dpi / 72, dpi / 72).prerotate(0.7)
    drawn = page.get_pixmap(matrix=matrix, colorspace=pymupdf.csGRAY)
    grey = np.frombuffer(drawn.samples, np.uint8).reshape(drawn.height, drawn.stride)[:, : drawn.width]
    paper = 30 + grey.astype(float) * (190 / 255)
    paper *= 1 - 0.45 * np.exp(-np.arange(drawn.width) / (0.1 * drawn.width))
    table = np.full((drawn.height + 160, drawn.width + 240), 35.0)
    table[90 : 90 + drawn.height, 70 : 70 + drawn.width] = paper
    table += np.random.default_rng(3).normal(0, 6, table.shape)
    samples = np.clip(table, 0, 255).astype(np.uint8).tobytes()
    return pymupdf.Pixmap(pymupdf.csGRAY, table.shape[1], table.shape[0], samples, False)


LEAVES = (
    "<h2>§ 1. Общество</h2><p>Общество изучают многие науки. В XIX в. появилась особая наука о нём — "
    "социология. Люди связаны друг с другом трудом, обменом и верой.</p>",
    "<p>Такие связи называются общественными отношениями. Они складываются между группами людей и внутри "
    "этих групп, часто помимо их воли.</p>",
    "<h2>§ 2. Сферы жизни общества</h2><p>Выделяют четыре сферы жизни общества: экономическую, социальную, "
    "политическую и духовную.</p>",
    "<p>Экономическая сфера охватывает производство, обмен и потребление. Государство действует в "
    "политической сфере.</p>",
)


def leaf(document: pymupdf.Document, html: str, number: int) -> None:
    """A small page with its number at the foot."""
    page = document.new_page(width=260, height=300)
    page.insert_htmlbox(pymupdf.Rect(35, 35, 225, 260), html, css="* {font-size: 11px} h2 {font-size: 14px}")
    page.insert_text((126, 284), str(number), fontsize=11)


@pytest.mark.tesseract
@pytest.mark.skipif(missing("tesseract") is not None, reason=f"no Tesseract with rus: {INSTALL}")
def test_phone_photos_of_open_books_give_both_pages_their_number(tmp_path: Path) -> None:
    """Two photos only, with other pages between them: each page is called by the number that it shows."""
    known, photos = pymupdf.open(), pymupdf.open()
    for html, number in zip(LEAVES, (2, 3, 6, 7), strict=True):
        leaf(known, html, number)
    for sheet in (0, 2):
        picture = photo_of_spread(known[sheet], known[sheet + 1])
        page = photos.new_page(width=picture.width * 72 / 170, height=picture.height * 72 / 170)
        page.insert_image(page.rect, stream=picture.tobytes("jpg", jpg_quality=75))
    known.save(tmp_path / "книга.pdf")
    photos.save(tmp_path / "фото.pdf")
    seen, born = read(tmp_path / "фото.pdf"), read(tmp_path / "книга.pdf")
    assert [page.printed_page for page in seen.book.pages] == ["2–3", "6–7"]
    sections = [(s.numbers, s.title, s.printed_page) for s in seen.book.paragraphs]
    assert sections == [(("1",), "Общество", "2"), (("2",), "Сферы жизни общества", "6")]
    found, wanted = by_page(seen), by_page(born)
    assert found.keys() == wanted.keys() == {"2", "3", "6", "7"}
    for page_number, text in wanted.items():
        assert fuzz.ratio(text, found[page_number]) > 98, page_number
    assert "В XIX в. появилась особая наука" in "".join(chunk.text for chunk in seen.chunks)
    quote = "Такие связи называются общественными отношениями"
    left, top, right, bottom = yellow_box(Shelf(seen.book, tmp_path / "фото.pdf"), 1, quote)
    assert 0.5 < left < right < 0.95, "on the right page"
    assert 0.15 < top < bottom < 0.5


def by_page(parsed: Parsed) -> dict[str | None, str]:
    """Letters that chunks quote, by printed page."""
    out: dict[str | None, str] = {}
    for chunk in parsed.chunks:
        for span in chunk.spans:
            text = normalise(chunk.text[span.start : span.end])
            out[span.printed_page] = out.get(span.printed_page, "") + text
    return out


@pytest.mark.tesseract
@pytest.mark.skipif(missing("tesseract") is not None, reason=f"no Tesseract with rus: {INSTALL}")
def test_text_that_nobody_can_read_is_reported_and_a_picture_is_not(
    tmp_path: Path, sample_pdfs: dict[int, Path]
) -> None:
    source = pymupdf.open(sample_pdfs[10])
    book = pymupdf.open()
    book.insert_pdf(source, from_page=5, to_page=5)
    source[6].set_cropbox(pymupdf.Rect(0, 50, source[6].rect.width, 300))
    scan_into(book, source[6], dpi=40, noise=25)
    xs, ys = np.meshgrid(np.linspace(0, 9, 210), np.linspace(0, 7, 297))
    waves = (120 + 60 * np.sin(xs) * np.cos(ys)).astype(np.uint8).tobytes()
    picture = book.new_page(width=210, height=297)
    picture.insert_image(picture.rect, pixmap=pymupdf.Pixmap(pymupdf.csGRAY, 210, 297, waves, False))
    book.save(tmp_path / "книга.pdf")
    parsed = read(tmp_path / "книга.pdf")
    assert parsed.partial
    assert [page.kind for page in parsed.book.pages] == ["body", "unreadable", "blank"]
    assert parsed.book.page(3).warning == "картинка без текста"
    (warning,) = [text for text in parsed.book.warnings if "Лист" in text]
    assert warning.startswith("Лист 2: на листе есть строки, но прочесть их не удалось")


def giant(path: Path, width: int = 15_000, height: int = 14_000) -> Path:
    """A page with a line of text and one picture, uncompressed, 600 MB; a file with a hole."""
    text = b"BT /F 12 Tf 50 700 Td (Hello) Tj ET q 500 0 0 500 0 0 cm /I Do Q"
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</XObject<</I 5 0 R>>"
        b"/Font<</F<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>>>",
        b"<</Length %d>>stream\n%s\nendstream" % (len(text), text),
        b"<</Type/XObject/Subtype/Image/Width %d/Height %d/BitsPerComponent 8/ColorSpace/DeviceRGB"
        b"/Length %d>>stream\n" % (width, height, 3 * width * height),
    ]
    places = []
    with path.open("wb") as file:
        file.write(b"%PDF-1.4\n")
        for number, content in enumerate(objects, start=1):
            places.append(file.tell())
            file.write(b"%d 0 obj\n%s" % (number, content))
            if number == len(objects):
                file.seek(3 * width * height, 1)
                file.write(b"\nendstream")
            file.write(b"\nendobj\n")
        table = file.tell()
        file.write(b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1))
        file.writelines(b"%010d 00000 n \n" % place for place in places)
        file.write(b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (len(objects) + 1, table))
    return path


PEAK = """
import resource, sys
from pathlib import Path
from ingest.reader import read_again, read_pdf
from ingest.settings import IngestSettings
settings = IngestSettings(workers=1)
(page,) = read_pdf(Path(sys.argv[1]), settings).pages
print(page.text.strip())
for way in ("ocr", "picture"):
    print(read_again(Path(sys.argv[1]), settings, [1], way)[1].failure)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)
"""


def test_a_giant_picture_is_refused_before_it_is_loaded(tmp_path: Path) -> None:
    command = [sys.executable, "-c", PEAK, str(giant(tmp_path / "огромная.pdf"))]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    text, refusal, picture, peak = done.stdout.splitlines()
    assert text == "Hello"
    assert refusal == "картинка слишком велика для распознавания (15000 × 14000 точек, 600 МБ без сжатия)"
    assert picture == "None"
    assert int(peak) < 300, "megabytes"


def blank_scan(path: Path) -> Path:
    """A digital page and a scanned one."""
    document = pymupdf.open()
    page = document.new_page(width=420, height=595)
    text = "<h2>§ 1. Право</h2><p>Право есть система норм, которую охраняет государство.</p>"
    page.insert_htmlbox(pymupdf.Rect(50, 50, 370, 540), text)
    scan_into(document, page, dpi=100)
    document.save(path)
    return path


def test_without_tesseract_the_report_says_what_to_install(tmp_path: Path) -> None:
    parsed = read(blank_scan(tmp_path / "скан.pdf"), tesseract=str(tmp_path / "нет такой программы"))
    assert parsed.partial
    assert [page.kind for page in parsed.book.pages] == ["body", "unreadable"]
    assert any(INSTALL in warning for warning in parsed.book.warnings)
    only = pymupdf.open(tmp_path / "скан.pdf")
    only.select([1])
    only.save(tmp_path / "только скан.pdf")
    with pytest.raises(NoText, match="apt install tesseract-ocr tesseract-ocr-rus"):
        read(tmp_path / "только скан.pdf", tesseract=str(tmp_path / "нет такой программы"))


def test_tesseract_without_russian_reads_nothing_in_english(tmp_path: Path) -> None:
    program = tmp_path / "tesseract"
    program.write_text(
        f'#!/bin/sh\necho "$@" >> {tmp_path / "calls"}\nprintf "Available languages (2):\\neng\\nosd\\n"\n'
    )
    program.chmod(0o755)
    parsed = read(blank_scan(tmp_path / "скан.pdf"), tesseract=str(program))
    assert parsed.partial
    assert any("нет русского языка" in warning for warning in parsed.book.warnings)
    assert (tmp_path / "calls").read_text().split() == ["--list-langs"]


@pytest.mark.tesseract
@pytest.mark.skipif(shutil.which("tesseract") is None, reason=f"no Tesseract: {INSTALL}")
def test_english_recognition_of_a_russian_page_is_seen_to_be_garbage(sample_pdfs: dict[int, Path]) -> None:
    """The layer that other programs write over a Russian scan, made here by Tesseract itself."""
    from ingest.lines import RawPage
    from ingest.quality import assess

    if (
        "eng"
        not in subprocess.run(["tesseract", "--list-langs"], capture_output=True, text=True).stdout.split()
    ):
        pytest.skip("no Tesseract with eng")
    page = pymupdf.open(sample_pdfs[10])[8]
    page.set_cropbox(pymupdf.Rect(0, 50, page.rect.width, 250))
    picture = photographed(page, 200, 0, 5).tobytes("png")
    command = ["tesseract", "stdin", "stdout", "-l", "eng"]
    text = subprocess.run(command, input=picture, capture_output=True, check=True).stdout.decode()
    verdict = assess(RawPage(1, 400, 600, text, image_share=1.0))
    assert verdict.reason is not None


LSHORT = SHARED / "data" / "pdf" / "lshortru.pdf"


@pytest.mark.skipif(not LSHORT.exists(), reason="../shared/data/pdf/lshortru.pdf is absent")
def test_book_without_a_table_of_letters_is_repaired_and_highlighted(tmp_path: Path) -> None:
    document = pymupdf.open(LSHORT)
    document.select(list(range(28, 36)))
    document.save(tmp_path / "глава.pdf")
    parsed = read(tmp_path / "глава.pdf", ocr=False)
    page = parsed.book.page(3)
    assert page.repair == "t2a"
    assert "При работе с большими документами вам может быть удобно разделить" in page.text
    text = "\n".join(chunk.text for chunk in parsed.chunks)
    assert "распечатать программой dvips или аналогичной" in text
    assert not any("\u00c0" <= ch <= "\u00ff" for ch in text)
    _, top, _, bottom = yellow_box(
        Shelf(parsed.book, tmp_path / "глава.pdf"), 3, "вам может быть удобно разделить входной файл"
    )
    assert 0.5 < top < bottom < 0.65
