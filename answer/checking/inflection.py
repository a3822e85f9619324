"""Putting a neutral noun where a stripped reference stood, in its case and number."""

# ruff: noqa: E501 - a table of Russian wordings reads best one case a line

from __future__ import annotations

import re
from functools import lru_cache

from index.lemmas import analyser

_CASES = {
    "в": "loct", "во": "loct", "на": "loct", "при": "loct", "о": "loct", "об": "loct",
    "из": "gent", "с": "gent", "со": "gent", "от": "gent", "до": "gent", "у": "gent", "для": "gent", "без": "gent",
    "после": "gent", "кроме": "gent", "помимо": "gent", "вокруг": "gent", "около": "gent",
    "к": "datv", "ко": "datv", "по": "datv", "согласно": "datv", "вопреки": "datv", "благодаря": "datv",
    "между": "ablt", "над": "ablt", "под": "ablt", "перед": "ablt", "за": "ablt",
    "через": "accs", "про": "accs", "сквозь": "accs",
}  # fmt: skip
PREPOSITION = re.compile(
    rf"(?<![а-яё])(?P<word>{'|'.join(sorted(_CASES, key=len, reverse=True))})\s+$", re.IGNORECASE
)


def case_of(head: str, before: str) -> tuple[str, bool]:
    """Case of a reference and whether it is plural, from its noun `head` ("" for «§», «ст.») and what stands before it.

    Cases are pymorphy's: nomn, gent, datv, accs, ablt, loct.
    """
    asked = asked_case(before)
    if not head:
        return asked, False
    readings = [parse.tag for parse in analyser().parse(head.lower()) if parse.tag.POS == "NOUN"]
    fitting = [tag for tag in readings if _same(tag.case, asked)] or readings
    if not fitting:
        return asked, False
    fitting.sort(key=lambda tag: tag.case != asked)
    singular = [tag for tag in fitting if tag.number == "sing"]
    tag = singular[0] if singular else fitting[0]
    return ("loct" if tag.case == "loc2" else tag.case), tag.number == "plur"


def asked_case(before: str) -> str:
    """Case that the words before ask for: by preposition, after a noun the genitive, after a verb the
    accusative.
    """
    if match := PREPOSITION.search(before):
        return _CASES[match["word"].lower()]
    word = re.search(r"([А-Яа-яёЁ-]+)\s+$", before)
    if word is None:
        return "nomn"
    parse = analyser().parse(word.group(1).lower())[0]
    if parse.tag.POS == "NOUN":
        return "gent"
    if parse.tag.POS == "PRTS":
        return "ablt"
    if parse.tag.POS in ("VERB", "INFN", "GRND") and "intr" not in parse.tag:
        return "accs"
    return "nomn"


@lru_cache(maxsize=2048)
def put(phrase: str, case: str, plural: bool = False) -> str:
    """`phrase` («правовая норма», «раздел» + fixed genitives after «|») in that case and number."""
    changing, _, fixed = phrase.partition("|")
    words = []
    for word in changing.split():
        parse = next(p for p in analyser().parse(word) if p.tag.case == "nomn")
        form = parse.inflect({case, "plur" if plural else "sing"})
        words.append(form.word if form else word)
    return " ".join((*words, fixed)) if fixed else " ".join(words)


@lru_cache(maxsize=2048)
def to_singular(word: str, case: str) -> str:
    """«параграфах» → «параграфе»."""
    readings = sorted(analyser().parse(word.lower()), key=lambda parse: parse.tag.case != case)
    for parse in readings:
        if parse.tag.POS == "NOUN" and parse.tag.number == "plur" and _same(parse.tag.case, case):
            form = parse.inflect({"sing"})
            if form:
                single: str = form.word
                return single.capitalize() if word[:1].isupper() else single
    return word


def singular_verb(word: str, gender: str) -> str | None:
    """«рассказывают» → «рассказывает», «описаны» → «описана»; None for no plural verb or participle."""
    for parse in analyser().parse(word.lower())[:2]:
        tag = parse.tag
        if tag.POS in ("VERB", "PRTS", "ADJS") and tag.number == "plur":
            form = parse.inflect(
                {"sing"} if tag.tense in ("pres", "futr") and tag.POS == "VERB" else {"sing", gender}
            )
            return str(form.word) if form else None
    return None


def gender_of(noun: str) -> str:
    """masc, femn or neut; masc for what the dictionary does not know."""
    for parse in analyser().parse(noun.lower()):
        if parse.tag.POS == "NOUN" and parse.tag.gender:
            return str(parse.tag.gender)
    return "masc"


def _same(case: str | None, asked: str) -> bool:
    return case == asked or (case == "loc2" and asked == "loct") or ({case, asked} == {"nomn", "accs"})
