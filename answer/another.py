"""«Другой фрагмент»: the next best passage for a question that was answered already."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from answer import wording
from answer.answer import Answer
from answer.citations import cite, merge
from answer.completing import complete
from answer.corpus import Corpus
from answer.evidence import EvidenceModel
from answer.forms import asks_for_list
from answer.place import reply, resolve
from answer.query import Query
from answer.question import quoted
from answer.scoring import Scored, alike
from answer.search import Finder


@dataclass(frozen=True, slots=True)
class Shown:
    """What a student has seen of a question's passages."""

    chunk_ids: frozenset[str]
    quotes: tuple[str, ...]


class AnotherPassage:
    """One passage from a chunk that was not quoted yet; what says the same in other words is left out."""

    def __init__(self, corpus: Corpus, model: EvidenceModel) -> None:
        self._corpus = corpus
        self._model = model

    def answer(self, query: Query, shown: Shown) -> Answer:
        """Quotes of one chunk, or the plain word that there is nothing else.

        The passages that are left must hold the answer by the same measure as the first ones had to.
        """
        place = resolve(query, self._corpus.library.books)
        if isinstance(place, Answer):
            return place
        finder = Finder(query.text, self._corpus, self._model)
        for filter in (place.filter, place.widened.filter) if place.narrow else (place.filter,):
            found = finder.find(filter, shown.chunk_ids)
            best = _first_new(found.candidates, shown.quotes) if found.sufficient else None
            if best is None:
                continue
            chunk = best.hit.chunk
            spans = merge(complete(chunk, best.position, asks_for_list(finder.question), self._corpus))
            return Answer(
                status="supported",
                intent=query.intent,
                answer=quoted(spans),
                scope=query.scope,
                sources=cite(spans, self._corpus.library.books, best=best.span),
                # Of the chunks only the quoted one counts as seen.
                hits=tuple(hit for hit in found.hits if hit.chunk.chunk_id == chunk.chunk_id),
                widened=filter != place.filter,
                confidence=found.probability,
            )
        return replace(reply(query, "insufficient", wording.NOTHING_ELSE), confidence=None)


def _first_new(candidates: Sequence[Scored], quotes: Sequence[str]) -> Scored | None:
    """The likeliest sentence that repeats no quote."""
    for candidate in candidates:
        if not any(candidate.text in quote or alike(candidate.text, quote) for quote in quotes):
            return candidate
    return None
