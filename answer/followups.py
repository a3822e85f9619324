"""Messages that only go on about the last question: «подробнее», «не понял», «пример», «а Кант?»."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from answer.forms import definition_request
from answer.morphology import part_of_speech
from answer.terms import is_plain
from index.lemmas import analyser, lemmas

FollowupKind = Literal["more", "example", "topic"]

MESSAGE = 120
"""Characters of a message that may go on about another one."""
LONGEST = 4
"""Words of a new topic at most; more are a question of their own."""

_MORE = re.compile(
    r"\W*(?:(?:а|и|ну|давай|можно|можешь|нужно|хочу|расскажи(?:те)?|объясни(?:те)?|поясни(?:те)?|напиши(?:те)?|"
    r"раскрой(?:те)?|ещ[её]|чуть|немного|как-нибудь)\s+)*"
    r"(?:(?:по)?подробн(?:ее|ей|о)|поподробн(?:ее|ей)|ещ[её]|дальше|продолж(?:ай|и|айте|ите)|что\s+ещ[её])"
    r"(?:\s+(?:об|про|на|расскажи(?:те)?|объясни(?:те)?|это[мй]?|можно|пожалуйста|плиз))*\W*",
    re.IGNORECASE,
)
_NOT_CLEAR = re.compile(
    r"\W*(?:(?:а|и|ну|я|мне|вс[её]|вообще|ничего|это|можно|можешь|давай|тогда|как-то|блин|извини(?:те)?|"
    r"объясни(?:те)?|объяснить|скажи(?:те)?|сказать|расскажи(?:те)?|напиши(?:те)?|перефразируй(?:те)?)\W+)*"
    r"(?:не\s*пон(?:ял|яла|яли|имаю|ятно)|не\s*ясно|(?:по)?проще|по-простому|перефразируй(?:те)?|"
    r"(?:простыми|другими|своими|обычными)\s+словами|понятн(?:ее|ей)|человеческим\s+языком)"
    r"(?:\W+(?:ничего|это|эт[оу]|можно|объясни(?:те)?|пожалуйста|плиз|как-нибудь|чуть|вс[её]))*\W*",
    re.IGNORECASE,
)
"""Other words than the textbook's there are none: what stands around the answer may help."""
_EXAMPLE = re.compile(
    r"\W*(?:(?:а|и|ну|можно|можешь|приведи(?:те)?|привести|дай(?:те)?|назови(?:те)?|покажи(?:те)?|какой-нибудь|"
    r"какой-то|хоть|хотя\s+бы|один|два|три|пару|ещ[её]|есть|какие|будут|тогда|мне)\s+)*"
    r"(?:пример(?:ы|ов|чик)?|например)(?:\s+(?:из|учебника|книги|этого|этому|этих|к|есть|можно|пожалуйста|приведи|дай))*\W*",
    re.IGNORECASE,
)
_TOPIC = re.compile(
    r"\W*(?:(?:а|и|ну|тогда)\s+)+(?:(?:что|как|ч[её]\s+там)\s+)?(?:(?P<about>насч[её]т|по\s+поводу|относительно|"
    r"касательно|про|об?|с|со|у|по|для|в\s+случае)\s+)?(?P<topic>[^?!.,;:]+?)\W*|"
    r"\W*(?:что|как)\s+(?:насч[её]т|по\s+поводу|относительно)\s+(?P<plain>[^?!.,;:]+?)\W*",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_WITHIN = frozenset({"у", "для", "по", "с", "со", "в случае"})
"""Prepositions that narrow the last question down instead of giving it another topic."""
_NOMINAL = frozenset({"NOUN", "ADJF", "PRTF"})


@dataclass(frozen=True, slots=True)
class Followup:
    """The last question as it is asked again."""

    kind: FollowupKind
    text: str


def followup(message: str, last_question: str) -> Followup | None:
    """What a message asks after `last_question`, None where it is a question of its own."""
    if len(message) > MESSAGE:
        return None
    if _MORE.fullmatch(message) or _NOT_CLEAR.fullmatch(message):
        return Followup("more", last_question)
    if _EXAMPLE.fullmatch(message):
        asked = definition_request(last_question)
        return Followup("example", f"приведи пример: {asked.term if asked else last_question}")
    match = _TOPIC.fullmatch(message)
    topic = (match["topic"] or match["plain"]) if match else None
    if topic is None or not _is_topic(topic):
        return None
    preposition = (match["about"] or "").lower() if match else ""
    # «про Канта» speaks of «Кант»; without a preposition the case is the one that the question has.
    named = _nominative(topic) if preposition or (match and match["plain"]) else topic
    if preposition in _WITHIN and not _names(list(_WORD.finditer(last_question))):
        text: str | None = f"{last_question.rstrip('?!. ')} {preposition} {topic}?"
    else:
        text = _about(last_question, named)
    return Followup("topic", text) if text is not None else None


def _is_topic(text: str) -> bool:
    """A few nouns and adjectives that say something."""
    words = _WORD.findall(text)
    return (
        0 < len(words) <= LONGEST
        and not any(character.isdigit() for character in text)
        and all(part_of_speech(word) in _NOMINAL for word in words)
        and any(
            part_of_speech(word) == "NOUN" and not is_plain(lemma) for word in words for lemma in lemmas(word)
        )
    )


def _about(question: str, topic: str) -> str | None:
    """The question with `topic` in place of what it was about: its term, its name, or its last noun."""
    asked = definition_request(question)
    if asked is not None and asked.term in question:
        return question.replace(asked.term, topic)
    words = list(_WORD.finditer(question))
    nouns = [
        i
        for i, word in enumerate(words)
        if part_of_speech(word.group()) == "NOUN" and not _plain(word.group())
    ]
    names = _names(words)
    if not nouns:
        return None
    last = (names or nouns)[-1]
    first = last
    while first and (
        (first - 1 in names)
        if names
        else part_of_speech(words[first - 1].group()) == "ADJF" and first - 1 > 0
    ):
        if question[words[first - 1].end() : words[first].start()].strip():
            break
        first -= 1
    return question[: words[first].start()] + topic + question[words[last].end() :]


def _names(words: Sequence[re.Match[str]]) -> list[int]:
    """Capitalised nouns inside the question."""
    return [
        i
        for i, word in enumerate(words)
        if i
        and word.group()[0].isupper()
        and part_of_speech(word.group()) == "NOUN"
        and not _plain(word.group())
    ]


def _plain(word: str) -> bool:
    return all(is_plain(lemma) for lemma in lemmas(word))


def _nominative(topic: str) -> str:
    """«Канта» → «Кант», «правового государства» → «правовое государство»; behind the noun nothing changes."""
    result, end, done = "", 0, False
    for match in _WORD.finditer(topic):
        word = match.group()
        parsed = analyser().parse(word)[0]
        form = None if done else parsed.inflect({"nomn"})
        new = word if form is None else str(form.word)
        result += topic[end : match.start()] + (new.capitalize() if word[0].isupper() else new)
        end, done = match.end(), done or str(parsed.tag.POS) == "NOUN"
    return result + topic[end:]
