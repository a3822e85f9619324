"""Reading a PDF: ours (layout, structure, chunks) against pymupdf4llm on the same pages, in one process.

    python benchmarks/parse.py FILE.pdf… [--pages N]

Both sides run in this one process, on one core, on the same pages; each starts warm. Prints pages a second of
both and the ratio ours / theirs (greater is better, the goal is at least 0.75), and ours has to do at least 5
pages a second. Ours is measured without its child processes, whose start is no matter of pages.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter

import numpy as np
import pymupdf

from index.embedder import Vectors
from ingest.extract import extract
from ingest.lines import OutlineEntry, RawBook
from ingest.options import BookOptions
from ingest.parse import assemble

GOAL_RATIO, GOAL_SPEED = 0.75, 5.0


class Counting:
    """Counts tokens by length; embedding is no part of this benchmark."""

    id, dimension, max_tokens = "counting", 1, 512

    def count_tokens(self, text: str) -> int:
        return len(text) // 3

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        return np.ones((len(texts), 1), dtype=np.float32)

    def embed_query(self, text: str) -> Vectors:
        return np.ones(1, dtype=np.float32)


def ours(pdf: Path, pages: int) -> int:
    with pymupdf.open(pdf) as document:
        raw = tuple(extract(document[i], i + 1) for i in range(pages))
        outline = tuple(OutlineEntry(a, b, c) for a, b, c in document.get_toc() if c <= pages)
    options = BookOptions.checked([10], "предмет", "Книга")
    return len(assemble(RawBook(raw, outline), options, sha256="", embedder=Counting()).chunks)


def theirs(pdf: Path, pages: int) -> int:
    import pymupdf4llm

    with contextlib.redirect_stdout(io.StringIO()):  # it prints to stdout
        pymupdf4llm.use_layout(False)
        chunks = pymupdf4llm.to_markdown(str(pdf), pages=list(range(pages)), page_chunks=True)
    return len(chunks)


def seconds(run: Callable[[Path, int], int], pdf: Path, pages: int) -> float:
    run(pdf, min(pages, 3))  # imports, dictionary
    started = perf_counter()
    run(pdf, pages)
    return perf_counter() - started


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--pages", type=int, default=40, help="at most so many pages of each file")
    arguments = parser.parse_args()
    good = True
    for pdf in arguments.files:
        with pymupdf.open(pdf) as document:
            pages = min(arguments.pages, document.page_count)
        mine, other = seconds(ours, pdf, pages), seconds(theirs, pdf, pages)
        ratio = other / mine
        good = good and ratio >= GOAL_RATIO and pages / mine >= GOAL_SPEED
        print(
            f"{pdf.name}: {pages} pages, ours {pages / mine:.1f} pages/s, "
            f"pymupdf4llm {pages / other:.1f} pages/s, ratio {ratio:.2f}"
        )
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
