"""The bot as a real process over the sample textbooks and the bundled model, against the stand-in."""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path

import pymupdf
from botapi.checks import check_photo
from botapi.process import SLOW, serving
from botapi.records import ANYA, Fault, Refused, Sent
from botapi.server import CONFLICT, BotApi

from index.embedders import load_embedder
from index.library import Library
from index.store import Store


def yellow_pixels(png: bytes) -> int:
    data, step = (picture := pymupdf.Pixmap(png)).samples, picture.n
    triples = zip(data[::step], data[1::step], data[2::step], strict=False)
    return sum(1 for r, g, b in triples if r > 220 and g > 190 and b < 120)


def quotes_of(message: Sent) -> list[str]:
    raw = message.text.encode("utf-16-le")
    return [
        raw[2 * e["offset"] : 2 * (e["offset"] + e["length"])].decode("utf-16-le")
        for e in message.entities
        if "blockquote" in e["type"]
    ]


async def ask(api: BotApi, text: str) -> Sent:
    api.say(text)
    return await api.next_message(SLOW)


async def test_a_student_talks_to_the_bot(sample_store: Path, tmp_path: Path) -> None:
    async with BotApi() as api, serving(api, sample_store, tmp_path) as bot:
        hello = await ask(api, "/start")
        assert list(hello.buttons)[:2] == ["9 класс", "10 класс"]
        api.press(hello, "10 класс")
        assert "10 класс" in (await api.next_message()).text

        answer = await ask(api, "Что такое общество?")
        assert answer.parse_mode == "HTML"
        assert "Обществознание, 10 класс · § " in answer.text
        pages = literal_pages(sample_store, "10", quotes_of(answer))
        assert pages
        press = api.press(answer, next(iter(answer.buttons)))
        photo = await api.next_message(SLOW)
        assert photo.photo is not None
        check_photo(photo.photo)
        assert yellow_pixels(photo.photo) > 2000
        assert "10 класс" in photo.text
        assert press in api.button_answers

        refusal = await ask(api, "Как приготовить борщ?")
        assert list(refusal.buttons) == ["👍", "👎"]
        assert not quotes_of(refusal)

        assert "забыл" in (await ask(api, "/forget")).text
        clarify = await ask(api, "О чём § 3?")
        assert len(clarify.buttons) == 2
        label = next(label for label in clarify.buttons if "9" in label)
        api.press(clarify, label)
        resumed = await api.next_message(SLOW)
        assert "Обществознание, 9 класс" in resumed.text
        assert "§ 3" in resumed.text

        block = await ask(api, "Ответы на вопросы § 2, 9 класс")
        assert "1. " in block.text
        assert [call.error for call in api.calls if call.error] == []

        code, printed = await bot.end(signal.SIGTERM)
        assert code == 0
        assert "TEST-SECRET" not in printed
        assert "Traceback" not in printed
        assert str(ANYA.id) not in printed
        assert "борщ" not in printed


def literal_pages(store: Path, grade: str, quotes: list[str]) -> set[int]:
    """Sheets of the grade's book whose chunks hold the quotes; every quote must be found."""
    library = Library.load(Store(store), load_embedder("bundled"))
    found = set()
    for quote in quotes:
        holders = [c for c in library.chunks() if quote in c.text and int(grade) in c.grades]
        assert holders, quote
        found.update(chunk.file_pages[0] for chunk in holders)
    return found


async def test_it_ends_when_asked_also_while_telegram_is_away(sample_store: Path, tmp_path: Path) -> None:
    async def asked(stop: signal.Signals) -> None:
        folder = tmp_path / stop.name
        folder.mkdir()
        async with BotApi() as api:
            api.fail("getMe", Fault(drop=True, times=None))
            async with serving(api, sample_store, folder) as bot:
                await api.until(lambda: api.made("getMe"), SLOW)
                code, printed = await bot.end(stop)
        assert code == 0
        assert "Traceback" not in printed
        assert "TEST-SECRET" not in printed

    await asyncio.gather(asked(signal.SIGINT), asked(signal.SIGTERM))


async def test_what_ends_the_bot_is_one_clear_message(sample_store: Path, tmp_path: Path) -> None:
    """A refused token, a second instance, a damaged database."""

    async def ended(name: str, fault: Fault | None = None, **env: str) -> str:
        folder = tmp_path / name
        folder.mkdir()
        if name == "damaged":
            (folder / "users.sqlite3").write_bytes(b"damaged" * 1000)
        async with BotApi() as api:
            if fault is not None:
                api.fail("getUpdates", fault)
            async with serving(api, sample_store, folder, **env) as bot:
                code, printed = await bot.end()
        assert code == 1
        assert "Traceback" not in printed
        assert "SECRET" not in printed
        return printed

    token, second, damaged = await asyncio.gather(
        ended("token", BOT_TOKEN="123456:WRONG-SECRET"),
        ended("second", Fault(Refused(409, CONFLICT), times=None), TELEGRAM_CONFLICT_TRIES="2"),
        ended("damaged"),
    )
    assert "Telegram не принимает BOT_TOKEN" in token
    assert "второй экземпляр" in second
    assert "users.sqlite3" in damaged


async def test_wrong_settings_are_named_without_their_values(sample_store: Path, tmp_path: Path) -> None:
    async with BotApi() as api, serving(api, sample_store, tmp_path, ADMIN_IDS="me") as bot:
        code, printed = await bot.end()
    assert code == 1
    assert "ADMIN_IDS" in printed
    assert "Traceback" not in printed
