"""What an extractive answer costs beside the embedding of its question.

    python benchmarks/answering.py [--store data/store] [--questions data/gold/…jsonl …]

Both sides run interleaved in one process: `embed` embeds the question alone, `ask` is the whole way from the
message to the answer (which embeds it too). Prints medians, p95 and their ratio, meant to be <= 2.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # as the bot asks; read when the embedder's library loads

import argparse
import json
import statistics
import time
from pathlib import Path

from answer.assistant import Assistant
from answer.query import ScopeOptions

ROOT = Path(__file__).resolve().parents[1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--store", type=Path, default=ROOT / "data/store")
    parser.add_argument(
        "--questions", type=Path, nargs="*", default=sorted((ROOT / "data/gold").glob("*.jsonl"))
    )
    parser.add_argument("--limit", type=int, default=120, help="questions at most, spread over the files")
    arguments = parser.parse_args()
    rows = [json.loads(line) for path in arguments.questions for line in path.read_text("utf-8").splitlines()]
    rows = rows[:: max(1, len(rows) // arguments.limit)]

    started = time.perf_counter()
    assistant = Assistant.open(arguments.store)
    print(f"{len(assistant.library)} chunks loaded in {time.perf_counter() - started:.2f} s")
    assistant.ask(rows[0]["question"])
    embed, ask = [], []
    for row in rows:
        options = ScopeOptions(grade=row.get("grade"), paragraph=row.get("paragraph"))
        started = time.perf_counter()
        assistant.library.embed(row["question"])
        between = time.perf_counter()
        answer = assistant.ask(row["question"], options=options).answer
        if answer.intent == "question":
            embed.append(between - started)
            ask.append(time.perf_counter() - between)
    for name, seconds in (("embed", embed), ("ask", ask)):
        ordered = sorted(seconds)
        p95 = ordered[int(0.95 * (len(ordered) - 1))]
        print(f"{name:5}  median {1000 * statistics.median(ordered):6.1f} ms   p95 {1000 * p95:6.1f} ms")
    own = [whole - alone for whole, alone in zip(ask, embed, strict=True)]
    print(f"beside the embedding: median {1000 * statistics.median(own):.1f} ms")
    ratio = statistics.median(ask) / statistics.median(embed)
    print(f"ratio of the medians over {len(ask)} questions: {ratio:.2f}")


if __name__ == "__main__":
    main()
