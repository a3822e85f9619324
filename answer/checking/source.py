"""Fragments read once: their sentences, and where each lemma stands in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from answer.checking.drafts import Fragment
from answer.checking.lexicon import akin
from answer.checking.sentence import analyse
from answer.checking.words import Sentence, Word
from index.sentences import split_sentences


@dataclass(frozen=True, slots=True)
class Place:
    """A word of the source."""

    sentence: int
    word: Word


@dataclass(eq=False)
class Source:
    """One or several fragments as one text."""

    sentences: list[Sentence]
    by_lemma: dict[str, list[Place]] = field(default_factory=dict)
    _like: dict[str, list[tuple[str, float]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for number, sentence in enumerate(self.sentences):
            for word in sentence.words:
                self.by_lemma.setdefault(word.lemma, []).append(Place(number, word))

    def like(self, lemma: str) -> list[tuple[str, float]]:
        """Lemmas of the source akin to `lemma`, the surest first; numbers are akin only to themselves."""
        found = self._like.get(lemma)
        if found is None:
            if lemma.startswith("#"):
                found = [(lemma, 1.0)] if lemma in self.by_lemma else []
            else:
                found = [
                    (other, s)
                    for other in self.by_lemma
                    if not other.startswith("#") and (s := akin(lemma, other)) > 0
                ]
                found.sort(key=lambda pair: -pair[1])
            self._like[lemma] = found
        return found

    def places(self, lemma: str) -> list[Place]:
        return [place for other, _ in self.like(lemma) for place in self.by_lemma[other]]


def read_source(fragments: Sequence[Fragment]) -> Source:
    """The fragments' text, cut into analysed sentences."""
    return _read("\n\n".join(fragment.text for fragment in fragments))


@lru_cache(maxsize=256)
def _read(text: str) -> Source:
    return Source([analyse(text[start:end]) for start, end in split_sentences(text)])
