"""Messages that say too little by themselves: «а когда он родился?», «а какой был первый?», «что такое»."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from answer.forms import definition_request
from answer.intent import is_stub
from answer.morphology import is_dictionary_word, part_of_speech
from answer.terms import is_plain
from answer.tokens import tokenize, word_set
from index.lemmas import lemmas

Lack = Literal["topic", "object", "sum"]
"""`topic`: about what was said before; `object`: broken off («что такое»); `sum`: only a calculation."""

MESSAGE = 120
"""Characters of a message that may leave its topic out."""
SHORT = 4
"""Words of such a message where it does not open with «а»."""

_OPENERS = word_set("а и ну но так тогда")
_PRONOUNS = word_set("он она оно они его ее ему ей им их него нее нему ней ним них нем ею нею ими ними")
_POINTING = word_set("это этого этому этим этом этот эта эту эти этих этой этими")
_SUBJECTS = word_set("он она оно они")
_ASKING = word_set(
    """
    кто кого кому кем ком что чего чему чем как какой какая какое какие каких каким какую каков какова
    каково каковы который которая которое которые когда где куда откуда почему зачем отчего сколько чей чья
    чье чьи
    """
)
_BROKEN_OFF = word_set(
    """
    такое такой такая такие о об про расскажи объясни назови дай определение понятие термин значит означает
    называется слово слова изучает нужна нужно нужен реши решите решить
    """
)
_CALCULATING = word_set(
    """
    реши решите решить посчитай посчитайте вычисли вычислите сосчитай сложи умножь раздели вычти сколько будет
    равно чему пример примеры уравнение задачу мне пожалуйста это и
    """
)
_CALLED = re.compile(r"\b(?:называ\w+|именуют\w*)\b", re.IGNORECASE)
_OPERATION = re.compile(r"\d\s*(?:[+*×·÷=^/]|\s[-–—−xх]\s|[-–—−](?=\s*\d+\s*=))\s*[\d(]|\d\s*[+*×·÷^/]\s*\w")
_DIFFERENCE = re.compile(r"\d\s*[-–—−]\s*\d")


def lack(message: str) -> Lack | None:
    """What a cleaned message without words of scope leaves out; None for a question of its own."""
    tokens = tokenize(message)
    words = [token.key for token in tokens if token.kind == "word"]
    if _is_sum(message, words):
        return "sum"
    if any(token.kind == "number" for token in tokens):
        return None  # a year, a sum of money: something to go by
    opens = bool(words) and words[0] in _OPENERS
    said = words[1:] if opens else words
    if not said or len(message) > MESSAGE:
        return None
    pointing = not _POINTING.isdisjoint(said)
    if is_stub(said):
        return "object" if not pointing and not _BROKEN_OFF.isdisjoint(said) else "topic"
    if definition_request(message) is not None:
        return None
    first = next((i for i, word in enumerate(said) if word in _PRONOUNS), None)
    if first is not None:
        # «что такое мораль и чем она отличается от права» names what the pronoun stands for.
        return None if any(map(_names_something, said[:first])) else "topic"
    if any(map(_names_something, said)):
        return None
    # «какие прямые называются параллельными»: nouns that are adjectives by form.
    if sum(not _plain(word) and word not in _ASKING for word in said) > 1 and _CALLED.search(message):
        return None
    asks = said[0] in _ASKING
    short = len(said) <= SHORT and not any(part_of_speech(word) == "INFN" for word in said)
    return "topic" if asks and (opens or short) else None


def understandable(message: str) -> bool:
    """Whether a message that lacks its topic still holds something to search for: a verb and no pronoun."""
    words = [token.key for token in tokenize(message) if token.kind == "word"]
    if any(word in _PRONOUNS or word in _POINTING for word in words):
        return False
    return any(part_of_speech(word) in ("VERB", "INFN", "NOUN") and not _plain(word) for word in words)


def completed(message: str, last_question: str, titles: Sequence[str] = ()) -> str | None:
    """The message with the topic of the last question, or else of the §§ spoken of; None without either.

    «а когда он родился?» after «кто такой Кант» → «когда Кант родился?»; elsewhere the topic's words follow:
    «какой был первый: теории происхождения человека».
    """
    words = message.split(" ")
    asked = words[1:] if words and words[0].lower().strip(",.") in _OPENERS and len(words) > 1 else words
    definition = definition_request(last_question)
    if definition is not None:
        for place, word in enumerate(asked):
            if word.lower().strip("?!.,") in _SUBJECTS:
                tail = word[len(word.rstrip("?!.,")) :]
                return " ".join((*asked[:place], definition.term + tail, *asked[place + 1 :]))
    topic = definition.term if definition is not None else _topic(last_question) or " ".join(titles)
    return f"{' '.join(asked).rstrip('?!. ')}: {topic}" if topic else None


def _topic(question: str) -> str:
    """The words of a question that say what it is about, as they stand."""
    tokens = [token for token in tokenize(question) if token.kind != "sign"]
    return " ".join(token.text for token in tokens if token.kind == "number" or not _plain(token.key))


def _is_sum(message: str, words: Sequence[str]) -> bool:
    if not all(word in _CALCULATING or len(word) == 1 for word in words):
        return False
    if _OPERATION.search(message):
        return True
    # «1941–1945» alone is a span of years.
    return bool(_DIFFERENCE.search(message)) and any(len(word) > 1 for word in words)


def _names_something(word: str) -> bool:
    """A noun with a meaning of its own, or a word that no dictionary knows («потребнасти»)."""
    noun = part_of_speech(word) in ("NOUN", None) or not is_dictionary_word(word)
    return noun and not _plain(word) and word not in _ASKING


def _plain(word: str) -> bool:
    return all(is_plain(lemma) for lemma in lemmas(word))
