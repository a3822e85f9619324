"""What can be evaluated: a case in, an `Answer` out."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from answer.answer import Answer
from answer.answerer import Answerer
from answer.assistant import Assistant
from answer.evidence import EvidenceModel
from answer.query import EMPTY_MEMORY, ScopeOptions
from answer.understand import understand
from evaluation.cases import Case
from index.library import Library


class System(Protocol):
    """A question-answering system over the books of one library."""

    @property
    def name(self) -> str: ...

    def ask(self, case: Case) -> Answer:
        """Answer with `elapsed_ms` set. Must look at nothing of the case but its question and its options."""
        ...


class Paragraf:
    """This project, each case in a fresh conversation."""

    name = "paragraf"

    def __init__(self, assistant: Assistant) -> None:
        self._assistant = assistant

    @classmethod
    def open(cls, store_dir: Path, embedder: str) -> Paragraf:
        return cls(Assistant.open(store_dir, embedder))

    @property
    def library(self) -> Library:
        return self._assistant.library

    def ask(self, case: Case) -> Answer:
        options = ScopeOptions(grade=case.grade, paragraph=case.paragraph, book_id=case.book_id)
        return self._assistant.ask(case.question, options=options).answer


class WithoutSynonyms:
    """This project without its lists of synonyms."""

    name = "without synonyms"

    def __init__(self, library: Library) -> None:
        self._library = library
        self._answerer = Answerer(library, EvidenceModel.load(), synonyms=())

    def ask(self, case: Case) -> Answer:
        options = ScopeOptions(grade=case.grade, paragraph=case.paragraph, book_id=case.book_id)
        understood = understand(case.question, EMPTY_MEMORY, self._library.books, options)
        return self._answerer.answer(understood.query)
