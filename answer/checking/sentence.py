"""A sentence taken apart: content words with lemma, role, segment; what is negated; what is only possible."""

# ruff: noqa: E501 - a table of Russian wordings reads best one case a line

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from answer.checking.denial import mark_modals, mark_negations, without_negation
from answer.checking.lexicon import LIGHT, NEGATORS, STOP
from answer.checking.numbers import read_numbers
from answer.checking.voices import mark_voices
from answer.checking.words import Sentence, Word, read_word

_TOKEN = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*|\d+(?:[.,]\d+)?|[^\w\s]")
_THOUSANDS = re.compile(r"(?<=\d)(\d?)[ \u00a0\u202f](?=\d{3}(?!\d))")
# No dash: «дефицит — превышение расходов» is one clause.
_BREAK = frozenset(",;:()[].!?")
_CONTENT = frozenset(
    {"NOUN", "ADJF", "ADJS", "VERB", "INFN", "PRTF", "PRTS", "GRND", "ADVB", "COMP", "PRED", "NUMR"}
)
_VERBAL = frozenset({"VERB", "INFN", "PRTF", "PRTS", "GRND"})


_WEIGHTS = {
    "NOUN": 1.0,
    "ADJF": 0.9,
    "ADJS": 0.9,
    "PRTF": 0.7,
    "PRTS": 0.7,
    "VERB": 0.7,
    "INFN": 0.7,
    "GRND": 0.6,
}


@lru_cache(maxsize=4096)
def analyse(text: str) -> Sentence:
    """Takes one sentence apart."""
    plain = (
        _THOUSANDS.sub(r"\1", unicodedata.normalize("NFKC", text))
        .replace("\u0301", "")
        .replace("ё", "е")
        .replace("Ё", "Е")
    )
    raw = _TOKEN.findall(plain)
    tokens = [token.lower() for token in raw]
    sentence = Sentence(text, tokens=tokens)
    segment = 0
    preposition = governed = ""
    numbers, inside = read_numbers(tokens, raw)
    for i, token in enumerate(tokens):
        if token in _BREAK or token in ("а", "но", "однако", "зато"):
            segment += 1
            preposition = governed = ""
        sentence.segments.append(segment)
        if i in numbers:
            sentence.words.append(Word(i, raw[i], f"#{numbers[i]}", "NUMB", segment, 1.0))
        if i in inside or not token[0].isalpha() or (tokens[i] == "нем" and preposition):
            continue  # «в нём» lost its dots and is not mute
        reading = read_word(token)
        if reading.pos == "PREP":
            preposition = {"во": "в", "со": "с", "ко": "к", "об": "о", "обо": "о"}.get(token, token)
            governed = ""
            continue
        if reading.pos not in _CONTENT and reading.pos not in ("LATN", "UNKN") and token not in NEGATORS:
            continue
        if reading.pos in _VERBAL:
            governed = ""
        lemma = reading.lemma
        bare = without_negation(lemma, reading.pos)
        lemma = bare or lemma
        weight = (
            0.0 if reading.pronoun or lemma in STOP or token in NEGATORS else _WEIGHTS.get(reading.pos, 0.4)
        )
        if lemma in LIGHT:
            weight = min(weight, 0.2)
        if reading.pos in ("LATN", "UNKN"):
            weight = 1.0 if len(token) > 1 else 0.0
        roles = (
            frozenset(f"{preposition}:{case}" for case in _after(preposition, reading.cases))
            if reading.pos in ("NOUN", "ADJF", "PRTF", "NUMR", "UNKN")
            else frozenset()
        )
        word = Word(i, raw[i], lemma, reading.pos, segment, weight, roles, roles, capital=raw[i][0].isupper())
        if bare:
            word.narrow = word.wide = True
            word.denied_at = i
        sentence.words.append(word)
        if reading.pos == "NOUN":
            if governed and "gent" in reading.cases and not preposition:
                word.roles |= {f"{governed}:gent"}  # «от части своей свободы»
            governed = preposition or governed
            preposition = preposition if i + 1 < len(tokens) and tokens[i + 1] in ("и", "или") else ""
    _resolve_ordinals(sentence)
    mark_voices(sentence)
    mark_negations(sentence)
    mark_modals(sentence)
    return sentence


_GOVERNED = {
    "к": {"datv"}, "по": {"datv", "loct", "accs"}, "от": {"gent"}, "из": {"gent"}, "до": {"gent"}, "у": {"gent"}, "для": {"gent"},
    "без": {"gent"}, "в": {"loct", "accs"}, "на": {"loct", "accs"}, "о": {"loct", "accs"}, "при": {"loct"}, "над": {"ablt"},
    "под": {"ablt", "accs"}, "за": {"ablt", "accs"}, "перед": {"ablt"}, "между": {"ablt", "gent"}, "с": {"ablt", "gent"},
    "через": {"accs"}, "про": {"accs"},
}  # fmt: skip


def _after(preposition: str, cases: frozenset[str]) -> frozenset[str]:
    """Cases that a preposition leaves possible."""
    return cases & _GOVERNED.get(preposition, cases) or cases


def _resolve_ordinals(sentence: Sentence) -> None:
    """«бывают фундаментальными и прикладными: первые …, вторые …»: the ordinals take the lemmas they
    stand for.
    """
    pair: tuple[str, str] | None = None
    words = sentence.words
    for k, word in enumerate(words):
        if word.lemma in ("первый", "второй") and pair and word.segment and word.pos == "ADJF":
            following = words[k + 1] if k + 1 < len(words) else None
            if following is not None and following.pos != "NOUN":
                word.lemma = pair[0] if word.lemma == "первый" else pair[1]
                word.weight = 0.9
        elif k and words[k - 1].index == word.index - 2 and sentence.tokens[word.index - 1] == "и":
            same = words[k - 1].pos == word.pos and word.pos in ("ADJF", "NOUN")
            pair = (words[k - 1].lemma, word.lemma) if same else pair
