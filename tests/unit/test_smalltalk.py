"""What is said to a pupil who only chats, swears, or needs somebody else than a textbook."""

from __future__ import annotations

import pytest

from answer import wording
from answer.query import EMPTY_MEMORY
from answer.smalltalk import is_in_trouble, smalltalk
from answer.understand import understand


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("привет", wording.GREETING),
        ("добрый день", wording.GREETING),
        ("спасибо", wording.THANKS),
        ("пока", wording.FAREWELL),
        ("ты бот?", wording.ABILITIES),
        ("как тебя зовут", wording.ABILITIES),
        ("кто тебя создал", wording.ABILITIES),
        ("не понял", wording.ABILITIES),
        ("ок", wording.READY),
        ("понятно", wording.READY),
        ("да", wording.READY),
        ("лол", wording.READY),
        ("ты тупой", wording.CALM),
        ("дурак бля", wording.CALM),
    ],
)
def test_every_kind_of_chat_has_its_own_reply(message: str, said: str) -> None:
    query = understand(message, EMPTY_MEMORY, {}).query
    assert query.intent == "smalltalk"
    assert smalltalk(query).answer == said


@pytest.mark.parametrize("message", ["мне плохо, хочу умереть", "я не хочу жить", "меня бьют дома"])
def test_a_pupil_in_trouble_is_told_whom_to_call(message: str) -> None:
    assert is_in_trouble(message)
    answer = smalltalk(understand(message, EMPTY_MEMORY, {}).query)
    assert "8-800-2000-122" in answer.answer
    assert answer.sources == ()


@pytest.mark.parametrize(
    "message",
    ["почему Катерина решила покончить с собой", "за что бьют Герасима", "кто не хотел жить по-старому"],
)
def test_questions_about_books_are_no_trouble(message: str) -> None:
    assert not is_in_trouble(message)
