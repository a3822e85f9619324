"""Printed page numbers: a given offset, else page labels of the PDF, else the numbers at head and foot."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ingest.numbers import roman, to_roman

Numeral = tuple[str, int]
"""("arabic" | "roman", value)."""

Candidates = Mapping[Numeral, float]
"""What may be the number of a sheet → weight: 1 for a number by itself, less inside a line of words."""

ALONE, AMONG_WORDS = 1.0, 0.4

_BARE = re.compile(
    r"^[\s\-–—•·|\[\]()~*]*(?:стр\.?|с\.)?\s*(\d{1,4}|[ivxlcIVXLC]{1,7})[\s\-–—•·|\[\]()~*.]*$"
)
_OF_TOTAL = re.compile(r"^(\d{1,4})\s*(?:/|из|of)\s*\d{1,4}$")
_MIN_SEEN = 2
_YEARS = 1000  # and later; no textbook has so many pages
_DISAGREES = "номер, который на странице виден, не сходится со счётом соседних; в ответах номера не будет"
_SWITCH = 3.0  # cost of a change of numbering; several agreeing pages pay it


@dataclass(frozen=True, slots=True)
class Pagination:
    """Printed number of each sheet, in file order, and how it came about."""

    printed: tuple[str | None, ...]
    source: str
    """"offset", "labels", "numbers" or "none"."""
    warnings: tuple[str, ...] = ()
    doubts: Mapping[int, str] = field(default_factory=dict)
    """Sheets (1-based) whose number is unsure and therefore None, and why (Russian)."""

    @property
    def offset(self) -> int | None:
        """Sheet minus printed number where it is one and the same for all Arabic numbers."""
        offsets = {i - int(p) for i, p in enumerate(self.printed, 1) if p is not None and p.isdecimal()}
        return offsets.pop() if len(offsets) == 1 else None


def numeral(token: str) -> Numeral | None:
    """Page number in a token of a running head or foot: «57», «— 57 —», «стр. 57», «2 / 63», «iv»."""
    token = token.strip()
    match = _OF_TOTAL.match(token) or _BARE.match(token)
    if match is None:
        return None
    if match[1].isdecimal():
        return "arabic", int(match[1])
    value = roman(match[1])
    return None if value is None else ("roman", value)


def paginate(
    candidates: Sequence[Candidates], labels: Sequence[str], page_offset: int | None = None
) -> Pagination:
    """`candidates`: per sheet, what stands at its head and foot. `labels`: per sheet, «» if none.

    Sensible labels win, unless most sheets whose number stands by itself show another one.
    """
    count = len(candidates)
    if page_offset is not None:
        printed = tuple(str(i - page_offset) if i > page_offset else None for i in range(1, count + 1))
        return Pagination(printed, "offset")
    seen = _seen(candidates)
    labelled = _labelled(labels)
    if labelled is None:
        printed, doubts = _counted(seen, candidates)
        return Pagination(printed, "numbers" if any(printed) else "none", doubts=doubts)
    certain = [i for i, s in enumerate(seen) if s is not None and candidates[i][s] >= ALONE]
    wrong = [i for i in certain if _text(seen[i]) != labelled[i]]
    if len(wrong) > 0.5 * len(certain) and len(wrong) >= _MIN_SEEN:
        sheet = wrong[0]
        warning = (
            f"Метки страниц в файле не совпадают с номерами на самих страницах (лист {sheet + 1}: метка "
            f"«{labelled[sheet]}», на странице «{_text(seen[sheet])}»). Взяты номера со страниц."
        )
        printed, doubts = _counted(seen, candidates)
        return Pagination(printed, "numbers", (warning,), doubts)
    return Pagination(tuple(labelled), "labels")


def _text(number: Numeral | None) -> str | None:
    if number is None:
        return None
    return str(number[1]) if number[0] == "arabic" else to_roman(number[1])


def _labelled(labels: Sequence[str]) -> list[str | None] | None:
    """Labels as printed numbers, or None when they tell nothing beyond the sheet number."""
    values: list[str | None] = []
    for label in labels:
        number = numeral(label) if label else None
        values.append(_text(number))
    if sum(v is not None for v in values) < 0.8 * len(values) or not values:
        return None
    if all(v is None or v == str(i) for i, v in enumerate(values, 1)):
        return None
    return values


def _seen(candidates: Sequence[Candidates]) -> list[Numeral | None]:
    """The number of each sheet on the likeliest course of numbering (Viterbi over offsets).

    A course is a style and an offset; it earns a point on each sheet that shows the number it foretells and
    pays for each change, so a year or an exercise number at the head of one page does not sway it.
    """
    votes: Counter[tuple[str, int]] = Counter()
    for sheet, numbers in enumerate(candidates, 1):
        votes.update({(style, sheet - value): 1 for style, value in numbers})
    # With a handful of pages even two agreeing numbers are evidence; on one page alone only offset 0..3 is.
    least = _MIN_SEEN if len(candidates) > 3 else 1
    courses: list[tuple[str, int] | None] = [None]
    courses += [course for course, n in votes.most_common(40) if n >= least or _trusted(course, candidates)]
    scores = [0.0 if course is None else -0.5 for course in courses]
    trace: list[list[int]] = []
    for sheet, numbers in enumerate(candidates, 1):
        best = max(range(len(courses)), key=lambda i: scores[i])
        came: list[int] = []
        fresh: list[float] = []
        for i, course in enumerate(courses):
            stay, switch = scores[i], scores[best] - _SWITCH
            came.append(i if stay >= switch else best)
            gain = 0.0
            if course is not None:
                gain = numbers.get((course[0], sheet - course[1]), -0.4 if numbers else -0.02)
            fresh.append(max(stay, switch) + gain)
        scores = fresh
        trace.append(came)
    state = max(range(len(courses)), key=lambda i: scores[i])
    path: list[int] = []
    for came in reversed(trace):
        path.append(state)
        state = came[state]
    path.reverse()
    out: list[Numeral | None] = []
    for sheet, (i, numbers) in enumerate(zip(path, candidates, strict=True), 1):
        course = courses[i]
        number = None if course is None else (course[0], sheet - course[1])
        out.append(number if number in numbers else None)
    return out


def _trusted(course: tuple[str, int], candidates: Sequence[Candidates]) -> bool:
    """In a book of few pages that show numbers at all, one number is all there is."""
    return sum(bool(numbers) for numbers in candidates) == 1 and 0 <= course[1] < len(candidates)


def _counted(
    seen: Sequence[Numeral | None], candidates: Sequence[Candidates]
) -> tuple[tuple[str | None, ...], dict[int, str]]:
    """Printed numbers, and the sheets left without one because what they show speaks against the count.

    Between two sheets of one course the count is borne out by both, so that what else stands there (the
    number of a chapter, of a task) is no page number. Elsewhere it is a guess: two neighbours that show the
    next two numbers beat it, as in a file of a few chosen pages; a single number makes it doubtful.
    """
    settled = list(seen)
    shown = _disagreeing(settled, candidates)
    for sheet, number in shown.items():
        neighbours = (shown.get(sheet - 1), number), (number, shown.get(sheet + 1))
        if any(b == (a[0], a[1] + 1) for a, b in neighbours if a and b) and _rises(settled, sheet, number):
            settled[sheet] = number
    printed = list(_spread(settled))
    doubts: dict[int, str] = {}
    for sheet, number in _disagreeing(settled, candidates).items():
        if any(settled):
            doubts[sheet + 1] = _DISAGREES
        # If it is a page number, pages are missing here, and the count ends.
        for other in _beyond(settled, sheet) if _rises(settled, sheet, number) else (sheet,):
            printed[other] = None
    return tuple(printed), doubts


def _beyond(seen: Sequence[Numeral | None], sheet: int) -> range:
    """This sheet and those that only a count across it numbers."""
    start = next((a + 1 for a in range(sheet, -1, -1) if seen[a] is not None), None)
    end = next((a for a in range(sheet, len(seen)) if seen[a] is not None), None)
    if start is None:
        return range(sheet + 1)
    return range(sheet, len(seen)) if end is None else range(start, end)


def _disagreeing(seen: Sequence[Numeral | None], candidates: Sequence[Candidates]) -> dict[int, Numeral]:
    """Index → number that stands by itself where the count, a guess there, says another one or nothing."""
    printed = _spread(seen)
    out: dict[int, Numeral] = {}
    for i, numbers in enumerate(candidates):
        before = next((a for a in range(i, -1, -1) if seen[a] is not None), None)
        after = next((a for a in range(i, len(seen)) if seen[a] is not None), None)
        if before is not None and after is not None and _same_course(seen, before, after):
            continue
        foretold = numeral(printed[i] or "")
        style = foretold[0] if foretold else "arabic"
        alone = [n for n, weight in numbers.items() if weight >= ALONE and n[0] == style and n[1] < _YEARS]
        if alone and foretold not in alone:
            out[i] = alone[0]
    return out


def _same_course(seen: Sequence[Numeral | None], before: int, after: int) -> bool:
    a, b = seen[before], seen[after]
    return a is not None and b is not None and a[0] == b[0] and b[1] - a[1] == after - before


def _rises(seen: Sequence[Numeral | None], sheet: int, number: Numeral) -> bool:
    """Are the page numbers still in order with this one among them?"""
    same = [(i, n[1]) for i, n in enumerate(seen) if n is not None and n[0] == number[0]]
    return all((value < number[1]) == (i < sheet) for i, value in same if i != sheet)


def _spread(seen: Sequence[Numeral | None]) -> tuple[str | None, ...]:
    """Fills sheets that show no number (chapter openings, plates) from their neighbours.

    Between two sheets of one course all are certain. Before the first and behind the last the course goes on,
    as long as numbers stay positive; Roman numbers end where Arabic ones begin.
    """
    count = len(seen)
    anchors = [i for i, number in enumerate(seen) if number is not None]
    out: list[str | None] = [None] * count
    for i in range(count):
        before = next((a for a in reversed(anchors) if a <= i), None)
        after = next((a for a in anchors if a >= i), None)
        guesses = []
        for anchor in (before, after):
            if anchor is not None:
                style, value = seen[anchor]  # type: ignore[misc]
                guesses.append((style, value + i - anchor, abs(i - anchor)))
        guesses = [guess for guess in guesses if guess[1] > 0]
        if not guesses:
            continue
        if before is not None and after is not None and len({guess[:2] for guess in guesses}) > 1:
            # Two courses meet somewhere in between: the nearer sheet is the better witness.
            guesses.sort(key=lambda guess: guess[2])
        out[i] = _text((guesses[0][0], guesses[0][1]))
    return tuple(out)
