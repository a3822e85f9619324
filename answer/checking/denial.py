"""What a sentence denies, and what it only calls possible or due."""

from __future__ import annotations

from answer.checking.lexicon import MAY, MUST, NEGATORS, NOT_NEGATION
from answer.checking.words import Sentence, Word, read_word

_AUXILIARY = frozenset(
    [
        "мочь",
        "должный",
        "обязанный",
        "следовать",
        "считать",
        "считаться",
        "являться",
        "быть",
        "бывать",
        "стать",
        "становиться",
        "хотеть",
        "уметь",
        "способный",
        "вправе",
        "можно",
        "нужно",
        "надо",
        "иметь",
        "право",
        "называть",
        "называться",
        "обязать",
        "давать",
        "позволять",
        "позволить",
    ]
)
_LOCAL = frozenset({"без", "кроме", "вместо"})


def mark_negations(sentence: Sentence) -> None:
    """Marks the words that a negation denies, and those in its clause."""
    tokens, segments = sentence.tokens, sentence.segments
    by_index = {word.index: word for word in sentence.words}
    for i, token in enumerate(tokens):
        negator = token in NEGATORS or (i in by_index and by_index[i].lemma in NEGATORS)
        if not negator or (token in ("не",) and i + 1 < len(tokens) and tokens[i + 1] in NOT_NEGATION):
            continue
        if token not in _LOCAL:
            for word in sentence.words:
                word.wide = word.wide or word.segment == segments[i]
        if tokens[i] == "нет" or (
            i in by_index
            and by_index[i].pos in ("VERB", "PRTS", "PRED", "ADJS")
            and token not in ("нельзя", "не")
        ):
            _deny_beside(sentence, i, segments[i])
            continue
        room = 1
        for j in range(i + 1, min(i + 9, len(tokens))):
            if segments[j] != segments[i]:
                break
            following = by_index.get(j)
            if following is None or tokens[j] in NEGATORS:
                continue
            following.narrow = following.wide = True
            auxiliary = following.lemma in _AUXILIARY or read_word(tokens[j]).pronoun or following.weight == 0
            if not auxiliary and not (following.pos in ("ADJF", "PRTF") and tokens[i] != "не"):
                room -= 1
            if room <= 0:
                break


def _deny_beside(sentence: Sentence, i: int, segment: int) -> None:
    """What «нет», «запрещено», «отсутствует» deny: the words after them in the clause; where none
    are, those before.
    """
    fitting = [
        w
        for w in sentence.words
        if w.segment == segment and w.index != i and (w.weight > 0.2 or w.lemma in _AUXILIARY)
    ]
    after = [word for word in fitting if word.index > i]
    joints = [
        k for k, token in enumerate(sentence.tokens) if token in ("и",) and sentence.segments[k] == segment
    ]
    left = max((k for k in joints if k < i), default=-1)
    right = min((k for k in joints if k > i), default=len(sentence.tokens))
    for word in [w for w in after if w.index < right] or [w for w in fitting if left < w.index < i]:
        word.narrow = True
        if word.index > i and word.pos in ("NOUN", "INFN"):
            break


def is_may(word: Word, sentence: Sentence) -> bool:
    """«может», «вправе», «способен», «имеет право»."""
    if word.lemma == "право":
        return any(
            token.startswith(("име", "даёт", "дает"))
            for token in sentence.tokens[max(0, word.index - 2) : word.index]
        )
    return word.lemma in MAY


def mark_modals(sentence: Sentence) -> None:
    """Marks the verb after «может», «вправе», «обязан», «должен»."""
    for k, word in enumerate(sentence.words):
        kind = "may" if is_may(word, sentence) else "must" if word.lemma in MUST else ""
        if not kind:
            continue
        for following in sentence.words[k + 1 :]:
            if following.segment > word.segment + 1:
                break
            if (
                following.pos in ("INFN", "PRTS", "ADJS")
                and following.lemma not in ("мочь", "способный")
                and following.lemma != "быть"
            ):
                following.modal = kind
                if following.segment == word.segment:
                    word.modal = kind
                break
