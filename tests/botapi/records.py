"""What the stand-in keeps (calls, messages, people) and how it is told to fail."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]


class Refused(Exception):
    """An answer with `ok: false`; `parameters` as in the API's ResponseParameters."""

    def __init__(self, code: int, description: str, **parameters: int) -> None:
        super().__init__(description)
        self.code = code
        self.description = description
        self.parameters = parameters


def flood(seconds: int) -> Refused:
    """429."""
    return Refused(429, f"Too Many Requests: retry after {seconds}", retry_after=seconds)


def migrated(to: int) -> Refused:
    """400 of a group that has become a supergroup."""
    return Refused(400, "Bad Request: group chat was upgraded to a supergroup chat", migrate_to_chat_id=to)


BLOCKED = Refused(403, "Forbidden: bot was blocked by the user")
UNAUTHORIZED = Refused(401, "Unauthorized")


@dataclass(slots=True)
class Fault:
    """What a method answers instead of working, or how its answer arrives.

    `drop` cuts the connection instead of working, `drop_after` after the work is done. `body` is sent as it
    is. `slow` sends the real answer in pieces over so many seconds.
    """

    refused: Refused | None = None
    drop: bool = False
    drop_after: bool = False
    body: str | None = None
    slow: float = 0.0
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
    document: bytes | None = None
    at: float = 0.0
    """time.monotonic() of the sending."""
    deleted: bool = False
    history: list[tuple[float, str]] = field(default_factory=list)
    """What stood in the message before each edit, with the time (time.monotonic()) of that edit."""

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
