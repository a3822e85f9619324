"""Reading numbers: digits with their endings («13-й», «13а», «2.3»), words in every case, Roman figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from rapidfuzz import process
from rapidfuzz.distance import OSA

from answer.morphology import is_dictionary_word
from answer.tokens import Token, word_key, word_set


@dataclass(frozen=True, slots=True)
class Numeral:
    """A number read at some place of the message."""

    key: str
    """As a § is keyed: «13», «13а», «2.3»."""
    value: int
    """Whole part, >= 0."""
    ordinal: bool
    """«13-й» or «тринадцатый»."""
    word: bool
    """Written in words."""
    end: int
    """Index of the token after it."""


_HARD_ENDINGS = word_set("ый ой ая ое ого ому ым ом ую ые ых ыми")
_THIRD = word_set(
    "третий третья третье третьего третьей третьему третьим третьем третью третьи третьих третьими"
)
_ORDINAL_STEMS = {
    1: "перв", 2: "втор", 4: "четверт", 5: "пят", 6: "шест", 7: "седьм", 8: "восьм", 9: "девят", 10: "десят",
    11: "одиннадцат", 12: "двенадцат", 13: "тринадцат", 14: "четырнадцат", 15: "пятнадцат", 16: "шестнадцат",
    17: "семнадцат", 18: "восемнадцат", 19: "девятнадцат", 20: "двадцат", 30: "тридцат", 40: "сороков",
    50: "пятидесят", 60: "шестидесят", 70: "семидесят", 80: "восьмидесят", 90: "девяност", 100: "сот",
    200: "двухсот", 300: "трехсот", 400: "четырехсот", 500: "пятисот", 600: "шестисот", 700: "семисот",
    800: "восьмисот", 900: "девятисот",
}  # fmt: skip
_IRREGULAR_CARDINALS = {
    1: "один одна одно одного одной одному одним одном одну",
    2: "два две двух двум двумя",
    3: "три трех трем тремя",
    4: "четыре четырех четырем четырьмя",
    8: "восемь восьми восемью восьмью",
    40: "сорок сорока",
    90: "девяносто девяноста",
    100: "сто ста",
    200: "двести двухсот двумстам двумястами двухстах",
    300: "триста трехсот тремстам тремястами трехстах",
    400: "четыреста четырехсот четыремстам четырьмястами четырехстах",
}
_SOFT_CARDINALS = {
    5: "пять", 6: "шесть", 7: "семь", 9: "девять", 10: "десять", 11: "одиннадцать", 12: "двенадцать",
    13: "тринадцать", 14: "четырнадцать", 15: "пятнадцать", 16: "шестнадцать", 17: "семнадцать",
    18: "восемнадцать", 19: "девятнадцать", 20: "двадцать", 30: "тридцать",
}  # fmt: skip
_TENS = {50: ("пять", "десят"), 60: ("шесть", "десят"), 70: ("семь", "десят"), 80: ("восемь", "десят")}
_HUNDREDS = {500: "пять", 600: "шесть", 700: "семь", 800: "восемь", 900: "девять"}

# What may follow digits to make an ordinal: «10-й», «10го», «10-ом», «10th».
_SUFFIXES = word_set(
    """
    й ый ий ой я ая ья е ое ье го ого его му ому ему м ым им ом ем ю ую ью ей х ых их ые ми th
    st nd rd
    """
)
_LETTERS = frozenset("абвгдежзикл")
_MAX_DIGITS = 4
_MAX_PARTS = 4
_ROMAN_LETTERS = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}
_CYRILLIC_ROMAN = str.maketrans("хісли", "xicl!")
_CLASSMATES = ("классни", "клашк", "клашек")
_CLASSMATE_PREFIXES = {
    "перво": 1, "одно": 0, "второ": 2, "третье": 3, "трете": 3, "четверо": 4, "пяти": 5, "шести": 6,
    "семи": 7,
    "восьми": 8, "девяти": 9, "десяти": 10, "одиннадцати": 11, "одинадцати": 11,
}  # fmt: skip


def _ordinals() -> dict[str, int]:
    forms = dict.fromkeys(_THIRD, 3)
    for value, stem in _ORDINAL_STEMS.items():
        forms.update(dict.fromkeys((stem + ending for ending in _HARD_ENDINGS), value))
    return forms


def _cardinals() -> dict[str, int]:
    forms: dict[str, int] = {}
    for value, words in _IRREGULAR_CARDINALS.items():
        forms.update(dict.fromkeys(words.split(), value))
    for value, word in _SOFT_CARDINALS.items():
        forms.update(dict.fromkeys((word, word[:-1] + "и", word + "ю"), value))
    for value, (unit, tail) in _TENS.items():
        oblique = "восьми" if unit == "восемь" else unit[:-1] + "и"
        forms.update(dict.fromkeys((unit + tail, oblique + tail + "и", unit + "ю" + tail + "ью"), value))
    for value, unit in _HUNDREDS.items():
        oblique = "восьми" if unit == "восемь" else unit[:-1] + "и"
        forms.update(
            dict.fromkeys((unit + "сот", oblique + "сот", oblique + "стам", oblique + "стах"), value)
        )
    return forms


_ORDINALS = _ordinals()
_CARDINALS = _cardinals()
_FUZZY_FORMS = [form for form in (*_ORDINALS, *_CARDINALS) if len(form) >= 5]


def read_numeral(tokens: Sequence[Token], i: int, *, fuzzy: bool = False) -> Numeral | None:
    """The number that starts at token `i`, or None.

    `fuzzy` also reads misspelt words («одинадцатый»); ask for it only beside a word such as «класс».
    Digits longer than four, dates («12.06.1991») and years are no numbers of a scope.
    """
    if i >= len(tokens):
        return None
    if tokens[i].kind == "number":
        return _read_digits(tokens, i)
    return _read_words(tokens, i, fuzzy) if tokens[i].kind == "word" else None


def _read_digits(tokens: Sequence[Token], i: int) -> Numeral | None:
    parts = [tokens[i].key]
    j = i + 1
    while (
        len(parts) <= _MAX_PARTS
        and j + 1 < len(tokens)
        and tokens[j].key == "."
        and tokens[j].glued
        and _glued_number(tokens, j + 1)
    ):
        parts.append(tokens[j + 1].key)
        j += 2
    if (
        len(parts) > 4
        or any(len(part) > _MAX_DIGITS for part in parts)
        or (len(parts) > 1 and len(parts[-1]) > 3)
    ):
        return None
    key = ".".join(str(int(part)) for part in parts)
    value = int(parts[0])
    suffix, after = _glued_letters(tokens, j)
    if suffix in _SUFFIXES:
        return Numeral(key, value, ordinal=True, word=False, end=after)
    if len(suffix) == 1 and suffix in _LETTERS:
        return Numeral(key + suffix, value, ordinal=False, word=False, end=after)
    return Numeral(key, value, ordinal=False, word=False, end=j)


def _glued_number(tokens: Sequence[Token], j: int) -> bool:
    return tokens[j].glued and tokens[j].kind == "number"


def _glued_letters(tokens: Sequence[Token], j: int) -> tuple[str, int]:
    """Letters that hang on digits, with or without a hyphen: («й», index after them), or («», j)."""
    start = j
    if j + 1 < len(tokens) and tokens[j].key == "-" and (tokens[j].glued or tokens[j + 1].key in _SUFFIXES):
        j += 1
    if j < len(tokens) and tokens[j].kind == "word" and tokens[j].glued:
        key = tokens[j].key
        return (word_key("а" + key)[1:] if len(key) == 1 else key), j + 1
    return "", start


def _read_words(tokens: Sequence[Token], i: int, fuzzy: bool) -> Numeral | None:
    total = 0
    room = 1000
    """What is added next must be below this: after «двадцать» only 1..9."""
    j = i
    while j < len(tokens) and tokens[j].kind == "word":
        found = _word_value(tokens[j].key, fuzzy)
        if found is None:
            break
        value, ordinal = found
        if value >= room:
            break
        total += value
        j += 1
        if ordinal:
            return Numeral(str(total), total, ordinal=True, word=True, end=j)
        room = 100 if value >= 100 else 10 if value >= 20 else 0
    return Numeral(str(total), total, ordinal=False, word=True, end=j) if j > i else None


def _word_value(key: str, fuzzy: bool) -> tuple[int, bool] | None:
    """Value of a numeral word and whether it is an ordinal."""
    if key in _ORDINALS:
        return _ORDINALS[key], True
    if key in _CARDINALS:
        return _CARDINALS[key], False
    return _fuzzy_value(key) if fuzzy else None


@lru_cache(maxsize=2048)
def _fuzzy_value(key: str) -> tuple[int, bool] | None:
    """Value of a misspelt numeral: one slip, two in a long word; never a word that the dictionary knows."""
    if not 5 <= len(key) <= 20 or is_dictionary_word(key):
        return None
    best = process.extractOne(key, _FUZZY_FORMS, scorer=OSA.distance, score_cutoff=2 if len(key) >= 9 else 1)
    return _word_value(best[0], fuzzy=False) if best else None


def read_roman(token: Token) -> int | None:
    """Value of a Roman figure 1..49, Cyrillic «Х» and «І» included; small Cyrillic letters do not count."""
    raw = token.text
    if token.kind != "word" or not 1 <= len(raw) <= 7:
        return None
    if not raw.isascii() and raw != raw.upper():
        return None
    letters = raw.lower().translate(_CYRILLIC_ROMAN)
    if any(letter not in "ivxl" for letter in letters):
        return None
    values = [_ROMAN_LETTERS[letter] for letter in letters]
    total = sum(-a if a < b else a for a, b in zip(values, [*values[1:], 0], strict=True))
    return total if 0 < total < 50 and _to_roman(total) == letters else None


def _to_roman(value: int) -> str:
    figures = ((40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))
    text = ""
    for size, figure in figures:
        while value >= size:
            text += figure
            value -= size
    return text


def classmates_grade(key: str) -> int | None:
    """Grade inside «десятиклассников», «пятиклашка»; None for «одноклассник» and other words."""
    stem = next((mark for mark in _CLASSMATES if mark in key), None)
    if stem is None:
        return None
    return _CLASSMATE_PREFIXES.get(key[: key.index(stem)]) or None
