"""Settings of the delivery layer; read by entry points, never at import."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, SecretStr, field_validator
from pydantic_settings import NoDecode

from index.base_settings import Settings

PUBLIC_BOT_API = "https://api.telegram.org"


class BotSettings(Settings):
    """`.env` or the environment."""

    bot_token: SecretStr | None = Field(
        default=None, description="Token from @BotFather; without it only the web page and the commands work."
    )
    telegram_api_base: str = Field(
        default=PUBLIC_BOT_API,
        description="Bot API server: the public one, or your own (https://github.com/tdlib/telegram-bot-api).",
    )
    admin_ids: Annotated[frozenset[int], NoDecode] = Field(
        default=frozenset(), description="Telegram ids of the teachers, separated by commas."
    )
    database_url: str = Field(
        default="sqlite+aiosqlite:///data/paragraf.sqlite3",
        description="SQLAlchemy address of the users' memory (asynchronous driver).",
    )
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = Field(
        default="INFO", description="How much is logged: DEBUG, INFO, WARNING, ERROR."
    )
    telegram_drop_after: int = Field(
        default=600,
        ge=0,
        description="Seconds: messages older than this when they arrive (the bot was down) are not answered; "
        "their author gets one note. 0 = answer everything.",
    )
    telegram_conflict_tries: int = Field(
        default=6,
        ge=1,
        description="How many times in a row Telegram may report another instance with this token "
        "before the bot gives up and exits with code 1.",
    )
    webhook_url: str | None = Field(
        default=None,
        description="https address at which Telegram reaches this bot (a reverse proxy passes it on to "
        "WEBHOOK_LISTEN); empty = the bot polls.",
    )
    webhook_secret: SecretStr | None = Field(
        default=None,
        description="What Telegram proves itself with: 1 to 256 letters, digits, _ and -; "
        "empty = drawn anew at every start.",
    )
    webhook_listen: str = Field(
        default="127.0.0.1:8081", description="HOST:PORT, or a port of the loopback address, for the webhook."
    )
    telegram_local: bool = Field(
        default=False,
        description="TELEGRAM_API_BASE is a server of your own, started with --local, and its files can be "
        "read from here: textbooks of more than 20 MB are then accepted in the chat.",
    )
    access: Literal["open", "invited"] = Field(
        default="open",
        description="open = everybody may ask; invited = only who opened an invite link of an admin, and "
        "groups that an admin admitted.",
    )
    invite_days: int = Field(default=30, ge=1, le=365, description="Days that an invite link works.")
    rate_questions: int = Field(
        default=20, ge=0, description="Questions of one person within RATE_SECONDS; 0 = no limit."
    )
    rate_seconds: int = Field(default=300, ge=1, description="Seconds: the window of RATE_QUESTIONS.")
    daily_questions: int = Field(
        default=200, ge=0, description="Questions of one person within 24 hours; 0 = no limit."
    )
    upload_dir: Path = Field(
        default=Path("data/uploads"),
        description="Where textbooks sent in the chat lie while they are read; nothing stays there.",
    )
    upload_minutes: int = Field(
        default=180, ge=1, description="Minutes that reading one textbook sent in the chat may take."
    )
    # Two settings of ingestion, which this package may not import.
    ingest_max_file_mb: int = Field(default=2048, gt=0, description="Largest PDF file, megabytes.")
    ingest_tesseract: str = Field(default="tesseract", description="Name or path of the Tesseract program.")
    retention_days: int = Field(
        default=180,
        ge=1,
        description="Days: what is remembered about a person who does not come back is deleted after them.",
    )
    metrics_listen: str | None = Field(
        default=None,
        description="HOST:PORT, or a port of the loopback address, for /metrics (Prometheus) and /health; "
        "empty = off.",
    )
    log_format: Literal["text", "json"] = Field(
        default="text", description="text = a line to read, json = an object a line for log collectors."
    )

    @field_validator("bot_token", "metrics_listen", "webhook_url", "webhook_secret", mode="before")
    @classmethod
    def _empty_is_none(cls, value: object) -> object:
        return None if isinstance(value, str) and not value.strip() else value

    @field_validator("telegram_api_base")
    @classmethod
    def _http_address(cls, value: str) -> str:
        base = value.strip().rstrip("/")
        if not base:
            return PUBLIC_BOT_API
        if not base.startswith(("http://", "https://")):
            raise ValueError("адрес начинается с http:// или https://")
        return base

    @field_validator("webhook_secret")
    @classmethod
    def _secret_as_telegram_wants(cls, value: SecretStr | None) -> SecretStr | None:
        if value is not None and not re.fullmatch(r"[A-Za-z0-9_-]{1,256}", value.get_secret_value()):
            raise ValueError("от 1 до 256 латинских букв, цифр, знаков _ и -")
        return value

    @field_validator("admin_ids", mode="before")
    @classmethod
    def _numbers_with_commas(cls, value: object) -> object:
        if not isinstance(value, str):
            return value
        parts = [part.strip() for part in value.split(",") if part.strip()]
        if not all(part.isdecimal() for part in parts):
            raise ValueError("нужны числа через запятую, например 12345678,87654321 (свой скажет бот: /id)")
        return frozenset(map(int, parts))

    @field_validator("log_level", mode="before")
    @classmethod
    def _any_case(cls, value: object) -> object:
        return value.strip().upper() if isinstance(value, str) else value

    @field_validator("access", "log_format", mode="before")
    @classmethod
    def _lower_case(cls, value: object) -> object:
        return value.strip().lower() if isinstance(value, str) else value
