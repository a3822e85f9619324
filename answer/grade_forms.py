"""Short forms in which pupils give their grade without the word «класс»."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from answer.mention import GRADES, Mention
from answer.number_lists import CLASS_LETTERS, skip_class_letter
from answer.numerals import classmates_grade, read_numeral
from answer.tokens import Token, word_set
from answer.units import is_book_noun, is_counted, is_noun

_QUANTITIES = word_set(
    """
    сила силе силой ток тока току напряжение напряжении массой масса равен равна равно около
    примерно более менее
    """
)
_BEFORE_GRADE = word_set("в во из для за ученик ученику ученица")


def class_with_letter(tokens: Sequence[Token], i: int, loaded: frozenset[int]) -> Mention | None:
    """«10А», «10-б», «10 «Б»» without the word «класс». Amperes and grams are not meant: «сила тока 10А»,
    «10г соли».
    """
    if tokens[i].kind != "number":
        return None
    number = read_numeral(tokens, i)
    if number is None or number.value not in GRADES:
        return None
    mention = Mention.of_grade(number.value, i, number.end)
    before = tokens[i - 1] if i else None
    if number.key == str(number.value):
        end = skip_class_letter(tokens, number.end)
        return replace(mention, end=end) if end > number.end and not number.ordinal else None
    if (
        number.key[-1] not in CLASS_LETTERS
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


def classmates(tokens: Sequence[Token], i: int) -> Mention | None:
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
    # «девятиклассник Петров устроился на работу» tells a story; «для девятиклассника», «я девятиклассник»
    # say the grade.
    nominative = tokens[end - 1].key.endswith(("классник", "классница", "классники"))
    if nominative and end - i < len(tokens) and not (i > 0 and tokens[i - 1].key in ("я", "мы", "для", "-")):
        return None
    return Mention.of_grade(grade, i, end)


def for_grade(tokens: Sequence[Token], i: int, found: list[Mention]) -> Mention | None:
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
    return Mention.of_grade(number.value, i, number.end)


def number_set_apart(tokens: Sequence[Token], loaded: frozenset[int], found: list[Mention]) -> list[Mention]:
    """«Что такое общество, 10», «10, что такое общество», «10 5 параграф»: a loaded grade set apart at
    either end.
    """
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
        after_number = i > 2 and tokens[i - 2].kind == "number"
        if number is None or taken or after_number or number.word:
            continue
        if number.key == str(number.value) and number.value in loaded:
            return [Mention.of_grade(number.value, i, number.end)]
    return []
