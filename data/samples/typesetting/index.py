"""Alphabetical index: the glossary's terms and the pages that speak of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Entry:
    term: str
    pages: tuple[str, ...]
    """Printed numbers in reading order."""

    def __str__(self) -> str:
        runs: list[list[int]] = []
        for page in map(int, self.pages):
            if runs and page == runs[-1][-1] + 1:
                runs[-1].append(page)
            else:
                runs.append([page])
        shown = [f"{run[0]}–{run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in runs]
        return f"{self.term}, {', '.join(shown)}"


def index_entries(terms: Sequence[str], pages: Mapping[str, str], order: Callable[[str], str]) -> list[Entry]:
    """Entries of the terms that stand on some page; `pages` maps printed number → text in reading order."""
    entries = []
    for term in sorted(set(terms), key=order):
        pattern = _inflected(term)
        if found := tuple(number for number, text in pages.items() if pattern.search(text)):
            entries.append(Entry(term, found))
    return entries


def _inflected(term: str) -> re.Pattern[str]:
    """Matches the term in any case and number: each word by its stem, without the ending."""
    stems = (re.escape(word if len(word) < 5 else word[: max(4, len(word) - 2)]) for word in term.split())
    return re.compile(r"\b" + r"\w*\W+".join(stems) + r"\w{0,4}\b", re.IGNORECASE)
