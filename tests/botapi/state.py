"""What the stand-in remembers: updates, messages, files, who blocked the bot."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import aiohttp

from botapi.markup import utf16
from botapi.rates import Rates
from botapi.records import ANYA, Call, Fault, Json, Person, Sent

TOKEN = "123456:TEST-SECRET"
PATIENCE = 60.0
"""Seconds that tests wait for what should come at once: other work may fill the machine."""


@dataclass(slots=True)
class State:
    """Fields that tests look at come first; everything happens in the event loop that started the server."""

    token: str = TOKEN
    username: str = "paragraf_test_bot"
    webhook: str = ""
    webhook_params: Json = field(default_factory=dict)
    """What setWebhook was given."""
    rates: Rates | None = None
    """Limits on sending; None: none."""
    calls: list[Call] = field(default_factory=list)
    sent: list[Sent] = field(default_factory=list)
    commands: list[Json] = field(default_factory=list)
    edits: list[Json] = field(default_factory=list)
    button_answers: dict[str, Json] = field(default_factory=dict)
    """Callback query id → what the bot answered; a press without an entry is still waiting."""
    pressed: list[str] = field(default_factory=list)
    blocked: set[int] = field(default_factory=set)
    """Chats that have blocked the bot."""
    migrated: dict[int, int] = field(default_factory=dict)
    """Group → the supergroup that it has become."""
    files: dict[str, bytes] = field(default_factory=dict)
    """File id → content, for getFile."""
    base: str = ""

    _faults: dict[str, list[Fault]] = field(default_factory=dict)
    _updates: deque[Json] = field(default_factory=deque)
    _changed: asyncio.Event = field(default_factory=asyncio.Event)
    _poller: asyncio.Future[None] | None = None
    _pusher: asyncio.Task[None] | None = None
    _pushes: aiohttp.ClientSession | None = None
    _messages: dict[tuple[int, int], Sent] = field(default_factory=dict)
    _next_update: int = 1
    _next_message: int = 1
    _read: int = 0

    # --- what users do ----------------------------------------------------------------------------------

    def push(self, kind: str, content: Json) -> Json:
        """Queues an update; returns it with its id."""
        update = {"update_id": self._next_update, kind: content}
        self._next_update += 1
        self._updates.append(update)
        self._wake()
        return update

    def push_again(self, update: Json) -> None:
        """Delivers an update once more, under the same id."""
        self._updates.append(update)
        self._wake()

    def message(
        self,
        text: str | None = None,
        *,
        by: Person = ANYA,
        chat: Json | None = None,
        age: float = 0,
        **more: Any,
    ) -> Json:
        """A message as the API shows it; a leading command gets its entity. `chat` None: the private chat."""
        shown: Json = {
            "message_id": self._new_message_id(),
            "from": by.to_json(),
            "chat": chat or {"id": by.id, "type": "private", "first_name": by.first_name},
            "date": int(time.time() - age),
            **more,
        }
        if text is not None:
            shown["text"] = text
            if text.startswith("/"):
                command = text.split()[0]
                shown.setdefault("entities", []).append(
                    {"type": "bot_command", "offset": 0, "length": utf16(command)}
                )
        return shown

    def say(self, text: str | None = None, **options: Any) -> Json:
        """Somebody sends a message (parameters of `message`); returns the message."""
        message = self.message(text, **options)
        self.push("message", message)
        return message

    def document(self, content: bytes, name: str, mime_type: str = "application/pdf", **shown: Any) -> Json:
        """A file that somebody has uploaded, for `say(document=…)`; getFile finds it. `shown` overrides."""
        file_id = f"file{len(self.files) + 1}"
        self.files[file_id] = content
        known = {"file_id": file_id, "file_unique_id": f"u{file_id}", "file_name": name}
        return {**known, "mime_type": mime_type, "file_size": len(content), **shown}

    def edit(self, message: Json, text: str) -> None:
        """Somebody corrects an own message."""
        self.push("edited_message", {**message, "text": text, "edit_date": int(time.time())})

    def press(self, message: Sent, label: str, *, by: Person = ANYA, data: str | None = None) -> str:
        """Somebody presses the button `label` (or one with `data`); returns the callback query's id."""
        query_id = f"q{len(self.pressed) + 1}"
        self.pressed.append(query_id)
        private = message.chat_id > 0
        self.push(
            "callback_query",
            {
                "id": query_id,
                "from": by.to_json(),
                "chat_instance": "1",
                "data": data if data is not None else message.buttons[label],
                "message": {
                    "message_id": message.message_id,
                    "from": self._me(),
                    "chat": {"id": message.chat_id, "type": "private" if private else "supergroup"},
                    "date": int(time.time()),
                    "text": message.text,
                    "reply_markup": message.reply_markup or {"inline_keyboard": []},
                },
            },
        )
        return query_id

    # --- what tests look at -----------------------------------------------------------------------------

    def fail(self, method: str, *faults: Fault | Any) -> None:
        """The next calls of `method` meet these faults (or `Refused`s), in order. «*»: of every method."""
        ready = [fault if isinstance(fault, Fault) else Fault(fault) for fault in faults]
        self._faults.setdefault(method, []).extend(ready)

    async def next_message(self, timeout: float = PATIENCE) -> Sent:  # noqa: ASYNC109
        """The next message of the bot that was not read yet, in the order of sending."""
        await self.until(lambda: len(self.sent) > self._read, timeout)
        self._read += 1
        return self.sent[self._read - 1]

    def unread(self) -> list[Sent]:
        """Messages that `next_message` has not returned yet."""
        return self.sent[self._read :]

    async def until(self, condition: Callable[[], object], timeout: float = PATIENCE) -> None:  # noqa: ASYNC109
        """Waits until the condition holds; it is looked at after every call of the bot."""
        async with asyncio.timeout(timeout):
            while not condition():
                self._changed.clear()
                await self._changed.wait()

    def made(self, method: str) -> list[Call]:
        """Calls of one method."""
        return [call for call in self.calls if call.method == method]

    @property
    def waiting_updates(self) -> int:
        """Updates that were not confirmed yet."""
        return len(self._updates)

    # --- inside -----------------------------------------------------------------------------------------

    def _me(self) -> Json:
        bot_id = int(self.token.partition(":")[0])
        return {"id": bot_id, "is_bot": True, "first_name": "Параграф", "username": self.username}

    def _new_message_id(self) -> int:
        self._next_message += 1
        return self._next_message - 1

    def _wake(self) -> None:
        if self.webhook and self.webhook_params:
            if self._pusher is None or self._pusher.done():
                self._pusher = asyncio.create_task(self._push_updates())
        elif self._poller is not None and not self._poller.done():
            self._poller.set_result(None)

    async def _push_updates(self) -> None:
        """Posts the waiting updates to the webhook, each until it is answered with 2xx."""
        if self._pushes is None:
            self._pushes = aiohttp.ClientSession()
        secret = self.webhook_params.get("secret_token")
        headers = {"X-Telegram-Bot-Api-Secret-Token": secret} if secret else {}
        while self._updates and self.webhook:
            try:
                # Telegram calls the https address; here the part behind the reverse proxy is called.
                async with self._pushes.post(self.webhook, json=self._updates[0], headers=headers) as reply:
                    taken = reply.status // 100 == 2
            except aiohttp.ClientError:
                taken = False
            if taken:
                self._updates.popleft()
                self._changed.set()
            else:
                await asyncio.sleep(0.05)
