"""A class asks at once while the bot is killed and everything goes wrong: nothing lost, doubled or crossed.

`benchmarks/telegram_load.py` is the same with a whole school.
"""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path

from botapi.crowd import Chats, Crowd, misfortunes, question_pool
from botapi.process import SLOW, serving
from botapi.rates import Rates

GOLD = sorted((Path(__file__).resolve().parents[2] / "data/gold").glob("*.jsonl"))


async def test_forty_students_a_killed_bot_and_every_kind_of_fault(
    sample_store: Path, tmp_path: Path
) -> None:
    pool = question_pool(sample_store, GOLD, 24)
    async with Chats(rates=Rates()) as api:
        misfortunes(api, seed=3)
        crowd = Crowd(api, pool, 40, seconds=2, each=3, pause=0.5, seed=3)
        async with serving(api, sample_store, tmp_path, LOG_LEVEL="INFO") as bot:
            await api.until(lambda: api.made("getUpdates"), SLOW)
            asking = asyncio.create_task(crowd.run(patience=20))
            await api.until(lambda: len(api.sent) > crowd.total / 4, SLOW)
            await bot.end(signal.SIGKILL)
        async with serving(api, sample_store, tmp_path, LOG_LEVEL="INFO") as bot:
            await asking
            code, printed = await bot.end(signal.SIGTERM)
    verdict = crowd.verdict()
    assert verdict.good, verdict
    assert verdict.asked == crowd.total
    assert verdict.answered + verdict.refused + verdict.blocked == verdict.asked
    assert code == 0
    assert "Traceback" not in printed
