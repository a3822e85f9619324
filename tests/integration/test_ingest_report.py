"""The report that a teacher opens: everything about a book in one file, nothing of a book is markup."""

from __future__ import annotations

import base64
import json
import re
import subprocess
import sys
from html.parser import HTMLParser
from io import StringIO
from pathlib import Path

import numpy as np
import pymupdf
import pytest
from rich.console import Console

from index.embedder import Vectors
from index.store import Store
from ingest.html_report import write_html
from ingest.pipeline import ingest
from ingest.report import IngestReport, show
from ingest.settings import IngestSettings

ROOT = Path(__file__).resolve().parents[2]
SETTINGS = IngestSettings(ocr=False, workers=1)


class OneEmbedder:
    """All texts alike: nothing is searched here."""

    id, dimension, max_tokens = "one/1", 1, 512

    def count_tokens(self, text: str) -> int:
        return len(text) // 3

    def embed_passages(self, texts: list[str]) -> Vectors:
        return np.ones((len(texts), 1), dtype=np.float32)

    def embed_query(self, text: str) -> Vectors:
        return np.ones(1, dtype=np.float32)


def textbook(path: Path) -> Path:
    """§§ 1, 2 and 4, then a sheet that is a picture alone."""
    document = pymupdf.open()
    for number, title in ((1, "Власть"), (2, "Знаки &lt;script&gt;"), (4, "Право")):
        page = document.new_page(width=420, height=595)
        words = "Право есть система норм, которую охраняет государство &lt;b&gt;всегда&lt;/b&gt;."
        page.insert_htmlbox(pymupdf.Rect(50, 50, 370, 540), f"<h2>§ {number}. {title}</h2><p>{words}</p>")
    picture = pymupdf.Pixmap(pymupdf.csGRAY, pymupdf.IRect(0, 0, 60, 85))
    picture.clear_with(90)
    scan = document.new_page(width=420, height=595)
    scan.insert_image(scan.rect, pixmap=picture, keep_proportion=False)
    document.save(path)
    return path


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> list[IngestReport]:
    folder = tmp_path_factory.mktemp("отчёт")
    common = {"grades": [10], "subject": "право", "store": Store(folder / "store"), "embedder": OneEmbedder()}
    files = ((textbook(folder / "книга.pdf"), "Право <i>10</i>"), (folder / "нет.pdf", "Нет"))
    return [ingest(file, title=title, settings=SETTINGS, **common) for file, title in files]  # type: ignore[arg-type]


class Tags(HTMLParser):
    """Tags and addresses of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.names: list[str] = []
        self.addresses: list[str] = []
        self.tips: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)
        self.addresses += [value or "" for name, value in attrs if name in ("src", "href")]
        self.tips += [value or "" for name, value in attrs if name == "title"]


def test_the_page_shows_what_was_found_and_what_is_wrong(reports: list[IngestReport], tmp_path: Path) -> None:
    target = tmp_path / "отчёт.html"
    write_html(reports, target, SETTINGS)
    assert [file.name for file in tmp_path.iterdir()] == ["отчёт.html"]
    html = target.read_text(encoding="utf-8")
    tags = Tags(html)
    assert "<script" not in html
    assert "<i>10</i>" not in html
    assert "<b>всегда" not in html
    assert "Право &lt;i&gt;10&lt;/i&gt;" in html
    assert "система норм, которую охраняет государство &lt;b&gt;всегда" in html  # a sample chunk
    assert re.search(r"Пропущенные номера</h3>\s*<p>§ 3</p>", html)
    assert len(tags.tips) == 4 + 11
    assert tags.tips[1].startswith("лист 2 · ")
    assert "не прочитана" in tags.tips[3]
    assert "закрыт" not in html
    assert "Проверьте путь и имя" in html
    (picture,) = tags.addresses
    jpeg = base64.b64decode(picture.removeprefix("data:image/jpeg;base64,"))
    drawn = pymupdf.Pixmap(jpeg)
    assert drawn.height == 220
    assert abs(drawn.pixel(drawn.width // 2, 110)[0] - 90) < 8
    assert tags.names.count("figure") == 1
    assert "Книга загружена, но не все страницы прочитаны (не прочитано: 1 из 4)." in html
    assert html.count('<div title="') == 11  # the bars
    assert not re.search(r"https?://(?!www\.w3\.org)", html)


def test_a_file_that_has_gone_leaves_the_report_without_pictures(
    reports: list[IngestReport], tmp_path: Path
) -> None:
    from dataclasses import replace

    gone = replace(reports[0], file=str(tmp_path / "книга.pdf"))
    write_html([gone], tmp_path / "отчёт.html", SETTINGS)
    assert Tags((tmp_path / "отчёт.html").read_text(encoding="utf-8")).addresses == []


def test_table_fits_eighty_columns(reports: list[IngestReport]) -> None:
    out = StringIO()
    show(reports, Console(file=out, width=80))
    lines = out.getvalue().splitlines()
    assert max(map(len, lines)) <= 80
    for name in ("Файл", "Книга", "Итог", "Стр.", "Скан", "Брак", "§", "Фрагм.", "Сек."):
        assert name in lines[2]


def test_the_command_writes_the_report_and_keeps_its_json(tmp_path: Path) -> None:
    textbook(tmp_path / "книга.pdf")
    arguments = ["--grade", "10", "--subject", "право", "--title", "Право", "--store", "s", "--json"]
    environment = {
        "PYTHONPATH": str(ROOT),
        "PATH": "/usr/bin:/bin",
        "OMP_NUM_THREADS": "1",
        "INGEST_OCR": "0",
    }
    done = subprocess.run(
        [sys.executable, "-m", "ingest", "книга.pdf", *arguments, "--report", "отчёт.html"],
        cwd=tmp_path, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1, done.stderr
    (report,) = json.loads(done.stdout)
    assert report["status"] == "partial"
    assert "Право" in (tmp_path / "отчёт.html").read_text(encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "ingest", "книга.pdf", *arguments, "--report", "нет/отчёт.html"],
        cwd=tmp_path, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert "--report" in done.stderr
