"""What every delivery uses: message and memory in, answer and memory out."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from answer.another import Shown
from answer.answer import Answer
from answer.answerer import Answerer
from answer.dialogue import wait_for
from answer.evidence import SHIPPED, EvidenceModel
from answer.query import EMPTY_MEMORY, Memory, Query, Scope, ScopeOptions
from answer.settings import AnswerSettings
from answer.understand import understand
from index.embedder import Embedder
from index.embedders import load_embedder
from index.errors import IndexStoreError, StoreMissing
from index.library import Library
from index.reranker import Reranker, load_reranker
from index.settings import IndexSettings
from index.store import Store

log = logging.getLogger(__name__)

NO_OPTIONS = ScopeOptions()
CHECK_EVERY = 1.0
"""Seconds between two looks at the store's version."""


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer and what to remember for the next message of this user in this chat."""

    answer: Answer
    memory: Memory


@dataclass(frozen=True, slots=True)
class _Snapshot:
    """One version of the store, loaded. Replaced as a whole, so that a question sees one state only."""

    version: str
    library: Library
    answerer: Answerer


class Assistant:
    """Answers from the store's books and takes up new ones while it runs. Threads may share it."""

    def __init__(
        self,
        store: Store,
        embedder: Embedder,
        evidence: EvidenceModel,
        clock: Callable[[], float] = time.monotonic,
        reranker: Reranker | None = None,
    ) -> None:
        self._store = store
        self._reranker = reranker
        self._embedder = embedder
        self._evidence = evidence
        self._clock = clock
        self._lock = threading.Lock()
        self._checked = clock()
        self._refused: str | None = None
        self._snapshot = self._load(store.version())

    @classmethod
    def open(cls, store_dir: Path, embedder: str = "bundled", *, missing_ok: bool = False) -> Assistant:
        """Load the books of a store.

        Raises StoreMissing (never with `missing_ok`: a bot may be started before the first book is loaded),
        StoreDamaged, EmbedderMismatch, EmbedderUnavailable, RerankerUnavailable, EvidenceModelDamaged.
        """
        store = Store(store_dir)
        if not missing_ok:
            store.manifest()
        settings = AnswerSettings()
        evidence = EvidenceModel.load(settings.evidence_model or SHIPPED)
        if settings.evidence_threshold is not None:
            evidence = replace(evidence, threshold=settings.evidence_threshold)
        reranker = load_reranker(IndexSettings().reranker)
        return cls(store, load_embedder(embedder), evidence, reranker=reranker)

    @property
    def library(self) -> Library:
        """The books as they are served now; empty where none is loaded."""
        return self._current().library

    def ask(self, message: str, memory: Memory = EMPTY_MEMORY, options: ScopeOptions = NO_OPTIONS) -> Reply:
        """Answer one message. The given memory is not changed; the one to keep is in the reply."""
        started = time.perf_counter()
        current = self._current()
        understood = understand(message, memory, current.library.books, options)
        answer = current.answerer.answer(understood.query)
        elapsed = round((time.perf_counter() - started) * 1000)
        answer = replace(answer, elapsed_ms=elapsed, searched=understood.query.text)
        return Reply(answer, _remember(understood.query, answer, understood.memory))

    def again(self, question: str, scope: Scope, *, detailed: bool = False) -> Answer:
        """The answer to a question that was understood before; `detailed`: with what stands around it."""
        query = Query(question, question, scope, "question", detailed=detailed)
        return replace(self._current().answerer.answer(query), searched=question)

    def another(self, question: str, scope: Scope, shown: Shown) -> Answer:
        """The next best passage for a question that was understood before, beside those already shown."""
        query = Query(question, question, scope, "question")
        return replace(self._current().answerer.another(query, shown), searched=question)

    def describe(self, book_id: str, paragraph: str) -> Answer:
        """What a § is about, in its own words."""
        scope = Scope(paragraphs=(paragraph,), book_id=book_id)
        return self._current().answerer.answer(Query("", "", scope, "summary", explicit_paragraph=True))

    def _current(self) -> _Snapshot:
        """The newest state of the store that could be loaded; looks for a newer one at most once a second."""
        now = self._clock()
        if now - self._checked >= CHECK_EVERY and self._lock.acquire(blocking=False):
            # Others go on with the old state while one thread loads the new one.
            try:
                self._checked = now
                self._reload()
            finally:
                self._lock.release()
        return self._snapshot

    def _reload(self) -> None:
        version = self._store.version()
        if version in (self._snapshot.version, self._refused):
            return
        try:
            self._snapshot = self._load(version)
            self._refused = None
            log.info("loaded the store anew: %d books", len(self._snapshot.library.books))
        except (IndexStoreError, OSError) as error:
            self._refused = version
            log.error("the store has changed and cannot be read, serving the old state: %s", error)

    def _load(self, version: str) -> _Snapshot:
        try:
            library = Library.load(self._store, self._embedder, self._reranker)
        except StoreMissing:
            if getattr(self, "_snapshot", None) is not None:
                raise
            library = Library.from_parts([], self._embedder)
        return _Snapshot(version, library, Answerer(library, self._evidence))


def _remember(query: Query, answer: Answer, memory: Memory) -> Memory:
    """A clarifying question makes the message wait for its answer."""
    if answer.status != "clarify" or answer.intent == "smalltalk" or memory.pending is not None:
        return memory
    if answer.options:
        by_grade = all(option.grade is not None and option.book_id is None for option in answer.options)
        return wait_for(memory, query, "grade" if by_grade else "book")
    return wait_for(memory, query, "question") if answer.intent != "question" or query.scope.items else memory
