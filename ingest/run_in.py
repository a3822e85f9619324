"""§§ whose bold number is run into their first line («27. Теоремы, аксиомы. Из того, что …»).

A bold number at the start of a paragraph says little: exercises and list items have them too. It is believed
where the numbers count on through the whole book and the book itself refers to them as «§ 27», «§§ 6—8», or
where the sign § stands before each of them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ingest.numbers import key
from ingest.paragraphs import Habits, Para
from ingest.repair import Joiner, clean

_START = re.compile(r"^(§\s*)?(\d{1,4})\s?([а-я])?(?:\.|(?=\s))\s*(.*)$", re.DOTALL | re.IGNORECASE)
_REFERENCE = re.compile(r"§+\s*(\d{1,4})(?:\s*[–—-]\s*(\d{1,4}))?")
_SENTENCE = re.compile(r"^.*?[^\W\d_]{2,}[»\")]*[.!?:](?=\s+[\W\d]*[А-ЯЁA-Z\d]|\s*$)", re.DOTALL)
_MAX_STEP = 3  # numbers left out in a row: their paragraphs were not recognised
_MIN_CHAIN = 12  # bold numbers that count on; a list is shorter
_MIN_SHARE = 0.7  # of all such paragraphs; exercises start anew in each section
_MIN_REFERENCES = 3
_MAX_TITLE = 200


@dataclass(frozen=True, slots=True)
class RunIn:
    """A § that begins with this paragraph."""

    number: str
    """Its key: «27», «27а»."""
    title: str
    """The bold run after the number, without the full stop; «» where nothing is bold there."""


@dataclass(frozen=True, slots=True)
class _Candidate:
    at: int
    """Index of the paragraph."""
    place: tuple[int, str]
    """Number and letter, for counting."""
    sign: bool
    """«§» stands before the number."""
    title: str


def find_run_in(paras: Sequence[Para], book: Habits, joiner: Joiner) -> dict[int, RunIn]:
    """§ by index of its first paragraph; empty for a book that does not set its §§ so."""
    found = [c for i, para in enumerate(paras) if (c := _candidate(i, para, book, joiner)) is not None]
    signed = [c for c in found if c.sign]
    if len(signed) >= 2:
        chain = _chain(signed)
        good = len(chain) >= _MIN_SHARE * len(signed)
    else:
        chain = _chain(found)
        good = (
            len(chain) >= _MIN_CHAIN
            and len(chain) >= _MIN_SHARE * len(found)
            and _referred(paras, chain[-1].place[0]) >= _MIN_REFERENCES
        )
    if not good:
        return {}
    return {c.at: RunIn(key(f"{c.place[0]}{c.place[1]}"), c.title) for c in chain}


def _candidate(at: int, para: Para, book: Habits, joiner: Joiner) -> _Candidate | None:
    """A paragraph of text size that begins with a bold number.

    Its title may fill the line, then the paragraph is bold throughout; remarks are set a little smaller.
    """
    if para.flow != "main" or not 0.85 * book.body_size <= para.size <= 1.07 * book.body_size:
        return None
    run: list[str] = []
    for row in para.rows:
        run.append(clean(row.text if row.bold else row.lead))
        if not row.bold:
            break
    bold = _START.match(joiner.join(filter(None, run)))
    whole = _START.match(clean(para.rows[0].text))
    if bold is None or whole is None or whole[2] != bold[2]:
        return None
    return _Candidate(at, (int(bold[2]), (bold[3] or "").lower()), bold[1] is not None, _title(bold[4]))


def _title(bold: str) -> str:
    """First sentence of the bold run: a theorem after the title may be bold too, a bold term is no title."""
    sentence = _SENTENCE.match(bold.strip())
    if sentence is None or len(sentence[0]) > _MAX_TITLE or not any(ch.isalpha() for ch in sentence[0]):
        return ""
    return sentence[0].strip().rstrip(".:").strip()


def _chain(found: Sequence[_Candidate]) -> list[_Candidate]:
    """The longest run of candidates that count on, with few numbers left out."""
    length: list[int] = []
    before: list[int | None] = []
    ends: dict[tuple[int, str], int] = {}
    """Place in the count → candidate with the longest chain up to it; of equal ones the first."""
    for i, candidate in enumerate(found):
        number, letter = candidate.place
        options = [end for place, end in ends.items() if _counts_on(place, (number, letter))]
        best = max(options, key=lambda end: length[end], default=None)
        length.append(1 if best is None else length[best] + 1)
        before.append(best)
        old = ends.get(candidate.place)
        if old is None or length[i] > length[old]:
            ends[candidate.place] = i
    at = max(range(len(found)), key=lambda i: length[i], default=None)
    out: list[_Candidate] = []
    while at is not None:
        out.append(found[at])
        at = before[at]
    return out[::-1]


def _counts_on(before: tuple[int, str], after: tuple[int, str]) -> bool:
    """«28» after «27» and «27а», «27а» after «27», «27б» after «27а»."""
    if after[1]:
        return before[0] == after[0] and before[1] < after[1]
    return 0 < after[0] - before[0] <= _MAX_STEP


def _referred(paras: Sequence[Para], last: int) -> int:
    """How many different numbers up to `last` the text calls «§ N»."""
    numbers: set[int] = set()
    for para in paras:
        for match in _REFERENCE.finditer(para.raw):
            numbers.update(int(n) for n in match.groups() if n and int(n) <= last)
    return len(numbers)
