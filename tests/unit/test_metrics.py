"""What is counted, and that no person is in it."""

from __future__ import annotations

import io
import json
import logging
from contextlib import suppress
from datetime import date

import pytest
from pydantic import SecretStr

from answer.answer import Answer, Citation
from answer.query import Scope
from bot import logs
from bot.errors import AddressInvalid
from bot.health import read_listen
from bot.metrics import Meters
from bot.stats import SECONDS, Tally, Usage

TOKEN = "123456:TEST-SECRET"
SOURCE = Citation("s1", "o10", "Обществознание", (10,), None, "3", "Тема", "7", 1, "Общество — это мир.")


def sample(meters: Meters, name: str, **labels: str) -> float | None:
    return meters.registry.get_sample_value(name, labels)


def test_answers_are_counted_by_intent_status_and_book_and_nothing_else() -> None:
    meters = Meters()
    answer = Answer(
        "supported", "question", "Тайный вопрос Пети", Scope(), sources=(SOURCE,), elapsed_ms=1234
    )
    meters.answered(answer)
    meters.answered(Answer("insufficient", "question", "нет", Scope(), elapsed_ms=40))
    assert sample(meters, "paragraf_answers_total", intent="question", status="supported") == 1
    assert sample(meters, "paragraf_answers_by_book_total", book="o10") == 1
    assert sample(meters, "paragraf_answer_seconds_count", intent="question") == 2
    assert sample(meters, "paragraf_answer_seconds_bucket", intent="question", le="0.05") == 1
    shown = meters.exposition().decode()
    assert "Пети" not in shown
    assert "Обществознание" not in shown


def test_silence_of_telegram_ends_with_any_answer_and_not_with_a_lost_connection() -> None:
    clock = [0.0]
    meters = Meters(now=lambda: clock[0])
    meters.requested("getMe", "network")
    assert meters.telegram_silent is None
    meters.requested("getMe", "flood")
    clock[0] = 100
    meters.requested("getUpdates", "server")
    assert meters.telegram_silent == 100
    meters.requested("getUpdates", "ok")
    assert meters.telegram_silent == 0
    assert sample(meters, "paragraf_telegram_requests_total", method="getUpdates", outcome="server") == 1


def test_questions_that_wait_are_seen_and_gone_when_they_fail() -> None:
    meters = Meters()
    seen = []
    with suppress(RuntimeError), meters.at_desk():
        seen.append(sample(meters, "paragraf_questions_waiting"))
        raise RuntimeError
    assert seen == [1]
    assert sample(meters, "paragraf_questions_waiting") == 0


@pytest.mark.parametrize(
    ("seconds", "half", "most"),
    [
        ([0.01] * 10, 0.05, 0.05),
        ([0.06] * 18 + [4.0] * 2, 0.1, 5.0),
        ([1.0, 1000.0], 1.0, SECONDS[-1]),
        ([], None, None),
    ],
)
def test_percentiles_are_the_upper_borders_of_their_classes(
    seconds: list[float], half: float | None, most: float | None
) -> None:
    tally = Tally(lambda: date(2026, 9, 1))
    for value in seconds:
        tally.add_seconds(value)
    counts = {label: number for (_, _, label), number in tally._counts.items()}
    usage = Usage({"seconds": counts})
    assert (usage.seconds(0.5), usage.seconds(0.95)) == (half, most)


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("9464", ("127.0.0.1", 9464)),
        (":9464", ("127.0.0.1", 9464)),
        ("0.0.0.0:9464", ("0.0.0.0", 9464)),
        ("[::1]:0", ("::1", 0)),
    ],
)
def test_a_port_alone_is_for_this_machine_only(text: str, address: tuple[str, int]) -> None:
    assert read_listen(text) == address


@pytest.mark.parametrize("text", ["", "localhost", "host:port", "1.2.3.4:70000", "-1"])
def test_an_unreadable_address_is_named(text: str) -> None:
    with pytest.raises(AddressInvalid, match="METRICS_LISTEN"):
        read_listen(text)


def test_json_logs_are_objects_without_tokens() -> None:
    out = io.StringIO()
    handler = logging.StreamHandler(out)
    handler.setFormatter(logs.JsonFormatter(logs.Masker(SecretStr(TOKEN))))
    logger = logging.getLogger("json")
    logger.addHandler(handler)
    logger.propagate = False
    try:
        raise RuntimeError(f'POST https://api.telegram.org/bot{TOKEN}/getMe "кавычки"\nи строка')
    except RuntimeError:
        logger.exception("не вышло: %s", TOKEN)
    logger.removeHandler(handler)
    lines = out.getvalue().splitlines()
    assert len(lines) == 1
    said = json.loads(lines[0])
    assert said["level"] == "ERROR"
    assert said["message"] == f"не вышло: {logs.MASK}"
    assert "RuntimeError" in said["traceback"]
    assert "TEST-SECRET" not in out.getvalue()
