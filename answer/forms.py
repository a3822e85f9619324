"""What form of answer a question asks for: a definition, a list, or simply the place in the book."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

# A full stop after a shortening («соц. институт») does not end the term.
_TERM = r"(?P<term>(?:[^?!.;:]|(?<=\b\w{2})\.(?=\s\w)|(?<=\b\w{3})\.(?=\s\w)|(?<=\b\w{4})\.(?=\s\w))+)"
_DEFINITION = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\bчто\s+(?:же\s+)?(?:это\s+)?такое\s+{_TERM}",
        rf"\bкто\s+(?:же\s+)?так(?:ой|ая|ие)\s+{_TERM}",
        rf"\bчто\s+(?:называ(?:ется|ются|ют)|означает|значит)\s+{_TERM}",
        rf"\bчто\s+(?:понима|подразумева|имеется\s+в\s+виду)\w*\s+под\s+{_TERM}",
        rf"\bопределени[еяю]\s+(?:понятиям?|понятию|термину?|терминам?|слов[ауо])?\s*{_TERM}",
        rf"^\W*(?:поняти[еяю]|термина?|значение\s+слова)\s+{_TERM}",
        rf"^{_TERM}\s*[—–-]?\s+это\s*(?:что)?\s*\??\s*$",
    )
)
# The term ends where a second request begins: «что такое право и чем оно отличается от морали».
_SECOND = re.compile(
    r"\s*(?:,|\s[—–-]\s|\s(?:и|а)\s+(?:чем|как|какие|какая|какой|каков|зачем|почему|кто|что|где|когда|назови|приведи|"
    r"перечисли|из)|\sкотор\w+|\sв\s+(?:учебнике|книге|параграфе)\b).*$",
    re.IGNORECASE | re.DOTALL,
)
_FILLER = re.compile(r"\s+(?:к[оа]роче|вообще|ваще|пожалуйста|плиз|пж)\W*$", re.IGNORECASE)
_WHO_IS = re.compile(r"кто\b", re.IGNORECASE)
_QUOTES = "«»\"„“”' "

_LIST = re.compile(
    r"\b(?:перечисл\w*|назови(?:те)?|назвать|укажи(?:те)?|"
    r"какие\b(?!\s+(?:из|последств))|каковы\b|"
    r"как(?:ой|ая|ое|ов|ова|ово)\s+быва(?:ет|ют)\b|"
    r"из\s+(?:каких|чего)\b|на\s+какие\b|"
    r"(?:основные|главные)\s+(?:вид|тип|форм|черт|признак|функци|этап|теори|элемент|сфер|причин|принцип|прав|обязанност|"
    r"источник|метод|институт|отрасл)\w*|"
    r"(?:виды|типы|формы|признаки|функции|этапы|теории|элементы|сферы|принципы|отрасли)\b)",
    re.IGNORECASE,
)
_QUANTITY = re.compile(
    r"\b(?:когда|скольк\w+|насколько|как\s+долго|как\s+часто|"
    r"(?:в|с|до|к)\s+как(?:ом|их|ого|ому|им)\s+(?:год\w*|век\w*)|дат[аыуе]|какое\s+количество|како[вй]\s+процент|"
    r"каков[аоы]?\s+(?:число|численность|размер|возраст))\b",
    re.IGNORECASE,
)
_NUMBER = re.compile(
    r"\d|\b[IVX]{1,5}\s+в|\b(?:один|одна|одного|одной|одному|два|две|двух|двум|двумя|двое|оба|обе|обоих|"
    r"три|тр[её]х|тр[её]м|тремя|трое|троих|четыре|четыр[её]х|четыр[её]м|четырьмя|четверо|"
    r"(?:пят|шест|сем|восем|восьм|девят|десят)(?:ь|и|ью)|сорок\w?|сто|ста|двести|триста|четыреста|"
    r"(?:пять|шесть|семь|восемь|девять)(?:сот|десят)|(?:один|две|три|четыр|пят|шест|сем|восем|девят)надцат\w+|"
    r"(?:два|три)дцат\w+|сотн\w+|сотен|тысяч\w*|миллион\w*|миллиард\w*|половин\w+|треть|трети|четверть)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class DefinitionRequest:
    """«Что такое право и чем оно отличается от морали?» → term «право», not alone."""

    term: str
    alone: bool
    """Nothing else is asked."""
    person: bool = False
    """«Кто такой …»."""


def definition_request(text: str) -> DefinitionRequest | None:
    """The term whose definition is asked for («Что такое социальный институт?» → «социальный институт»)."""
    for pattern in _DEFINITION:
        if match := pattern.search(text):
            term = _FILLER.sub("", _SECOND.sub("", " " + match["term"]))
            rest = match["term"][len(term) - 1 :] + text[match.end() :]
            term = term.strip(_QUOTES)
            if term and len(term.split()) <= 6:
                alone = len(re.findall(r"\w{2,}", rest)) < 2
                return DefinitionRequest(term, alone, _WHO_IS.match(match[0]) is not None)
    return None


def asks_for_list(text: str) -> bool:
    """Whether the answer is a whole enumeration."""
    return _LIST.search(text) is not None


def asks_for_number(text: str) -> bool:
    """Whether the answer must hold a number or a date: «сколько», «когда», «в каком году»."""
    return _QUANTITY.search(text) is not None


def holds_number(text: str) -> bool:
    """Whether a text holds a number, in digits or in words."""
    return _NUMBER.search(text) is not None


def numbers_in(text: str) -> Iterator[re.Match[str]]:
    """Where a text holds numbers, in digits or in words; the digits of one number are one match each."""
    return _NUMBER.finditer(text)
