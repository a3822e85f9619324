"""Ollama and OpenAI-compatible servers that misbehave in every way that users met."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace

import pytest
from modelserver.evidence import QUESTION, supported
from modelserver.server import BreaksOff, Hangs, ModelServer, Reply, Says, Sends, draft

from answer.answer import Answer
from answer.generating.errors import PromptTooLong
from answer.generating.generator import Generator, Limits, Prompt
from answer.generating.http import MAX_BYTES
from answer.generating.ollama import OllamaGenerator
from answer.generating.openai import OpenAIGenerator
from answer.phrasing import Phraser

TRUE = "Петербург основал Пётр I в 1703 году."
GOOD = Says(draft(TRUE, "f1"))
SECONDS = 3.0
KEY = "sk-TEST-SECRET"

Start = Callable[..., Awaitable[tuple[Generator, ModelServer]]]


@pytest.fixture(params=["ollama", "openai"])
async def start(request: pytest.FixtureRequest) -> AsyncIterator[Start]:
    running = []

    async def begin(*replies: Reply, limits: Limits = Limits()) -> tuple[Generator, ModelServer]:  # noqa: B008
        server = ModelServer(list(replies))
        listening = await server.start()
        running.append(listening)
        base = str(listening.make_url("")).rstrip("/")
        if request.param == "ollama":
            return OllamaGenerator("m", limits, timeout=SECONDS, base=base), server
        return OpenAIGenerator(f"{base}/v1", "m", limits, api_key=KEY, timeout=SECONDS), server

    yield begin
    for listening in running:
        await listening.close()


async def phrase(generator: Generator, *, seconds: float = 10.0) -> Answer:
    answer, book = supported()
    return await Phraser(generator, lambda: {"history": book}, seconds=seconds).phrase(QUESTION, answer)


def is_extractive(answer: Answer) -> bool:
    before, _ = supported()
    return replace(answer, model_error=None, elapsed_ms=5) == before and bool(answer.model_error)


async def test_a_good_reply_becomes_a_checked_answer(start: Start) -> None:
    generator, _ = await start(GOOD)
    answer = await phrase(generator)
    assert (answer.status, answer.answer, answer.mode) == ("generated_checked", TRUE, generator.name)


WRONG: dict[str, tuple[Reply, int]] = {
    # what the server does → how often it is asked
    "empty object and blank lines": (Says("{}\n\n\n"), 2),
    "cut object": (Says('{"answer":"Закон О'), 2),
    "cut by the token limit": (Says(draft(TRUE, "f1"), reason="length"), 2),
    "empty answer, number as citation": (Says('{"answer":"","citations":[1]}'), 2),
    "citations as text": (Says('{"answer":"Петербург основан.","citations":"1"}'), 2),
    "unknown citation": (Says(draft(TRUE, "f8")), 2),
    "the same sentence two hundred times": (Says(draft("Город строили солдаты. " * 200, "f1")), 2),
    "Chinese": (Says(draft("Петербург — это 光合作用 в листьях", "f1")), 2),
    "English": (Says(draft("The city was founded by Peter the Great.", "f1")), 2),
    "no text": (Says(""), 2),
    "a thought without end": (Says("<think>Надо подумать " * 50), 2),
    "HTML": (Sends([b"<html>502 Bad Gateway</html>"], content_type="text/html"), 2),
    "no JSON": (Sends([b"\xff\xfe\x00garbage"], content_type="application/octet-stream"), 2),
    "half JSON": (Sends([b'{"response": "', b'{\\"answer\\"']), 2),
    "empty body": (Sends([b""]), 2),
    "a list": (Sends([b"[1, 2]"]), 2),
    "null": (Sends([b"null"]), 2),
    "other keys": (Sends([b'{"error": "model not found"}']), 2),
    "text of a wrong type": (Sends([b'{"response": 5, "choices": [{"message": {"content": 5}}]}']), 2),
    "choices of a wrong type": (Sends([b'{"response": null, "choices": {"a": 1}}']), 2),
    "deeply nested": (Sends([b"[" * 90_000]), 2),
    "server error": (Sends([b"oops"], status=500), 2),
    "overloaded": (Sends([b"{}"], status=503), 2),
    "breaks off": (BreaksOff(), 2),
    "no such model": (Sends([b'{"error": "not found"}'], status=404), 1),
    "no right": (Sends([b"{}"], status=401), 1),
    "redirect": (Sends([b""], status=302), 1),
}


@pytest.mark.parametrize("name", WRONG)
async def test_a_wrong_reply_ends_in_the_extractive_answer(start: Start, name: str) -> None:
    reply, times = WRONG[name]
    generator, server = await start(reply)
    answer = await phrase(generator)
    assert is_extractive(answer)
    assert len(server.asked) == times


@pytest.mark.parametrize("name", [name for name, (_, times) in WRONG.items() if times == 2])
async def test_after_one_wrong_reply_a_good_one_counts(start: Start, name: str) -> None:
    generator, server = await start(WRONG[name][0], GOOD)
    assert (await phrase(generator)).answer == TRUE
    assert len(server.asked) == 2


async def test_a_fenced_object_is_read(start: Start) -> None:
    generator, server = await start(Says(f"```json\n{draft(TRUE, 'f1')}\n```"))
    assert (await phrase(generator)).answer == TRUE
    assert len(server.asked) == 1


@pytest.mark.parametrize("content_type", ["text/plain", "text/html; charset=cp1251", "application/x-ndjson"])
async def test_a_wrong_content_type_does_not_matter_where_the_body_is_right(
    start: Start, content_type: str
) -> None:
    body = json.dumps(
        {
            "response": draft(TRUE, "f1"),
            "done": True,
            "choices": [{"message": {"content": draft(TRUE, "f1")}, "finish_reason": "stop"}],
        },
        ensure_ascii=False,
    ).encode()
    generator, _ = await start(Sends([body], content_type=content_type))
    assert (await phrase(generator)).answer == TRUE


async def test_pieces_that_cut_letters_in_half_are_put_together(start: Start) -> None:
    text = draft(TRUE, "f1")
    body = json.dumps(
        {"response": text, "done": True, "choices": [{"message": {"content": text}}]}, ensure_ascii=False
    ).encode()
    letters = body.index("Петербург".encode())
    pieces = [body[: letters + 1], *(body[i : i + 3] for i in range(letters + 1, len(body), 3))]
    generator, _ = await start(Sends(pieces, pause=0.001))
    assert (await phrase(generator)).answer == TRUE


async def test_a_hundred_megabytes_are_not_read(start: Start) -> None:
    piece = b'{"response": "' + b"a" * 1_000_000
    generator, server = await start(Sends([piece] * 100))
    started = time.monotonic()
    assert is_extractive(await phrase(generator))
    assert time.monotonic() - started < SECONDS
    assert len(server.asked) == 1
    await asyncio.sleep(0.05)
    assert server.sent < 60_000_000, "the connection is closed, not drained"
    assert MAX_BYTES == 100_000


async def test_a_silent_server_costs_the_time_limit_once(start: Start) -> None:
    generator, server = await start(Hangs())
    generator._timeout = 0.4  # type: ignore[attr-defined]
    started = time.monotonic()
    assert is_extractive(await phrase(generator))
    assert time.monotonic() - started < 2
    assert len(server.asked) == 1


async def test_a_server_that_drips_does_not_outlast_the_time_limit(start: Start) -> None:
    generator, _ = await start(Sends([b" "] * 1000, pause=0.05))
    generator._timeout = 0.5  # type: ignore[attr-defined]
    started = time.monotonic()
    assert is_extractive(await phrase(generator))
    assert time.monotonic() - started < 2


@pytest.mark.parametrize("dialect", ["ollama", "openai"])
async def test_a_refused_connection_is_not_tried_twice(dialect: str, unused_tcp_port: int) -> None:
    base = f"http://127.0.0.1:{unused_tcp_port}"
    generators: dict[str, Generator] = {
        "ollama": OllamaGenerator("m", Limits(), base=base),
        "openai": OpenAIGenerator(base, "m", Limits()),
    }
    started = time.monotonic()
    assert is_extractive(await phrase(generators[dialect]))
    assert time.monotonic() - started < 1


async def test_the_turn_is_given_back_after_every_failure(start: Start) -> None:
    generator, _ = await start(Says("{"), Says("{"), BreaksOff(), BreaksOff(), Hangs(), GOOD)
    answer, book = supported()
    one = Phraser(generator, lambda: {"history": book}, seconds=1.0)
    for _ in range(3):
        assert is_extractive(await one.phrase(QUESTION, answer))
    assert (await one.phrase(QUESTION, answer)).answer == TRUE


async def test_a_cancelled_question_closes_the_connection(start: Start) -> None:
    generator, server = await start(Hangs(), GOOD)
    task = asyncio.create_task(phrase(generator))
    while not server.asked:  # noqa: ASYNC110
        await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await asyncio.wait_for(server.left.wait(), 5)
    assert (await phrase(generator)).answer == TRUE


@pytest.mark.parametrize("tokens", [10, 2050])
async def test_a_prompt_that_the_server_cut_is_asked_again_with_less(start: Start, tokens: int) -> None:
    generator, server = await start(Says(GOOD.text, prompt_tokens=tokens), GOOD)
    if tokens == 2050 and generator.name == "openai":
        pytest.skip("only Ollama cuts to half the context")
    answer, book = supported()
    one = Phraser(generator, lambda: {"history": book})
    await one.phrase(QUESTION, answer)
    assert len(server.asked) == 2
    first, second = (json.dumps(asked, ensure_ascii=False) for asked in server.asked)
    assert len(second) < len(first)


async def test_a_prompt_beyond_the_context_is_not_sent(start: Start) -> None:
    generator, server = await start(GOOD, limits=Limits(1024, 400))
    with pytest.raises(PromptTooLong):
        await generator.generate(Prompt("с", "слово " * 500, ("f1",), 100))
    assert server.asked == []


async def test_what_is_asked_of_the_server(start: Start) -> None:
    generator, server = await start(GOOD)
    await phrase(generator)
    asked, headers = server.asked[0], server.headers[0]
    assert asked["stream"] is False
    if generator.name == "ollama":
        schema = asked["format"]
        assert asked["options"] == {"num_ctx": 4096, "num_predict": 400, "temperature": 0.1}
        assert QUESTION in asked["prompt"]
        assert "Authorization" not in headers
    else:
        schema = asked["response_format"]["json_schema"]["schema"]
        assert asked["response_format"]["type"] == "json_schema"
        assert (asked["max_tokens"], asked["temperature"]) == (400, 0.1)
        assert QUESTION in asked["messages"][1]["content"]
        assert headers["Authorization"] == f"Bearer {KEY}"
    assert schema["properties"]["citations"]["items"]["enum"] == ["f1", "f2", "f3"]


async def test_environment_proxies_are_not_used(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    generator, _ = await start(GOOD)
    assert (await phrase(generator)).answer == TRUE


@pytest.mark.parametrize("name", ["server error", "no right", "breaks off", "half JSON", "citations as text"])
async def test_neither_the_key_nor_the_texts_are_logged(
    start: Start, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    logging.getLogger("aiohttp.access").setLevel(logging.ERROR)
    generator, _ = await start(WRONG[name][0])
    await phrase(generator)
    for secret in (KEY, "TEST-SECRET", "Петербург", "солдаты"):
        assert secret not in caplog.text
