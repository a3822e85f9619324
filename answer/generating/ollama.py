"""A model of the Ollama server on this machine."""

from __future__ import annotations

from typing import ClassVar

from answer.generating.errors import GeneratorRefused, PromptTooLong
from answer.generating.generator import TEMPLATE_TOKENS, GeneratorName, Limits, OnText, Prompt, RawDraft
from answer.generating.http import post_json
from answer.generating.tokens import at_least, at_most

LOOPBACK = "http://127.0.0.1:11434"
"""Fixed: textbooks and questions do not leave the machine because of a variable in the environment."""
CONTEXT_STEP = 4_096
"""Ollama loads the model anew when `num_ctx` changes, so few sizes are used."""


class OllamaGenerator:
    """`POST /api/generate`, one complete reply. `base` is for tests."""

    name: ClassVar[GeneratorName] = "ollama"

    def __init__(self, model: str, limits: Limits, *, timeout: float = 30.0, base: str = LOOPBACK) -> None:
        self._model = model
        self.limits = limits
        self._timeout = timeout
        self._url = f"{base}/api/generate"

    def count_tokens(self, text: str) -> int:
        return at_most(text)

    async def generate(self, prompt: Prompt, *, on_text: OnText | None = None) -> RawDraft:
        asked = f"{prompt.system}\n{prompt.user}"
        needed = at_most(asked) + TEMPLATE_TOKENS + self.limits.output
        if needed > self.limits.context:
            raise PromptTooLong(f"{needed} tokens are more than LLM_CONTEXT={self.limits.context}")
        context = min(self.limits.context, -(-needed // CONTEXT_STEP) * CONTEXT_STEP)
        reply = await post_json(
            self._url,
            {
                "model": self._model,
                "system": prompt.system,
                "prompt": prompt.user,
                "format": prompt.schema,
                "stream": False,
                "think": False,
                # Servers that know it answer 400 to a prompt that is too long; the others cut it silently.
                "truncate": False,
                "options": {
                    "num_ctx": context,
                    "num_predict": self.limits.output,
                    "temperature": self.limits.temperature,
                },
            },
            seconds=self._timeout,
        )
        text = reply.get("response")
        if not isinstance(text, str):
            raise GeneratorRefused("the Ollama server sent no text", retryable=True)
        if _was_cut(reply.get("prompt_eval_count"), at_least(asked), context):
            raise PromptTooLong("the Ollama server cut the prompt: the model's own context is smaller")
        return RawDraft(
            text, complete=reply.get("done") is True and reply.get("done_reason", "stop") != "length"
        )

    async def close(self) -> None:
        """Nothing is kept between calls."""


def _was_cut(evaluated: object, least: int, context: int) -> bool:
    """What the count of evaluated tokens tells: a long prompt is cut to the context or half of it.

    The count is missing where an older server had the prompt in its cache; then nothing is known. A prompt
    that happens to be half the context long is taken for a cut one and asked again with less.
    """
    if not isinstance(evaluated, int):
        return False
    return evaluated < least or evaluated >= context or abs(evaluated - context // 2 - 2) <= 2
