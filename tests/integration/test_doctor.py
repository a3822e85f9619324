"""`paragraf doctor`, and the addresses for those who watch over the bot."""

from __future__ import annotations

import asyncio
import shutil
import time
from pathlib import Path

import aiohttp
import pytest
from botapi.records import UNAUTHORIZED, Fault
from botapi.server import TOKEN, BotApi
from pydantic import SecretStr

from answer.generating.settings import GenerationSettings
from bot.doctor import Check, _database, _store, _tesseract
from bot.doctor_online import _clock, model, telegram
from bot.errors import PortTaken
from bot.health import run_health
from bot.metrics import SILENT_AFTER, Meters
from bot.settings import BotSettings
from index.embedders import load_embedder
from index.manifest import CHUNKER


def settings(api: BotApi, **changes: object) -> BotSettings:
    given = {"bot_token": SecretStr(TOKEN), "telegram_api_base": api.base, **changes}
    return BotSettings(_env_file=None, **given)


def states(checks: list[Check]) -> dict[str, bool]:
    return {check.name: check.ok for check in checks}


async def test_token_webhook_and_clock_are_asked_of_telegram(api: BotApi) -> None:
    checks = await telegram(settings(api))
    assert states(checks) == {"BOT_TOKEN": True, "webhook": True, "часы": True}
    assert f"@{api.username}" in checks[0].detail
    assert "расходятся" in checks[2].detail
    assert not any("TEST-SECRET" in check.detail for check in checks)


async def test_a_refused_token_and_an_absent_telegram_are_told_apart(api: BotApi) -> None:
    api.fail("getMe", Fault(UNAUTHORIZED), Fault(drop=True))
    refused, absent = await telegram(settings(api)), await telegram(settings(api))
    assert states(refused) == states(absent) == {"BOT_TOKEN": False}
    assert "BotFather" in refused[0].detail
    assert "недоступен" in absent[0].detail
    assert "TEST-SECRET" not in refused[0].detail + absent[0].detail
    wrong = await telegram(settings(api, bot_token=SecretStr("no token")))
    assert states(wrong) == {"BOT_TOKEN": False}


async def test_a_wrong_clock_is_noticed(api: BotApi) -> None:
    check = await _clock(api.base, lambda: time.time() - 3600)
    assert not check.ok
    assert "отстают на 36" in check.detail or "отстают на 359" in check.detail


def test_a_database_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    file = tmp_path / "new" / "users.sqlite3"
    check = _database(f"sqlite+aiosqlite:///{file}")
    assert check.ok
    assert not file.parent.exists()
    file.parent.mkdir()
    file.write_bytes(b"damaged" * 1000)
    check = _database(f"sqlite+aiosqlite:///{file}")
    assert not check.ok
    assert file.name in check.detail


def test_books_of_an_older_version_are_named(sample_store: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    shutil.copytree(sample_store, store)
    embedder = load_embedder("bundled")
    assert "прежней версией" not in _store(store, embedder).detail
    manifest = store / "manifest.json"
    text = manifest.read_text(encoding="utf-8")
    assert CHUNKER in text
    manifest.write_text(text.replace(CHUNKER, "paragraf-0", 1), encoding="utf-8")
    check = _store(store, embedder)
    assert check.ok
    assert "прежней версией программы: " in check.detail


@pytest.mark.parametrize(
    ("languages", "ok", "said"),
    [
        ("eng\nrus", True, "русский язык установлен"),
        ("eng", True, "нет русского языка"),
        (None, False, "нет программы"),
    ],
)
def test_the_tesseract_that_ingestion_will_use_is_looked_at(
    tmp_path: Path, languages: str | None, ok: bool, said: str
) -> None:
    program = tmp_path / "tesseract5"
    if languages is not None:
        program.write_text(f"#!/bin/sh\necho '{languages}'\n")
        program.chmod(0o755)
    check = _tesseract(str(program))
    assert (check.ok, said in check.detail) == (ok, True)


async def test_a_model_server_is_asked_for_its_models() -> None:
    async def models(_: aiohttp.web.Request) -> aiohttp.web.Response:
        return aiohttp.web.json_response({"data": [{"id": "qwen"}]})

    app = aiohttp.web.Application()
    app.router.add_get("/v1/models", models)
    runner = aiohttp.web.AppRunner(app)
    await runner.setup()
    await aiohttp.web.TCPSite(runner, "127.0.0.1", 0).start()
    base = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"

    def asked(name: str, address: str = base) -> GenerationSettings:
        return GenerationSettings(
            _env_file=None, generator="openai", llm_model=name, openai_base_url=address, ollama_model=None
        )

    assert (await model(asked("qwen"))).ok
    missing = await model(asked("other"))
    assert not missing.ok
    assert "other" in missing.detail
    await runner.cleanup()
    away = await model(asked("qwen"))
    assert not away.ok
    assert "не отвечает" in away.detail
    assert (await model(GenerationSettings(_env_file=None, generator="none", ollama_model=None))).ok


async def test_health_and_metrics_answer_over_http() -> None:
    clock = [0.0]
    meters = Meters(now=lambda: clock[0])
    address: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    task = asyncio.create_task(run_health(meters, lambda: 2, "0", telegram=True, ready=address.set_result))
    url = await address
    async with aiohttp.ClientSession() as session:

        async def health() -> tuple[int, dict[str, object]]:
            async with session.get(f"{url}/health") as response:
                return response.status, await response.json()

        assert (await health())[0] == 503
        meters.requested("getUpdates", "ok")
        status, body = await health()
        assert (status, body["status"], body["books"]) == (200, "ok", 2)
        clock[0] = SILENT_AFTER + 1
        assert (await health())[0] == 503
        async with session.get(f"{url}/metrics") as response:
            assert response.headers["Content-Type"].startswith("text/plain; version=0.0.4")
            assert (
                'paragraf_telegram_requests_total{method="getUpdates",outcome="ok"} 1.0'
                in await response.text()
            )
    with pytest.raises(PortTaken, match="METRICS_LISTEN"):
        await run_health(meters, lambda: 2, url.rpartition("/")[2], telegram=True)
    task.cancel()
