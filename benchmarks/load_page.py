"""`docs/load.md`: a section for each kind of load run, written by the run itself."""

from __future__ import annotations

import os
import platform
import re
import shlex
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

Row = tuple[str, object]

HEAD = """# A school asks at once

Written by `benchmarks/telegram_load.py --markdown docs/load.md`; each section holds the last run of its
kind. The bot is a process of its own with a database on the disk, the textbooks are the samples, the
embedder is the bundled one. The crowd and the stand-in for Telegram share the processor with it, so a bot
with these cores to itself is faster. Telegram's limits on sending hold, and requests meet flood waits, 502,
gateway pages, slow bodies and connections cut before and after the work; two in a hundred students block
the bot after their first question.

*Lost*: a question without an answer or a word about it. *Doubled*: answered twice though no connection was
cut. *Crossed*: an answer in a chat whose student has not asked for it. *Waits* are from the question to its
answer, also across a restart: most of them are the queue in front of the one worker that looks into the
books.
"""


def write_section(page: Path, title: str, command: Sequence[str], tables: Sequence[Sequence[Row]]) -> None:
    """Puts the section of this title into the page, in place of an older one."""
    old = page.read_text("utf-8") if page.exists() else ""
    sections = dict(re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", old, flags=re.MULTILINE | re.DOTALL))
    body = [f"{datetime.now(UTC):%Y-%m-%d}, {machine()}:", "", "```", f"python {shlex.join(command)}", "```"]
    for rows in tables:
        body += ["", "| | |", "|---|---:|", *(f"| {name} | {value} |" for name, value in rows)]
    sections[title] = "\n" + "\n".join(body) + "\n\n"
    parts = [HEAD, *(f"## {name}\n{sections[name]}" for name in sorted(sections))]
    page.write_text("\n".join(part.rstrip("\n") + "\n" for part in parts), "utf-8")


def machine() -> str:
    """«2 cores of Intel(R) Xeon(R) …, 31 GiB, Linux, Python 3.11.9, load average 1.4 over five minutes»."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    system = f"{platform.system()}, Python {platform.python_version()}"
    load = f"load average {os.getloadavg()[1]:.1f} over five minutes"
    return f"{os.cpu_count()} cores of {_processor()}, {memory:.0f} GiB, {system}, {load}"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        return platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()
