"""Near-copies: where a draft repeats a source sentence almost word for word, each small difference tells."""

from __future__ import annotations

from difflib import SequenceMatcher

from answer.checking.coverage import Rest
from answer.checking.facts import is_name
from answer.checking.lexicon import akin
from answer.checking.source import Source
from answer.checking.words import Sentence, Word

_NEAR = 0.75
"""Least share of the draft's words that stand in the source sentence in the same order."""

_WHOLE = 0.85
"""From here on nothing but a word or two differs."""


def altered(draft: Sentence, source: Source, rest: Rest) -> list[str]:
    """«altered: A / B» for a name or number put for another, «swap: A» for a word moved into another role."""
    for index in rest.used:
        best = source.sentences[index]
        own, theirs = [word.lemma for word in draft.words], [word.lemma for word in best.words]
        matcher = SequenceMatcher(None, own, theirs, autojunk=False)
        same = sum(block.size for block in matcher.get_matching_blocks())
        if own and same >= _NEAR * len(own):
            found = _differences(draft, best, matcher)
            if same >= _WHOLE * max(len(own), len(theirs)) and _denials(draft) != _denials(best):
                found.append("negation: count")
            return found
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
    slots = {
        (b.lemma, a.lemma): (a, b)
        for mine, theirs in loose
        if len(mine) == len(theirs)
        for a, b in zip(mine, theirs, strict=True)
    }
    for (theirs_lemma, mine_lemma), (mine_word, _) in slots.items():
        back = slots.get((mine_lemma, theirs_lemma))
        if theirs_lemma >= mine_lemma or back is None:
            continue
        # Items of a list may change places, and keep their forms then.
        same_first = mine_word.text.lower() == back[1].text.lower()
        same_second = back[0].text.lower() == slots[theirs_lemma, mine_lemma][1].text.lower()
        if not (same_first and same_second):
            found.append(f"swap: {theirs_lemma} / {mine_lemma}")
    moved = {word.lemma for mine, _ in loose for word in mine} & {
        word.lemma for _, theirs in loose for word in theirs
    }
    changed = _changed(draft, best)
    for lemma in moved & changed.keys():
        for partner in changed.keys() - {lemma}:
            (pos, here, there), (pos_too, here_too, there_too) = changed[lemma], changed[partner]
            if pos == pos_too and here & there_too and here_too & there:
                found.append(f"swap: {lemma} / {partner}")
    return found


def _changed(draft: Sentence, best: Sentence) -> dict[str, tuple[str, frozenset[str], frozenset[str]]]:
    """Part of speech and forms in the draft and in the source of the words that stand once in each,
    in another case.
    """
    once = {
        lemma: (mine[0].pos, mine[0].forms, theirs[0].forms)
        for lemma in draft.lemmas() & best.lemmas()
        if len(mine := [w for w in draft.words if w.lemma == lemma and w.weight > 0]) == 1
        and len(theirs := [w for w in best.words if w.lemma == lemma and w.weight > 0]) == 1
    }
    return {
        lemma: forms for lemma, forms in once.items() if forms[1] and forms[2] and not forms[1] & forms[2]
    }


def _put_for(word: Word, draft: Sentence, other: Word, best: Sentence) -> bool:
    if word.pos == "NUMB" and other.pos == "NUMB":
        return word.lemma != other.lemma
    if is_name(word, draft) and is_name(other, best):
        fewer = _count(other.lemma, draft) < _count(other.lemma, best)
        return fewer and not akin(word.lemma, other.lemma)
    return False


def _count(lemma: str, sentence: Sentence) -> int:
    return sum(word.lemma == lemma for word in sentence.words)


def _denials(sentence: Sentence) -> int:
    return sum(token in ("не", "ни", "нет", "нельзя", "невозможно", "без") for token in sentence.tokens)
