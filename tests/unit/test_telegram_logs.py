"""Nothing in the log gives a token, a message or a person away."""

from __future__ import annotations

import io
import logging
from collections.abc import Iterator

import pytest
from pydantic import SecretStr

from bot import logs
from bot.settings import BotSettings
from index.errors import SettingsInvalid

TOKEN = "123456:TEST-SECRET"
OTHER = "987654321:AAEhBP0av28kzzzzzzzzzzzzzzzzzzzzzzz"


@pytest.fixture
def stream() -> Iterator[io.StringIO]:
    out = io.StringIO()
    handler = logging.StreamHandler(out)
    handler.setFormatter(logs.MaskingFormatter(logs.Masker(SecretStr(TOKEN))))
    logger = logging.getLogger("masked")
    logger.addHandler(handler)
    yield out
    logger.removeHandler(handler)


@pytest.mark.parametrize(
    "text",
    [
        f"POST https://api.telegram.org/bot{TOKEN}/getUpdates timed out",
        f"https://api.telegram.org/file/bot{TOKEN}/photos/1.jpg",
        f"http://127.0.0.1:8081/bot{TOKEN.replace(':', '%3A')}/getMe",
        f"token={TOKEN}",
        "only the half TEST-SECRET",
        f"another bot: {OTHER}",
        f"http://localhost/bot{OTHER}/sendMessage",
    ],
)
def test_tokens_are_masked_in_messages_arguments_and_tracebacks(text: str, stream: io.StringIO) -> None:
    logger = logging.getLogger("masked")
    logger.error(text)
    logger.error("%s", text)
    try:
        raise RuntimeError(text)
    except RuntimeError:
        logger.exception("failed")
    logged = stream.getvalue()
    assert "TEST-SECRET" not in logged
    assert "AAEhBP0av28k" not in logged
    assert logged.count(logs.MASK) >= 3


def test_ordinary_numbers_and_times_stay() -> None:
    line = "12:30:45 port 127.0.0.1:8080, 10:20 in 1812"
    assert logs.Masker(SecretStr(TOKEN))(line) == line


def test_a_person_is_a_short_tag_that_does_not_hold_the_id() -> None:
    tag = logs.user_tag(123456789, 42)
    assert tag == logs.user_tag(123456789, 42)
    assert tag != logs.user_tag(123456789, 43)
    assert len(tag) == 8
    assert "123456789" not in tag


def test_settings_read_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    monkeypatch.setenv("BOT_TOKEN", TOKEN)
    monkeypatch.setenv("ADMIN_IDS", "1, 22")
    monkeypatch.setenv("TELEGRAM_API_BASE", "http://127.0.0.1:8081/")
    monkeypatch.setenv("LOG_LEVEL", "debug")
    settings = BotSettings(_env_file=None)
    assert settings.admin_ids == {1, 22}
    assert settings.telegram_api_base == "http://127.0.0.1:8081"
    assert settings.log_level == "DEBUG"
    assert "TEST-SECRET" not in repr(settings)


def test_an_empty_token_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOT_TOKEN", " ")
    assert BotSettings(_env_file=None).bot_token is None


def test_wrong_settings_are_named_without_their_values(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADMIN_IDS", "anya")
    monkeypatch.setenv("TELEGRAM_API_BASE", "ftp://user:pass@host")
    with pytest.raises(SettingsInvalid) as caught:
        BotSettings(_env_file=None)
    message = str(caught.value)
    assert "ADMIN_IDS: нужны числа через запятую" in message
    assert "TELEGRAM_API_BASE: адрес начинается с http" in message
    assert "anya" not in message
    assert "pass@host" not in message
