"""Questions on loaded textbooks as conditions of the fit: as asked, and with the answer taken out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import astuple, dataclass, replace
from pathlib import Path

from answer.corpus import Corpus
from answer.evidence import UNDECIDED
from answer.forms import definition_request
from answer.query import EMPTY_MEMORY, ScopeOptions
from answer.search import Finder
from answer.understand import understand
from evaluation.cases import Case as Gold
from evaluation.cases import read_cases
from evaluation.conditions import Case, typed
from evaluation.metrics import letters
from index.chunk import Chunk
from index.embedder import Embedder
from index.library import Library
from index.search import Filter
from index.shard import BookParts
from index.store import Store

FOLDS = 6
"""Into so many groups the questions of a set fall, those on one § into one."""


@dataclass(frozen=True, slots=True)
class GoldSet:
    """Cases of `paragraf evaluate` with the store that they are asked of."""

    name: str
    store: Path
    files: tuple[Path, ...]

    @property
    def there(self) -> bool:
        return self.store.is_dir() and all(file.is_file() for file in self.files)


def gold_cases(some: GoldSet, first_group: int, embedder: Embedder) -> Iterator[Case]:
    """Kinds: the set's name for an answerable question as asked, `NAME_gone` for the same where every chunk
    that answers it is taken out, `NAME_KIND` for an unanswerable one.

    Groups: `first_group` and FOLDS - 1 more. Raises CaseInvalid, StoreMissing, StoreDamaged,
    EmbedderMismatch.
    """
    parts, _ = Store(some.store).read(embedder)
    whole = Corpus(Library.from_parts(parts, embedder))
    for number, gold in enumerate(read_cases(some.files)):
        options = ScopeOptions(grade=gold.grade, book_id=gold.book_id)
        query = understand(gold.question, EMPTY_MEMORY, whole.library.books, options).query
        text = query.text or gold.question
        filter = Filter(grades=frozenset(query.scope.grades) or None)
        place = f"{gold.gold_book_id} {gold.gold_paragraph or number}"
        group = first_group + (number if gold.gold_paragraph is None else int(gold.gold_paragraph)) % FOLDS
        conditions = [(some.name if gold.answerable else f"{some.name}_{gold.kind}", whole)]
        if gold.answerable:
            rest = [_without(part, _answers(gold, text, whole)) for part in parts]
            conditions.append((f"{some.name}_gone", Corpus(Library.from_parts(rest, embedder))))
        for kind, corpus in conditions:
            for form, asked in (("written", text), ("typed", typed(text))):
                signals = Finder(asked, corpus, UNDECIDED).signals(filter)
                if signals is not None:
                    yield Case(kind, form, group, f"{some.name} {place}", astuple(signals))


def _answers(gold: Gold, text: str, corpus: Corpus) -> Callable[[Chunk], bool]:
    """Whether a chunk holds the gold answer or defines the asked term."""
    spans = [letters(span) for span in gold.evidence]
    asked = definition_request(text)
    defining = corpus.definitions.of(asked.term, lambda chunk: True) if asked else []
    ids = {span.chunk.chunk_id for span in defining}

    def holds(chunk: Chunk) -> bool:
        return chunk.chunk_id in ids or any(span in letters(chunk.text) for span in spans)

    return holds


def _without(part: BookParts, gone: Callable[[Chunk], bool]) -> BookParts:
    """The book without some of its chunks."""
    kept = [place for place, chunk in enumerate(part.chunks) if not gone(chunk)]
    moved = {before: now for now, before in enumerate(kept)}
    rows = [row for row, sentence in enumerate(part.sentences) if sentence.chunk in moved]
    sentences = [part.sentences[row] for row in rows]
    return replace(
        part,
        chunks=_numbered([part.chunks[place] for place in kept]),
        vectors=part.vectors[kept],
        sentences=tuple(replace(sentence, chunk=moved[sentence.chunk]) for sentence in sentences),
        sentence_vectors=part.sentence_vectors[rows],
        lemmas=tuple(part.lemmas[place] for place in kept) if part.lemmas else (),
    )


def _numbered(chunks: Sequence[Chunk]) -> tuple[Chunk, ...]:
    return tuple(replace(chunk, ordinal=ordinal) for ordinal, chunk in enumerate(chunks))
