"""Systems over cases: what `paragraf evaluate` and `evaluation.results` have in common."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.progress import track

from evaluation.cases import Case
from evaluation.metrics import Score, score
from evaluation.original import Original
from evaluation.systems import Paragraf, System
from index.embedders import load_embedder

SYSTEMS = ("original", "paragraf")
"""The published pipeline first: comparisons are the second minus the first."""


def run_systems(
    names: Sequence[str], cases: Sequence[Case], paragraf: Paragraf, embedder: str, progress: Console
) -> dict[str, list[Score]]:
    """System → its scores, in the order of the cases; all over the library of `paragraf`."""
    library = paragraf.library
    runs = {}
    for name in names:
        system: System = paragraf
        if name == "original":
            system = Original.build(library, load_embedder(embedder), progress=progress.print)
        runs[name] = [
            score(case, system.ask(case), library.books)
            for case in track(cases, name, console=progress, transient=True)
        ]
    return runs
