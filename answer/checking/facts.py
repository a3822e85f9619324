"""Numbers, dates and proper names of a draft sentence, which its source must hold."""

from __future__ import annotations

import re
from itertools import pairwise

from answer.checking.lexicon import akin
from answer.checking.numbers import is_month
from answer.checking.source import Source
from answer.checking.words import Sentence, Word, read_word
from index.lemmas import analyser

_NAME_TAGS = ("Name", "Surn", "Patr", "Geox", "Orgn", "Trad", "Init")

# Countries and how a textbook speaks of them without naming them, where the words have no root in common.
_HOME = ("русский", "российский", "отечественный", "федерация")
_PEOPLE = {
    "россия": _HOME, "рф": _HOME, "сша": ("американский", "америка"), "америка": ("сша",),
    "германия": ("немецкий",),
    "великобритания": ("британский", "английский"), "англия": ("британский",), "нидерланды": ("голландский",),
}  # fmt: skip


def missing_facts(draft: Sentence, source: Source, source_text: str) -> list[str]:
    """Numbers, months and names of `draft` that the source does not have: «number: 1730», «name: Дарвин»."""
    missing = []
    for word in draft.words:
        if word.pos == "NUMB":
            if word.lemma not in source.by_lemma and not _counts_list(word, draft):
                missing.append(f"number: {word.lemma[1:]}")
        elif is_month(word.lemma):
            if word.lemma not in source.by_lemma:
                missing.append(f"date: {word.lemma}")
        elif (is_name(word, draft) or _foreign(word)) and not (
            _name_in(word, source, source_text) or _spelt_out(draft.words, word.index, source_text)
        ):
            missing.append(f"name: {word.text}")
    return missing or _wrong_pairs(draft, source)


def _counts_list(number: Word, draft: Sentence) -> bool:
    """«Четыре вида: игра, учение, труд и общение»: the draft counts what it lists itself."""
    tokens = draft.tokens
    if ":" not in tokens or number.index > (colon := tokens.index(":")):
        return False
    items = 1 + sum(token in (",", ";", "и", "или") for token in tokens[colon + 1 :])
    return number.lemma == f"#{items}"


def _wrong_pairs(draft: Sentence, source: Source) -> list[str]:
    """«29 сентября», «в ноябре 1349 года» where the source puts that month beside another day or year."""
    known = {pair for sentence in source.sentences for pair in _date_pairs(sentence)}
    wrong = []
    for place, month, number in _date_pairs(draft):
        if (place, month, number) not in known and any((p, m) == (place, month) for p, m, _ in known):
            wrong.append(f"date: {number} {month}")
    return wrong


def _date_pairs(sentence: Sentence) -> list[tuple[str, str, str]]:
    """(«day» or «year», month, number) for numbers that stand right beside a month."""
    return [
        ("day", second.lemma, first.lemma[1:])
        if is_month(second.lemma)
        else ("year", first.lemma, second.lemma[1:])
        for first, second in pairwise(sentence.words)
        if second.index == first.index + 1
        and (
            (first.pos == "NUMB" and is_month(second.lemma))
            or (is_month(first.lemma) and second.pos == "NUMB")
        )
    ]


def is_name(word: Word, sentence: Sentence) -> bool:
    """Whether a word of a sentence is a proper name; at its start only what the dictionary knows as a
    name.
    """
    if not word.capital or len(word.text) < 2 or word.pos == "NUMB":
        return False
    if word.pos == "LATN" or (word.text.isupper() and not sentence.text.isupper()):
        return True
    before = sentence.tokens[word.index - 1] if word.index else "."
    if before in (".", "!", "?", ":", "«", '"', "(") or word.index == 0:
        if word.pos in ("VERB", "INFN", "GRND", "ADVB", "PRTS", "COMP"):
            return False
        parses = analyser().parse(word.text.lower())
        if not analyser().word_is_known(word.text.lower()):
            return True
        return any(any(tag in parse.tag for tag in _NAME_TAGS) for parse in parses[:1])
    return True


def _foreign(word: Word) -> bool:
    return word.pos == "LATN" and len(word.text) > 2


def names(sentence: Sentence, name: Word) -> bool:
    """Whether a sentence has a name, or the adjective of that place."""
    return any(
        akin(name.lemma, word.lemma) > 0
        or word.lemma in _PEOPLE.get(name.lemma, ())
        or _of_place(name.lemma, word.text.lower())
        for word in sentence.words
    )


def is_place(word: Word) -> bool:
    """Whether the dictionary knows a name as a place."""
    return any("Geox" in parse.tag for parse in analyser().parse(word.text.lower())[:1])


def _name_in(word: Word, source: Source, text: str) -> bool:
    if word.lemma in source.by_lemma:
        return True
    if any(lemma in source.by_lemma for lemma in _PEOPLE.get(word.lemma, ())):
        return True
    key = word.text.lower().replace("ё", "е")
    tokens = {token for sentence in source.sentences for token in sentence.tokens}
    if key in tokens or any(_same_name(key, token) for token in tokens):
        return True
    if word.text.isupper() and len(word.text) <= 6:
        return _acronym(key, text)
    if any(_of_place(key, token) for token in tokens):
        return True
    return _blend(key, text) or any(part in tokens for part in key.split("-") if len(part) > 3)


def _same_name(first: str, second: str) -> bool:
    """One name in two cases, or a name and its adjective («Америка», «американский»)."""
    if len(first) < 3 or len(second) < 3:
        return False
    common = 0
    for a, b in zip(first, second, strict=False):
        if a != b:
            break
        common += 1
    shorter = min(len(first), len(second))
    return common >= max(3, shorter - 2) and (max(len(first), len(second)) - common <= 3 or common >= 5)


def _of_place(name: str, token: str) -> bool:
    """«Польше» and «польская»: a place and its adjective."""
    adjective = re.match(r"(\w{3,}?)(?:ск|цк)(?:ий|ая|ое|ие|ого|ой|ому|им|ом|ую|их|ими)$", token)
    stem = adjective[1] if adjective else ""
    return len(stem) >= 3 and name.startswith(stem.rstrip("ь")) and len(name) <= len(stem) + 3


def _spelt_out(words: list[Word], index: int, text: str) -> bool:
    """«Соединённые Штаты» where the source says «США»."""
    capitals = {word.index: word for word in words if word.capital}
    first = last = index
    while first - 1 in capitals:
        first -= 1
    while last + 1 in capitals:
        last += 1
    run = [capitals[place] for place in range(first, last + 1) if place in capitals]
    initials = "".join(word.text[0] for word in run)
    return len(run) > 1 and any(
        name.startswith(initials) and len(name) <= len(initials) + 2
        for name in re.findall(r"\b[А-Я]{2,6}\b", text)
    )


def _acronym(key: str, text: str) -> bool:
    """«ВТО» for «Всемирная торговая организация»: initials of words in a row, small words skipped."""
    initials = "".join(
        w[0]
        for w in re.findall(r"[а-яёa-z]+", text.lower().replace("ё", "е"))
        if w not in ("и", "по", "в", "о", "об", "на")
    )
    return key in initials and len(key) >= 2


def _blend(key: str, text: str) -> bool:
    """«Госдума» for «Государственная Дума»."""
    lower = text.lower().replace("ё", "е")
    for match in re.finditer(r"([а-я]{4,})\s+([а-я]{3,})", lower):
        first, second = match.groups()
        tail = read_word(second).lemma
        for size in (3, 4, 5):
            if (
                key.startswith(first[:size])
                and key[size : size + len(tail) - 1] == tail[:-1]
                and len(tail) > 2
            ):
                return True
    return False
