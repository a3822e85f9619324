"""The words of a question that its answer must account for."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from index.lemmas import lemmas
from index.lemmas import words as split_words

# What every question is made of and no textbook sentence has to repeat: question words, pronouns,
# prepositions, conjunctions, particles, link verbs, and the words of the request itself. Lemmas, ё as е.
_PLAIN = frozenset(
    " ".join(
        (
            "а без бы быть в весь во вот все всякий вы где да давать дать для до другой его ее если",
            "есть еще ж же за зачем и из или им иметь иметься их к как какой какова каковой каков когда",
            "кому который кто куда ли либо мочь может можно мой мы на над надо наш не нет ни них но ну",
            "нужно о об один однако он она они оно от откуда отчего очень перед по под почему при про",
            "раз с сам самый свой себя сей сколько со стать столько также там таки такой тебя те то",
            "тогда тоже той только тот ты у уж уже хотя чего чей чем через что чтобы чуть эта это этот",
            "я являться называть называться назвать бывать существовать значить означать считать",
            "считаться понимать пониматься заключаться состоять выражаться относиться объяснить",
            "объяснять пояснить описать описывать перечислить перечислять указать рассказать",
            "рассказывать привести приводить охарактеризовать характеризовать раскрыть определить",
            "сформулировать доказать обосновать сравнить хотеть узнать знать помочь подсказать ответить",
            "найти вопрос ответ определение понятие термин пример смысл слово",
        )
    ).split()
)

_NUMBER = re.compile(r"\d+(?:[.,]\d+)?")
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")


@dataclass(frozen=True, slots=True)
class Terms:
    """A question taken apart. Lemmas are unique and in the question's order."""

    lemmas: tuple[str, ...]
    """Lemmas that carry the topic; all lemmas where nothing else remains («Кто он?»)."""
    numbers: frozenset[str]
    """Numbers as written, decimal comma as a point."""
    names: frozenset[str]
    """Lemmas of words with a capital letter that do not open the question or one of its sentences."""
    empty: bool = False
    """No word carries a topic: `lemmas` are those that every question is made of."""
    forms: Mapping[str, str] = field(default_factory=dict)
    """Lemma → the word as it stands in the question, lower case, ё as е."""

    @classmethod
    def of(cls, text: str) -> Terms:
        words = lemmas(text)
        forms = {lemma: form for form in split_words(text) for lemma in lemmas(form)}
        topical = tuple(dict.fromkeys(word for word in words if word not in _PLAIN))
        return cls(topical or tuple(dict.fromkeys(words)), numbers(text), _names(text), not topical, forms)


def is_plain(lemma: str) -> bool:
    """Whether a lemma says nothing about the topic."""
    return lemma in _PLAIN


def numbers(text: str) -> frozenset[str]:
    """Numbers of a text, decimal comma as a point: «2,5» and «2.5» are one."""
    return frozenset(match.group().replace(",", ".") for match in _NUMBER.finditer(text))


def _names(text: str) -> frozenset[str]:
    """Lemmas of capitalised words inside sentences. A text all in capitals has none."""
    return frozenset(lemma for word in capitalised(text) for lemma in lemmas(word))


def capitalised(text: str) -> list[str]:
    """Words with a capital letter inside sentences and quotations; none of a text all in capitals."""
    if text.upper() == text:
        return []
    found = []
    opens = True
    position = 0
    for match in _WORD.finditer(text):
        opens = opens or any(mark in text[position : match.start()] for mark in ".!?\n«")
        if not opens and match.group()[0].isupper():
            found.append(match.group())
        opens, position = False, match.end()
    return found
