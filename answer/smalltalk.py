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
    r"\b(?:кто\s+ты|ты\s+кто|что\s+(?:ты\s+)?уме\w+|что\s+(?:ты\s+)?мо[жг]\w+|помощь|help|"
    r"как\s+(?:тобой|вами|этим)?\s*пользоваться)\b",
    re.IGNORECASE,
)


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


def smalltalk(query: Query) -> Answer:
    """The contract's `smalltalk` intent: nothing is quoted, so it is a `clarify` that invites a question."""
    if asks_to_forget(query.message):
        return reply(query, "clarify", wording.FORGETTING)
    for pattern, text in (
        (_ABILITIES, wording.ABILITIES),
        (_THANKS, wording.THANKS),
        (_FAREWELL, wording.FAREWELL),
    ):
        if pattern.search(query.message):
            return reply(query, "clarify", text)
    return reply(query, "clarify", wording.GREETING)
