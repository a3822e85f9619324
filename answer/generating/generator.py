"""The seam: what a generator is given, what it gives back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, Protocol

GeneratorName = Literal["transformers", "ollama", "openai"]
OnText = Callable[[str], None]

TEMPLATE_TOKENS = 64
"""What a chat template adds to a prompt at most."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """One request. The reply must be the JSON object that `schema` describes."""

    system: str
    user: str
    ids: tuple[str, ...]
    """Fragments that may be cited."""
    max_answer: int
    """Characters that `answer` may have, so that the object ends before the output limit."""

    @property
    def schema(self) -> dict[str, Any]:
        """JSON schema of the reply; an id that was not given out cannot be written under it."""
        return {
            "type": "object",
            "properties": {
                "answer": {"type": "string", "minLength": 1, "maxLength": self.max_answer},
                "citations": {
                    "type": "array",
                    "items": {"type": "string", "enum": list(self.ids)},
                    "minItems": 1,
                    "maxItems": len(self.ids),
                },
            },
            "required": ["answer", "citations"],
            "additionalProperties": False,
        }


@dataclass(frozen=True, slots=True)
class RawDraft:
    """What the model wrote, unread."""

    text: str
    complete: bool = True
    """False where the output limit cut it."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Size of one request, in tokens of the model."""

    context: int = 8192
    """Prompt and reply together."""
    output: int = 400
    temperature: float = 0.1
    """0 = always the likeliest token."""


class Generator(Protocol):
    """A model. Calls may come from many tasks of one event loop; a cancelled call stops working."""

    @property
    def name(self) -> GeneratorName: ...

    @property
    def limits(self) -> Limits: ...

    def count_tokens(self, text: str) -> int:
        """Tokens of `text`, never less than there are."""
        ...

    async def generate(self, prompt: Prompt, *, on_text: OnText | None = None) -> RawDraft:
        """`on_text` gets the reply as far as it is written, where the model can be followed; in the loop.

        Raises GeneratorError.
        """
        ...

    async def close(self) -> None:
        """Give back memory and threads; the generator is of no use afterwards."""
        ...
