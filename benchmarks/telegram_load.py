"""A school asks at once: the bot as a process against the stand-in for Telegram, with faults and a restart.

    python benchmarks/telegram_load.py [--students 1000] [--restart term|kill|none] [--store data/store]
    python benchmarks/telegram_load.py --model 2 --students 60 --seconds 20 --restart none

Students come in bursts and ask three questions each; two thirds wait for an answer before they ask again.
Each question has a quote that only its answer holds, so a lost, doubled or foreign answer is seen. Telegram's
limits on sending hold; requests meet flood waits, 5xx, slow bodies and connections cut before and after the
work; some users block the bot. In the middle the bot is ended and started again. Exit code 1 when a question
is lost, answered twice without a cut connection, answered in another chat, or out of order.

`--model`: a stand-in for a model words the answers and takes so many seconds for each; the table then says
how soon quotes and words came, and how the edits kept to Telegram's pace. `--markdown docs/load.md` puts the
tables into that page.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # read when the embedder's library loads

import argparse
import asyncio
import signal
import sys
import tempfile
import time
from bisect import bisect_left
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests"), str(ROOT / "benchmarks")]

from botapi.crowd import Chats, Crowd, Verdict, misfortunes, question_pool  # noqa: E402
from botapi.process import serving  # noqa: E402
from botapi.rates import COUNTED, Rates  # noqa: E402
from load_page import Row, write_section  # noqa: E402
from modelserver.slow import SlowModel  # noqa: E402

from bot.telegram.texts import WORDING, WORDING_OVERTAKEN  # noqa: E402

GOLD = sorted((ROOT / "data/gold").glob("*.jsonl"))
RESTARTS = {"term": signal.SIGTERM, "kill": signal.SIGKILL}
TITLES = {
    "term": "Asked to end in the middle (SIGTERM)",
    "kill": "Killed in the middle (SIGKILL)",
    "none": "Without a restart",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--students", type=int, default=1000)
    parser.add_argument("--each", type=int, default=3, help="questions of a student")
    parser.add_argument("--seconds", type=float, help="within which they come; default 0.25 s for each")
    parser.add_argument("--restart", choices=["term", "kill", "none"], default="term")
    parser.add_argument("--store", type=Path, default=ROOT / "data/store")
    parser.add_argument("--pool", type=int, default=60, help="different questions")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--model", type=float, help="seconds that a stand-in for a model takes for an answer")
    parser.add_argument("--no-faults", action="store_true")
    parser.add_argument("--log", type=Path, help="where the log of the bot goes")
    parser.add_argument("--markdown", type=Path, help="page into which the tables go")
    sys.exit(asyncio.run(run(parser.parse_args())))


async def run(arguments: argparse.Namespace) -> int:
    pool = question_pool(arguments.store, GOLD, arguments.pool)
    seconds = arguments.seconds or 0.25 * arguments.students
    each = arguments.each
    print(
        f"{arguments.students} students, {each} of {len(pool)} questions each, within {seconds:.0f} s",
        flush=True,
    )
    async with AsyncExitStack() as stack:
        api = await stack.enter_async_context(Chats(rates=Rates()))
        env = {"LOG_LEVEL": "INFO", "GENERATOR": "none"}
        model = SlowModel(arguments.model) if arguments.model is not None else None
        if model is not None:
            server = await model.start()
            stack.push_async_callback(server.close)
            env |= {"GENERATOR": "openai", "OPENAI_BASE_URL": str(server.make_url("/v1"))}
        if not arguments.no_faults:
            misfortunes(api, arguments.seed)
        crowd = Crowd(api, pool, arguments.students, seconds=seconds, each=each, seed=arguments.seed)
        with tempfile.TemporaryDirectory() as folder:
            began = time.monotonic()
            served = await _serve(api, crowd, arguments, Path(folder), env)
            elapsed = time.monotonic() - began
        verdict, printed = crowd.verdict(), served.printed
        tables = [table(verdict, elapsed, served, api)]
        if model is not None:
            tables.append(table_of_words(api, model))
        for rows in tables:
            print("\n".join(f"{name:36} {value:>8}" for name, value in rows))
        if arguments.markdown:
            title = "Words of a model" if model is not None else TITLES[arguments.restart]
            write_section(arguments.markdown, title, _command(sys.argv[1:]), tables)
        if arguments.log:
            arguments.log.write_text(printed, "utf-8")
        errors = [line for line in printed.splitlines() if " ERROR " in line or "Traceback" in line]
        print("\n".join(errors[:20]))
    return 0 if verdict.good else 1


def _command(arguments: list[str]) -> list[str]:
    """How the run is repeated: without the places where its results went."""
    kept, skip = ["benchmarks/telegram_load.py"], False
    for argument in arguments:
        skip, skipped = argument in ("--markdown", "--log"), skip
        if not skip and not skipped:
            kept.append(argument)
    return kept


@dataclass(slots=True)
class Served:
    """What was seen of the bot's process."""

    peak: float = 0.0
    """Memory, MiB."""
    printed: str = ""
    ending: float | None = None
    """Seconds from the signal in the middle to the end of the process."""


async def _serve(
    api: Chats, crowd: Crowd, arguments: argparse.Namespace, folder: Path, env: dict[str, str]
) -> Served:
    served = Served()
    asking: asyncio.Task[None] | None = None
    stop = RESTARTS.get(arguments.restart)
    while asking is None or not asking.done():
        async with serving(api, arguments.store, folder, **env) as bot:
            await api.until(lambda: api.made("getUpdates"), 120)
            asking = asking or asyncio.create_task(crowd.run())
            while not asking.done() and (stop is None or crowd.put < crowd.total / 2):
                await asyncio.sleep(0.5)
                served.peak = max(served.peak, bot.peak_mib)
            served.peak = max(served.peak, bot.peak_mib)
            if not asking.done() and stop is not None:
                waiting = api.waiting_updates
                left = time.monotonic()
                code, text = await bot.end(stop)
                served.printed += text
                served.ending = time.monotonic() - left
                print(f"{stop.name}: ended with {code}, {waiting} updates not fetched")
                stop = None
                continue
            await _all_worded(api)
            await bot.end(signal.SIGTERM)
            served.printed += bot.printed
    await asking
    return served


async def _all_worded(api: Chats) -> None:
    """Until no answer carries a hint any more.

    The copy of an answer whose sending was cut keeps its hint: the bot does not know of it.
    """
    edits = -1
    while edits < len(api.edits):
        edits = len(api.edits)
        with suppress(TimeoutError):
            await api.until(lambda: all(WORDING not in message.text for message in api.sent), 20)


def table_of_words(api: Chats, model: SlowModel) -> list[Row]:
    """The second table: what became of the wording."""
    hinted = [m for m in api.sent if any(WORDING in text for _, text in m.history)]
    places = sum("перед вами" in text for m in hinted for _, text in m.history)
    worded = [m for m in hinted if WORDING_OVERTAKEN not in m.text]
    gaps = [b - a for m in hinted for a, b in pairwise(at for at, _ in m.history)]
    waits = sorted(m.history[-1][0] - m.at for m in worded) or [0.0]
    counted = sorted(call.at for call in api.calls if call.method in COUNTED)
    busiest = max(bisect_left(counted, at + 1.0) - n for n, at in enumerate(counted))
    return [
        ("answers that waited for words", len(hinted)),
        ("overtaken by a newer question", len(hinted) - len(worded)),
        ("words p50 after the quotes, s", f"{waits[len(waits) // 2]:.1f}"),
        ("words max after the quotes, s", f"{waits[-1]:.1f}"),
        ("places shown", places),
        ("least gap between two edits, s", f"{min(gaps, default=0.0):.1f}"),
        ("most messages and edits in 1 s", busiest),
        ("asked of the model", len(model.asked)),
        ("given up in mid-work", model.given_up),
        ("most at once at the model", model.most_at_once),
    ]


def table(verdict: Verdict, elapsed: float, served: Served, api: Chats) -> list[Row]:
    """What became of the questions, and what it took."""
    ending = [("ended after the signal, s", f"{served.ending:.1f}")] if served.ending is not None else []
    return [
        ("asked", verdict.asked),
        ("answered", verdict.answered),
        ("refused with words", verdict.refused),
        ("blocked the bot", verdict.blocked),
        ("lost", verdict.lost),
        ("doubled", verdict.doubled),
        ("doubled after a cut connection", verdict.repeated),
        ("crossed", verdict.crossed),
        ("chats out of order", verdict.disordered),
        ("internal errors shown", verdict.errors),
        ("wait p50, s", f"{verdict.wait(0.5):.1f}"),
        ("wait p95, s", f"{verdict.wait(0.95):.1f}"),
        ("wait max, s", f"{verdict.wait(1.0):.1f}"),
        ("answered a second", f"{verdict.answered / elapsed:.1f}"),
        ("peak memory of the bot, MiB", f"{served.peak:.0f}"),
        *ending,
        ("requests over Telegram's limits (429)", api.rates.refusals if api.rates else 0),
        ("requests that met a fault", sum(call.error is not None for call in api.calls)),
        ("requests in all", len(api.calls)),
    ]


if __name__ == "__main__":
    main()
