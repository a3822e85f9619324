"""Updates by webhook: who may post, what is stored before 200, and what the operator is told."""

from __future__ import annotations

import asyncio
import io
import logging
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from botapi.records import Fault, Refused
from botapi.scripted import BORIS, ScriptedAssistant, acquaint, quiet, running, settings_for
from botapi.server import BotApi
from pydantic import SecretStr

from bot.errors import AddressInvalid, PortTaken, WebhookRefused
from bot.settings import BotSettings
from bot.telegram.app import run_bot
from bot.telegram.raw_updates import ALLOWED_UPDATES
from bot.telegram.webhook import LARGEST_BODY, SECRET_HEADER
from index.errors import SettingsInvalid

SECRET = "tests-own_secret"
Settings = Callable[..., BotSettings]


@pytest.fixture
def port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@pytest.fixture
async def settings(api: BotApi, tmp_path: Path, port: int) -> Settings:
    """The stand-in posts straight to the bot; in front of a real one stands a proxy that speaks https."""

    def make(**changes: Any) -> BotSettings:
        given = {
            "webhook_url": f"http://127.0.0.1:{port}/telegram",
            "webhook_secret": SecretStr(SECRET),
            "webhook_listen": f"127.0.0.1:{port}",
            **changes,
        }
        return settings_for(api, tmp_path, **given)

    await acquaint(make())
    return make


async def post(port: int, body: object, secret: str | None = SECRET) -> int:
    headers = {SECRET_HEADER: secret} if secret is not None else {}
    data = {"data": io.BytesIO(body)} if isinstance(body, bytes) else {"json": body}
    url = f"http://127.0.0.1:{port}/telegram"
    async with aiohttp.ClientSession() as session, session.post(url, headers=headers, **data) as reply:
        return reply.status


async def test_updates_are_posted_and_answered_in_order(
    api: BotApi, settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    api.say("нулевой")  # while the bot is away
    async with running(api, settings(), 10):
        await api.until(lambda: api.webhook)
        for number in range(1, 4):
            api.say(f"вопрос {number}")
        answers = [(await api.next_message()).text[:8] for _ in range(4)]
        await quiet(api)
    assert answers == ["нулевой ", "вопрос 1", "вопрос 2", "вопрос 3"]
    assert api.made("getUpdates") == []
    assert api.webhook_params["secret_token"] == SECRET
    assert api.webhook_params["allowed_updates"] == ALLOWED_UPDATES
    assert SECRET not in caplog.text
    assert api.webhook  # it stays: Telegram keeps what comes until the next start


async def test_whoever_does_not_know_the_secret_is_refused(
    api: BotApi, settings: Settings, port: int
) -> None:
    forged = {"update_id": 5, "message": api.message("/forget")}
    async with running(api, settings(), 10) as bot:
        await api.until(lambda: api.webhook)
        assert await post(port, forged, "wrong") == 401
        assert await post(port, forged, None) == 401
        assert await post(port, forged, "секрет".encode().hex()) == 401
        assert await post(port, b"{", SECRET) == 400
        assert await post(port, [1, 2], SECRET) == 400
        assert await post(port, {"message": {}}, SECRET) == 400
        assert await post(port, b"x" * (LARGEST_BODY + 1), SECRET) == 413
        assert await post(port, {"update_id": 7, "message": {"message_id": "?"}}, SECRET) == 200
        assert await post(port, {"update_id": 9, "message": api.message("вопрос", by=BORIS)}) == 200
        assert (await api.next_message()).chat_id == BORIS.id
        await quiet(api)
        assert [question for question, _, _ in bot.assistant.asked] == ["вопрос"]
    assert len(api.sent) == 1


async def test_an_update_that_is_posted_twice_is_answered_once(
    api: BotApi, settings: Settings, port: int
) -> None:
    update = {"update_id": 5, "message": api.message("вопрос")}
    async with running(api, settings(), 10):
        await api.until(lambda: api.webhook)
        statuses = await asyncio.gather(*(post(port, update) for _ in range(5)))
        assert statuses == [200] * 5
        assert (await api.next_message()).text.startswith("вопрос")
        await quiet(api)
    assert api.unread() == []


async def test_without_a_secret_a_new_one_is_drawn_at_every_start(api: BotApi, settings: Settings) -> None:
    drawn = set()
    for _ in range(2):
        api.webhook = ""
        async with running(api, settings(webhook_secret=None), 10):
            await api.until(lambda: api.webhook)
            drawn.add(api.webhook_params["secret_token"])
            api.say("вопрос")
            await api.next_message()
    assert len(drawn) == 2
    assert min(map(len, drawn)) >= 32


async def test_polling_takes_the_webhook_away(api: BotApi, settings: Settings) -> None:
    async with running(api, settings(), 10):
        await api.until(lambda: api.webhook)
    api.say("вопрос")
    async with running(api, settings(webhook_url=None), 10):
        assert (await api.next_message()).text.startswith("вопрос")
    assert not api.webhook


async def test_what_is_wrong_is_said_with_the_fix(api: BotApi, settings: Settings, port: int) -> None:
    bad = Refused(400, "Bad Request: bad webhook: HTTPS url must be provided for webhook")
    api.fail("setWebhook", Fault(bad))
    with pytest.raises(WebhookRefused, match=r"HTTPS url must be provided.*https://"):
        await run_bot(ScriptedAssistant(10), settings())
    with pytest.raises(AddressInvalid, match="WEBHOOK_LISTEN"):
        await run_bot(ScriptedAssistant(10), settings(webhook_listen="nowhere"))
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", port))
        taken.listen()
        with pytest.raises(PortTaken, match=f"WEBHOOK_LISTEN=127.0.0.1:{port}"):
            await run_bot(ScriptedAssistant(10), settings())


def test_a_secret_that_telegram_would_refuse_is_refused_without_showing_it(
    api: BotApi, settings: Settings
) -> None:
    with pytest.raises(SettingsInvalid, match="WEBHOOK_SECRET: от 1 до 256") as caught:
        settings(webhook_secret=SecretStr("с пробелом"))
    assert "с пробелом" not in str(caught.value)
