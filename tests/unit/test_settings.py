"""Wrong settings are named in Russian, all of them at once, and without their values."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from answer.generating.settings import GenerationSettings
from answer.settings import AnswerSettings
from bot.settings import BotSettings
from index.base_settings import Settings
from index.errors import SettingsInvalid
from ingest.settings import IngestSettings


@pytest.mark.parametrize(
    ("kind", "wrong", "said"),
    [
        (BotSettings, {"ACCESS": "closed"}, "ACCESS: возможно только open, invited"),
        (BotSettings, {"RATE_QUESTIONS": "много"}, "RATE_QUESTIONS: нужно целое число"),
        (BotSettings, {"INVITE_DAYS": "0"}, "INVITE_DAYS: нужно не меньше 1"),
        (BotSettings, {"TELEGRAM_LOCAL": "наверное"}, "TELEGRAM_LOCAL: нужно true или false"),
        (BotSettings, {"ADMIN_IDS": "@masha"}, "ADMIN_IDS: нужны числа через запятую"),
        (GenerationSettings, {"LLM_TIMEOUT": "601"}, "LLM_TIMEOUT: нужно не больше 600"),
        (GenerationSettings, {"LLM_TIMEOUT": "долго"}, "LLM_TIMEOUT: нужно число"),
        (AnswerSettings, {"EVIDENCE_THRESHOLD": "1"}, "EVIDENCE_THRESHOLD: нужно меньше 1"),
        (IngestSettings, {"INGEST_PAGE_SECONDS": "0"}, "INGEST_PAGE_SECONDS: нужно больше 0"),
    ],
)
def test_a_wrong_setting_is_named_as_in_the_file(
    kind: type[Settings], wrong: dict[str, str], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in wrong.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(SettingsInvalid, match=re.escape(said)) as caught:
        kind(_env_file=None)
    assert ".env.example" in str(caught.value)
    assert caught.value.__cause__ is None


def test_all_wrong_settings_are_named_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACCESS", "closed")
    monkeypatch.setenv("RETENTION_DAYS", "половина года")
    with pytest.raises(SettingsInvalid, match=r"ACCESS: .*; RETENTION_DAYS: ") as caught:
        BotSettings(_env_file=None)
    assert "половина" not in str(caught.value)


def test_a_file_of_another_encoding_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".env").write_bytes("# бот школы\nACCESS=open\n".encode("cp1251"))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SettingsInvalid, match="UTF-8"):
        BotSettings()
