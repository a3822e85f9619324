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


def smalltalk(query: Query) -> Answer:
    """The contract's `smalltalk` intent: nothing is quoted, so it is a `clarify` that invites a question."""
    for pattern, text in (
        (_ABILITIES, wording.ABILITIES),
        (_THANKS, wording.THANKS),
        (_FAREWELL, wording.FAREWELL),
    ):
        if pattern.search(query.message):
            return reply(query, "clarify", text)
    return reply(query, "clarify", wording.GREETING)
