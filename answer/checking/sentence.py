"""A sentence taken apart: content words with lemma, role, segment; what is negated; what is only possible."""

# ruff: noqa: E501 - a table of Russian wordings reads best one case a line

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from functools import lru_cache

from answer.checking.lexicon import (
    LIGHT,
    MAY,
    MUST,
    NEGATORS,
    NOT_NEGATION,
    STOP,
)
from answer.checking.numbers import read_numbers
from index.lemmas import analyser

_TOKEN = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*|\d+(?:[.,]\d+)?|[^\w\s]")
_THOUSANDS = re.compile(r"(?<=\d)(\d?)[ \u00a0\u202f](?=\d{3}(?!\d))")
# No dash: «дефицит — превышение расходов» is one clause.
_BREAK = frozenset(",;:()[].!?")
_CONTENT = frozenset(
    {"NOUN", "ADJF", "ADJS", "VERB", "INFN", "PRTF", "PRTS", "GRND", "ADVB", "COMP", "PRED", "NUMR"}
)
_VERBAL = frozenset({"VERB", "INFN", "PRTF", "PRTS", "GRND"})
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
_COPULAR = frozenset(
    [
        "являться",
        "становиться",
        "оказаться",
        "оказываться",
        "казаться",
        "считаться",
        "называться",
        "остаться",
        "оставаться",
        "сделаться",
    ]
)
_LOCAL = frozenset({"без", "кроме", "вместо"})
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


@dataclass(slots=True)
class Word:
    """A content word, or a marker of negation and degree, of a sentence."""

    index: int
    text: str
    lemma: str
    pos: str
    segment: int
    weight: float
    """0 for words that carry nothing of their own, about 1 for nouns."""
    roles: frozenset[str] = frozenset()
    """Possible roles: «agent», «patient», or preposition and case («от:gent»)."""
    forms: frozenset[str] = frozenset()
    """Preposition and cases as written, no agent or patient among them."""
    narrow: bool = False
    """Negated itself."""
    wide: bool = False
    """In a segment that holds a negation."""
    modal: str = ""
    """«may», «must» or "" where the word is the verb of a modal."""
    capital: bool = False


@dataclass(slots=True)
class Sentence:
    """A sentence and its words in their order."""

    text: str
    words: list[Word] = field(default_factory=list)
    tokens: list[str] = field(default_factory=list)
    """Lower case, ё as е."""
    segments: list[int] = field(default_factory=list)
    """Segment of each token."""

    @property
    def content(self) -> list[Word]:
        return [word for word in self.words if word.weight > 0]

    def lemmas(self) -> set[str]:
        return {word.lemma for word in self.words}


@dataclass(frozen=True, slots=True)
class _Reading:
    lemma: str
    pos: str
    cases: frozenset[str]
    numbers: frozenset[str]
    genders: frozenset[str]
    transitive: bool
    pronoun: bool
    past: bool


@lru_cache(maxsize=60_000)
def read_word(word: str) -> _Reading:
    """The likeliest reading of a lower-case word, with the cases that its other readings of that
    lemma allow.
    """
    parses = analyser().parse(word)
    best = parses[0]
    same = [
        p
        for p in parses
        if p.tag.POS == best.tag.POS and p.normal_form == best.normal_form and p.score > 0.005
    ] or [best]
    pos = best.tag.POS or ("LATN" if "LATN" in best.tag else "UNKN")
    return _Reading(
        lemma=best.normal_form.replace("ё", "е"),
        pos=str(pos),
        cases=frozenset(
            {"loc2": "loct", "gen2": "gent"}.get(p.tag.case, p.tag.case) for p in same if p.tag.case
        ),
        numbers=frozenset(p.tag.number for p in same if p.tag.number),
        genders=frozenset(p.tag.gender for p in same if p.tag.gender),
        transitive="tran" in best.tag,
        pronoun="Apro" in best.tag or pos == "NPRO",
        past=best.tag.tense == "past",
    )


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
    preposition = ""
    numbers, inside = read_numbers(tokens, raw)
    for i, token in enumerate(tokens):
        if token in _BREAK or token in ("а", "но", "однако", "зато"):
            segment += 1
            preposition = ""
        sentence.segments.append(segment)
        if i in numbers:
            sentence.words.append(Word(i, raw[i], f"#{numbers[i]}", "NUMB", segment, 1.0))
        if i in inside or not token[0].isalpha():
            continue
        reading = read_word(token)
        if reading.pos == "PREP":
            preposition = {"во": "в", "со": "с", "ко": "к", "об": "о", "обо": "о"}.get(token, token)
            continue
        if reading.pos not in _CONTENT and reading.pos not in ("LATN", "UNKN") and token not in NEGATORS:
            continue
        lemma = reading.lemma
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
        sentence.words.append(word)
        if reading.pos == "NOUN":
            preposition = preposition if i + 1 < len(tokens) and tokens[i + 1] in ("и", "или") else ""
    _resolve_ordinals(sentence)
    _voices(sentence)
    _negations(sentence)
    _modals(sentence)
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


def _voices(sentence: Sentence) -> None:
    """Names agents and patients where the segment has a verb."""
    for segment in set(sentence.segments):
        words = [word for word in sentence.words if word.segment == segment]
        verbs = [word for word in words if word.pos in ("VERB", "PRTS")]
        nouns = [
            word for word in words if word.pos in ("NOUN", "UNKN") or (word.pos == "ADJF" and word.roles)
        ]
        agentive = any(":ablt" in word.roles for word in nouns)
        for verb in verbs[:1]:
            reading = read_word(verb.text.lower())
            passive = verb.pos == "PRTS" or (
                verb.lemma.endswith("ся") and verb.lemma not in _COPULAR and agentive
            )
            for noun in nouns:
                roles = set(noun.roles)
                joined = sentence.tokens[noun.index - 1 : noun.index] == ["и"] or sentence.tokens[
                    noun.index + 1 : noun.index + 2
                ] == ["и"]
                if ":nomn" in roles and not joined and not _agrees(noun.text.lower(), reading):
                    roles.discard(":nomn")
                names = set()
                if ":nomn" in roles:
                    names.add("patient" if passive else "agent")
                if ":accs" in roles and not passive and reading.transitive:
                    names.add("patient")
                if ":ablt" in roles and passive:
                    names.add("agent")
                kept = {
                    role
                    for role in roles
                    if role not in (":nomn", ":accs") and not (role == ":ablt" and passive)
                }
                noun.roles = frozenset(kept | names)
            if len({w.segment for w in sentence.words if w.pos in ("VERB", "PRTS")}) == 1:
                _word_order(nouns, verb)


def _word_order(nouns: list[Word], verb: Word) -> None:
    """«Бытие определяет сознание»: where forms decide nothing, the first is the agent."""
    both = [noun for noun in nouns if noun.pos == "NOUN" and {"agent", "patient"} <= noun.roles]
    sure = any("agent" in noun.roles and "patient" not in noun.roles for noun in nouns)
    before = [noun for noun in both if noun.index < verb.index]
    after = [noun for noun in both if noun.index > verb.index]
    if before and after and not sure:
        before[0].roles -= {"patient"}
        after[0].roles -= {"agent"}
    elif sure:
        for noun in both:
            noun.roles -= {"agent"}


def _agrees(noun: str, verb: _Reading) -> bool:
    reading = read_word(noun)
    if not reading.numbers or not verb.numbers:
        return True
    if not reading.numbers & verb.numbers:
        return False
    return not (
        verb.past
        and verb.genders
        and reading.genders
        and "sing" in verb.numbers
        and not verb.genders & reading.genders
    )


def _negations(sentence: Sentence) -> None:
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
            if not auxiliary and not (following.pos in ("ADJF", "PRTF") and token != "не"):
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


def _modals(sentence: Sentence) -> None:
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
