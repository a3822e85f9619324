"""Finds in a message each number that says where to look: grades, §§, items, pages, chapters.

One pass from left to right. At each token two rules are tried: a list of numbers followed by its unit («13, 14 и 15
параграфы», «10-й класс») and a unit followed by its numbers («§§ 13–15», «класс 10»). Whose number it is when it stands
between two units («вопросы 13 параграфа», «§ 5, 10 класс») is decided by `_belongs_to_next`. Some short forms that pupils
use for the grade alone («10А», «за 9», «десятиклассников») have rules of their own. A number that no rule takes, such as a year,
a century or a count, stays in the question.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from answer.numerals import Numeral, classmates_grade, read_numeral, read_roman
from answer.tokens import Token
from answer.units import (
    Unit,
    UnitName,
    is_book_noun,
    is_counted,
    is_governed,
    is_noun,
    is_noun_after_few,
    is_verb,
    unit_at,
)

GRADES = range(1, 12)

Range = tuple[str, str]
"""First and last key; equal for a single number."""


@dataclass(frozen=True, slots=True)
class Mention:
    """Numbers of one unit and the tokens `[start, end)` that say them."""

    name: UnitName
    form: str
    """Dictionary form of the unit: «§», «п», «вопрос», «глава»."""
    ranges: tuple[Range, ...]
    start: int
    end: int
    firm: bool = True
    """False where it counts only beside a § or a page («третий вопрос»)."""


_LIST_SIGNS = frozenset([",", ";", "&", "+", "/"])
_LIST_WORDS = frozenset(["и", "или", "да"])
_RANGE_OPENERS = frozenset(["с", "со", "от"])
_RANGE_WORDS = frozenset(["по", "до"])
_CLASS_LETTERS = frozenset("абвгдежзикл")
_LONGEST_CHAIN = 6
_QUOTES = frozenset("«»\"'“”„‘’`")
_QUANTITIES = frozenset(
    "сила силе силой ток тока току напряжение напряжении массой масса равен равна равно около примерно более менее".split()
)
_COUNTERS = frozenset(
    "назови назовите назвать перечисли перечислите выдели выделите выделяют выделяет выделяются эти все какие какое "
    "существует существуют есть делят делятся делится различают".split()
)
_LAW = frozenset(
    "ст статья статьи статье статью часть части ч закон закона кодекс кодекса конституция конституции устав устава договор "
    "договора указ указа гк ук тк рф декларации роман романа повести поэмы".split()
)
# «можно ли работать после 9 класса», «ученик 10 класса украл телефон»: the grade is part of the story.
_ABOUT_GRADE = frozenset(["после", "до", "ученик", "ученика", "ученица", "ученицы", "ученики", "учеников"])
_BEFORE_GRADE = frozenset("в во из для за ученик ученику ученица".split())


def find_mentions(tokens: Sequence[Token], loaded: frozenset[int] = frozenset()) -> list[Mention]:
    """Mentions in their order, not overlapping. `loaded` are the grades there are books for: they settle doubtful cases."""
    found: list[Mention] = []
    i = 0
    while i < len(tokens):
        mention = (
            _numbers_first(tokens, i, loaded)
            or _unit_first(tokens, i)
            or _class_with_letter(tokens, i, loaded)
            or _classmates(tokens, i)
            or _for_grade(tokens, i, found)
        )
        if mention is not None:
            found.append(mention)
            i = mention.end
        else:
            i += 1
    if not any(mention.name == "grade" for mention in found):
        found += _number_beside_comma(tokens, loaded, found)
    return _settle(sorted(found, key=lambda mention: mention.start))


def _settle(found: list[Mention]) -> list[Mention]:
    """«п. 3» is an item where a § is named as well, else a §; doubtful items need a § or a page beside them."""
    has_paragraph = any(mention.name == "paragraph" for mention in found)
    has_place = has_paragraph or any(mention.name == "page" for mention in found)
    settled = []
    for mention in found:
        if mention.form in ("п", "#") and not has_paragraph:
            mention = replace(mention, name="paragraph", form="§")
        if mention.firm or has_place:
            settled.append(mention)
    return settled


# Lists of numbers


def _read_list(
    tokens: Sequence[Token], i: int, unit: Unit | None, limit: int
) -> tuple[list[tuple[Numeral, Numeral]], int]:
    """Ranges from token `i` on, and the index after them. `unit` is the word before the list, None where it follows."""
    ranges: list[tuple[Numeral, Numeral]] = []
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
        k = _after_separator(tokens, j)
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


def _after_separator(tokens: Sequence[Token], j: int) -> int:
    """Index after «,», «и», «, и»; `j` where there is none."""
    k = j
    if k < len(tokens) and tokens[k].key in _LIST_SIGNS:
        k += 1
    if k < len(tokens) and tokens[k].key in _LIST_WORDS:
        k += 1
    return k


def _continues(tokens: Sequence[Token], number: Numeral, unit: Unit | None) -> bool:
    """Whether a further number is still one of the unit's: «§ 5, 6» yes, «§ 5, 10 класс» and «§ 5, 3 причины» no."""
    if unit is None:
        return True
    if is_counted(tokens, number.end) or (
        number.value in (2, 3, 4) and is_noun_after_few(tokens, number.end)
    ):
        return False
    after = unit_at(tokens, number.end) or _unit_after_letter(tokens, number.end)
    return after is None or _has_own_number(tokens, after)


def _has_own_number(tokens: Sequence[Token], unit: Unit) -> bool:
    """Whether `unit` is followed by a number of its own, so that the one before it belongs elsewhere.

    In «10 класс 5 параграф 3 вопрос» numbers and units take turns; what the chain ends with tells which comes first.
    """
    for _ in range(_LONGEST_CHAIN):
        own = read_numeral(tokens, _skip_number_sign(tokens, unit.end))
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
    """Whether a number between two units is the second one's: «вопросы 13 параграфа», «параграфы 10 класса»."""
    after = unit_at(tokens, number.end) or _unit_after_letter(tokens, number.end)
    if after is None or after.name == unit.name or _has_own_number(tokens, after):
        return False
    if after.name == "grade":
        return number.value in GRADES
    return unit.name in ("task", "sign") and after.name in ("paragraph", "page", "chapter")


# The two main rules


def _numbers_first(tokens: Sequence[Token], i: int, loaded: frozenset[int]) -> Mention | None:
    roman = read_roman(tokens[i])
    if roman is not None:
        unit = unit_at(tokens, i + 1)
        if unit and (unit.name == "chapter" or (unit.name == "grade" and roman in GRADES)):
            return Mention(unit.name, unit.form, ((str(roman), str(roman)),), i, unit.end)
        return None
    ranges, end = _read_list(tokens, i, None, limit=12)
    if not ranges:
        return None
    unit = unit_at(tokens, end, fuzzy=True)
    if unit is None:
        unit = _unit_after_letter(tokens, end)
    if unit is None or unit.name == "sign" or unit.form == "в":
        return None
    if unit.name == "grade":
        return _grades_first(tokens, i, ranges, unit, loaded)
    if unit.name == "paragraph" and _has_own_number(tokens, unit):
        # «10 параграф 5», «10 § 5»: the first number can only be the grade.
        number = ranges[-1][1]
        if number.value in loaded and number.end == end and not number.word:
            return Mention("grade", "класс", ((str(number.value),) * 2,), end - 1, end)
        if tokens[end].key == "§":
            return None
    number = ranges[0][0]
    if len(ranges) == 1 and ranges[0][1] is number and not number.ordinal:
        if unit.count == "many" or (number.word and (unit.count != "one" or number.value == 1)):
            return None
        if unit.count == "few" and number.value in (2, 3, 4):
            if unit.name == "page" and (i == 0 or tokens[i - 1].key not in ("со", "с", "из")):
                return None
            if unit.name == "task":
                if i > 0 and is_verb(tokens[i - 1]):  # «придумай 3 вопроса»
                    return None
                return Mention(unit.name, unit.form, _keys(ranges), i, unit.end, firm=False)
    end = unit.end
    if unit.name == "paragraph":
        ranges, end = _trailing_number(tokens, ranges, end)
    firm = not (number.word and unit.name in ("task", "point"))
    return Mention(unit.name, unit.form, _keys(ranges), i, end, firm=firm)


def _trailing_number(
    tokens: Sequence[Token], ranges: list[tuple[Numeral, Numeral]], end: int
) -> tuple[list[tuple[Numeral, Numeral]], int]:
    """«13 параграф и 14» at the end of a clause."""
    k = _after_separator(tokens, end)
    number = read_numeral(tokens, k) if k > end and tokens[k - 1].key in _LIST_WORDS else None
    if number is None or number.word:
        return ranges, end
    if number.end < len(tokens) and tokens[number.end].key not in (".", "?", "!", ",", ":"):
        return ranges, end
    return [*ranges, (number, number)], number.end


def _grades_first(
    tokens: Sequence[Token], i: int, ranges: list[tuple[Numeral, Numeral]], unit: Unit, loaded: frozenset[int]
) -> Mention | None:
    if i > 0 and tokens[i - 1].key in _ABOUT_GRADE and not (i > 1 and tokens[i - 2].key in ("я", "мы")):
        return None
    good: list[tuple[Numeral, Numeral]] = []
    for low, high in reversed(ranges):
        if low.value not in GRADES or high.value not in GRADES:
            break
        good.insert(0, (low, high))
    if not good:
        return None
    number = good[0][0]
    if len(good) == 1 and good[0][1] is number and not number.ordinal:
        # «10 классов», «два класса» count; so do «назовите 3 класса» unless there are books for that grade.
        if unit.count == "many" or (number.word and (unit.count != "one" or number.value < 5)):
            return None
        if number.value not in loaded and is_governed(tokens, unit.end):
            return None
        counts = unit.count == "few" and number.value in (2, 3, 4) and number.value not in loaded
        if counts and i > 0 and (tokens[i - 1].key in _COUNTERS or is_verb(tokens[i - 1])):
            return None
    start = i if len(good) == len(ranges) else ranges[-len(good) - 1][1].end
    if start != i:
        start = _after_separator(tokens, start)
    return Mention("grade", "класс", tuple((str(a.value), str(b.value)) for a, b in good), start, unit.end)


def _unit_first(tokens: Sequence[Token], i: int) -> Mention | None:
    unit = unit_at(tokens, i, fuzzy=_number_near(tokens, i + 1))
    if unit is None:
        return None
    j = _skip_number_sign(tokens, unit.end)
    if unit.name == "sign" and i > 0 and is_noun(tokens[i - 1]):
        return None
    ranges, end = _read_list(tokens, j, unit, limit=60)
    if not ranges:
        return _unit_with_roman(tokens, i, unit, j)
    last, number = ranges[-1][1], ranges[0][0]
    if unit.name != "paragraph" and unit.name != "page" and is_counted(tokens, last.end):
        return None
    if number.word and number.value == 1 and not number.ordinal:
        if (
            unit.name not in ("paragraph", "page", "grade")
            or tokens[end : end + 1]
            and tokens[end].key == "из"
        ):
            return None
    if unit.form in ("п", "пункт", "статья", "глава", "раздел") and _is_law(tokens, i, end):
        return None
    if unit.name == "grade":
        if any(low.value not in GRADES or high.value not in GRADES for low, high in ranges):
            return None
        end = _skip_class_letter(tokens, end)
        return Mention("grade", "класс", tuple((str(a.value), str(b.value)) for a, b in ranges), i, end)
    form = "#" if tokens[i].key == "#" else unit.form
    firm = unit.form != "в" and not (number.word and unit.name in ("task", "point"))
    return Mention(unit.name, form, _keys(ranges), i, end, firm=firm)


def _unit_with_roman(tokens: Sequence[Token], i: int, unit: Unit, j: int) -> Mention | None:
    """«глава II», «класс X», «стр. iv»."""
    roman = read_roman(tokens[j]) if j < len(tokens) else None
    if roman is None or unit.name not in ("chapter", "grade", "page", "paragraph"):
        return None
    if unit.form in ("статья", "глава", "раздел") and _is_law(tokens, i, j + 1):
        return None
    if unit.name == "grade" and roman not in GRADES:
        return None
    if (after := unit_at(tokens, j + 1)) and after.name == "grade":
        return None
    key = tokens[j].text.lower() if unit.name == "page" else str(roman)
    return Mention(unit.name, unit.form, ((key, key),), i, j + 1)


def _keys(ranges: list[tuple[Numeral, Numeral]]) -> tuple[Range, ...]:
    return tuple((low.key, high.key) for low, high in ranges)


def _number_near(tokens: Sequence[Token], i: int) -> bool:
    return any(
        token.kind == "number" or read_numeral(tokens, k) for k, token in enumerate(tokens[i : i + 2], i)
    )


def _skip_number_sign(tokens: Sequence[Token], j: int) -> int:
    """Past «№», «номер», «под номером», «:», a dash between unit and number."""
    for _ in range(3):
        if j < len(tokens) and tokens[j].key in ("№", "#", "номер", "номером", "под", ":", "-", "="):
            j += 1
            if tokens[j - 1].key == "номер" and j < len(tokens) and tokens[j].key == ".":
                j += 1
    return j


def _is_law(tokens: Sequence[Token], start: int, end: int) -> bool:
    """Whether the numbered thing is part of a law or a work: «п. 3 ст. 15», «глава 2 Конституции»."""
    if any(token.key in _LAW for token in tokens[end : end + 2]):
        return True
    before = tokens[max(0, start - 3) : start]
    return any(token.key in _LAW for token in before) and any(token.kind == "number" for token in before)


# Short forms of the grade


def _unit_after_letter(tokens: Sequence[Token], j: int) -> Unit | None:
    """The word «класс» after a class letter: «10 «Б» класс», «10 а класс»."""
    k = _skip_class_letter(tokens, j, bare=True)
    unit = unit_at(tokens, k) if k > j else None
    return unit if unit and unit.name == "grade" else None


def _skip_class_letter(tokens: Sequence[Token], j: int, *, bare: bool = False) -> int:
    """Index after a class letter in quotes, or (`bare`) without them; `j` where there is none."""
    quoted = j < len(tokens) and tokens[j].key in _QUOTES
    k = j + 1 if quoted else j
    if k < len(tokens) and tokens[k].kind == "word" and tokens[k].key in _CLASS_LETTERS and (quoted or bare):
        k += 1
        while k < len(tokens) and tokens[k].key in _QUOTES and k - j < 4:
            k += 1
        return k
    return j


def _class_with_letter(tokens: Sequence[Token], i: int, loaded: frozenset[int]) -> Mention | None:
    """«10А», «10-б», «10 «Б»» without the word «класс». Amperes and grams are not meant: «сила тока 10А», «10г соли»."""
    if tokens[i].kind != "number":
        return None
    number = read_numeral(tokens, i)
    if number is None or number.value not in GRADES:
        return None
    mention = Mention("grade", "класс", ((str(number.value),) * 2,), i, number.end)
    before = tokens[i - 1] if i else None
    if number.key == str(number.value):
        end = _skip_class_letter(tokens, number.end)
        return replace(mention, end=end) if end > number.end and not number.ordinal else None
    if (
        number.key[-1] not in _CLASS_LETTERS
        or is_counted(tokens, number.end)
        or (before and before.key in _QUANTITIES)
    ):
        return None
    after = tokens[number.end] if number.end < len(tokens) else None
    opens = before is None or before.kind == "sign" or before.key in _BEFORE_GRADE
    closes = after is None or after.kind == "sign"
    capital = tokens[number.end - 1].text.isupper()
    if (opens and closes) or (number.value in loaded and (capital or opens or closes)):
        return mention
    return None


def _classmates(tokens: Sequence[Token], i: int) -> Mention | None:
    """«десятиклассников», «10-классники»."""
    grade, end = None, i + 1
    if tokens[i].kind == "word":
        grade = classmates_grade(tokens[i].key)
    elif tokens[i].kind == "number" and len(tokens[i].key) <= 2:
        k = i + 2 if i + 1 < len(tokens) and tokens[i + 1].key == "-" else i + 1
        if k + 1 < len(tokens) and tokens[k].key in ("ти", "и") and tokens[k].glued:
            k += 1
        if k < len(tokens) and tokens[k].key.lstrip("ти").startswith(("классни", "клашк")):
            grade, end = int(tokens[i].key), k + 1
    if grade is None or grade not in GRADES:
        return None
    # «девятиклассник Петров устроился на работу» tells a story; «для девятиклассника», «я девятиклассник» say the grade.
    nominative = tokens[end - 1].key.endswith(("классник", "классница", "классники"))
    if nominative and end - i < len(tokens) and not (i > 0 and tokens[i - 1].key in ("я", "мы", "для", "-")):
        return None
    return Mention("grade", "класс", ((str(grade),) * 2,), i, end)


def _for_grade(tokens: Sequence[Token], i: int, found: list[Mention]) -> Mention | None:
    """«за 9», «учебник за 9» at the edge of a clause; never «за 9 дней» nor «купить за 10»."""
    if tokens[i].key != "за":
        return None
    number = read_numeral(tokens, i + 1)
    if number is None or number.value not in GRADES or (number.word and not number.ordinal):
        return None
    after = tokens[number.end] if number.end < len(tokens) else None
    if is_counted(tokens, number.end) or not (
        after is None or after.key in ("по", "учебник") or after.kind == "sign"
    ):
        return None
    before = tokens[i - 1] if i else None
    beside = before is None or before.kind == "sign" or is_book_noun(before) or is_noun(before)
    if not beside and not (found and found[-1].end == i):
        return None
    return Mention("grade", "класс", ((str(number.value),) * 2,), i, number.end)


def _number_beside_comma(
    tokens: Sequence[Token], loaded: frozenset[int], found: list[Mention]
) -> list[Mention]:
    """«Что такое общество, 10», «10, что такое общество», «10 5 параграф»: a loaded grade set apart at either end."""
    last = len(tokens)
    while last and tokens[last - 1].kind == "sign":
        last -= 1
    places = []
    if last >= 3 and tokens[last - 2].key == ",":
        places.append(last - 1)
    if len(tokens) > 2 and tokens[1].key == ",":
        places.append(0)
    # «10 5 параграф», «§ 5 10».
    if any(mention.name == "paragraph" and mention.start == 1 for mention in found):
        places.append(0)
    if any(mention.name == "paragraph" and mention.end == last - 1 for mention in found):
        places.append(last - 1)
    for i in places:
        number = read_numeral(tokens, i)
        taken = any(mention.start <= i < mention.end for mention in found)
        if (
            not taken
            and number
            and not number.word
            and number.key == str(number.value)
            and number.value in loaded
        ):
            if not (i > 2 and tokens[i - 2].kind == "number"):
                return [Mention("grade", "класс", ((number.key, number.key),), i, number.end)]
    return []
