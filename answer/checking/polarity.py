"""Flipped negations: what the source denies and the draft asserts, or the other way round."""

from __future__ import annotations

from answer.checking.coverage import Rest
from answer.checking.lexicon import akin, antonyms
from answer.checking.source import Place, Source
from answer.checking.words import Sentence, Word, read_word

_VERBAL = ("VERB", "INFN", "PRTS", "PRTF", "GRND")
_JUDGED = ("VERB", "INFN", "PRTS", "PRTF", "GRND", "ADJF", "ADJS", "NOUN", "PRED", "ADVB", "UNKN", "LATN")
_COMPARATIVES = frozenset(
    [
        "раньше",
        "ранее",
        "позже",
        "позднее",
        "больше",
        "меньше",
        "более",
        "менее",
        "выше",
        "ниже",
        "старше",
        "моложе",
        "лучше",
        "хуже",
        "чаще",
        "реже",
        "дальше",
        "ближе",
    ]
)
_SURE = 0.6
"""Where one sentence holds this much of the draft, the others do not decide what is denied."""
_ALWAYS = frozenset({"всегда", "обязательно", "весь", "каждый"})


def flipped(draft: Sentence, source: Source, rest: Rest) -> list[str]:
    """«negation: составлять» for each lemma whose polarity differs between draft and source."""
    found = []
    for word in draft.words:
        if word.pos not in _JUDGED or (
            word.weight <= 0.2 and word.lemma not in _ALWAYS and not _predicate(word)
        ):
            continue
        places = [
            place
            for place in source.places(word.lemma)
            if place.sentence in rest.used and _alike(word, place.word)
        ]
        near = [place for place in places if place.sentence in rest.near]
        if not near and rest.best_covered < _SURE:
            near = places
        if near and _differs(word, near) and not _accounted(word, draft, source, near):
            found.append(f"negation: {word.lemma}")
        elif not near and (reason := _prefixed(word, source, rest)):
            found.append(reason)
    if rest.best >= 0 and not found:
        found.extend(_added(draft, [source.sentences[index] for index in rest.used], rest))
    if rest.best >= 0:
        found.extend(_comparatives(draft, source.sentences[rest.best]))
    return found


def _added(draft: Sentence, used: list[Sentence], rest: Rest) -> list[str]:
    """A denied verb that the source lacks, where the source denies nothing: «не обеспечивает»."""
    lemmas = {word.lemma for sentence in used for word in sentence.words}
    tokens = {token for sentence in used for token in sentence.tokens}
    denies = any(word.wide or word.narrow for sentence in used for word in sentence.words)
    denies = denies or bool(tokens & {"не", "ни", "нет", "без"})
    if rest.best_covered < _SURE or denies or any(lemma.startswith(("не", "без", "бес")) for lemma in lemmas):
        return []
    verbs = [word for word in draft.words if word.narrow and _predicate(word)]
    return [f"negation: {word.lemma}" for word in verbs if not antonyms(word.lemma) & lemmas]


def _comparatives(draft: Sentence, best: Sentence) -> list[str]:
    """«не раньше» for «раньше»."""
    mine, theirs = _compared(draft), _compared(best)
    return [f"negation: {word}" for word in mine.keys() & theirs.keys() if mine[word] != theirs[word]]


def _compared(sentence: Sentence) -> dict[str, bool]:
    """Comparatives that stand once, and whether «не» stands before them."""
    tokens = sentence.tokens
    return {
        token: i > 0 and tokens[i - 1] == "не"
        for i, token in enumerate(tokens)
        if token in _COMPARATIVES and tokens.count(token) == 1
    }


def _predicate(word: Word) -> bool:
    return word.pos in ("VERB", "INFN", "PRTS", "ADJS") and word.lemma not in ("быть", "мочь")


def _differs(word: Word, places: list[Place]) -> bool:
    if word.narrow:
        return not any(place.word.wide for place in places)
    if all(place.word.narrow for place in places):
        return not word.wide
    return False


def _alike(word: Word, other: Word) -> bool:
    """Whether denying one denies the other: the same word or two forms of a verb («исчезает», «исчезнет»)."""
    verbs = word.pos in _VERBAL and other.pos in _VERBAL
    return word.lemma == other.lemma or (verbs and word.lemma[:4] == other.lemma[:4])


def _accounted(word: Word, draft: Sentence, source: Source, places: list[Place]) -> bool:
    """Whether both deny, though another word: «не считают единственной» — «считают не единственной»."""
    if word.narrow:
        own = _denied_by(draft, word.denied_at)
        theirs = [source.sentences[place.sentence] for place in places]
    else:
        own = [
            w for place in places for w in _denied_by(source.sentences[place.sentence], place.word.denied_at)
        ]
        theirs = [draft]
    own = [w for w in own if w.weight > 0.2 and akin(w.lemma, word.lemma) == 0]
    return any(
        other.narrow and akin(w.lemma, other.lemma) > 0 for w in own for s in theirs for other in s.words
    )


def _denied_by(sentence: Sentence, negation: int) -> list[Word]:
    return [word for word in sentence.words if word.denied_at == negation and negation >= 0]


def _prefixed(word: Word, source: Source, rest: Rest) -> str | None:
    """«обязательное» where the source has «необязательное» or a listed negated form, and the reverse."""
    bare = word.lemma[2:] if word.lemma.startswith("не") and len(word.lemma) > 6 else None
    for index in rest.used:
        for other in source.sentences[index].words:
            if other.weight <= 0.2:
                continue
            if bare and akin(bare, other.lemma) == 1.0 and not other.wide:
                return f"negation: {word.lemma}"
            if other.lemma.startswith("не") and len(other.lemma) > 6 and not word.wide:
                opposite = other.lemma[2:]
                if opposite == word.lemma or read_word(opposite).lemma == word.lemma:
                    return f"negation: {word.lemma}"
    return None
