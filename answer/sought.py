"""What an answer must hold to be one: a name for «кто», a number for «сколько», a reason for «почему»."""

from __future__ import annotations

import re
from collections.abc import Callable

from answer.forms import asks_for_number, holds_number, numbers_in
from answer.morphology import is_dictionary_word, part_of_speech, tags
from answer.terms import capitalised
from index.lemmas import lemmas

_WHO = re.compile(
    r"^\W*(?:(?:а|и|ну|скажи|вот)\s+)*(?:кто|кем|кому|кого|чей|чья|чь[её]|чьи)\b", re.IGNORECASE
)
_WHO_IS = re.compile(r"\bкто\s+(?:же\s+)?так(?:ой|ая|ие)\b", re.IGNORECASE)
_WHY = re.compile(
    r"\b(?:почему|зачем|отчего|по\s+какой\s+причине|из-за\s+чего|причин[аыу]?)\b", re.IGNORECASE
)
_REASON = re.compile(
    r"\b(?:потому|поскольку|так\s+как|из-за|ибо|вследствие|благодаря|поэтому|чтобы|для\s+того|в\s+результате|"
    r"причин\w*|объясня\w+|вызва\w+|привод\w+|привел\w*|обусловл\w+|одни\b.+\bдруги\w*)\b",
    re.IGNORECASE,
)
_EXAMPLE = re.compile(r"\bпример(?:а|у|ом|е|ы|ов|ам|ами|ах)?\b", re.IGNORECASE)
_GIVEN = re.compile(rf"{_EXAMPLE.pattern}|\b(?:например|скажем|допустим)\b", re.IGNORECASE)
_HOW_MANY = re.compile(r"\bсколько\s+(?:же\s+)?(?P<what>\w+(?:\s+\w+)?)", re.IGNORECASE)
_SIGNS = {"процент": "%", "рубль": "руб|₽", "градус": "°"}
# What only a person does: «Федеральное Собрание» is no answer to «кто придумал».
_ORIGIN = re.compile(
    r"\b(?:придума|приду[мт]|вв[её]л|ввела|ввод|предложи|написа|откры[лт]|изобр[её]|сформулирова|разработа|сказал|назвал|"
    r"доказ|выдвину|основал|основоположник|автор|родил|умер|утвержда|счита)\w*",
    re.IGNORECASE,
)
_PERSON = frozenset(["Name", "Surn", "Patr"])
AFTER = 2
"""Words behind a number among which the counted noun stands."""


def sought(question: str) -> Callable[[str], bool] | None:
    """Whether a text holds the kind of thing that is asked for; None where nothing can be told from words."""
    if asks_for_example(question):
        return lambda text: _GIVEN.search(text) is not None
    if asks_for_number(question):
        return _counts(question) or holds_number
    if _WHO.search(question) and not _WHO_IS.search(question):
        known = set(lemmas(question))
        person = _ORIGIN.search(question) is not None
        return lambda text: any(
            known.isdisjoint(lemmas(word)) and (not person or _may_be_person(word))
            for word in capitalised(text)
        )
    if _WHY.search(question):
        return lambda text: _REASON.search(text) is not None
    return None


def _may_be_person(word: str) -> bool:
    """A first or last name, or a word that the dictionary does not know."""
    word = word.lower()
    return not is_dictionary_word(word) or any(not _PERSON.isdisjoint(reading) for reading in tags(word))


def _counts(question: str) -> Callable[[str], bool] | None:
    """Whether a text counts what «сколько …» asks to count: a number right before that noun."""
    match = _HOW_MANY.search(question)
    noun = (
        next((word for word in match["what"].split() if part_of_speech(word) == "NOUN"), "") if match else ""
    )
    if not noun:
        return None
    wanted, sign = lemmas(noun)[:1], _SIGNS.get(lemmas(noun)[0], "(?!)")

    def counts(text: str) -> bool:
        for number in numbers_in(text):
            behind = text[number.end() :]
            if re.match(rf"\s*(?:{sign})", behind) or wanted[0] in lemmas(" ".join(behind.split()[:AFTER])):
                return True
        return False

    return counts


def asks_for_example(question: str) -> bool:
    """«Приведите пример того, что…»."""
    return _EXAMPLE.search(question) is not None
