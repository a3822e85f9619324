"""What a sentence denies, and what it only calls possible or due."""

from __future__ import annotations

from functools import lru_cache

from answer.checking.lexicon import MAY, MUST, NEGATORS, NOT_NEGATION, ONE_WORD, antonyms
from answer.checking.words import Sentence, Word, read_word
from index.lemmas import analyser

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
        "взяться",
        "браться",
        "собираться",
        "стремиться",
        "пытаться",
        "спешить",
        "решаться",
        "намереваться",
        "желать",
        "удаваться",
        "удаться",
        "суметь",
        "сметь",
    ]
)
_LOCAL = frozenset({"без", "кроме", "вместо"})
_MODAL = frozenset({"мочь", "должный", "вправе", "обязанный", "сметь", "право", "позволить", "уметь"})
_TAKING = frozenset({"считать", "называть", "признавать", "делать", "являться", "становиться"})
"""Verbs whose complement stands in the instrumental: «не считают труд единственной причиной»."""
_NEARLY = frozenset({"почти", "едва", "чуть"})


@lru_cache(maxsize=50_000)
def without_negation(lemma: str, pos: str) -> str | None:
    """«знакомый» for «незнакомый», «граничный» for «безграничный»; None where no known word is denied."""
    if pos not in ("ADJF", "ADJS", "ADVB", "PRTF", "PRTS") or lemma in ONE_WORD or antonyms(lemma):
        return None
    prefix = next((p for p in ("не", "без", "бес") if lemma.startswith(p)), None)
    bare = lemma[len(prefix) :] if prefix else ""
    return bare if len(bare) > 4 and analyser().word_is_known(bare) else None


def mark_negations(sentence: Sentence) -> None:
    """Marks the words that a negation denies, and those in its clause."""
    tokens, segments = sentence.tokens, sentence.segments
    by_index = {word.index: word for word in sentence.words}
    for i, token in enumerate(tokens):
        negator = token in NEGATORS or (i in by_index and by_index[i].lemma in NEGATORS)
        if not negator or (token in ("не",) and i + 1 < len(tokens) and tokens[i + 1] in NOT_NEGATION):
            continue
        if tokens[i] == "не" and i and tokens[i - 1] in _NEARLY:
            continue  # «почти не» is a hedge
        if tokens[i] == "кроме" and (i == 0 or {"также", "еще", "и"} & set(tokens[i + 1 :])):
            continue  # «кроме кодекса, есть и законы»
        if tokens[i] == "без" and _clause_after(sentence, i) & {"не", "нельзя", "невозможно"}:
            continue  # «без него не обойтись»: two negations are none
        if token in _LOCAL and i + 1 < len(tokens) and read_word(tokens[i + 1]).pos == "NPRO":
            continue  # «без неё каждое поколение…»
        if token not in _LOCAL:
            reach = {segments[i], *_list_before(sentence, segments[i])}
            for word in sentence.words:
                word.wide = word.wide or word.segment in reach
        if tokens[i] == "нет" or (
            i in by_index
            and by_index[i].pos in ("VERB", "PRTS", "PRED", "ADJS")
            and token not in ("нельзя", "не")
        ):
            _deny_beside(sentence, i, segments[i])
            continue
        room = 1
        verbal = False
        if i + 1 in by_index and by_index[i + 1].lemma in _MODAL:
            _deny_infinitive_before(sentence, i, segments[i])
        for j in range(i + 1, min(i + 9, len(tokens))):
            if segments[j] != segments[i]:
                break
            following = by_index.get(j)
            if following is None or tokens[j] in NEGATORS:
                continue
            if verbal and following.pos == "NOUN" and "agent" in following.roles:
                continue  # «голосовать не могли женщины»
            # «не незнакомый»: two negations are none.
            following.narrow = following.denied_at != j
            following.wide = True
            following.denied_at = i
            verbal = verbal or following.pos in ("VERB", "INFN", "PRTS")
            auxiliary = (
                following.lemma in _AUXILIARY or read_word(tokens[j]).pronoun or following.weight <= 0.2
            ) or (verbal and following.pos in ("ADJF", "PRTF"))
            if not auxiliary and not (following.pos in ("ADJF", "PRTF") and tokens[i] != "не"):
                room -= 1
            if room <= 0:
                break
        if i + 1 in by_index and by_index[i + 1].lemma in _TAKING:
            for word in sentence.words:
                if word.segment == segments[i] and word.index > i and ":ablt" in word.forms:
                    word.narrow, word.denied_at = True, i


def _clause_after(sentence: Sentence, i: int) -> set[str]:
    """Words after `i` in its segment."""
    rest = zip(sentence.tokens[i + 1 :], sentence.segments[i + 1 :], strict=True)
    return {word for word, segment in rest if segment == sentence.segments[i]}


def _list_before(sentence: Sentence, segment: int) -> list[int]:
    """Segments before it that only go on with its subject: «женщины, рабы и переселенцы права не имели»."""
    found = []
    for number in range(segment - 1, -1, -1):
        words = [word for word in sentence.words if word.segment == number]
        if len(words) != 1 or words[0].pos != "NOUN" or ":nomn" not in words[0].forms:
            break
        found.append(number)
    return found


def _deny_infinitive_before(sentence: Sentence, i: int, segment: int) -> None:
    """«изменить не может»: the infinitive that stands before, where none follows."""
    infinitives = [word for word in sentence.words if word.segment == segment and word.pos == "INFN"]
    before = [word for word in infinitives if word.index < i]
    if before and len(before) == len(infinitives):
        before[-1].narrow = before[-1].wide = True
        before[-1].denied_at = i


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
        word.denied_at = i
        if word.index > i and word.pos in ("NOUN", "INFN"):
            break


def is_may(word: Word, sentence: Sentence) -> bool:
    """«может», «вправе», «способен», «имеет право»."""
    if word.lemma == "сила":
        return sentence.tokens[word.index - 1 : word.index + 1] == ["в", "силах"]
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
