"""A stand-in for a model that takes its time: after some seconds it says the first sentence it was given."""

from __future__ import annotations

import asyncio
import json
import re
from typing import Any

from aiohttp import web

from index.sentences import split_sentences
from modelserver.server import ModelServer, draft

_FRAGMENT = re.compile(r'^\{"id": .*\}(?=,?$)', re.M)


class SlowModel(ModelServer):
    """Speaks the same protocols; `most_at_once` says whether the bot queued its questions."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self._seconds = seconds
        self._running = 0
        self.most_at_once = 0
        self.given_up = 0
        """Requests whose client went away."""

    async def _answer(self, request: web.Request, wrap: Any) -> web.StreamResponse:
        body = await request.json()
        self.asked.append(body)
        self._running += 1
        self.most_at_once = max(self.most_at_once, self._running)
        try:
            await asyncio.sleep(self._seconds)
        except asyncio.CancelledError:
            self.given_up += 1
            raise
        finally:
            self._running -= 1
        first = json.loads(_FRAGMENT.findall(body["messages"][-1]["content"])[0])
        text = re.sub(r"^\[.*?\] ", "", first["text"])
        start, end = split_sentences(text)[0]
        reply = draft(text[start:end], first["id"])
        message = {"role": "assistant", "content": reply}
        return web.json_response({"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]})
