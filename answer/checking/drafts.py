"""Draft of a model, the fragments it may use, and what the check made of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Verdict = Literal["supported", "moved", "removed"]


@dataclass(frozen=True, slots=True)
class Fragment:
    """A piece of a book that the model was shown."""

    id: str
    """Short and opaque: «f1»."""
    text: str
    header: str = ""
    """«[10 класс | § 13 «…» | стр. 57]»."""
    chunk_id: str = ""


@dataclass(frozen=True, slots=True)
class Draft:
    """The model's answer as it came; sentences may carry marks such as «[f1]» or «[f1, f2]»."""

    answer: str
    citations: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CheckedSentence:
    """A sentence of the draft, its marks taken off."""

    text: str
    fragment_ids: tuple[str, ...]
    """Fragments that hold it, () where it was removed."""
    verdict: Verdict
    reasons: tuple[str, ...] = ()
    """Why it was removed: «number: 1730», «negation: составлять»; for the log, English keys."""


@dataclass(frozen=True, slots=True)
class Checked:
    """What is left of a draft."""

    sentences: tuple[CheckedSentence, ...]
    answer: str
    """Sentences that passed, without marks; "" when nothing did."""
    citations: tuple[str, ...]
    """Fragments that hold them, in the order of the answer."""

    @property
    def removed(self) -> tuple[CheckedSentence, ...]:
        return tuple(sentence for sentence in self.sentences if sentence.verdict == "removed")
