"""A sentence taken apart: what its words carry."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

from index.lemmas import analyser


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
    denied_at: int = -1
    """Token of the negation that denies it; its own place where that is its prefix («незнакомый»)."""
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
class Reading:
    """The likeliest reading of a word."""

    lemma: str
    pos: str
    cases: frozenset[str]
    numbers: frozenset[str]
    genders: frozenset[str]
    transitive: bool
    pronoun: bool
    past: bool


@lru_cache(maxsize=60_000)
def read_word(word: str) -> Reading:
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
    return Reading(
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
