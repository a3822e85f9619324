"""Finds in a message each number that says where to look: grades, §§, items, pages, chapters.

One pass from left to right. At each token two rules are tried: a list of numbers followed by its unit («13,
14 и 15 параграфы», «10-й класс») and a unit followed by its numbers («§§ 13–15», «класс 10»). Whose number
it is when it stands between two units («вопросы 13 параграфа», «§ 5, 10 класс») is decided by
`_belongs_to_next`. Some short forms that pupils use for the grade alone («10А», «за 9», «десятиклассников»)
have rules of their own. A number that no rule takes, such as a year, a century or a count, stays in the
question.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from answer.grade_forms import class_with_letter, classmates, for_grade, number_set_apart
from answer.mention import GRADES, Mention, Range
from answer.number_lists import (
    LIST_WORDS,
    Span,
    after_separator,
    has_own_number,
    read_list,
    skip_class_letter,
    skip_number_sign,
    unit_after_letter,
)
from answer.numerals import read_numeral, read_roman
from answer.tokens import Token, word_set
from answer.units import Unit, is_counted, is_governed, is_noun, is_verb, unit_at

_COUNTERS = word_set(
    """
    назови назовите назвать перечисли перечислите выдели выделите выделяют выделяет выделяются
    эти все какие какое существует существуют есть делят делятся делится различают
    """
)
_LAW = word_set(
    """
    ст статья статьи статье статью часть части ч закон закона кодекс кодекса конституция
    конституции устав устава договор договора указ указа гк ук тк рф декларации роман романа
    повести поэмы
    """
)
# «можно ли работать после 9 класса», «ученик 10 класса украл телефон»: the grade is part of the story.
_ABOUT_GRADE = frozenset(["после", "до", "ученик", "ученика", "ученица", "ученицы", "ученики", "учеников"])


def find_mentions(tokens: Sequence[Token], loaded: frozenset[int] = frozenset()) -> list[Mention]:
    """Mentions in their order, not overlapping. `loaded` are the grades there are books for: they settle
    doubtful cases.
    """
    found: list[Mention] = []
    i = 0
    while i < len(tokens):
        mention = (
            _numbers_first(tokens, i, loaded)
            or _unit_first(tokens, i)
            or class_with_letter(tokens, i, loaded)
            or classmates(tokens, i)
            or for_grade(tokens, i, found)
        )
        if mention is not None:
            found.append(mention)
            i = mention.end
        else:
            i += 1
    if not any(mention.name == "grade" for mention in found):
        found += number_set_apart(tokens, loaded, found)
    return _settle(sorted(found, key=lambda mention: mention.start))


def _settle(found: list[Mention]) -> list[Mention]:
    """«п. 3» is an item where a § is named as well, else a §; doubtful items need a § or a page beside
    them.
    """
    has_paragraph = any(mention.name == "paragraph" for mention in found)
    has_place = has_paragraph or any(mention.name == "page" for mention in found)
    settled = []
    for mention in found:
        if mention.form in ("п", "#") and not has_paragraph:
            mention = replace(mention, name="paragraph", form="§")
        if mention.firm or has_place:
            settled.append(mention)
    return settled


def _numbers_first(tokens: Sequence[Token], i: int, loaded: frozenset[int]) -> Mention | None:
    roman = read_roman(tokens[i])
    if roman is not None:
        unit = unit_at(tokens, i + 1)
        if unit and (unit.name == "chapter" or (unit.name == "grade" and roman in GRADES)):
            return Mention(unit.name, unit.form, ((str(roman), str(roman)),), i, unit.end)
        return None
    ranges, end = read_list(tokens, i, None, limit=12)
    if not ranges:
        return None
    unit = unit_at(tokens, end, fuzzy=True)
    if unit is None:
        unit = unit_after_letter(tokens, end)
    if unit is None or unit.name == "sign" or unit.form == "в":
        return None
    if unit.name == "grade":
        return _grades_first(tokens, i, ranges, unit, loaded)
    if unit.name == "paragraph" and has_own_number(tokens, unit):
        # «10 параграф 5», «10 § 5»: the first number can only be the grade.
        number = ranges[-1][1]
        if number.value in loaded and number.end == end and not number.word:
            return Mention.of_grade(number.value, end - 1, end)
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


def _trailing_number(tokens: Sequence[Token], ranges: list[Span], end: int) -> tuple[list[Span], int]:
    """«13 параграф и 14» at the end of a clause."""
    k = after_separator(tokens, end)
    number = read_numeral(tokens, k) if k > end and tokens[k - 1].key in LIST_WORDS else None
    if number is None or number.word:
        return ranges, end
    if number.end < len(tokens) and tokens[number.end].key not in (".", "?", "!", ",", ":"):
        return ranges, end
    return [*ranges, (number, number)], number.end


def _grades_first(
    tokens: Sequence[Token], i: int, ranges: list[Span], unit: Unit, loaded: frozenset[int]
) -> Mention | None:
    if i > 0 and tokens[i - 1].key in _ABOUT_GRADE and not (i > 1 and tokens[i - 2].key in ("я", "мы")):
        return None
    good: list[Span] = []
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
        start = after_separator(tokens, start)
    return Mention("grade", "класс", tuple((str(a.value), str(b.value)) for a, b in good), start, unit.end)


def _unit_first(tokens: Sequence[Token], i: int) -> Mention | None:
    unit = unit_at(tokens, i, fuzzy=_number_near(tokens, i + 1))
    if unit is None:
        return None
    j = skip_number_sign(tokens, unit.end)
    if unit.name == "sign" and i > 0 and is_noun(tokens[i - 1]):
        return None
    ranges, end = read_list(tokens, j, unit, limit=60)
    if not ranges:
        return _unit_with_roman(tokens, i, unit, j)
    last, number = ranges[-1][1], ranges[0][0]
    if unit.name != "paragraph" and unit.name != "page" and is_counted(tokens, last.end):
        return None
    if number.word and number.value == 1 and not number.ordinal:
        # «вопрос один», «класс один из …»: rather a pronoun than a number.
        pronoun = end < len(tokens) and tokens[end].key == "из"
        if pronoun or unit.name not in ("paragraph", "page", "grade"):
            return None
    if unit.form in ("п", "пункт", "статья", "глава", "раздел") and _is_law(tokens, i, end):
        return None
    if unit.name == "grade":
        if any(low.value not in GRADES or high.value not in GRADES for low, high in ranges):
            return None
        end = skip_class_letter(tokens, end)
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


def _keys(ranges: list[Span]) -> tuple[Range, ...]:
    return tuple((low.key, high.key) for low, high in ranges)


def _number_near(tokens: Sequence[Token], i: int) -> bool:
    return any(
        token.kind == "number" or read_numeral(tokens, k) for k, token in enumerate(tokens[i : i + 2], i)
    )


def _is_law(tokens: Sequence[Token], start: int, end: int) -> bool:
    """Whether the numbered thing is part of a law or a work: «п. 3 ст. 15», «глава 2 Конституции»."""
    if any(token.key in _LAW for token in tokens[end : end + 2]):
        return True
    before = tokens[max(0, start - 3) : start]
    return any(token.key in _LAW for token in before) and any(token.kind == "number" for token in before)
