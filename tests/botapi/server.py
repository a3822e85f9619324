"""`BotApi`: an HTTP server that speaks the part of the Bot API that the bot uses.

It validates like Telegram (markup, lengths, callback data, photos, documents), keeps the messages of every
chat, hands out updates by long polling with offsets or posts them to a webhook, serves uploaded files,
records every call, limits the rate of sending when told to, and can be told to fail.

    async with BotApi() as api:
        api.say("Что такое общество?")                 # a user writes
        sent = await api.next_message()                # what the bot sends back
        api.press(sent, "Показать страницу")           # the user presses a button
        api.say(document=api.document(pdf, "o.pdf"), caption="10 класс")
"""

from __future__ import annotations

import asyncio
import json
import time
from typing import Any

from aiohttp import web

from botapi.methods import CONFLICT, NOT_MODIFIED, WEBHOOK, Methods
from botapi.records import UNAUTHORIZED, Call, Fault, Json, Refused
from botapi.state import TOKEN

__all__ = ["CONFLICT", "NOT_MODIFIED", "TOKEN", "WEBHOOK", "BotApi"]

_JSON_FIELDS = {"reply_markup", "reply_parameters", "link_preview_options", "commands", "allowed_updates"}
_SLOW_PIECES = 5


class BotApi(Methods):
    """See the module's docstring."""

    _runner: web.AppRunner

    async def __aenter__(self) -> BotApi:
        app = web.Application(client_max_size=64 * 1024 * 1024)
        app.router.add_route("*", "/bot{token}/{method}", self._serve)
        app.router.add_get("/file/bot{token}/{path:.+}", self._file)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        port = self._runner.addresses[0][1]
        self.base = f"http://127.0.0.1:{port}"
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._pusher is not None:
            self._pusher.cancel()
        if self._pushes is not None:
            await self._pushes.close()
        await self._runner.cleanup()

    async def _serve(self, request: web.Request) -> web.StreamResponse:
        method = request.match_info["method"]
        params = await _params(request)
        call = Call(method, params, time.monotonic())
        self.calls.append(call)
        self._changed.set()
        try:
            self._check_token(request)
            fault = self._fault(method, params)
            if fault is not None and fault.drop:
                call.error = "dropped"
                return _cut(request)
            if fault is not None and fault.body is not None:
                call.error = "scripted body"
                return web.Response(text=fault.body, content_type="application/json")
            if fault is not None and fault.refused is not None:
                raise fault.refused
            handler = getattr(self, f"_do_{method}", None)
            if handler is None:
                raise Refused(404, "Not Found: method not found")
            if self.rates is not None:
                self.rates.check(method, int(params.get("chat_id", 0)))
            result = await handler(params)
        except Refused as refused:
            call.error = refused.description
            return _refusal(refused)
        finally:
            self._changed.set()
        if fault is not None and fault.drop_after:
            call.error = "dropped after it was carried out"
            return _cut(request)
        body = json.dumps({"ok": True, "result": result}).encode()
        if fault is not None and fault.slow:
            return await _slowly(request, body, fault.slow)
        return web.Response(body=body, content_type="application/json")

    async def _file(self, request: web.Request) -> web.StreamResponse:
        try:
            self._check_token(request)
        except Refused as refused:
            return _refusal(refused)
        content = self.files.get(request.match_info["path"].removeprefix("documents/"))
        return web.Response(body=content) if content is not None else _refusal(Refused(404, "Not Found"))

    def _check_token(self, request: web.Request) -> None:
        token = request.match_info["token"]
        if token != self.token:
            raise UNAUTHORIZED if token.partition(":")[0].isdecimal() else Refused(404, "Not Found")

    def _fault(self, method: str, params: Json) -> Fault | None:
        for fault in (*self._faults.get(method, ()), *self._faults.get("*", ())):
            if fault.times != 0 and fault.when(params):
                if fault.times is not None:
                    fault.times -= 1
                return fault
        return None


def _cut(request: web.Request) -> web.Response:
    assert request.transport is not None
    request.transport.close()
    return web.Response()


async def _slowly(request: web.Request, body: bytes, seconds: float) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Type": "application/json"})
    await response.prepare(request)
    size = len(body) // _SLOW_PIECES + 1
    for start in range(0, len(body), size):
        await response.write(body[start : start + size])
        await asyncio.sleep(seconds / _SLOW_PIECES)
    await response.write_eof()
    return response


async def _params(request: web.Request) -> Json:
    """Form fields, JSON in them decoded where the API expects JSON, files as bytes."""
    if request.content_type == "application/json":
        return dict(await request.json())
    form = await request.post()
    files = {name: value.file.read() for name, value in form.items() if isinstance(value, web.FileField)}
    params: dict[str, Any] = {}
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
    if refused.parameters:
        body["parameters"] = refused.parameters
    return web.json_response(body, status=refused.code)
