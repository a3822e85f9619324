"""`BotApi`: an HTTP server that speaks the part of the Bot API that the bot uses.

It validates like Telegram (markup, lengths, callback data, photos), keeps the messages of every chat, hands
out updates by long polling with offsets, records every call, and can be told to fail.

    async with BotApi() as api:
        api.say("Что такое общество?")                 # a user writes
        sent = await api.next_message()                # what the bot sends back
        api.press(sent, "Показать страницу")           # the user presses a button
"""

from __future__ import annotations

import asyncio
import json
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from botapi.checks import caption_of, check_photo, keyboard, png_size, text_of
from botapi.markup import utf16
from botapi.records import ANYA, UNAUTHORIZED, Call, Fault, Json, Person, Refused, Sent

TOKEN = "123456:TEST-SECRET"
CONFLICT = "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running"
WEBHOOK = (
    "Conflict: can't use getUpdates method while webhook is active; "
    "use deleteWebhook to delete the webhook first"
)
NOT_MODIFIED = (
    "Bad Request: message is not modified: specified new message content and reply markup are exactly "
    "the same as a current content and reply markup of the message"
)
_JSON_FIELDS = {"reply_markup", "reply_parameters", "link_preview_options", "commands", "allowed_updates"}


@dataclass(slots=True)
class BotApi:
    """See the module's docstring. Everything happens in the event loop that started it."""

    token: str = TOKEN
    username: str = "paragraf_test_bot"
    webhook: str = ""
    calls: list[Call] = field(default_factory=list)
    sent: list[Sent] = field(default_factory=list)
    commands: list[Json] = field(default_factory=list)
    edits: list[Json] = field(default_factory=list)
    button_answers: dict[str, Json] = field(default_factory=dict)
    """Callback query id → what the bot answered; a press without an entry is still waiting."""
    pressed: list[str] = field(default_factory=list)
    base: str = ""

    _faults: dict[str, list[Fault]] = field(default_factory=dict)
    _updates: deque[Json] = field(default_factory=deque)
    _changed: asyncio.Event = field(default_factory=asyncio.Event)
    _poller: asyncio.Future[None] | None = None
    _next_update: int = 1
    _next_message: int = 1
    _read: int = 0
    _runner: web.AppRunner | None = None

    # --- life -------------------------------------------------------------------------------------------

    async def __aenter__(self) -> BotApi:
        app = web.Application(client_max_size=64 * 1024 * 1024)
        app.router.add_route("*", "/bot{token}/{method}", self._serve)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        port = self._runner.addresses[0][1]
        self.base = f"http://127.0.0.1:{port}"
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._runner is not None
        await self._runner.cleanup()

    # --- what users do ----------------------------------------------------------------------------------

    def push(self, kind: str, content: Json) -> Json:
        """Queues an update; returns it with its id."""
        update = {"update_id": self._next_update, kind: content}
        self._next_update += 1
        self._updates.append(update)
        self._wake()
        return update

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

    def fail(self, method: str, *faults: Fault | Refused) -> None:
        """The next calls of `method` meet these faults, in order."""
        ready = [Fault(fault) if isinstance(fault, Refused) else fault for fault in faults]
        self._faults.setdefault(method, []).extend(ready)

    async def next_message(self, timeout: float = 10) -> Sent:  # noqa: ASYNC109
        """The next message of the bot that was not read yet, in the order of sending."""
        await self.until(lambda: len(self.sent) > self._read, timeout)
        self._read += 1
        return self.sent[self._read - 1]

    def unread(self) -> list[Sent]:
        """Messages that `next_message` has not returned yet."""
        return self.sent[self._read :]

    async def until(self, condition: Callable[[], object], timeout: float = 10) -> None:  # noqa: ASYNC109
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

    # --- HTTP -------------------------------------------------------------------------------------------

    async def _serve(self, request: web.Request) -> web.StreamResponse:
        method = request.match_info["method"]
        params = await _params(request)
        call = Call(method, params, time.monotonic())
        self.calls.append(call)
        self._changed.set()
        try:
            if request.match_info["token"] != self.token:
                known = request.match_info["token"].partition(":")[0].isdecimal()
                raise UNAUTHORIZED if known else Refused(404, "Not Found")
            fault = self._fault(method, params)
            if fault is not None:
                if fault.drop:
                    call.error = "dropped"
                    assert request.transport is not None
                    request.transport.close()
                    return web.Response()
                if fault.body is not None:
                    call.error = "scripted body"
                    return web.Response(text=fault.body, content_type="application/json")
                if fault.refused is not None:
                    raise fault.refused
            handler = getattr(self, f"_do_{method}", None)
            if handler is None:
                raise Refused(404, "Not Found: method not found")
            result = await handler(params)
        except Refused as refused:
            call.error = refused.description
            return _refusal(refused)
        finally:
            self._changed.set()
        return web.json_response({"ok": True, "result": result})

    def _fault(self, method: str, params: Json) -> Fault | None:
        for fault in self._faults.get(method, []):
            if fault.times != 0 and fault.when(params):
                if fault.times is not None:
                    fault.times -= 1
                return fault
        return None

    # --- methods ----------------------------------------------------------------------------------------

    async def _do_getMe(self, _: Json) -> Json:
        return {
            **self._me(),
            "can_join_groups": True,
            "can_read_all_group_messages": False,
            "supports_inline_queries": False,
        }

    async def _do_deleteWebhook(self, params: Json) -> bool:
        self.webhook = ""
        if params.get("drop_pending_updates") in ("true", True):
            self._updates.clear()
        return True

    async def _do_setMyCommands(self, params: Json) -> bool:
        for command in params["commands"]:
            name, description = command["command"], command["description"]
            if not (1 <= len(name) <= 32 and name == name.lower() and 1 <= len(description) <= 256):
                raise Refused(400, "Bad Request: BOT_COMMAND_INVALID")
        self.commands = params["commands"]
        return True

    async def _do_getUpdates(self, params: Json) -> list[Json]:
        if self.webhook:
            raise Refused(409, WEBHOOK)
        if self._poller is not None and not self._poller.done():
            self._poller.set_exception(Refused(409, CONFLICT))
        mine = self._poller = asyncio.get_running_loop().create_future()
        offset, limit = int(params.get("offset", 0)), int(params.get("limit", 100))
        wanted = params.get("allowed_updates") or []
        self._updates = deque(update for update in self._updates if update["update_id"] >= offset)
        deadline = time.monotonic() + float(params.get("timeout", 0))
        while not self._wanted(wanted) and time.monotonic() < deadline:
            done, _ = await asyncio.wait([mine], timeout=deadline - time.monotonic())
            if done and mine.exception() is not None:
                raise Refused(409, CONFLICT)
            if done:
                mine = self._poller = asyncio.get_running_loop().create_future()
        if self._poller is mine:
            mine.cancel()
            self._poller = None
        return list(self._updates)[:limit]

    async def _do_sendMessage(self, params: Json) -> Json:
        text, entities = text_of(params)
        return self._store(params, text, params["text"], entities, None)

    async def _do_sendPhoto(self, params: Json) -> Json:
        photo = params.get("photo")
        if not isinstance(photo, bytes):
            raise Refused(400, "Bad Request: there is no photo in the request")
        check_photo(photo)
        caption, entities = caption_of(params)
        return self._store(params, caption, params.get("caption", ""), entities, photo)

    async def _do_sendChatAction(self, params: Json) -> bool:
        if params.get("action") not in ("typing", "upload_photo", "upload_document"):
            raise Refused(400, "Bad Request: wrong parameter action in request")
        return True

    async def _do_editMessageText(self, params: Json) -> Json:
        message = self._own_message(params)
        text, entities = text_of(params)
        markup = keyboard(params)
        if (text, entities, markup) == (message.text, message.entities, message.reply_markup):
            raise Refused(400, NOT_MODIFIED)
        message.text, message.entities, message.reply_markup = text, entities, markup
        self.edits.append(params)
        return self._shown(message)

    async def _do_editMessageReplyMarkup(self, params: Json) -> Json:
        message = self._own_message(params)
        markup = keyboard(params)
        if markup == message.reply_markup:
            raise Refused(400, NOT_MODIFIED)
        message.reply_markup = markup
        self.edits.append(params)
        return self._shown(message)

    async def _do_answerCallbackQuery(self, params: Json) -> bool:
        query_id = str(params.get("callback_query_id"))
        if query_id not in self.pressed or query_id in self.button_answers:
            raise Refused(
                400,
                "Bad Request: query is too old and response timeout expired or query ID is invalid",
            )
        if utf16(params.get("text", "")) > 200:
            raise Refused(400, "Bad Request: MESSAGE_TOO_LONG")
        self.button_answers[query_id] = params
        return True

    # --- inside -----------------------------------------------------------------------------------------

    def _me(self) -> Json:
        bot_id = int(self.token.partition(":")[0])
        return {"id": bot_id, "is_bot": True, "first_name": "Параграф", "username": self.username}

    def _new_message_id(self) -> int:
        self._next_message += 1
        return self._next_message - 1

    def _wake(self) -> None:
        if self._poller is not None and not self._poller.done():
            self._poller.set_result(None)

    def _wanted(self, kinds: list[str]) -> bool:
        """Drops updates of other kinds; whether any is left."""
        if kinds:
            self._updates = deque(u for u in self._updates if any(kind in u for kind in kinds))
        return bool(self._updates)

    def _own_message(self, params: Json) -> Sent:
        place = (int(params.get("chat_id", 0)), int(params.get("message_id", 0)))
        for message in self.sent:
            if (message.chat_id, message.message_id) == place:
                return message
        raise Refused(400, "Bad Request: message to edit not found")

    def _store(self, params: Json, text: str, source: str, entities: list[Json], photo: bytes | None) -> Json:
        if "chat_id" not in params:
            raise Refused(400, "Bad Request: chat_id is empty")
        message = Sent(
            chat_id=int(params["chat_id"]),
            message_id=self._new_message_id(),
            text=text,
            source=source,
            parse_mode=params.get("parse_mode"),
            entities=entities,
            reply_markup=keyboard(params),
            photo=photo,
            params=params,
        )
        self.sent.append(message)
        return self._shown(message)

    def _shown(self, message: Sent) -> Json:
        private = message.chat_id > 0
        shown: Json = {
            "message_id": message.message_id,
            "from": self._me(),
            "chat": {"id": message.chat_id, "type": "private" if private else "supergroup"},
            "date": int(time.time()),
        }
        if message.photo is None:
            return {**shown, "text": message.text}
        width, height = png_size(message.photo)
        photo = {"file_id": "f", "file_unique_id": "u", "width": width, "height": height}
        return {**shown, "caption": message.text, "photo": [photo]}


async def _params(request: web.Request) -> Json:
    """Form fields, JSON in them decoded where the API expects JSON, files as bytes."""
    if request.content_type == "application/json":
        return dict(await request.json())
    form = await request.post()
    files = {name: value.file.read() for name, value in form.items() if isinstance(value, web.FileField)}
    params: Json = {}
    for name, value in form.items():
        if not isinstance(value, str):
            continue
        if value.startswith("attach://"):
            params[name] = files[value.removeprefix("attach://")]
        elif name in _JSON_FIELDS:
            params[name] = json.loads(value)
        else:
            params[name] = value
    return params


def _refusal(refused: Refused) -> web.Response:
    body: Json = {"ok": False, "error_code": refused.code, "description": refused.description}
    if refused.retry_after is not None:
        body["parameters"] = {"retry_after": refused.retry_after}
    return web.json_response(body, status=refused.code)
