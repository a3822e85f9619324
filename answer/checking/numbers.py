"""Numbers of a sentence, however written: «1 861», «10 тысяч», «3,2 млн», «четырнадцать», «XV»."""

from __future__ import annotations

import re
from collections.abc import Sequence

from answer.numerals import read_numeral, read_roman
from answer.tokens import Token, word_key

_DIGITS = re.compile(r"\d+(?:[.,]\d+)?")
_TIMES = (
    ("тыс", 1_000),
    ("млн", 1_000_000),
    ("миллион", 1_000_000),
    ("млрд", 1_000_000_000),
    ("миллиард", 1_000_000_000),
)
_COLLECTIVE = {
    "оба": 2,
    "обе": 2,
    "обоих": 2,
    "обеих": 2,
    "обоим": 2,
    "двое": 2,
    "двоих": 2,
    "трое": 3,
    "троих": 3,
    "четверо": 4,
    "четверых": 4,
}
# «семью» is nearly always a family; «сотым» and «стам» do not occur alone.
_NO_NUMBERS = frozenset({"семью", "семьи", "семьей", "трем", "раз"}) - {"трем"}
_MONTHS = frozenset(
    [
        "январь",
        "февраль",
        "март",
        "апрель",
        "май",
        "июнь",
        "июль",
        "август",
        "сентябрь",
        "октябрь",
        "ноябрь",
        "декабрь",
    ]
)


def read_numbers(tokens: Sequence[str], raw: Sequence[str]) -> tuple[dict[int, str], set[int]]:
    """Values by index of their first token, and the indices of all tokens that belong to numbers."""
    values: dict[int, str] = {}
    inside: set[int] = set()
    as_words = [Token("word", token, word_key(token), 0, 0, False) for token in tokens]
    i = 0
    while i < len(tokens):
        value, end = _at(tokens, raw, as_words, i)
        if value is None:
            i += 1
            continue
        if end < len(tokens):
            for mark, times in _TIMES:
                if tokens[end].startswith(mark):
                    value *= times
                    inside.add(end)
                    break
        values[i] = _plain(value)
        inside.update(range(i, end))
        i = end
    return values, inside


def is_month(lemma: str) -> bool:
    return lemma in _MONTHS


def kind_of(number: str) -> str:
    """«year», «large», «small» or «fraction»: numbers of different kinds do not stand for one another."""
    if "." in number:
        return "fraction"
    value = int(number)
    if 1000 <= value <= 2100:
        return "year"
    return "large" if value > 100 else "small"


def _at(
    tokens: Sequence[str], raw: Sequence[str], as_words: Sequence[Token], i: int
) -> tuple[float | None, int]:
    token = tokens[i]
    if _DIGITS.fullmatch(token):
        return float(token.replace(",", ".")), i + 1
    if not token.isalpha() or token in _NO_NUMBERS:
        return None, i
    if token in _COLLECTIVE:
        return float(_COLLECTIVE[token]), i + 1
    if raw[i].isascii() and raw[i].isupper():
        roman = read_roman(Token("word", raw[i], raw[i].lower(), 0, 0, False))
        return (float(roman), i + 1) if roman else (None, i)
    numeral = read_numeral(as_words, i)
    if numeral is None or numeral.value <= 1 or (numeral.ordinal and numeral.value < 3):
        return None, i
    return float(numeral.value), numeral.end


def _plain(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(round(value, 6))
