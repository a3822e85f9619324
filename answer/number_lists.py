"""Lists and ranges of numbers beside a unit («§§ 3, 5–7 и 9»), and whose a number between two units is."""

from __future__ import annotations

from collections.abc import Sequence

from answer.mention import GRADES
from answer.numerals import Numeral, read_numeral
from answer.tokens import Token
from answer.units import Unit, is_counted, is_noun_after_few, unit_at

Span = tuple[Numeral, Numeral]
"""First and last number; the same object twice for a single one."""

CLASS_LETTERS = frozenset("абвгдежзикл")
LIST_WORDS = frozenset(["и", "или", "да"])
_LIST_SIGNS = frozenset([",", ";", "&", "+", "/"])
_RANGE_OPENERS = frozenset(["с", "со", "от"])
_RANGE_WORDS = frozenset(["по", "до"])
_QUOTES = frozenset("«»\"'“”„‘’`")
_LONGEST_CHAIN = 6


def read_list(tokens: Sequence[Token], i: int, unit: Unit | None, limit: int) -> tuple[list[Span], int]:
    """Ranges from token `i` on, and the index after them. `unit` is the word before the list, None where it
    follows.
    """
    ranges: list[Span] = []
    if tokens[i : i + 1] and tokens[i].key in _RANGE_OPENERS:
        low = _numeral(tokens, i + 1, unit)
        if low is None or low.end >= len(tokens) or tokens[low.end].key not in _RANGE_WORDS:
            return [], i
        high = _numeral(tokens, low.end + 1, unit)
        if high is None or (unit and _belongs_to_next(tokens, high, unit)):
            return [], i
        ranges.append((low, high))
        j = high.end
    else:
        first = _numeral(tokens, i, unit)
        if first is None or (unit and _belongs_to_next(tokens, first, unit)):
            return [], i
        high = _range_end(tokens, first, unit)
        ranges.append((first, high))
        j = high.end
    while len(ranges) < limit:
        k = after_separator(tokens, j)
        # «вопросы 1 2 3»: without commas only after a plural.
        plural = unit is not None and unit.count in ("any", "few") and not unit.abbreviated
        following = _numeral(tokens, k, unit) if k > j or plural else None
        if following is None or not _continues(tokens, following, unit):
            break
        high = _range_end(tokens, following, unit)
        ranges.append((following, high))
        j = high.end
    return ranges, j


def _numeral(tokens: Sequence[Token], i: int, unit: Unit | None) -> Numeral | None:
    beside = unit is not None or any(unit_at(tokens, k) for k in range(i + 1, min(i + 4, len(tokens))))
    number = read_numeral(tokens, i, fuzzy=beside)
    if number is None:
        return None
    longest = 4 if unit and unit.name == "page" else 3
    return (
        number
        if len(str(number.value)) <= longest or (unit and number.value < 2000 and i == unit.end)
        else None
    )


def _range_end(tokens: Sequence[Token], low: Numeral, unit: Unit | None) -> Numeral:
    """Upper end where a dash and a number follow, else `low` itself."""
    j = low.end
    if j < len(tokens) and tokens[j].key in ("-", "…"):
        j += 1
    else:
        while j < len(tokens) and tokens[j].key == "." and j - low.end < 3:
            j += 1
        if j - low.end < 2:
            return low
    high = _numeral(tokens, j, unit)
    return high if high is not None and _continues(tokens, high, unit) else low


def after_separator(tokens: Sequence[Token], j: int) -> int:
    """Index after «,», «и», «, и»; `j` where there is none."""
    k = j
    if k < len(tokens) and tokens[k].key in _LIST_SIGNS:
        k += 1
    if k < len(tokens) and tokens[k].key in LIST_WORDS:
        k += 1
    return k


def _continues(tokens: Sequence[Token], number: Numeral, unit: Unit | None) -> bool:
    """Whether a further number is still one of the unit's: «§ 5, 6» yes, «§ 5, 10 класс» and «§ 5, 3
    причины» no.
    """
    if unit is None:
        return True
    if is_counted(tokens, number.end) or (
        number.value in (2, 3, 4) and is_noun_after_few(tokens, number.end)
    ):
        return False
    after = unit_at(tokens, number.end) or unit_after_letter(tokens, number.end)
    return after is None or has_own_number(tokens, after)


def has_own_number(tokens: Sequence[Token], unit: Unit) -> bool:
    """Whether `unit` is followed by a number of its own, so that the one before it belongs elsewhere.

    In «10 класс 5 параграф 3 вопрос» numbers and units take turns; what the chain ends with tells which
    comes first.
    """
    for _ in range(_LONGEST_CHAIN):
        own = read_numeral(tokens, skip_number_sign(tokens, unit.end))
        if own is None or own.value > 999 or is_counted(tokens, own.end):
            return False
        if own.value in (2, 3, 4) and is_noun_after_few(tokens, own.end):
            return False
        following = unit_at(tokens, own.end)
        if following is None:
            return True
        unit = following
    return False


def _belongs_to_next(tokens: Sequence[Token], number: Numeral, unit: Unit) -> bool:
    """Whether a number between two units is the second one's: «вопросы 13 параграфа», «параграфы 10
    класса».
    """
    after = unit_at(tokens, number.end) or unit_after_letter(tokens, number.end)
    if after is None or after.name == unit.name or has_own_number(tokens, after):
        return False
    if after.name == "grade":
        return number.value in GRADES
    return unit.name in ("task", "sign") and after.name in ("paragraph", "page", "chapter")


def skip_number_sign(tokens: Sequence[Token], j: int) -> int:
    """Past «№», «номер», «под номером», «:», a dash between unit and number."""
    for _ in range(3):
        if j < len(tokens) and tokens[j].key in ("№", "#", "номер", "номером", "под", ":", "-", "="):
            j += 1
            if tokens[j - 1].key == "номер" and j < len(tokens) and tokens[j].key == ".":
                j += 1
    return j


def unit_after_letter(tokens: Sequence[Token], j: int) -> Unit | None:
    """The word «класс» after a class letter: «10 «Б» класс», «10 а класс»."""
    k = skip_class_letter(tokens, j, bare=True)
    unit = unit_at(tokens, k) if k > j else None
    return unit if unit and unit.name == "grade" else None


def skip_class_letter(tokens: Sequence[Token], j: int, *, bare: bool = False) -> int:
    """Index after a class letter in quotes, or (`bare`) without them; `j` where there is none."""
    quoted = j < len(tokens) and tokens[j].key in _QUOTES
    k = j + 1 if quoted else j
    if k < len(tokens) and tokens[k].kind == "word" and tokens[k].key in CLASS_LETTERS and (quoted or bare):
        k += 1
        while k < len(tokens) and tokens[k].key in _QUOTES and k - j < 4:
            k += 1
        return k
    return j
