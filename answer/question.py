"""Answering a question about the subject: one place, then the book as a whole, then an honest no."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from answer import wording
from answer.answer import Answer
from answer.citations import Span, cite, merge, section_of
from answer.corpus import Corpus
from answer.evidence import EvidenceModel
from answer.extract import around, extract, preferred
from answer.forms import definition_request
from answer.place import Place, clarify, resolve, section_names
from answer.query import Query
from answer.scoring import alike
from answer.search import EVIDENCE_KINDS, Finder, Found
from answer.terms import Terms
from index.book import Book
from index.chunk import Chunk, Hit
from index.search import Filter

DEFINITIONS = 2
"""Sentences that define the asked term and are quoted at most."""
NEAREST = 3
"""§§ named in a refusal."""
RIVAL_SHARE = 0.5
"""Another grade's book is a rival when its odds of holding the answer reach this share of the best one's."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What one place holds for a question."""

    found: Found
    spans: tuple[Span, ...]
    """The quotes; empty where the evidence does not suffice."""
    defined: bool = False
    """The book defines the asked term in so many words."""
    best: Span | None = None
    """The sentence that answers best: its page is cited first."""


class QuestionAnswerer:
    """Questions that are answered by quotes from anywhere in the asked place."""

    def __init__(self, corpus: Corpus, model: EvidenceModel) -> None:
        self._corpus = corpus
        self._model = model

    def answer(self, query: Query) -> Answer:
        """The contract's `question` intent; `query.text` is not empty."""
        place = resolve(query, self._corpus.library.books)
        if isinstance(place, Answer):
            return place
        finder = Finder(query.text, self._corpus, self._model)
        evidence = self.evidence(finder, place.filter)
        if evidence.spans:
            if query.detailed and evidence.best is not None:
                told = [evidence.best, *evidence.spans]
                centre = next((span for span in told if span.chunk.kind == "text"), evidence.best)
                more = merge([*evidence.spans, *around(centre, self._corpus)])
                evidence = replace(evidence, spans=tuple(more))
            if not query.scope.grades and query.scope.book_id is None and not place.narrow:
                rivals = self._rivals(finder, evidence)
                if len(rivals) > 1:
                    asked = clarify(query, wording.WHICH_GRADE_ANSWER, rivals)
                    return replace(asked, hits=evidence.found.hits)
            return self._supported(query, evidence, place.note)
        if place.narrow:
            wide = self.evidence(finder, place.widened.filter)
            if wide.spans:
                lead = self._widened_lead(place, wide.spans[0])
                lead = f"{place.note} {lead}" if place.note else lead
                return replace(self._supported(query, wide, lead), widened=True)
        return self._insufficient(query, place, finder, evidence.found)

    def evidence(self, finder: Finder, filter: Filter) -> Evidence:
        """Hits under the filter, and the quotes where they hold the answer.

        A sentence that defines the asked term by the book's own words («Общество — это…») is an answer
        whatever the regression says: it was never shown definitions. Where only another place defines it, a
        sentence that merely holds the word is none.
        """
        found = finder.find(filter)
        if not found.hits:
            return Evidence(found, ())
        asked = definition_request(finder.question)
        definitions = self._definitions(asked.term, filter, found.hits) if asked else []
        if definitions and asked and (asked.alone or not found.sufficient):
            hits = _with_chunks(found.hits, definitions, finder)
            found = replace(found, hits=hits, sufficient=True)
            return Evidence(found, tuple(merge(definitions)), True, definitions[0])
        elsewhere = asked and asked.alone and not definitions and self._corpus.defines(asked.term)
        if not found.sufficient or elsewhere or (asked and not definitions and self._unheard_of(asked.term)):
            return Evidence(replace(found, sufficient=False), ())
        candidates = preferred(finder.question, found.candidates)
        spans = extract(finder.question, candidates, self._corpus)
        best = definitions[0] if definitions else candidates[0].span if candidates else None
        return Evidence(found, tuple(merge([*definitions, *spans])), bool(definitions), best)

    def _unheard_of(self, term: str) -> bool:
        """A word of the term stands nowhere in the books: what they say of the others defines nothing."""
        return any(not self._corpus.knows(lemma) for lemma in Terms.of(term).lemmas)

    def _definitions(self, term: str, filter: Filter, hits: Sequence[Hit]) -> list[Span]:
        """Sentences of one book that define a term, the best first: running text before the glossary."""
        spans = self._corpus.definitions.of(term, lambda chunk: _allows(filter, chunk))
        rank = {hit.chunk.chunk_id: position for position, hit in enumerate(hits)}
        spans.sort(key=lambda span: (span.chunk.kind != "text", rank.get(span.chunk.chunk_id, len(rank))))
        chosen: list[Span] = []
        for span in spans:
            new = not any(alike(span.text, other.text) for other in chosen)
            if new and span.chunk.book_id == spans[0].chunk.book_id:
                chosen.append(span)
        return chosen[:DEFINITIONS]

    def _rivals(self, finder: Finder, best: Evidence) -> list[Book]:
        """Books of different grades that answer about as well, the best one first."""
        books = self._corpus.library.books
        first = books[(best.best or best.spans[0]).chunk.book_id]
        rivals = [first]
        own = self.evidence(finder, Filter(books=frozenset({first.book_id})))
        best_odds, defined = _odds(own), own.defined
        for book in books.values():
            if all(set(book.grades).isdisjoint(other.grades) for other in rivals):
                own = self.evidence(finder, Filter(books=frozenset({book.book_id})))
                as_good = own.defined if defined else _odds(own) >= RIVAL_SHARE * best_odds
                if own.spans and as_good:
                    rivals.append(book)
        return sorted(rivals, key=lambda book: book.grades)

    def _supported(self, query: Query, evidence: Evidence, lead: str | None) -> Answer:
        text = quoted(evidence.spans)
        return Answer(
            status="supported",
            intent=query.intent,
            answer=f"{lead}\n{text}" if lead else text,
            scope=query.scope,
            sources=cite(evidence.spans, self._corpus.library.books, best=evidence.best),
            hits=evidence.found.hits,
            confidence=evidence.found.probability,
        )

    def _widened_lead(self, place: Place, span: Span) -> str:
        book = self._corpus.library.books[span.chunk.book_id]
        same = len(place.books) == 1
        found = (
            "в другом месте" if (section := section_of(span.chunk, book)) is None else f"в {section.label}"
        )
        if not same:
            found += f" учебника {wording.book_name(book)}"
        asked = place.name.removesuffix(f" учебника {wording.book_name(book)}") if same else place.name
        return wording.widened(asked, found, same)

    def _insufficient(self, query: Query, place: Place, finder: Finder, found: Found) -> Answer:
        near = found.hits if not place.narrow else finder.find(place.widened.filter).hits
        names = section_names(near, self._corpus.library.books, len(place.books))[:NEAREST]
        text = wording.not_found(place.name, names)
        if place.note:
            text = f"{place.note} {text}"
        chosen = frozenset(book.book_id for book in place.books)
        others = frozenset(self._corpus.library.books) - chosen
        if others and (elsewhere := self.evidence(finder, Filter(books=others))).spans:
            chunk = elsewhere.spans[0].chunk
            book = self._corpus.library.books[chunk.book_id]
            text += " " + wording.found_in_other_grade(book, self._section_with_page(chunk))
        return Answer(
            "insufficient", query.intent, text, query.scope, hits=found.hits, confidence=found.probability
        )

    def _section_with_page(self, chunk: Chunk) -> str:
        """«§ 4 «…» (стр. 12)»: the page where the § begins."""
        section = section_of(chunk, self._corpus.library.books[chunk.book_id])
        if section is None:
            return chunk.chapter or f"лист {chunk.spans[0].file_page} файла"
        if section.printed_page is None:
            return wording.section_name(section)
        return f"{wording.section_name(section)} (стр. {section.printed_page})"


def quoted(spans: Sequence[Span]) -> str:
    """The answer's text: the quotes alone, those of different places on lines of their own."""
    return "\n".join(span.text.strip() for span in spans)


def _with_chunks(hits: tuple[Hit, ...], spans: Sequence[Span], finder: Finder) -> tuple[Hit, ...]:
    """The hits, led by the quoted chunks; no more than there were."""
    found = {hit.chunk.chunk_id: hit for hit in hits}
    quoted_chunks = {span.chunk.chunk_id: span.chunk for span in spans}
    first = [found.get(chunk_id) or finder.hit(chunk) for chunk_id, chunk in quoted_chunks.items()]
    rest = [hit for hit in hits if hit.chunk.chunk_id not in quoted_chunks]
    return (*first, *rest)[: max(len(hits), len(first))]


def _odds(evidence: Evidence) -> float:
    return evidence.found.probability / max(1e-9, 1 - evidence.found.probability)


def _allows(filter: Filter, chunk: Chunk) -> bool:
    return (
        chunk.kind in EVIDENCE_KINDS
        and (filter.books is None or chunk.book_id in filter.books)
        and (filter.paragraphs is None or not filter.paragraphs.isdisjoint(chunk.paragraphs))
        and (
            filter.printed_pages is None
            or not filter.printed_pages.isdisjoint(span.printed_page or "" for span in chunk.spans)
        )
    )
