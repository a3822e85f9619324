"""Sentences of the books that define a term, found by the forms in which schoolbooks define."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable

from answer.citations import Span
from answer.morphology import part_of_speech
from index.chunk import Chunk
from index.lemmas import lemmas
from index.sentences import split_sentences

# «в широком смысле слова» and the like narrow a term down; it stays the same term.
_ASIDE = re.compile(
    r"\bв\s+(?:самом\s+)?(?:широком|узком|общем|строгом|прямом|переносном|современном|научном|философском|"
    r"социологическом|юридическом|экономическом)\s+(?:смысле|значении|понимании)(?:\s+(?:этого\s+)?слова)?|"
    r"\b(?:итак|таким\s+образом|иными\s+словами|другими\s+словами|обычно|принято|часто|также|ещё|еще|здесь|мы|можно|"
    r"в\s+науке|учёные|ученые|социологи|юристы|экономисты|философы|понятие|термин|слово|же)\b|[«»\",]",
    re.IGNORECASE,
)
_BRACKETS = re.compile(r"\s*\([^()]*\)")
_LABEL = re.compile(r"^\s*(?:[•●▪◦·*–—-]|\d{1,2}[.)])\s+")
_DASH = re.compile(r"^(?P<term>[^—–:;?]{2,90}?)\s+[—–-]\s+(?P<rest>.{12,})$", re.DOTALL)
_THIS = re.compile(r"^(?P<term>[^—–:;?,]{2,90}?),?\s+это\s+(?P<rest>.{12,})$", re.DOTALL)
_UNDER = re.compile(r"\bпод\s+(?P<term>[^—–:;?.]{2,90}?)\s+(?:понима|подразумева)", re.IGNORECASE)
_CALLED_FIRST = re.compile(
    r"^(?P<term>[^—–:;?.]{2,90}?)\s+(?:называ(?:ют|ется|ются)|именуют)\b", re.IGNORECASE
)
_CALLED_LAST = re.compile(
    r"\b(?:называ(?:ют|ется|ются)|именуют|получил[аио]?\s+название)\s+(?P<term>[^—–:;?.]{2,90})",
    re.IGNORECASE,
)
_IS = re.compile(
    r"^(?P<term>[^—–:;?.,]{2,90}?)\s+(?:представля(?:ет|ют)\s+собой|определя(?:ют|ется)\s+как|означает|есть\s+не\s+что\s+иное)",
    re.IGNORECASE,
)
# «Он — …», «Это — …» define nothing that can be looked up.
_POINTERS = frozenset(
    ["он", "она", "оно", "они", "это", "этот", "такой", "все", "всё", "весь", "кто", "что", "который"]
)

_QUALITIES = frozenset({"ADJF", "PRTF"})


class Definitions:
    """Terms and the sentences that define them, over all books of a library."""

    def __init__(self, chunks: Iterable[Chunk]) -> None:
        self._spans: dict[tuple[str, ...], list[Span]] = defaultdict(list)
        for chunk in chunks:
            if chunk.kind == "questions":
                continue
            for start, end in split_sentences(chunk.text):
                for term in defined_terms(chunk.text[start:end]):
                    self._spans[term].append(Span(chunk, start, end))

    def of(self, term: str, allowed: Callable[[Chunk], bool]) -> list[Span]:
        """Sentences that define exactly `term`, in reading order, in allowed chunks."""
        return [span for span in self._spans.get(_key(term), ()) if allowed(span.chunk)]


def defined_terms(sentence: str) -> set[tuple[str, ...]]:
    """Sorted lemmas of each term that the sentence defines.

    «Под обществом в широком смысле понимают…» → {("общество",)};
    «Сфера общества — это…» → {("общество", "сфера")}.
    """
    sentence = _BRACKETS.sub("", _LABEL.sub("", sentence)).strip()
    if sentence.endswith("?"):
        return set()
    found: set[tuple[str, ...]] = set()
    for pattern in (_DASH, _THIS, _UNDER, _CALLED_FIRST, _IS):
        if match := pattern.search(sentence):
            found.add(_key(match["term"]))
    for match in _CALLED_LAST.finditer(sentence):
        # The term is what stands right behind the verb; a clause or a list may follow it.
        term = re.split(r"[,(]| и | или ", match["term"])[0]
        found.add(_key(f"{term} {_quality_of(term, sentence[: match.start()])}"))
    return {term for term in found if 0 < len(term) <= 6 and _POINTERS.isdisjoint(term)}


def _quality_of(term: str, before: str) -> str:
    """«Две прямые называются параллельными»: of a mere quality, the noun in front that has it; else empty."""
    if any(part_of_speech(word) not in _QUALITIES for word in term.split()):
        return ""
    head = _ASIDE.sub(" ", re.split(r"[,:;]", re.split(r"[.!?]\s", before)[-1])[0])
    words: list[str] = [
        word for word in re.findall(r"[^\W\d_]+(?:-[^\W\d_]+)*", head) if part_of_speech(word) != "NUMR"
    ]
    nouns = [word for word in words if part_of_speech(word) == "NOUN"]
    # «прямая», «кривая», «касательная» are adjectives by form.
    return (nouns or [word for word in words if part_of_speech(word) in _QUALITIES] or [""])[0]


def _key(term: str) -> tuple[str, ...]:
    return tuple(sorted(set(lemmas(_ASIDE.sub(" ", term)))))
