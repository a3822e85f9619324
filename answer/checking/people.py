"""People whose word a text relies on: «согласно Боголюбову», «как пишет Кравченко», «Перышкин считает»."""

from __future__ import annotations

import re
from collections.abc import Iterator

from answer.checking.patterns import NAME
from index.lemmas import analyser

_NAMES = rf"(?P<names>(?:{NAME})(?:\s*(?:,|и)\s*(?:{NAME}))*)"
SAYS = (
    r"(?:пиш[еу]т|писали?|считаю?е?т|считали?|отмечаю?е?т|отмечали?|указывае?ю?т|указывали?|утверждае?ю?т|утверждали?|говорит|говорят|"
    r"говорили?|полагае?ю?т|полагали?|объясняе?ю?т|объясняли?|рассказывае?ю?т|рассказывали?|учит|учили?|подч[её]ркивае?ю?т|"
    r"подч[её]ркивали?|замечае?ю?т|замечали?|заметили?|сказали?|показали?|доказали?|определяе?ю?т|определяли?|формулируе?ю?т)"
)
_RELIED_ON = re.compile(
    r"(?i:\b(?:согласно|вслед\s+за|по\s+(?:мнению|словам|данным|версии|мысли|утверждению|определению|учебнику)|"
    rf"с\s+точки\s+зрения|как\s+(?:и\s+)?(?:верно\s+|справедливо\s+|подробно\s+)?{SAYS}(?:\s+(?:об\s+этом|нам))?|"
    r"(?:рассказано|сказано|написано|описано|говорится|изложено|объяснено|приведено|можно\s+найти|можно\s+прочитать)\s+[ув])"
    r"|\b(?:см|ср)\.)"
    rf"\s+{_NAMES}"
)
_SPEAKS = re.compile(rf"(?:^|(?<=[.!?…]\s)){_NAMES}\s+(?i:{SAYS})(?=\s*(?:,\s*что\b|:|о\s+том,\s*что\b))")
_BIBLIOGRAPHY = re.compile(
    r"[(\[]\s*(?:(?i:см\.|цит\.\s+по)\s*:?\s*)?(?P<names>[А-ЯЁ][а-яё]+\s+[А-ЯЁ]\.(?:\s?[А-ЯЁ]\.)?)"
)


def find_people(text: str) -> Iterator[tuple[int, int]]:
    """Where their names stand; whether they may be named is not judged here."""
    for pattern in (_RELIED_ON, _SPEAKS, _BIBLIOGRAPHY):
        for match in pattern.finditer(text):
            if is_person(match["names"]):
                yield match.span("names")


def is_person(names: str) -> bool:
    """Whether capitalised words name people: initials, a surname of the dictionary, or a word it lacks."""
    if re.search(r"[А-ЯЁ]\.", names):
        return True
    words = re.findall(r"[А-ЯЁ][а-яё]+", names)
    return any(
        not analyser().word_is_known(word.lower())
        or any(tag in parse.tag for tag in ("Surn", "Name") for parse in analyser().parse(word)[:3])
        for word in words
    )
