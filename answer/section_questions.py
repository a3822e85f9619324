"""«Ответы на вопросы § 5»: the question block of a §, each question answered from that § alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from answer import wording
from answer.answer import Answer, Citation, Part
from answer.block import BlockQuestion, block_text, split_block
from answer.citations import cite
from answer.corpus import Corpus
from answer.evidence import EvidenceModel
from answer.place import reply, resolve
from answer.query import Query
from answer.question import QuestionAnswerer, quoted
from answer.search import Finder
from index.book import Book, Section
from index.search import Filter

SECTIONS = 3
"""§§ whose blocks are answered at once."""


class SectionQuestions:
    """The contract's `section_questions` intent."""

    def __init__(self, corpus: Corpus, model: EvidenceModel, questions: QuestionAnswerer) -> None:
        self._corpus = corpus
        self._model = model
        self._questions = questions

    def answer(self, query: Query) -> Answer:
        """Answer every question of the asked §§, or the asked items."""
        if self._corpus.library.books and not query.scope.paragraphs:
            text = (
                wording.WHICH_PARAGRAPH_ITEM.format(item=query.scope.items[0])
                if query.scope.items
                else wording.WHICH_PARAGRAPH_QUESTIONS
            )
            return reply(query, "clarify", text)
        place = resolve(query, self._corpus.library.books)
        if isinstance(place, Answer):
            return place
        texts = [place.note] if place.note else []
        parts: list[Part] = []
        sections = place.sections()
        if len(sections) > SECTIONS:
            texts.append(wording.capped(SECTIONS))
        for book, section in sections[:SECTIONS]:
            new, text = self._section(
                book, section, query, [source for part in parts for source in part.sources]
            )
            parts += new
            texts.append(text)
        sources = {source.id: source for part in parts for source in part.sources}
        return Answer(
            status="supported" if sources else "insufficient",
            intent=query.intent,
            answer="\n\n".join(texts),
            scope=query.scope,
            sources=tuple(sources.values()),
            parts=tuple(parts),
        )

    def _section(
        self, book: Book, section: Section, query: Query, earlier: list[Citation]
    ) -> tuple[list[Part], str]:
        here = Filter(books=frozenset({book.book_id}), paragraphs=frozenset(section.numbers))
        block = self._corpus.library.chunks(replace(here, kinds=frozenset({"questions"})))
        all_questions = split_block(block_text(block))
        if not all_questions:
            return [], wording.no_block(section, book)
        asked = [q for q in all_questions if not query.scope.items or q.number in query.scope.items]
        if not asked:
            return [], wording.no_item(query.scope.items, section, len(all_questions))
        parts: list[Part] = []
        for question in asked:
            known = [*earlier, *(source for part in parts for source in part.sources)]
            part = self._part(question, here, section, known)
            parts.append(replace(part, number=question.number, section=section.label))
        lines = [
            f"{question.number}. {question.text}\n{part.answer}"
            for question, part in zip(asked, parts, strict=True)
        ]
        missing = [q.number for q, part in zip(asked, parts, strict=True) if part.status != "supported"]
        if len(missing) == len(asked) > 1:
            lines.append(wording.nothing_answered(section.label))
        elif missing and len(asked) > 1:
            lines.append(wording.unanswered(missing, section.label))
        return parts, "\n\n".join(lines)

    def _part(self, question: BlockQuestion, here: Filter, section: Section, known: list[Citation]) -> Part:
        if question.own_work:
            return Part(question.text, "insufficient", wording.OWN_WORK, ())
        finder = Finder(question.text, self._corpus, self._model)
        evidence = self._questions.evidence(finder, here)
        if not evidence.spans:
            return Part(
                question.text, "insufficient", wording.unanswered([question.number], section.label), ()
            )
        first = 1 + len({source.id for source in known})
        fresh = cite(evidence.spans, self._corpus.library.books, first, evidence.best)
        return Part(question.text, "supported", quoted(evidence.spans), _known_ids(fresh, known, first))


def _sources(parts: Sequence[Part]) -> list[Citation]:
    return [source for part in parts for source in part.sources]


def _known_ids(fresh: tuple[Citation, ...], known: list[Citation], first: int) -> tuple[Citation, ...]:
    """A quote that an earlier part has cited keeps its id; new ones are numbered on from `first`."""
    ids = {(source.book_id, source.file_page, source.quote): source.id for source in known}
    result: list[Citation] = []
    for source in fresh:
        key = (source.book_id, source.file_page, source.quote)
        if key not in ids:
            ids[key] = f"s{first}"
            first += 1
        result.append(replace(source, id=ids[key]))
    return tuple(result)
