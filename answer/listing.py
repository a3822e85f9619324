"""What «какие виды…», «назовите…» asks to list, and which sentences list it."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable

from answer.citations import Span
from answer.completing import LIST_LIMIT, span_of
from answer.corpus import Corpus
from answer.morphology import part_of_speech, tags
from index.chunk import Chunk
from index.lemmas import lemmas, words

FEWEST = 2
"""Sentences behind a general one that name what is listed, so many at least, are its list."""
BEHIND = 4
"""Words behind the verb of a listing sentence among which what it lists is named."""

_GENERIC = frozenset(["вид", "тип", "форма", "группа", "разновидность", "пример", "категория", "класс"])
_LISTS = re.compile(
    r"\b(?:различа|выделя|дел[яи]т|разделя|подразделя|бывают|бывает|относ|принадлеж|являются|служат|входят|"
    r"включа|состо[ия]т|образуют|составляют|называют|перечисля|таковы)\w*",
    re.IGNORECASE,
)
_INTO = frozenset(["на", "к", "в", "из", "по"])
_SEVERAL = re.compile(r",|;|\n|\s(?:и|или)\s")


def listed(question: str) -> frozenset[str]:
    """Lemmas of the nouns of a question that name what is to be listed, without what depends on them.

    «Какие сферы общества бывают?» → {"сфера"}; «какие виды проступков бывают» → {"проступок"}.
    """
    nouns: list[str] = []
    for word in words(question):
        if part_of_speech(word) != "NOUN":
            continue
        lemma = lemmas(word)[0]
        depends = bool(nouns) and any({"NOUN", "gent"} <= reading for reading in tags(word))
        if depends and nouns[-1] in _GENERIC:
            nouns[-1] = lemma
        elif not depends:
            nouns.append(lemma)
    return frozenset(nouns)


def lists(question: str) -> Callable[[str], bool]:
    """Whether a sentence names kinds or members of what the question asks to list.

    «Различают самооценку завышенную, заниженную и реалистичную»; «К функциям семьи относятся: …».
    """
    nouns = listed(question)

    def holds(text: str) -> bool:
        for match in _LISTS.finditer(text):
            # What things are divided «на …» is another thing than they.
            behind = itertools.takewhile(lambda word: word not in _INTO, text[match.end() :].split()[:BEHIND])
            named = f"{text[: match.end()]} {' '.join(behind)}"
            if _SEVERAL.search(text, match.end()) and not nouns.isdisjoint(lemmas(named)):
                return True
        lead, colon, rest = text.partition(":")
        return bool(colon and _SEVERAL.search(rest)) and not nouns.isdisjoint(lemmas(lead))

    return holds


def spread(chunk: Chunk, position: int, question: str, corpus: Corpus) -> list[Span]:
    """The sentences behind a general one up to the last that names what is listed; empty where too few do.

    «Мыслители объясняли происхождение государства по-своему. По теологической теории… По договорной теории…»
    """
    nouns, known = listed(question), corpus.sentence_lemmas(chunk)
    sentences = corpus.sentences(chunk)
    naming = [at for at in range(position + 1, len(sentences)) if not nouns.isdisjoint(known[at])]
    if len(naming) < FEWEST:
        return []
    shown: list[Span] = []
    for at in range(position, naming[-1] + 1):
        shown.append(span_of(chunk, sentences[at]))
        if sum(len(span.text) for span in shown) > LIST_LIMIT:
            return shown[:-1]
    return shown
