"""Settings of the delivery layer; read by entry points, never at import."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, SecretStr, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

PUBLIC_BOT_API = "https://api.telegram.org"


class BotSettings(BaseSettings):
    """`.env` or the environment. Error messages of the validation never show the values."""

    model_config = SettingsConfigDict(env_file=".env", extra="ignore", hide_input_in_errors=True)

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

    @field_validator("bot_token", mode="before")
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
            raise ValueError("TELEGRAM_API_BASE must start with http:// or https://")
        return base

    @field_validator("admin_ids", mode="before")
    @classmethod
    def _numbers_with_commas(cls, value: object) -> object:
        if not isinstance(value, str):
            return value
        parts = [part.strip() for part in value.split(",") if part.strip()]
        if not all(part.isdecimal() for part in parts):
            raise ValueError("ADMIN_IDS must be numbers separated by commas, for example 12345678,87654321")
        return frozenset(map(int, parts))

    @field_validator("log_level", mode="before")
    @classmethod
    def _any_case(cls, value: object) -> object:
        return value.strip().upper() if isinstance(value, str) else value
