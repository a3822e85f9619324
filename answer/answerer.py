"""Query → Answer over one library: the main path of the package."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable
from dataclasses import replace

from answer import wording
from answer.another import AnotherPassage, Shown
from answer.answer import Answer, Option
from answer.contents import contents
from answer.corpus import Corpus
from answer.evidence import EvidenceModel
from answer.place import reply, resolve, section_names
from answer.query import Query
from answer.question import NEAREST, QuestionAnswerer
from answer.search import Finder
from answer.section_questions import SectionQuestions
from answer.smalltalk import is_in_trouble, smalltalk
from answer.sought import sought
from answer.summary import Summaries
from answer.synonyms import SynonymList
from index.lemmas import lemmas
from index.library import Library
from index.search import Filter

_BARE_NUMBER = re.compile(r"\W*(\d{1,3})\W*")


class Answerer:
    """Answers queries from one immutable library. Threads may share it."""

    def __init__(
        self, library: Library, evidence: EvidenceModel, synonyms: Iterable[SynonymList] | None = None
    ) -> None:
        self._corpus = Corpus(library, synonyms)
        self._corpus.warm()
        self._evidence = evidence
        self._questions = QuestionAnswerer(self._corpus, evidence)
        self._section_questions = SectionQuestions(self._corpus, evidence, self._questions)
        self._summaries = Summaries(self._corpus)
        self._another = AnotherPassage(self._corpus, evidence)

    def answer(self, query: Query) -> Answer:
        """One answer of the contract (DESIGN: the answer contract), whatever was asked."""
        started = time.perf_counter()
        answer = self._answer(query)
        return replace(answer, elapsed_ms=round((time.perf_counter() - started) * 1000))

    def another(self, query: Query, shown: Shown) -> Answer:
        """The next best passage for a question, beside those already shown."""
        return self._another.answer(query, shown)

    def _answer(self, query: Query) -> Answer:
        if query.intent == "smalltalk" or is_in_trouble(query.message):
            return smalltalk(query)
        if not self._corpus.library.books:
            return reply(query, "insufficient", wording.NO_BOOKS)
        if query.unclear == "sum":
            return reply(query, "insufficient", wording.NO_SUMS)
        if query.unclear is not None:
            return reply(query, "clarify", wording.ASK_WHOLE)
        if query.intent == "contents":
            return contents(query, self._corpus)
        if query.intent == "summary":
            return self._summaries.answer(query)
        if query.intent == "section_questions":
            return self._section_questions.answer(query)
        if query.text.strip():
            return self._checked(query, self._questions.answer(query))
        return self._without_text(query)

    def _checked(self, query: Query, answer: Answer) -> Answer:
        """A follow-up is not answered by quotes about its topic alone; a refusal names the nearest §§."""
        books = self._corpus.library.books
        if answer.status == "supported" and query.own_words is not None:
            place = resolve(query, books)
            if not _is_about(query, answer) and not isinstance(place, Answer):
                names = section_names(answer.hits, books, len(place.books))[:NEAREST]
                text = wording.not_found(place.name, names)
                return replace(reply(query, "insufficient", text), hits=answer.hits)
        if (
            answer.status == "insufficient"
            and not answer.hits
            and not query.scope.paragraphs + query.scope.pages
        ):
            finder = Finder(query.text, self._corpus, self._evidence)
            names = section_names(finder.find(Filter()).hits, books, len(books))[:NEAREST]
            if names:
                return replace(answer, answer=f"{answer.answer} {wording.nearest_sections(names)}")
        return answer

    def _without_text(self, query: Query) -> Answer:
        """Only a place was named, or nothing."""
        scope = query.scope
        if scope.items:
            return self._section_questions.answer(query)
        if scope.paragraphs or scope.pages:
            return self._summaries.answer(query)
        place = resolve(query, self._corpus.library.books)
        if isinstance(place, Answer):
            return place
        match = _BARE_NUMBER.fullmatch(query.message)
        if scope.grades and (match is None or int(match[1]) in scope.grades):
            return reply(query, "clarify", wording.grade_noted(scope.grades))
        if match:
            return replace(
                reply(query, "clarify", wording.bare_number(match[1])), options=self._readings(match[1])
            )
        return reply(query, "clarify", wording.ASK_QUESTION)

    def _readings(self, number: str) -> tuple[Option, ...]:
        """What a bare number can stand for in the loaded books."""
        books = self._corpus.library.books.values()
        options: list[Option] = []
        if any(int(number) in book.grades for book in books):
            options.append(Option(f"{number} класс", grade=int(number)))
        if any(number in section.numbers for book in books for section in book.paragraphs):
            options.append(Option(f"§ {number}", paragraph=number))
        return tuple(options)


def _is_about(query: Query, answer: Answer) -> bool:
    """Whether the quotes hold one of a follow-up's own words, and a reason or an example where asked."""
    text = "\n".join(source.quote for source in answer.sources)
    holds = sought(query.text)
    if holds is not None and not holds(text):
        return False
    return not query.own_words or not query.own_words.isdisjoint(lemmas(text))
