"""Parsing a book: ours as a whole against what pymupdf4llm does by default (its layout model), same pages.

    python benchmarks/parse_default.py FILE.pdf [--pages 30]

The pages are spread evenly over the book. Both sides run in this one process on the same file of those pages
and start warm; ours does everything up to chunks. Prints pages a second and the ratio theirs / ours (goal: at
least 4).
Then the whole file by two processes against one: reading alone (goal: at least 1.7) and everything up to
chunks, whose rest one process does. Both alternate, the fastest of each counts. Beside the seconds stand the
processor seconds of the reading processes: where they got far less of a core than 100 %, the machine was busy
and the ratio says nothing; the ratio of the processor seconds is what the work allows.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import resource
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import pymupdf
from parse import Counting, ours

from ingest.options import BookOptions
from ingest.parse import parse
from ingest.reader import read_pdf
from ingest.settings import IngestSettings

GOAL, GOAL_PROCESSES = 4.0, 1.7
ROUNDS = 3


def theirs(pdf: Path) -> None:
    import pymupdf4llm

    with contextlib.redirect_stdout(io.StringIO()):  # it prints to stdout
        pymupdf4llm.to_markdown(str(pdf), page_chunks=True)


def excerpt(pdf: Path, pages: int, target: Path) -> int:
    """Writes `pages` pages spread evenly over the book; returns how many there are."""
    with pymupdf.open(pdf) as document:
        count = min(pages, document.page_count)
        document.select([i * document.page_count // count for i in range(count)])
        document.save(target)
    return count


@dataclass(frozen=True, slots=True)
class Run:
    """One run over the whole file, seconds."""

    workers: int
    wall: float
    parent: float
    """Processor time of this process."""
    children: float
    """Processor time of the reading processes."""

    @property
    def share(self) -> float:
        """Part of a core that each reading process got, 0..1; below the truth where this process works on."""
        return self.children / self.wall / self.workers


def timed(work: Callable[[IngestSettings], object], workers: int) -> Run:
    def used(who: int) -> float:
        usage = resource.getrusage(who)
        return usage.ru_utime + usage.ru_stime

    parent, children = used(resource.RUSAGE_SELF), used(resource.RUSAGE_CHILDREN)
    started = perf_counter()
    work(IngestSettings(workers=workers))
    wall = perf_counter() - started
    return Run(workers, wall, used(resource.RUSAGE_SELF) - parent, used(resource.RUSAGE_CHILDREN) - children)


def one_against_two(name: str, work: Callable[[IngestSettings], object]) -> tuple[Run, Run]:
    runs = [timed(work, workers) for _ in range(ROUNDS) for workers in (1, 2)]
    one, two = (min((r for r in runs if r.workers == n), key=lambda r: r.wall) for n in (1, 2))
    print(f"{name}: one process {one.wall:.2f} s, two {two.wall:.2f} s, ratio {one.wall / two.wall:.2f}")
    for run in (one, two):
        print(
            f"  {run.workers}: reading processes {run.children:.2f} processor s, "
            f"{run.share:.0%} of a core each; this one {run.parent:.2f}"
        )
    return one, two


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--pages", type=int, default=30)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        sample, first = Path(folder) / "sample.pdf", Path(folder) / "first.pdf"
        pages = excerpt(arguments.file, arguments.pages, sample)
        excerpt(arguments.file, 2, first)
        ours(first, 2)  # imports, dictionary
        started = perf_counter()
        ours(sample, pages)
        mine = perf_counter() - started
        theirs(first)  # imports, model
        started = perf_counter()
        theirs(sample)
        other = perf_counter() - started
    ratio = other / mine
    print(
        f"{arguments.file.name}: {pages} pages, ours {pages / mine:.1f} pages/s, "
        f"pymupdf4llm by default {pages / other:.1f} pages/s, ratio {ratio:.1f} (goal {GOAL:.0f})"
    )
    options = BookOptions.checked([10], "предмет", "Книга")
    one, two = one_against_two("reading", lambda settings: read_pdf(arguments.file, settings))
    allowed = 2 * one.children / (two.children + two.parent)
    print(
        f"  goal {GOAL_PROCESSES}; the processor seconds allow {allowed:.2f} on two free cores; "
        f"here {len(os.sched_getaffinity(0))} cores, load {os.getloadavg()[0]:.1f}"
    )
    one_against_two(
        "up to chunks",
        lambda settings: parse(arguments.file, options, sha256="", embedder=Counting(), settings=settings),
    )
    return 0 if ratio >= GOAL else 1


if __name__ == "__main__":
    sys.exit(main())
