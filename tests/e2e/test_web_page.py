"""The chat page: over HTTP as a form-filling browser and an API client, and in headless Chromium."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest
import pytest_asyncio

HOSTILE = '<script>alert(1)</script> "&amp; что такое общество?'


@pytest_asyncio.fixture
async def page_url(sample_store: Path) -> AsyncIterator[str]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-P", "-m", "bot", "serve", "--web", "127.0.0.1:0", "--no-open",
        "--store", str(sample_store),
        stdout=asyncio.subprocess.PIPE, env={"PYTHONUNBUFFERED": "1", "PATH": "/usr/bin:/bin"},
    )  # fmt: skip
    assert process.stdout is not None
    line = (await asyncio.wait_for(process.stdout.readline(), 60)).decode()
    yield line.split("чата: ")[1].split()[0]
    process.terminate()
    await process.wait()


async def test_form_answers_with_source_and_picture(page_url: str) -> None:
    jar = aiohttp.CookieJar(unsafe=True)
    async with aiohttp.ClientSession(page_url, cookie_jar=jar) as browser:
        opened = await (await browser.get("/")).text()
        assert "Попробуйте спросить" in opened
        answered = await (
            await browser.post("/ask", data={"question": "Что такое общество, 10 класс"})
        ).text()
        assert "§ 1" in answered
        assert "<blockquote>" in answered
        picture = answered.split('<img loading="lazy"')[1].split('src="')[1].split('"')[0]
        image = await browser.get(picture)
        assert image.content_type == "image/png"
        assert (await image.read()).startswith(b"\x89PNG")
    async with aiohttp.ClientSession(page_url) as stranger:
        assert (await stranger.get(picture)).status == 404


async def test_hostile_text_is_escaped_and_headers_forbid_scripts(page_url: str) -> None:
    async with aiohttp.ClientSession(page_url, cookie_jar=aiohttp.CookieJar(unsafe=True)) as browser:
        response = await browser.post("/ask", data={"question": HOSTILE})
        html = await response.text()
    assert "<script>" not in html
    assert "&lt;script&gt;" in html
    assert "default-src 'none'" in response.headers["Content-Security-Policy"]


async def test_api_contract_and_bad_bodies(page_url: str) -> None:
    async with aiohttp.ClientSession(page_url) as client:
        answer = await (
            await client.post("/api/ask", json={"question": "Что такое общество?", "grade": 10})
        ).json()
        assert answer["status"] == "supported"
        assert answer["sources"][0]["paragraph"] == "1"
        for body in (b"", b"{", b"[]", b'{"question": 5}', b'{"question": "x", "grade": 99}', b"\xff\xfe"):
            response = await client.post("/api/ask", data=body)
            assert response.status == 400
            assert "error" in await response.json()
        assert (await client.post("/api/ask", data=b"x" * 100_000)).status == 413
        health = await client.get("/healthz")
        assert (await health.json())["books"] == 2


async def test_clarifying_choice_answers_the_pending_question(page_url: str) -> None:
    async with aiohttp.ClientSession(page_url, cookie_jar=aiohttp.CookieJar(unsafe=True)) as browser:
        html = await (await browser.post("/ask", data={"question": "о чём § 2"})).text()
        assert 'name="option" value="1"' in html
        turn = html.split('name="turn" value="')[1].split('"')[0]
        html = await (await browser.post("/ask", data={"turn": turn, "option": "1"})).text()
        assert "§ 2" in html
        assert "<blockquote>" in html


@pytest.mark.parametrize("words", ["/forget", "забудь меня", "/reset", "Начать заново"])
async def test_words_empty_the_memory(page_url: str, words: str) -> None:
    async with aiohttp.ClientSession(page_url, cookie_jar=aiohttp.CookieJar(unsafe=True)) as browser:
        html = await (await browser.post("/ask", data={"question": "о чём § 2, 10 класс"})).text()
        assert "<blockquote>" in html
        html = await (await browser.post("/ask", data={"question": words})).text()
        assert "<blockquote>" not in html
        html = await (await browser.post("/ask", data={"question": "ответы на вопросы"})).text()
        assert "На вопросы какого параграфа ответить?" in html


@pytest.mark.browser
@pytest.mark.skipif(shutil.which("chromium") is None, reason="Debian's chromium is not installed")
async def test_page_fits_a_phone(page_url: str, tmp_path: Path) -> None:
    shot = tmp_path / "phone.png"
    done = await asyncio.to_thread(
        subprocess.run,
        ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        + [
            "--disable-sync",
            "--no-first-run",
            "--window-size=500,900",
            f"--user-data-dir={tmp_path / 'profile'}",
        ]
        + [f"--screenshot={shot}", page_url],
        capture_output=True,
        timeout=90,
    )
    assert done.returncode == 0, done.stderr[-500:]
    assert shot.stat().st_size > 10_000
