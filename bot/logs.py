"""Logging that never shows a bot token, a message, a name or an id.

Tokens come into logs through request addresses and exception texts, so the finished line is masked, with its
traceback, and not only the message. Libraries that log statements with their parameters (SQL, updates) are
kept quiet.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import logging
import re
import secrets
import sys
import threading
from datetime import UTC, datetime
from types import TracebackType
from typing import Literal

from pydantic import SecretStr

MASK = "<token>"
_TOKEN_IN_URL = re.compile(r"(?<=/bot)\d+(?::|%3[Aa])[^/\s'\"]+")
_TOKEN_ALONE = re.compile(r"(?<!\d)\d{5,}(?::|%3[Aa])[\w-]{20,}")
_CHATTY = ("faiss", "pymorphy3", "aiosqlite", "sqlalchemy", "aiogram", "aiohttp.access", "asyncio", "PIL")
# Fresh in every process: lines of one run can be told apart, a person cannot be followed for longer.
_SALT = secrets.token_bytes(16)


def user_tag(*ids: int) -> str:
    """Eight hex digits that stand for a chat and a user in the log of this run."""
    text = ":".join(map(str, ids)).encode()
    return hmac.new(_SALT, text, hashlib.sha256).hexdigest()[:8]


class Masker:
    """Replaces tokens in a text: the configured one and its secret half literally, any other by its shape."""

    def __init__(self, token: SecretStr | None = None) -> None:
        value = token.get_secret_value().strip() if token is not None else ""
        secret = value.partition(":")[2]
        self._literals = [text for text in (value, value.replace(":", "%3A"), secret) if len(text) >= 6]

    def __call__(self, text: str) -> str:
        for literal in self._literals:
            text = text.replace(literal, MASK)
        return _TOKEN_ALONE.sub(MASK, _TOKEN_IN_URL.sub(MASK, text))


class MaskingFormatter(logging.Formatter):
    """Formats a record, traceback included, and masks the result."""

    def __init__(self, masker: Masker) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")
        self._masker = masker

    def format(self, record: logging.LogRecord) -> str:
        return self._masker(super().format(record))


class JsonFormatter(logging.Formatter):
    """One object a line: time (UTC), level, logger, message, and the traceback where there is one. Masked."""

    def __init__(self, masker: Masker) -> None:
        super().__init__()
        self._masker = masker

    def format(self, record: logging.LogRecord) -> str:
        said: dict[str, str] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
        }
        if record.exc_info:
            said["traceback"] = self.formatException(record.exc_info)
        # Masked before it is encoded, too: a token with a backslash or a quote before it stays one.
        masked = {name: self._masker(text) for name, text in said.items()}
        return self._masker(json.dumps(masked, ensure_ascii=False))


def configure(
    level: str = "INFO", token: SecretStr | None = None, form: Literal["text", "json"] = "text"
) -> None:
    """Sends the log to stderr, masked; uncaught exceptions of any thread go the same way."""
    handler = logging.StreamHandler(sys.stderr)
    masker = Masker(token)
    handler.setFormatter(JsonFormatter(masker) if form == "json" else MaskingFormatter(masker))
    root = logging.getLogger()
    for old in root.handlers[:]:
        root.removeHandler(old)
    root.addHandler(handler)
    root.setLevel(level)
    for name in _CHATTY:
        logging.getLogger(name).setLevel(logging.WARNING)
    logging.captureWarnings(True)

    def log_crash(
        kind: type[BaseException], error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if error is None or issubclass(kind, KeyboardInterrupt):
            return
        root.critical("stopped by an unexpected error", exc_info=(kind, error, traceback))

    sys.excepthook = log_crash
    threading.excepthook = lambda args: log_crash(args.exc_type, args.exc_value, args.exc_traceback)
