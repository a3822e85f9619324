"""What the stand-in keeps (calls, messages, people) and how it is told to fail."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]


class Refused(Exception):
    """An answer with `ok: false`."""

    def __init__(self, code: int, description: str, retry_after: int | None = None) -> None:
        super().__init__(description)
        self.code = code
        self.description = description
        self.retry_after = retry_after


def flood(seconds: int) -> Refused:
    """429."""
    return Refused(429, f"Too Many Requests: retry after {seconds}", seconds)


BLOCKED = Refused(403, "Forbidden: bot was blocked by the user")
UNAUTHORIZED = Refused(401, "Unauthorized")


@dataclass(slots=True)
class Fault:
    """What a method answers instead of working. `drop` cuts the connection, `body` is sent as it is."""

    refused: Refused | None = None
    drop: bool = False
    body: str | None = None
    times: int | None = 1
    """How often; None = for ever."""
    when: Callable[[Json], bool] = lambda params: True


@dataclass(slots=True)
class Call:
    """A request of the bot. `error` is the description with which it was refused, None when it worked."""

    method: str
    params: Json
    at: float
    error: str | None = None


@dataclass(slots=True)
class Sent:
    """A message in a chat that came from the bot."""

    chat_id: int
    message_id: int
    text: str
    """Text or caption after the markup is parsed."""
    source: str
    """As the bot sent it, markup included."""
    parse_mode: str | None
    entities: list[Json]
    reply_markup: Json | None
    photo: bytes | None
    params: Json

    @property
    def buttons(self) -> dict[str, str]:
        """Label → callback data."""
        rows = (self.reply_markup or {}).get("inline_keyboard", [])
        return {button["text"]: button["callback_data"] for row in rows for button in row}


@dataclass(slots=True)
class Person:
    """Somebody who writes to the bot."""

    id: int = 1001
    first_name: str = "Аня"
    username: str | None = None

    def to_json(self) -> Json:
        """As the API shows a user."""
        shown: Json = {"id": self.id, "is_bot": False, "first_name": self.first_name, "language_code": "ru"}
        return {**shown, "username": self.username} if self.username else shown


ANYA = Person()
