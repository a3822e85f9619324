"""Near-copies: where a draft repeats a source sentence almost word for word, each small difference tells."""

from __future__ import annotations

from difflib import SequenceMatcher

from answer.checking.coverage import Rest
from answer.checking.facts import is_name
from answer.checking.lexicon import akin
from answer.checking.sentence import Sentence, Word
from answer.checking.source import Source

_NEAR = 0.75
"""Least share of the draft's words that stand in the source sentence in the same order."""


def altered(draft: Sentence, source: Source, rest: Rest) -> list[str]:
    """«altered: A / B» for a name or number put for another, «swap: A» for a word moved into another role."""
    for index in rest.used:
        best = source.sentences[index]
        own, theirs = [word.lemma for word in draft.words], [word.lemma for word in best.words]
        matcher = SequenceMatcher(None, own, theirs, autojunk=False)
        same = sum(block.size for block in matcher.get_matching_blocks())
        if own and same >= _NEAR * len(own):
            return _differences(draft, best, matcher)
    return []


def _differences(draft: Sentence, best: Sentence, matcher: SequenceMatcher[str]) -> list[str]:
    found = []
    loose: list[tuple[list[Word], list[Word]]] = [
        (draft.words[a:b], best.words[c:d]) for tag, a, b, c, d in matcher.get_opcodes() if tag != "equal"
    ]
    for mine, theirs in loose:
        for word, other in zip(mine, theirs, strict=False):
            if _put_for(word, draft, other, best):
                found.append(f"altered: {other.lemma} / {word.lemma}")
    gone = [word for _, theirs in loose for word in theirs]
    for word in (word for mine, _ in loose for word in mine):
        for other in gone:
            if word.lemma == other.lemma and word.weight > 0.2 and word.text.lower() != other.text.lower():
                if word.forms and other.forms and not word.forms & other.forms:
                    found.append(f"swap: {word.lemma}")
    return found


def _put_for(word: Word, draft: Sentence, other: Word, best: Sentence) -> bool:
    if word.pos == "NUMB" and other.pos == "NUMB":
        return word.lemma != other.lemma
    if is_name(word, draft) and is_name(other, best):
        return not akin(word.lemma, other.lemma) and not any(akin(other.lemma, own.lemma) for own in draft.words)
    return False
