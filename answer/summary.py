"""«О чём § 5»: what a § is about, in its own words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from answer import wording
from answer.answer import Answer
from answer.citations import Span, cite, merge
from answer.completing import complete
from answer.contents import contents
from answer.corpus import Corpus
from answer.definitions import defined_terms
from answer.place import Place, reply, resolve
from answer.query import Query
from answer.question import quoted
from answer.search import EVIDENCE_KINDS
from index.book import Book, Section
from index.chunk import Chunk, Sentence
from index.lemmas import lemmas
from index.search import Filter

_WORD = re.compile(r"[^\W\d_]+")
LIMIT = 900
"""Characters quoted per §."""
SECTIONS = 3
"""§§ summarised at once."""


class Summaries:
    """The contract's `summary` intent."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus

    def answer(self, query: Query) -> Answer:
        """Title, chapter, pages and key sentences of the asked §§ or pages."""
        if self._corpus.library.books and not query.scope.paragraphs and not query.scope.pages:
            return reply(query, "clarify", wording.WHICH_PARAGRAPH_SUMMARY)
        place = resolve(query, self._corpus.library.books)
        if isinstance(place, Answer):
            return place
        texts = [place.note] if place.note else []
        spans: list[Span] = []
        sections = place.sections()
        if query.whole and sections:
            texts.append(wording.NOT_WHOLE)
        if len(sections) > SECTIONS:
            texts.append(wording.capped(SECTIONS))
        for book, section in sections[:SECTIONS]:
            found = self._key_sentences(
                Filter(
                    books=frozenset({book.book_id}),
                    paragraphs=frozenset(section.numbers),
                    printed_pages=frozenset(place.pages) if place.pages else None,
                    kinds=EVIDENCE_KINDS,
                ),
                section.title,
            )
            texts += [
                _head(book, section),
                quoted(found) if found else wording.empty_place(f"В {section.label}"),
            ]
            spans += found
        if not sections:
            found = self._pages(place)
            if not found and all(map(_is_contents, place.books, [place.pages] * len(place.books))):
                return contents(replace(query, scope=replace(query.scope, pages=())), self._corpus)
            texts.append(quoted(found) if found else wording.empty_place(place.name))
            spans += found
        return Answer(
            status="supported" if spans else "insufficient",
            intent=query.intent,
            answer="\n".join(texts),
            scope=query.scope,
            sources=cite(spans, self._corpus.library.books),
        )

    def _pages(self, place: Place) -> list[Span]:
        """Key sentences that stand on the asked pages."""
        spans = self._key_sentences(replace(place.filter, kinds=EVIDENCE_KINDS), "")
        return [span for span in spans if _on_pages(span, place.pages)]

    def _key_sentences(self, filter: Filter, title: str) -> list[Span]:
        """Opening, definitions (of the title's words first), openings of the subheadings; in book order."""
        chunks = self._corpus.library.chunks(filter)
        texts = [chunk for chunk in chunks if chunk.kind == "text"] or chunks
        if not texts:
            return []
        topic = set(lemmas(title))
        wanted = [Span(texts[0], s.start, s.end) for s in self._statements(texts[0])[:2]]
        defining: list[tuple[bool, Span]] = []
        terms: set[tuple[str, ...]] = set()
        for chunk in texts:
            for position, sentence in enumerate(self._corpus.sentences(chunk)):
                new = defined_terms(chunk.text[sentence.start : sentence.end]) - terms
                if new:
                    terms |= new
                    about = any(topic.issuperset(term) for term in new)
                    defining += [(not about, span) for span in complete(chunk, position, False, self._corpus)]
        defining.sort(key=lambda pair: pair[0])
        wanted += [span for _, span in defining]
        wanted += self._openings(texts)
        chosen: list[Span] = []
        room = LIMIT
        for span in wanted:
            if span not in chosen and (not chosen or len(span.text) <= room):
                chosen.append(span)
                room -= len(span.text)
        return merge(chosen)

    def _openings(self, chunks: Sequence[Chunk]) -> list[Span]:
        """First sentence of each subheading, then of each chunk."""
        headed = [
            chunk
            for position, chunk in enumerate(chunks)
            if position and chunk.heading != chunks[position - 1].heading
        ]
        return [
            Span(chunk, sentence.start, sentence.end)
            for chunk in dict.fromkeys([*headed, *chunks])
            for sentence in self._statements(chunk)[:1]
        ]

    def _statements(self, chunk: Chunk) -> list[Sentence]:
        """Neither questions, nor leads of lists, nor headings («300. Наклонные.», «Замечание.»)."""
        title = {word.lower() for word in _WORD.findall(chunk.paragraph_title or "")}
        found: list[Sentence] = []
        for sentence in self._corpus.sentences(chunk):
            text = chunk.text[sentence.start : sentence.end]
            words = {word.lower() for word in _WORD.findall(text)}
            if not text.endswith(("?", ":")) and len(words) > 1 and not words <= title:
                found.append(sentence)
        return found


def _head(book: Book, section: Section) -> str:
    """«§ 3 «Общество и природа». Глава I…, стр. 12–18.»."""
    last = book.page(section.last_file_page).printed_page
    first = section.printed_page
    pages = None if first is None else f"стр. {first}" if last in (None, first) else f"стр. {first}–{last}"
    rest = ", ".join(part for part in (section.chapter, pages) if part)
    return f"{wording.section_name(section)}{'. ' + rest if rest else ''}."


def _is_contents(book: Book, pages: Sequence[str]) -> bool:
    """Whether the pages are printed contents."""
    kinds = [page.kind for page in book.pages if page.printed_page in pages]
    return bool(kinds) and set(kinds) == {"contents"}


def _on_pages(span: Span, pages: Sequence[str]) -> bool:
    return any(
        page.printed_page in pages and page.start < span.end and span.start < page.end
        for page in span.chunk.spans
    )
