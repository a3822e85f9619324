"""The words that numbers belong to: «параграф», «класс», «стр.», «задание», «глава»."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from rapidfuzz import process
from rapidfuzz.distance import OSA

from answer.morphology import is_dictionary_word, tags
from answer.tokens import Token, word_set

UnitName = Literal["paragraph", "point", "task", "sign", "page", "grade", "chapter"]
Count = Literal["one", "few", "many", "any"]


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit word found at some place."""

    name: UnitName
    form: str
    """Dictionary form («глава», «вопрос»), or the sign itself."""
    count: Count
    """Which count of things the form could also be: «3 параграфа» few, «5 параграфов» many, «параграф» one.
    """
    end: int
    """Index of the token after it and its full stop."""
    abbreviated: bool


@dataclass(frozen=True, slots=True)
class _Form:
    name: UnitName
    form: str
    count: Count
    abbreviated: bool = False


# Endings and the count of things that a form with that ending can also stand for.
_MASCULINE: dict[str, Count] = {
    "": "one", "а": "few", "у": "one", "ом": "one", "е": "one", "ы": "any", "ов": "many", "ам": "any",
    "ами": "any", "ах": "any",
}  # fmt: skip
_FEMININE: dict[str, Count] = {
    "а": "one", "ы": "few", "и": "few", "е": "one", "у": "one", "ой": "one", "ою": "one", "ам": "any",
    "ами": "any", "ах": "any",
}  # fmt: skip
_NEUTER: dict[str, Count] = {
    "ие": "one", "ье": "one", "ия": "few", "ья": "few", "ию": "one", "ием": "one", "ии": "one", "ий": "many",
    "иям": "any", "иями": "any", "иях": "any",
}  # fmt: skip
_ARTICLE: dict[str, Count] = {"ья": "one", "ьи": "few", "ье": "one", "ью": "one", "ьей": "one"}


def _inflect(
    name: UnitName, form: str, stem: str, endings: Mapping[str, Count], genitive_plural: str | None = None
) -> dict[str, _Form]:
    found = {stem + ending: _Form(name, form, count) for ending, count in endings.items()}
    if genitive_plural:
        found[genitive_plural] = _Form(name, form, "many")
    return found


def _short(name: UnitName, form: str, abbreviations: str) -> dict[str, _Form]:
    return {word: _Form(name, form, "any", abbreviated=True) for word in abbreviations.split()}


_FORMS: dict[str, _Form] = {
    **_inflect("paragraph", "§", "параграф", _MASCULINE),
    **_inflect("paragraph", "§", "параграфик", _MASCULINE),
    **_short("paragraph", "§", "§ пар парагр параг прг prg par paragraf paragraph"),
    **_inflect("point", "пункт", "пункт", _MASCULINE),
    **_short("point", "п", "п пп"),
    **_inflect("task", "вопрос", "вопрос", _MASCULINE),
    **_inflect("task", "вопрос", "вопросик", _MASCULINE),
    **_inflect("task", "задание", "задан", _NEUTER),
    **_inflect("task", "упражнение", "упражнен", _NEUTER),
    **_inflect("task", "задача", "задач", _FEMININE, "задач"),
    **_short("task", "задание", "зад упр вопр"),
    **_short("task", "в", "в"),
    **_short("sign", "№", "№ # номер номера номером номере"),
    **_inflect("page", "страница", "страниц", _FEMININE, "страниц"),
    **_inflect("page", "страница", "страничк", _FEMININE, "страничек"),
    **_short("page", "страница", "стр с str c"),
    **_inflect("grade", "класс", "класс", _MASCULINE),
    **_inflect("grade", "класс", "клас", _MASCULINE),
    **_inflect("grade", "класс", "классик", {"": "one"}),
    **_short("grade", "класс", "кл клс klass klas class kl grade"),
    **_inflect("chapter", "глава", "глав", _FEMININE, "глав"),
    **_inflect("chapter", "тема", "тем", _FEMININE, "тем"),
    **_inflect("chapter", "урок", "урок", _MASCULINE),
    **_inflect("chapter", "раздел", "раздел", _MASCULINE),
    **_inflect("chapter", "статья", "стат", _ARTICLE, "статей"),
    **_short("chapter", "глава", "гл"),
    **_short("chapter", "раздел", "разд"),
    **_short("chapter", "статья", "ст"),
}
_FORMS["параграфы"] = replace(_FORMS["параграфы"], count="any")
# Abbreviations that are words or letters of their own without the full stop.
_NEED_STOP = word_set("с c в par пар ст зад")
_FUZZY_FORMS = [form for form in _FORMS if len(form) >= 5]
_SHORT_FUZZY = ["класс", "класса", "классе", "классу"]

_BOOK_NOUNS = word_set(
    """
    учебник учебника учебнику учебником учебнике учебники учебников учебниках книга книги книге
    книгу книгой пособие пособия пособии
    """
)
_MEASURES = word_set(
    """
    век века веке веков веку веком вв столетие столетия столетии столетий год года году годом
    годы годов годах лет гг человек люди раз раза процент процента процентов месяц месяца
    месяцев день дня дней час часа часов минут минуты секунд тысяч тысячи тыс млн млрд миллион
    миллиона миллионов миллиард миллиардов руб рубль рубля рублей доллар долларов евро км кг см
    мм января февраля марта апреля мая июня июля августа сентября октября ноября декабря
    """
)


def is_book_noun(token: Token) -> bool:
    """«учебник», «книга» in any case."""
    return token.key in _BOOK_NOUNS


def unit_at(tokens: Sequence[Token], i: int, *, fuzzy: bool = False) -> Unit | None:
    """The unit word at token `i`; `fuzzy` (only beside a number) also reads misspelt ones («пораграф»)."""
    if i >= len(tokens) or tokens[i].kind == "number":
        return None
    token = tokens[i]
    stop = i + 1 < len(tokens) and tokens[i + 1].key == "." and tokens[i + 1].glued
    found = _FORMS.get(token.key)
    if found is None:
        found = _fuzzy_form(token.key) if fuzzy and token.kind == "word" else None
    elif not _may_stand(tokens, i, token.key, stop):
        return None
    if found is None:
        return None
    end = i + 1
    if found.abbreviated and stop:
        end += 1
    if token.key == "п" and _after_and_so_on(tokens, i):
        return None
    # «§ § 13», «п. п. 3, 4».
    while end < min(len(tokens), i + 6) and tokens[end].key == token.key and found.abbreviated:
        end += 1
        if end < len(tokens) and tokens[end].key == ".":
            end += 1
    return Unit(found.name, found.form, found.count, end, found.abbreviated)


def _may_stand(tokens: Sequence[Token], i: int, key: str, stop: bool) -> bool:
    """Whether an abbreviation that could be another word is one here: «с. 57», «в. 3», «пар 5»."""
    if key not in _NEED_STOP:
        return True
    after = i + 2 if stop else i + 1
    before_number = after < len(tokens) and tokens[after].kind == "number"
    if key == "в":
        # «в 19 в. 3 …» is a century, «§ 5 в. 3» is not.
        century = (
            i > 0
            and tokens[i - 1].kind == "number"
            and not (i > 1 and tokens[i - 2].key in _FORMS and tokens[i - 2].key != "в")
        )
        return stop and before_number and not century
    return stop or (before_number and key not in ("с", "c"))


@lru_cache(maxsize=2048)
def _fuzzy_form(key: str) -> _Form | None:
    if not 4 <= len(key) <= 16 or is_dictionary_word(key):
        return None
    if len(key) < 7:
        best = process.extractOne(key, _SHORT_FUZZY, scorer=OSA.distance, score_cutoff=1)
        if best:
            return _FORMS[best[0]]
    best = process.extractOne(key, _FUZZY_FORMS, scorer=OSA.distance, score_cutoff=2 if len(key) >= 7 else 1)
    return _FORMS[best[0]] if best else None


def _after_and_so_on(tokens: Sequence[Token], i: int) -> bool:
    """Whether the «п» at `i` ends «и т. п.»."""
    before = [token.key for token in tokens[max(0, i - 2) : i]]
    return before[-1:] == ["т"] or before == ["т", "."]


def is_counted(tokens: Sequence[Token], i: int) -> bool:
    """Whether the word at `i` makes the number before it a count, a date or a measure.

    «10 % населения», «19 век», «10 заповедей», «25 учеников», «11 сентября».
    """
    if i >= len(tokens):
        return False
    token = tokens[i]
    if token.key in "%‰°$€₽":
        return True
    if token.key in ("г", "в"):
        return i + 1 < len(tokens) and tokens[i + 1].key == "." and tokens[i + 1].glued
    if token.kind != "word" or is_book_noun(token) or token.key in _FORMS:
        return False
    if token.key in _MEASURES:
        return True
    return _has_reading(
        token.key, ({"NOUN", "plur", "gent"}, {"ADJF", "plur", "gent"}, {"PRTF", "plur", "gent"})
    )


def is_noun_after_few(tokens: Sequence[Token], i: int) -> bool:
    """Whether the word at `i` can follow 2, 3 or 4 («3 причины»)."""
    if i >= len(tokens) or tokens[i].kind != "word" or is_book_noun(tokens[i]) or tokens[i].key in _FORMS:
        return False
    return _has_reading(tokens[i].key, ({"NOUN", "sing", "gent"},))


def _has_reading(key: str, wanted: Iterable[set[str]]) -> bool:
    return is_dictionary_word(key) and any(need <= reading for reading in tags(key)[:3] for need in wanted)


def is_noun(token: Token) -> bool:
    """Whether a word that is no unit is a noun in its likeliest reading."""
    if token.kind != "word" or token.key in _FORMS or not is_dictionary_word(token.key):
        return False
    return "NOUN" in tags(token.key)[0]


def is_verb(token: Token) -> bool:
    """Whether a word is a verb in its likeliest reading."""
    return token.kind == "word" and bool({"VERB", "INFN"} & tags(token.key)[0])


_SUBJECTS_OF_GENITIVE = word_set(
    """
    истории обществознания обществоведения географии биологии физики химии математики алгебры
    геометрии информатики литературы русского английского права экономики
    """
)


def is_governed(tokens: Sequence[Token], i: int) -> bool:
    """Whether the word at `i` is a genitive that makes «1 класс» something else («1 класс опасности»)."""
    if i >= len(tokens) or tokens[i].key in _SUBJECTS_OF_GENITIVE:
        return False
    return is_noun_after_few(tokens, i) and is_noun(tokens[i]) and "gent" in tags(tokens[i].key)[0]
