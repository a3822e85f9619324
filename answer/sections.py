"""From named numbers to the keys under which the loaded books keep their sections."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from answer.mention import Mention, Range
from answer.numerals import read_roman
from answer.tokens import tokenize
from index.book import Book

_KEY = re.compile(r"(\d+(?:\.\d+)*)([а-яa-z]?)$")
_LONGEST_RANGE = 20
"""A longer one is cut to the sections that exist."""
_MOST_WITHOUT_BOOKS = 50


def paragraph_keys(ranges: Iterable[Range], books: Iterable[Book]) -> tuple[tuple[str, ...], str | None]:
    """All § keys of the ranges, in the order named, and a Russian note where a range was cut.

    A reversed range is read upwards. Numbers that no book has stay, unless the range is longer than any
    pupil means. Lettered sections of the books («13а») belong to the range around them.
    """
    existing = list(
        dict.fromkeys(key for book in books for section in book.paragraphs for key in section.numbers)
    )
    keys: list[str] = []
    notes: list[str] = []
    for low, high in ranges:
        if low == high:
            keys.append(low)
            continue
        found, note = _expand(low, high, existing)
        keys += found
        if note:
            notes.append(note)
    return tuple(dict.fromkeys(keys)), " ".join(notes) or None


def _expand(low: str, high: str, existing: Sequence[str]) -> tuple[list[str], str | None]:
    prefix, first = _split(low)
    other, last = _split(high)
    # «§ 2.3–4» means 2.3–2.4; any other pair of unlike keys is two sections.
    if other not in (prefix, ""):
        return [low, high], None
    lettered = {key for key in (low, high) if key[-1].isalpha()}
    first, last = min(first, last), max(first, last)
    inside = [key for key in existing if _between(key, prefix, first, last)]
    if last - first < _LONGEST_RANGE:
        numbers = [f"{prefix}{number}" for number in range(first, last + 1)]
        if low[-1].isalpha() and f"{prefix}{first}" not in existing:
            numbers.remove(f"{prefix}{first}")
        keys = sorted({*numbers, *inside, *lettered}, key=_order)
        return keys, None
    if inside:
        kept = sorted(inside, key=_order)
        return kept, f"Взял § {kept[0]}–{kept[-1]}: других в загруженных учебниках нет."
    kept = [f"{prefix}{number}" for number in range(first, first + _MOST_WITHOUT_BOOKS)]
    return kept, f"Диапазон слишком длинный: взял § {kept[0]}–{kept[-1]}."


def _split(key: str) -> tuple[str, int]:
    """(«2.», 3) for «2.3», («», 13) for «13а»."""
    head, dot, tail = key.rstrip("абвгдежзиклмнопрстуфхцчшщъыьэюя").rpartition(".")
    return head + dot, int(tail)


def _between(key: str, prefix: str, first: int, last: int) -> bool:
    match = _KEY.match(key)
    if match is None:
        return False
    its_prefix, number = _split(match[1])
    return its_prefix == prefix and first <= number <= last


def _order(key: str) -> tuple[list[int], str]:
    match = _KEY.match(key)
    return ([int(part) for part in match[1].split(".")], match[2]) if match else ([], key)


def chapter_keys(mention: Mention, books: Mapping[str, Book]) -> tuple[str, ...]:
    """§ keys meant by «глава 2», «урок 7», «раздел 2.3»; empty where the books do not number such a thing.

    Where the book's own sections are called so, the number is their key. In a book with § a chapter stands
    for all its §§; that is only clear while a single book is in scope.
    """
    own = [book for book in books.values() if any(s.unit.lower() == mention.form for s in book.paragraphs)]
    if own:
        return paragraph_keys(mention.ranges, own)[0]
    if len(books) != 1 or mention.form not in ("глава", "раздел", "тема"):
        return ()
    (book,) = books.values()
    wanted = (
        {key for low, high in mention.ranges for key in _expand(low, high, [])[0]}
        if mention.ranges
        else set()
    )
    return tuple(
        key
        for section in book.paragraphs
        if _chapter_number(section.chapter, mention.form) in wanted
        for key in section.numbers
    )


def _chapter_number(chapter: str | None, form: str) -> str | None:
    """«2» for «Глава II. Политика», «II. Политика» or «2. Политика»."""
    tokens = tokenize(chapter or "")[:2]
    if len(tokens) == 2 and tokens[0].key == form:
        tokens = tokens[1:]
    if not tokens:
        return None
    if tokens[0].kind == "number":
        return str(int(tokens[0].key))
    roman = read_roman(tokens[0])
    return str(roman) if roman else None


def page_keys(ranges: Iterable[Range]) -> tuple[str, ...]:
    """Printed page numbers, ranges of at most 20 expanded (a longer one keeps its first 20)."""
    keys: list[str] = []
    for low, high in ranges:
        if low.isdecimal() and high.isdecimal():
            first, last = sorted((int(low), int(high)))
            keys += [str(number) for number in range(first, min(last, first + _LONGEST_RANGE - 1) + 1)]
        else:
            keys.append(low)
    return tuple(dict.fromkeys(keys))


def item_keys(ranges: Iterable[Range]) -> tuple[str, ...]:
    """Numbers of items or tasks, ranges expanded."""
    keys = [key for low, high in ranges for key in ([low] if low == high else _expand(low, high, [])[0])]
    return tuple(dict.fromkeys(keys))
