"""Which sentences of the found chunks are likely the answer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from answer.citations import Span
from answer.completing import ITEM, points_back
from answer.corpus import Corpus
from answer.table_rows import head
from answer.terms import Terms
from index.chunk import Hit, Sentence
from index.embedder import Vectors
from index.lemmas import lemmas

# Chosen by looking at all 12 articles of xquad_ru_dev.json, so what they reach there (gold span quoted in
# 0.91 of the cases at 270 characters) is no held-out figure.
COVERAGE_WEIGHT = 0.15
"""What covering all topical lemmas of the question is worth in cosine."""
CHUNK_WEIGHT = 0.3
"""How much of a chunk's lag behind the best chunk its sentences carry."""
SAME = 0.8
"""Sentences that share more of their lemmas say the same."""
TITLE_LIMIT = 120
"""A longer line without a full stop is no title."""

_TASK = re.compile(
    r"\W*(?:\d{1,2}[.)]\s*)?(?:назовите|перечислите|объясните|охарактеризуйте|приведите|сравните|докажите|"
    r"опишите|раскройте|подумайте|вспомните|используя|сформулируйте|дайте\s+определение|укажите|определите)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Scored:
    """A sentence as a candidate; greater is better."""

    hit: Hit
    sentence: Sentence
    position: int
    """Place among the sentences of the chunk."""
    score: float

    @property
    def text(self) -> str:
        return self.hit.chunk.text[self.sentence.start : self.sentence.end]

    @property
    def span(self) -> Span:
        return Span(self.hit.chunk, self.sentence.start, self.sentence.end)


def score(terms: Terms, vector: Vectors, hits: Sequence[Hit], corpus: Corpus) -> list[Scored]:
    """Sentences of the hits, best first: cosine, coverage of the question's lemmas, strength of the chunk.

    A question of the book itself («Что же такое общество?») or a title in the text is never an answer; the
    sentence behind it takes over its nearness.
    """
    scored: list[Scored] = []
    strongest = max((hit.dense + hit.sentence for hit in hits), default=0.0)
    for hit in hits:
        lag = CHUNK_WEIGHT * (hit.dense + hit.sentence - strongest)
        handed_on = float("-inf")
        known = corpus.sentence_lemmas(hit.chunk)
        sentences = corpus.sentences(hit.chunk)
        first_row = head(hit.chunk, sentences)
        before = 0.0
        for position, (sentence, cosine) in enumerate(corpus.library.sentence_scores(hit.chunk, vector)):
            told, near = known[position], float(cosine)
            if points_back(hit.chunk, sentences, position):
                # «Этот термин ввёл Питирим Сорокин» tells of the term that the sentence before it names.
                context = known[position - 1]
                if any(lemma in told and lemma not in context for lemma in terms.lemmas):
                    told, near = told | context, max(near, (near + before) / 2)
            before = float(cosine)
            worth = near + COVERAGE_WEIGHT * corpus.coverage(terms.lemmas, told) + lag
            candidate = Scored(hit, sentence, position, max(worth, handed_on))
            if _says_nothing(candidate) or (first_row is not None and position <= first_row):
                # A caption or the names of columns lead to the rows.
                handed_on = worth
                continue
            scored.append(candidate)
            handed_on = float("-inf")
    scored.sort(key=lambda candidate: -candidate.score)
    return scored


def alike(one: str, other: str) -> bool:
    """Whether two sentences say the same, as the text and the glossary of a § do."""
    mine, theirs = set(lemmas(one)), set(lemmas(other))
    return len(mine & theirs) > SAME * min(len(mine), len(theirs))


def _says_nothing(candidate: Scored) -> bool:
    """A question or a task of the book, or a title in the text: a line that is no sentence, item or row."""
    text, chunk = candidate.text, candidate.hit.chunk
    if text.rstrip('»" ').endswith("?") or _TASK.match(text):
        return True
    line = not chunk.text[: candidate.sentence.start].rpartition("\n")[2].strip()
    ends_line = not chunk.text[candidate.sentence.end :].partition("\n")[0].strip()
    return (
        chunk.kind != "table"
        and line
        and ends_line
        and not text.rstrip('»") ').endswith((".", "!", "…", ":", ";", ","))
        and len(text) < TITLE_LIMIT
        and not ITEM.match(text)
        and not re.search(r"\s[—–]\s", text)
    )
