"""`notebooks/rebuild_index.ipynb` as a teacher runs it: top to bottom in its own kernel, no Colab, no GPU.

It goes on from the archive that an earlier session left in the folder (both sample textbooks), loads one more
book, and starts the bot against the stand-in of the Bot API.
"""

from __future__ import annotations

import asyncio
import base64
import json
import os
import re
from pathlib import Path
from typing import Any

import nbformat
import pymupdf
import pytest
from botapi.server import TOKEN, BotApi
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

from bot.archive_command import import_store
from index.archive import write_archive
from index.embedders import load_embedder
from index.store import Store

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOK = ROOT / "notebooks" / "rebuild_index.ipynb"
CARDS = """файл;класс;предмет;название
obshestvoznanie_9.pdf;9;обществознание;Обществознание
obshestvoznanie_10.pdf;10;обществознание;Обществознание
Краеведение 6 класс.pdf;6;краеведение;Краеведение
"""
QUESTIONS = """вопрос;класс;параграф;ответ
Что такое общество?;10;1;В узком смысле обществом называют группу людей
Где находится ратуша?;6;1;Ратуша стоит на Рыночной площади
Как правильно варить борщ со свёклой?;9;;нет
Что такое общество?;10;1;это когда люди вместе
"""


def notebook(**parameters: object) -> Any:
    """The notebook with other values in its form fields, as a teacher types them."""
    book = nbformat.read(NOTEBOOK, as_version=4)
    for name, value in parameters.items():
        pattern = re.compile(rf"^{name} = .*?(?=  # @param|$)", re.MULTILINE)
        cells = [cell for cell in book.cells if cell.cell_type == "code" and pattern.search(cell.source)]
        assert len(cells) == 1, name
        cells[0].source = pattern.sub(lambda _, line=f"{name} = {value!r}": line, cells[0].source)
    return book


def kernel(book: Any, folder: Path) -> NotebookClient:
    """What runs the notebook in `folder`."""
    return NotebookClient(
        book, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(folder)}}
    )


async def execute(client: NotebookClient, **environment: str) -> Any:
    """Runs every cell; the environment reaches the kernel."""
    return await client.async_execute(env={**os.environ, "OMP_NUM_THREADS": "1", **environment})


def text_of(book: Any) -> str:
    """Everything that is shown, HTML as its text."""
    parts = []
    for output in (output for cell in book.cells for output in cell.get("outputs", [])):
        data = output.get("data", {})
        parts.append(output.get("text", "") + data.get("text/html", data.get("text/plain", "")))
    return "\n".join(parts)


def local_history(path: Path) -> None:
    document = pymupdf.open()
    for number, (title, words) in enumerate(
        (
            ("Наш город", "Ратуша стоит на Рыночной площади. Её построили в 1787 году из красного кирпича."),
            ("Наша река", "Река Тихая берёт начало в болотах. Весной она разливается на километр."),
        ),
        1,
    ):
        page = document.new_page(width=420, height=595)
        page.insert_htmlbox(pymupdf.Rect(50, 50, 370, 540), f"<h2>§ {number}. {title}</h2><p>{words}</p>")
    document.save(path)
    document.close()


def test_it_is_committed_clean_and_pins_this_version() -> None:
    book = nbformat.read(NOTEBOOK, as_version=4)
    nbformat.validate(book)
    code = [cell for cell in book.cells if cell.cell_type == "code"]
    assert all(cell.outputs == [] and cell.execution_count is None for cell in code)
    version = re.search(
        r'^version = "(.*)"$', (ROOT / "pyproject.toml").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert version is not None
    assert any(f'RELEASE = "{version[1]}"' in cell.source for cell in code)
    for cell in code:
        compile(cell.source, "cell", "exec")
        assert cell.metadata["cellView"] == "form"
        assert cell.source.startswith("# @title ")


async def test_a_teacher_gets_report_answers_figures_archive_and_bot(
    sample_store: Path, sample_pdfs: dict[int, Path], tmp_path: Path
) -> None:
    work = tmp_path / "мои учебники"
    (work / "pdf").mkdir(parents=True)
    for pdf in sample_pdfs.values():
        (work / "pdf" / pdf.name).write_bytes(pdf.read_bytes())
    local_history(work / "pdf" / "Краеведение 6 класс.pdf")
    (work / "учебники.csv").write_text(CARDS, encoding="utf-8-sig")
    (work / "вопросы.csv").write_text(QUESTIONS, encoding="cp1251")
    write_archive(Store(sample_store), work / "учебники.paragraf")

    book = notebook(
        FOLDER="мои учебники",
        QUESTION_1="Что такое общество? 10 класс",
        QUESTION_2="Где стоит ратуша? 6 класс",
        QUESTION_3="Как варить борщ? 9 класс",
        START_BOT=True,
    )
    client = kernel(book, tmp_path)
    async with BotApi() as api:
        run = asyncio.create_task(execute(client, BOT_TOKEN=TOKEN, TELEGRAM_API_BASE=api.base))
        polling = asyncio.create_task(api.until(lambda: api.made("getUpdates"), 200))
        await asyncio.wait({run, polling}, return_when=asyncio.FIRST_COMPLETED)
        polling.cancel()
        if not run.done():
            await client.km.interrupt_kernel()
        executed = await run
    if keep := os.environ.get("KEEP_NOTEBOOK"):  # to look at it: jupyter nbconvert --to html
        nbformat.write(executed, keep)
    shown = text_of(executed)
    raw = nbformat.writes(executed)

    assert "Продолжаем: книги взяты из учебники.paragraf" in shown
    assert shown.count("уже была загружена (страниц") == 2
    assert "Краеведение 6 класс.pdf: загружена (страниц 2, параграфов 2" in shown
    reports = [output for output in shown.split("<iframe")[1:] if "srcdoc=" in output]
    assert len(reports) == 4
    assert "Наша река" in shown
    assert re.search(r"примерно \d+ мин", shown)

    assert "В узком смысле обществом называют группу людей" in shown
    assert "Обществознание, 10 класс · § 1" in shown
    assert "Ратуша стоит на Рыночной площади" in shown
    assert "В учебнике этого нет" in shown
    pictures = [base64.b64decode(data) for data in re.findall(r'src="data:image/png;base64,([^"]+)"', shown)]
    assert len(pictures) >= 2
    assert all(yellow_pixels(picture) > 500 for picture in pictures)

    assert "Вопросов: 4" in shown
    assert "Строка 5: таких слов в учебнике нет" in shown
    assert re.search(r"верный ответ или верный отказ</td><td[^>]*>\d+%", shown)

    assert "EMBEDDER=bundled paragraf import учебники.paragraf" in shown
    fresh = Store(tmp_path / "школа")
    assert "Добавлено учебников: 3" in import_store(
        work / "учебники.paragraf", fresh, load_embedder("bundled"), 1
    )

    assert "Бот остановлен." in shown
    assert TOKEN not in raw
    assert TOKEN.partition(":")[2] not in raw
    assert "Traceback" not in raw


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({}, "нет ни одного PDF"),
        ({"pdf/x.pdf": b""}, "Заполните карточку и выполните ячейку ещё раз. Без карточки: x.pdf"),
        ({"учебники.paragraf": b"PK\3\4"}, "обрезан или повреждён"),
    ],
)
async def test_what_is_missing_is_said_in_a_sentence(
    files: dict[str, bytes], said: str, tmp_path: Path
) -> None:
    for name, content in files.items():
        path = tmp_path / "Paragraf" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".pdf":
            local_history(path)
        else:
            path.write_bytes(content)
    book = notebook()
    with pytest.raises(CellExecutionError):
        await execute(kernel(book, tmp_path))
    assert said in text_of(book)
    errors = [out for cell in book.cells for out in cell.get("outputs", []) if out.output_type == "error"]
    assert [error.ename for error in errors] == ["Stop"]
    assert "Traceback" not in json.dumps(errors)


def yellow_pixels(png: bytes) -> int:
    data, step = (picture := pymupdf.Pixmap(png)).samples, picture.n
    triples = zip(data[::step], data[1::step], data[2::step], strict=False)
    return sum(1 for r, g, b in triples if r > 220 and g > 190 and b < 120)
