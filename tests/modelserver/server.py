"""Speaks Ollama's `/api/generate` and OpenAI's `/v1/chat/completions` on loopback."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web
from aiohttp.test_utils import TestServer


@dataclass(frozen=True)
class Says:
    """A well-formed reply whose text is `text`."""

    text: str
    reason: str = "stop"
    prompt_tokens: int | None = None


@dataclass(frozen=True)
class Sends:
    """Raw bytes, in pieces of their own on the wire."""

    pieces: Sequence[bytes]
    status: int = 200
    content_type: str = "application/json"
    pause: float = 0.0


@dataclass(frozen=True)
class Hangs:
    """Nothing, until the client goes away."""


@dataclass(frozen=True)
class BreaksOff:
    """Announces a longer body than it sends."""


Reply = Says | Sends | Hangs | BreaksOff


@dataclass
class ModelServer:
    """Gives its replies in order, the last one for ever; keeps what it was asked."""

    replies: list[Reply] = field(default_factory=list)
    asked: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    sent: int = 0
    """Bytes of raw replies that were put on the wire."""
    left: asyncio.Event = field(default_factory=asyncio.Event)
    """A client went away from a server that hangs."""

    async def start(self) -> TestServer:
        """A running server; close it after use."""
        app = web.Application()
        app.router.add_post("/api/generate", self._ollama)
        app.router.add_post("/v1/chat/completions", self._openai)
        server = TestServer(app, host="127.0.0.1")
        await server.start_server()
        return server

    async def _ollama(self, request: web.Request) -> web.StreamResponse:
        def wrap(says: Says) -> dict[str, Any]:
            reply = {"model": "m", "response": says.text, "done": True, "done_reason": says.reason}
            return reply if says.prompt_tokens is None else {**reply, "prompt_eval_count": says.prompt_tokens}

        return await self._answer(request, wrap)

    async def _openai(self, request: web.Request) -> web.StreamResponse:
        def wrap(says: Says) -> dict[str, Any]:
            message = {"role": "assistant", "content": says.text}
            reply: dict[str, Any] = {
                "choices": [{"index": 0, "message": message, "finish_reason": says.reason}]
            }
            if says.prompt_tokens is not None:
                reply["usage"] = {"prompt_tokens": says.prompt_tokens}
            return reply

        return await self._answer(request, wrap)

    async def _answer(self, request: web.Request, wrap: Any) -> web.StreamResponse:
        self.asked.append(await request.json())
        self.headers.append(dict(request.headers))
        reply = self.replies[min(len(self.asked), len(self.replies)) - 1]
        match reply:
            case Says():
                return web.json_response(wrap(reply))
            case Hangs():
                try:
                    while request.transport is not None and not request.transport.is_closing():  # noqa: ASYNC110
                        await asyncio.sleep(0.01)
                finally:
                    self.left.set()
                raise web.HTTPRequestTimeout
            case BreaksOff():
                response = web.StreamResponse(headers={"Content-Length": "5000"})
                await response.prepare(request)
                await response.write(b'{"response": "')
                assert request.transport is not None
                request.transport.close()
                return response
            case Sends():
                response = web.StreamResponse(
                    status=reply.status, headers={"Content-Type": reply.content_type}
                )
                await response.prepare(request)
                for piece in reply.pieces:
                    await response.write(piece)
                    self.sent += len(piece)
                    if reply.pause:
                        await asyncio.sleep(reply.pause)
                await response.write_eof()
                return response


def draft(answer: str, *citations: str) -> str:
    """The JSON text that a model should write."""
    return json.dumps({"answer": answer, "citations": list(citations)}, ensure_ascii=False)
