"""One bounded request to a model server."""

from __future__ import annotations

import json
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

import aiohttp

from answer.generating.errors import GeneratorRefused, GeneratorTooSlow

MAX_BYTES = 100_000
"""Bytes of a reply that are read at most."""
_PIECE = 8_192


async def post_json(
    url: str, body: Mapping[str, Any], *, seconds: float, headers: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """The reply's JSON object, whatever content type it is said to have. `seconds`: time for all of it.

    No proxy, no redirect, no compression: the address is the configured server, and what is read is counted.
    Raises GeneratorRefused, GeneratorTooSlow, which hold nothing of the request or the reply.
    """
    try:
        async with aiohttp.ClientSession(
            timeout=aiohttp.ClientTimeout(total=seconds), auto_decompress=False, trust_env=False
        ) as session:
            request = session.post(
                url,
                json=dict(body),
                headers={"Accept-Encoding": "identity", **(headers or {})},
                allow_redirects=False,
            )
            async with request as response:
                if response.status != HTTPStatus.OK:
                    response.close()
                    hint = "; does it have the model?" if response.status == HTTPStatus.NOT_FOUND else ""
                    raise GeneratorRefused(
                        f"the model server answered {response.status}{hint}", retryable=response.status >= 500
                    )
                read = bytearray()
                async for piece in response.content.iter_chunked(_PIECE):
                    read += piece
                    if len(read) > MAX_BYTES:
                        response.close()
                        raise GeneratorRefused(f"the model server sent more than {MAX_BYTES} bytes")
    except TimeoutError as exc:
        raise GeneratorTooSlow(f"the model server gave no complete reply within {seconds:g} s") from exc
    except aiohttp.ClientConnectorError as exc:
        raise GeneratorRefused("the model server cannot be reached; is it running?") from exc
    except (aiohttp.ClientError, OSError) as exc:
        raise GeneratorRefused(f"the model server broke off ({type(exc).__name__})", retryable=True) from exc
    try:
        reply = json.loads(read.decode("utf-8"))
    except (ValueError, RecursionError) as exc:
        raise GeneratorRefused("the model server did not send JSON", retryable=True) from exc
    if not isinstance(reply, dict):
        raise GeneratorRefused("the model server did not send a JSON object", retryable=True)
    return reply
