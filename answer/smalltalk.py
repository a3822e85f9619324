"""Greetings, thanks, and questions about the bot itself."""

from __future__ import annotations

import re

from answer import wording
from answer.answer import Answer
from answer.place import reply
from answer.query import Query

_THANKS = re.compile(r"\b(?:спасиб\w*|спс|благодар\w*|пасиб\w*|thanks)\b", re.IGNORECASE)
_FAREWELL = re.compile(
    r"\b(?:пока|до\s+свидания|до\s+встречи|прощай\w*|всего\s+доброго|спокойной)\b", re.IGNORECASE
)
_ABILITIES = re.compile(
    r"\b(?:кто\s+ты|ты\s+(?:кто|бот|робот|человек|живой|настоящий|нейросеть|программа|что\s+такое)|"
    r"зовут|создал|сделал|что\s+(?:ты\s+)?уме\w+|что\s+(?:ты\s+)?мо[жг]\w+|помощь|help|"
    r"как\s+(?:тобой|вами|этим)?\s*пользоваться|не\s*пон\w+)\b",
    re.IGNORECASE,
)
_GREETING = re.compile(
    r"\b(?:прив\w*|хай|хелло\w*|hello|hi|hey|ку|здрав\w*|здрас\w*|дратути|салют|дарова|здорово|"
    r"добр(?:ый|ое|ого|ой)|start|старт)\b",
    re.IGNORECASE,
)
_RUDE = re.compile(
    r"\b(?:дурак|дура|туп(?:ой|ая|ица)|идиот|дебил|отстань|заткнись|бля\w*|сука|нахуй|нафиг|ху[йя]\w*|"
    r"пиздец)\b",
    re.IGNORECASE,
)

_IN_TROUBLE = re.compile(
    r"\b(?:(?:хочу|хочется)\s+(?:умереть|сдохнуть|покончить|убить\s+себя)|не\s+хочу\s+(?:больше\s+)?жить|"
    r"не\s+хочется\s+жить|убью\s+себя|покончу\s+с\s+собой|как\s+(?:мне\s+)?(?:покончить\s+с\s+собой|убить\s+себя)|"
    r"меня\s+(?:бьют|избивают|травят|насилу\w+))\b",
    re.IGNORECASE,
)
_OWN_WORDS = 200
"""Characters of a message in which a pupil speaks of himself; longer ones are texts."""

_FORGET = re.compile(
    r"\W*(?:пожалуйста\W+)?(?:/?forget|забудь(?:те)?(?:\s+(?:меня|вс[её]|обо\s+мне|мои\s+данные|это|про))+)\W*",
    re.IGNORECASE,
)

_ANEW = re.compile(
    r"\W*(?:/?reset|(?:давай(?:те)?\s+)?(?:начн[её]м|начать|начни(?:те)?)\s+(?:вс[её]\s+)?(?:заново|сначала|с\s+начала))\W*",
    re.IGNORECASE,
)


def asks_to_forget(message: str) -> bool:
    """«/forget», «забудь меня»: a delivery with a memory empties it instead of answering."""
    return _FORGET.fullmatch(message) is not None


def asks_to_begin_anew(message: str) -> bool:
    """«/reset», «начать заново»: the conversation is forgotten, the grade stays."""
    return _ANEW.fullmatch(message) is not None


def is_in_trouble(message: str) -> bool:
    """«Хочу умереть», «меня бьют»: no textbook is the answer."""
    return len(message) <= _OWN_WORDS and _IN_TROUBLE.search(message) is not None


def smalltalk(query: Query) -> Answer:
    """The contract's `smalltalk` intent: nothing is quoted, so it is a `clarify` that invites a question."""
    if is_in_trouble(query.message):
        return reply(query, "clarify", wording.HELPLINE)
    if asks_to_forget(query.message):
        return reply(query, "clarify", wording.FORGETTING)
    for pattern, text in (
        (_ABILITIES, wording.ABILITIES),
        (_THANKS, wording.THANKS),
        (_FAREWELL, wording.FAREWELL),
        (_RUDE, wording.CALM),
        (_GREETING, wording.GREETING),
    ):
        if pattern.search(query.message):
            return reply(query, "clarify", text)
    return reply(query, "clarify", wording.READY)
