"""Names that stand in the source, but not with what the draft says of them."""

from __future__ import annotations

from answer.checking.coverage import Rest, holds
from answer.checking.facts import is_name, is_place, names
from answer.checking.source import Source
from answer.checking.words import Sentence, Word
from index.lemmas import analyser

_SURE = 0.55
"""Share of the draft that its best sentence must hold, so that it is known whom that one speaks of."""


def misplaced(draft: Sentence, source: Source, rest: Rest) -> list[str]:
    """«name: Италии» where the sentence, or the nearest one before it that names a place, names another."""
    if rest.best < 0 or rest.best_covered < _SURE:
        return []
    best = source.sentences[rest.best]
    return [
        f"name: {word.text}"
        for word in draft.words
        if is_name(word, draft)
        and _of_dictionary(word)
        and source.like(word.lemma)
        and (
            _put_for_another(word, draft, best)
            or (
                not any(_tells(source.sentences[index], draft, word) for index in rest.used)
                and not _named_before(word, source, rest)
            )
        )
    ]


def _put_for_another(name: Word, draft: Sentence, best: Sentence) -> bool:
    """Whether the best sentence lacks the name, and names another of its kind that the draft leaves out."""
    return not names(best, name) and any(
        is_name(other, best)
        and _of_dictionary(other)
        and is_place(other) == is_place(name)
        and not names(draft, other)
        for other in best.words
    )


def _tells(sentence: Sentence, draft: Sentence, name: Word) -> bool:
    """Whether the sentence has the name and something else of the draft."""
    return names(sentence, name) and any(
        holds(sentence, word.lemma) for word in draft.content if word is not name and word.weight > 0.2
    )


def _of_dictionary(word: Word) -> bool:
    """People and places; «Конституция» is written large too."""
    parses = analyser().parse(word.text.lower())[:1]
    return any(tag in parse.tag for parse in parses for tag in ("Name", "Surn", "Geox"))


def _named_before(word: Word, source: Source, rest: Rest) -> bool:
    """Whether the nearest sentence before the best one that names anything of its kind names this."""
    place = is_place(word)
    for index in range(rest.best - 1, -1, -1):
        sentence = source.sentences[index]
        if names(sentence, word):
            return True
        if any(is_name(other, sentence) and is_place(other) == place for other in sentence.words):
            return False
    return True
