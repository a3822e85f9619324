"""Errors of the generators.

GeneratorError
├── GeneratorUnavailable   cannot be set up: a package, a model or a setting is missing
├── GeneratorRefused       nobody listens, the server answers with an error or with something else than JSON
├── GeneratorTooSlow       no complete answer within the time limit
├── PromptTooLong          the prompt does not fit the model's context, or the server cut it
├── GeneratorOutOfMemory   the prompt does not fit the graphics memory
└── ContractBroken         the text is not the JSON that was asked for, or not one that may be shown
"""

from __future__ import annotations

from typing import Literal

Fault = Literal[
    "cut", "not_json", "not_schema", "empty", "citations_empty", "citations_unknown", "too_long",
    "thinking", "foreign_script", "latin", "repeated",
]  # fmt: skip


class GeneratorError(Exception):
    """Base. `str(error)` is English, for the operator, and never holds a prompt, an answer or a key."""

    retryable = False
    """Whether the same request may succeed when it is sent once more."""
    for_reader = "Модель сейчас не отвечает."
    """Russian sentence that is safe to show."""

    @property
    def kind(self) -> str:
        """How the error is counted in the log."""
        return type(self).__name__


class GeneratorUnavailable(GeneratorError):
    """Raised while setting up; names what to install or to set."""


class GeneratorRefused(GeneratorError):
    """The server cannot be reached or misbehaves."""

    def __init__(self, message: str, *, retryable: bool = False) -> None:
        super().__init__(message)
        self.retryable = retryable


class GeneratorTooSlow(GeneratorError):
    """Out of time; asking again would take as long."""

    for_reader = "Модель не успела ответить."


class PromptTooLong(GeneratorError):
    """Fewer fragments may fit."""

    for_reader = "Отрывки учебника не поместились в модель."


class GeneratorOutOfMemory(GeneratorError):
    """Fewer fragments may fit."""

    for_reader = "Модели не хватило памяти."


class ContractBroken(GeneratorError):
    """A draft that is thrown away; `fault` is all that is kept of it."""

    retryable = True
    for_reader = "Модель ответила не по форме."

    def __init__(self, fault: Fault) -> None:
        super().__init__(f"the draft breaks the contract: {fault}")
        self.fault: Fault = fault

    @property
    def kind(self) -> str:
        return self.fault
