"""Any server that speaks OpenAI's chat completions: vLLM, llama.cpp, TGI, a hosted one."""

from __future__ import annotations

from typing import Any, ClassVar

from answer.generating.errors import GeneratorRefused, PromptTooLong
from answer.generating.generator import TEMPLATE_TOKENS, GeneratorName, Limits, OnText, Prompt, RawDraft
from answer.generating.http import post_json
from answer.generating.tokens import at_least, at_most


class OpenAIGenerator:
    """`POST {base}/chat/completions` with a JSON schema as `response_format`, one complete reply."""

    name: ClassVar[GeneratorName] = "openai"

    def __init__(
        self, base: str, model: str, limits: Limits, *, api_key: str | None = None, timeout: float = 30.0
    ) -> None:
        self._url = f"{base.rstrip('/')}/chat/completions"
        self._model = model
        self.limits = limits
        self._headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
        self._timeout = timeout

    def count_tokens(self, text: str) -> int:
        return at_most(text)

    async def generate(self, prompt: Prompt, *, on_text: OnText | None = None) -> RawDraft:
        asked = f"{prompt.system}\n{prompt.user}"
        needed = at_most(asked) + TEMPLATE_TOKENS + self.limits.output
        if needed > self.limits.context:
            raise PromptTooLong(f"{needed} tokens are more than LLM_CONTEXT={self.limits.context}")
        reply = await post_json(
            self._url,
            {
                "model": self._model,
                "messages": [
                    {"role": "system", "content": prompt.system},
                    {"role": "user", "content": prompt.user},
                ],
                "max_tokens": self.limits.output,
                "temperature": self.limits.temperature,
                "stream": False,
                "response_format": {
                    "type": "json_schema",
                    "json_schema": {"name": "answer", "strict": True, "schema": prompt.schema},
                },
            },
            seconds=self._timeout,
            headers=self._headers,
        )
        text, reason = _first_choice(reply)
        usage = reply.get("usage")
        evaluated = usage.get("prompt_tokens") if isinstance(usage, dict) else None
        if isinstance(evaluated, int) and 0 < evaluated < at_least(asked):
            raise PromptTooLong("the model server cut the prompt: the model's own context is smaller")
        return RawDraft(text, complete=reason != "length")

    async def close(self) -> None:
        """Nothing is kept between calls."""


def _first_choice(reply: dict[str, Any]) -> tuple[str, object]:
    try:
        choice = reply["choices"][0]
        text, reason = choice["message"]["content"], choice.get("finish_reason")
    except (KeyError, IndexError, TypeError, AttributeError) as exc:
        raise GeneratorRefused("the model server sent no choice", retryable=True) from exc
    if not isinstance(text, str):
        raise GeneratorRefused("the model server sent no text", retryable=True)
    return text, reason
