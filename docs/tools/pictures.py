"""Draws the pictures of the guides from the running product, in docs/pictures. Needs Debian's chromium.

    python docs/tools/pictures.py [STORE]

The Telegram chat is played against the stand-in for the Bot API, the web page is asked over HTTP, the
report comes from loading a sample textbook. STORE (default data/store) holds the samples.
"""

from __future__ import annotations

import asyncio
import base64
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import cast

import aiohttp
import pymupdf

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(Path(__file__).parent)]

from render_chat import talk  # noqa: E402

from answer.assistant import Assistant  # noqa: E402
from answer.query import ScopeOptions  # noqa: E402
from bot.page_picture import render_page  # noqa: E402
from bot.rendering import page_refs  # noqa: E402

PICTURES = ROOT / "docs" / "pictures"
SAMPLE = ROOT / "data" / "samples" / "build" / "obshestvoznanie_10.pdf"
QUESTION = "Что такое общество?"
TALK = (QUESTION, ">10 класс", ">стр. 1", "кто выиграл чемпионат мира по футболу")
HOMEWORK = ("/grade 10", "дз 3 параграф")
CONTENTS = ("/grade 10", "/contents", ">Глава II", ">§ 7")
ON_THE_PAGE = ("Что такое общество, 10 класс", "кто выиграл чемпионат мира по футболу")
TALLEST = 2600
"""Pixels; the empty rest of a picture is cut off."""


def main(store: str = "data/store") -> None:
    """All pictures."""
    PICTURES.mkdir(exist_ok=True)
    loaded = Path(store)
    shoot(asyncio.run(talk(loaded, TALK)), "telegram", 440)
    shoot(asyncio.run(talk(loaded, HOMEWORK)), "telegram-homework", 440)
    shoot(asyncio.run(talk(loaded, CONTENTS)), "telegram-contents", 440)
    shoot(asyncio.run(web_page(loaded)), "web", 900)
    shoot(report(), "report", 900, 1500)
    save(highlighted_page(loaded), "page", 700)


def shoot(page: str, name: str, width: int, tallest: int = TALLEST) -> None:
    """A screenshot of a page that needs no other file."""
    with tempfile.TemporaryDirectory() as folder:
        html, png = Path(folder) / "page.html", Path(folder) / "page.png"
        html.write_text(page, encoding="utf-8")
        subprocess.run(  # noqa: S603 - our own page
            [  # noqa: S607
                "chromium", "--headless", "--no-sandbox", "--hide-scrollbars", "--disable-gpu",
                f"--window-size={width},{tallest}", f"--screenshot={png}", html.as_uri(),
            ],
            check=True,
            capture_output=True,
            timeout=120,
        )  # fmt: skip
        save(png.read_bytes(), name, width)


def save(png: bytes, name: str, width: int) -> None:
    """Cuts the empty bottom off and writes docs/pictures/NAME.png, at most `width` pixels wide."""
    image = pymupdf.Pixmap(pymupdf.csRGB, pymupdf.Pixmap(png))
    row, empty = image.stride, image.samples[-image.stride :]
    height = image.height
    while height > 1 and image.samples[(height - 1) * row : height * row] == empty:
        height -= 1
    used = pymupdf.Rect(0, 0, image.width, min(height + 16, image.height))
    with pymupdf.open() as document:
        page = document.new_page(width=used.width, height=used.height)
        page.insert_image(pymupdf.Rect(0, 0, image.width, image.height), pixmap=image)
        scale = min(1.0, width / image.width)
        drawn = page.get_pixmap(matrix=pymupdf.Matrix(scale, scale), alpha=False)
    drawn.save(PICTURES / f"{name}.png")


async def web_page(store: Path) -> str:
    """The chat page after some questions, with its style and pictures inside."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-P", "-m", "bot", "serve", "--web", "127.0.0.1:0", "--no-open",
        "--store", str(store), stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    output = cast(asyncio.StreamReader, process.stdout)
    try:
        line = (await asyncio.wait_for(output.readline(), 60)).decode()
        url = line.split("чата: ")[1].split()[0]
        async with aiohttp.ClientSession(url, cookie_jar=aiohttp.CookieJar(unsafe=True)) as browser:
            for question in ON_THE_PAGE:
                html = await (await browser.post("/ask", data={"question": question})).text()
            style = await (await browser.get("/static/chat.css")).text()
            # The line for questions sticks to the window's end, which is far below the talk here.
            style += "body { min-height: 0; } .ask { position: static; }"
            html = re.sub(r"<link[^>]*chat\.css[^>]*>", lambda _: f"<style>{style}</style>", html)
            html = html.replace("<details", "<details open", 1)
            shown = re.search(r'src="(/picture[^"]+)"', html)
            if shown is not None:
                png = await (await browser.get(shown[1].replace("&amp;", "&"))).read()
                inside = "data:image/png;base64," + base64.b64encode(png).decode()
                html = html.replace(shown[0], f'src="{inside}"', 1)
            return re.sub(r'<img[^>]*src="/picture[^>]*>', "", html)
    finally:
        process.terminate()
        await process.wait()


def report() -> str:
    """The report of a sample textbook, as `paragraf ingest --report` writes it."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "report.html"
        subprocess.run(  # noqa: S603 - our own command
            [
                sys.executable, "-P", "-m", "ingest", str(SAMPLE), "--grade", "10",
                "--subject", "обществознание", "--title", "Обществознание",
                "--store", folder + "/store", "--report", str(out),
            ],
            check=True,
            capture_output=True,
        )  # fmt: skip
        return out.read_text(encoding="utf-8")


def highlighted_page(store: Path) -> bytes:
    """The page that answers QUESTION."""
    assistant = Assistant.open(store)
    ref = page_refs(assistant.ask(QUESTION, options=ScopeOptions(grade=10)).answer)[0]
    return render_page(assistant.library, ref.book_id, ref.file_page, ref.quotes)


if __name__ == "__main__":
    main(*sys.argv[1:])
