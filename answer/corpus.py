"""What answering needs to know about a library beside search: lemmas of sentences, neighbours, vocabulary."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from functools import cached_property, lru_cache

from answer.definitions import Definitions
from answer.synonyms import SynonymList, Synonyms
from answer.table_rows import head, row_lemmas
from answer.terms import Terms, capitalised
from index.chunk import Chunk, Sentence
from index.lemmas import lemmas, words
from index.library import Library
from index.search import Filter

_SMALL = re.compile(r"(?<!\w)[а-яёa-z]+(?:-[а-яёa-z]+)*(?!\w)")


class Corpus:
    """Built once per library snapshot; immutable to its users, filled lazily inside."""

    def __init__(self, library: Library, synonyms: Iterable[SynonymList] | None = None) -> None:
        """`synonyms`: other lists than the shipped ones, to measure what they are worth."""
        self.library = library
        self._synonym_lists = synonyms
        self._chunks = library.chunks(Filter())
        self._by_ordinal = {(chunk.book_id, chunk.ordinal): chunk for chunk in self._chunks}
        self._sentence_lemmas: dict[str, tuple[frozenset[str], ...]] = {}
        self._chunk_lemmas: dict[str, frozenset[str]] = {}

    def warm(self) -> None:
        """Make everything that is made lazily, so that the first question is as quick as the others."""
        _ = (self.definitions, self.vocabulary, self.synonyms, self.names, self.max_idf)
        for chunk in self._chunks:
            self.sentence_lemmas(chunk)
            self.chunk_lemmas(chunk)

    @cached_property
    def definitions(self) -> Definitions:
        return Definitions(self._chunks)

    @cached_property
    def vocabulary(self) -> Mapping[str, int]:
        """Word forms that occur in the books, lower case, ё as е, and how often."""
        return Counter(word for chunk in self._chunks for word in words(chunk.search_text))

    @cached_property
    def synonyms(self) -> Synonyms:
        """Other names of things, for the subjects of the books."""
        subjects = {book.subject for book in self.library.books.values()}
        return Synonyms(subjects, self.library.frequency, self._synonym_lists)

    @cached_property
    def names(self) -> frozenset[str]:
        """Lemmas that the books write with a capital letter only: a pupil may write them without."""
        texts = [chunk.text for chunk in self._chunks]
        capitals = {lemma for text in texts for word in capitalised(text) for lemma in lemmas(word)}
        small = {word for text in texts for word in _SMALL.findall(text)}
        return frozenset(capitals - {lemma for word in small for lemma in lemmas(word)})

    @cached_property
    def max_idf(self) -> float:
        """idf of a lemma that no chunk holds: the greatest there is."""
        return float(self.library.idf("\x00"))

    def knows(self, lemma: str) -> bool:
        """Whether any chunk holds the lemma."""
        return self.library.idf(lemma) < self.max_idf

    def defines(self, term: str) -> bool:
        """Whether any book defines the term."""
        return bool(self.definitions.of(term, lambda _: True))

    def as_in_books(self, terms: Terms) -> Terms:
        """A name read as a form of another word («Мономах» as «моном») is read as the books' name."""
        read = {lemma: self._reading(lemma, terms.forms.get(lemma, lemma)) for lemma in terms.lemmas}
        names = frozenset(read.get(name, name) for name in terms.names)
        return replace(terms, lemmas=tuple(dict.fromkeys(read.values())), names=names)

    def _reading(self, lemma: str, form: str) -> str:
        named = form in self.names and self.library.idf(form) <= self.library.idf(lemma)
        return form if named else lemma

    def sentences(self, chunk: Chunk) -> list[Sentence]:
        """Sentences of a chunk in order, as stored with their vectors."""
        return self.library.sentences(chunk)

    def sentence_lemmas(self, chunk: Chunk) -> tuple[frozenset[str], ...]:
        """Lemmas of each sentence of the chunk; a table row has those of its caption and columns too,
        a sentence of a document in a box those of the box's title."""
        known = self._sentence_lemmas.get(chunk.chunk_id)
        if known is None:
            sentences = self.sentences(chunk)
            texts = [chunk.text[sentence.start : sentence.end] for sentence in sentences]
            at = _title_of_box(chunk, texts) if chunk.kind == "document" else head(chunk, sentences)
            if at is None:
                known = tuple(frozenset(lemmas(text)) for text in texts)
            else:
                above = frozenset(lemma for text in texts[: at + 1] for lemma in lemmas(text))
                own = row_lemmas if chunk.kind == "table" else lemmas
                known = tuple(above.union(own(text)) for text in texts)
            self._sentence_lemmas[chunk.chunk_id] = known
        return known

    def chunk_lemmas(self, chunk: Chunk) -> frozenset[str]:
        """Lemmas of the chunk with its § title and subheading."""
        known = self._chunk_lemmas.get(chunk.chunk_id)
        if known is None:
            known = self._chunk_lemmas[chunk.chunk_id] = frozenset(lemmas(chunk.search_text))
        return known

    def title_lemmas(self, chunk: Chunk) -> frozenset[str]:
        """Lemmas of the § title and the subheading above the chunk."""
        return _title_lemmas(chunk.paragraph_title, chunk.heading)

    def coverage(self, wanted: Iterable[str], present: Collection[str]) -> float:
        """Share of the wanted lemmas that are present, weighted by idf; 0..1, 1 where nothing is wanted."""
        total = found = 0.0
        for lemma in wanted:
            weight = self.library.idf(lemma)
            total += weight
            if lemma in present:
                found += weight
        return found / total if total else 1.0

    def following(self, chunk: Chunk) -> Chunk | None:
        """The next chunk in reading order, if it belongs to the same §."""
        after = self._by_ordinal.get((chunk.book_id, chunk.ordinal + 1))
        return after if after is not None and after.paragraphs == chunk.paragraphs else None


def _title_of_box(chunk: Chunk, texts: list[str]) -> int | None:
    """0 where the first line of a box is a title of one piece: «Из «Поучения» Владимира Мономаха»."""
    titled = (
        len(texts) > 1 and chunk.text.partition("\n")[0].strip() == texts[0] and texts[0][-1] not in ".!?…"
    )
    return 0 if titled else None


@lru_cache(maxsize=4096)
def _title_lemmas(*titles: str | None) -> frozenset[str]:
    return frozenset(lemma for title in titles if title for lemma in lemmas(title))
