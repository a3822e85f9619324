"""Parsing a book: ours as a whole against what pymupdf4llm does by default (its layout model), same pages.

    python benchmarks/parse_default.py FILE.pdf [--pages 30]

The pages are spread evenly over the book. Both sides run in this one process on the same file of those pages
and start warm; ours does everything up to chunks. Prints pages a second and the ratio theirs / ours (goal: at
least 4).
Then the reading of the whole file by two processes against one (goal: at least 1.7, on an idle machine).
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import sys
import tempfile
from pathlib import Path
from time import perf_counter

import pymupdf
from parse import ours

from ingest.reader import read_pdf
from ingest.settings import IngestSettings

GOAL, GOAL_PROCESSES = 4.0, 1.7


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


def reading(pdf: Path, workers: int) -> float:
    started = perf_counter()
    read_pdf(pdf, IngestSettings(workers=workers))
    return perf_counter() - started


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
    one, two = reading(arguments.file, 1), reading(arguments.file, 2)
    print(
        f"reading: one process {one:.1f} s, two {two:.1f} s, ratio {one / two:.2f} (goal {GOAL_PROCESSES}, "
        f"{len(os.sched_getaffinity(0))} cores, load {os.getloadavg()[0]:.1f})"
    )
    return 0 if ratio >= GOAL else 1


if __name__ == "__main__":
    sys.exit(main())
