"""Builds the generator that the settings name."""

from __future__ import annotations

from answer.generating.errors import GeneratorUnavailable
from answer.generating.generator import Generator
from answer.generating.settings import GenerationSettings


def load_generator(settings: GenerationSettings) -> Generator | None:
    """None where answers stay exact quotes. Loading weights takes minutes, so not in an event loop.

    Servers are not asked whether they are there: they may start later. Raises GeneratorUnavailable.
    """
    match settings.chosen:
        case None:
            return None
        case "transformers":
            from answer.generating.transformers import TransformersGenerator

            return TransformersGenerator.load(
                settings.llm_model, settings.limits, quantize=settings.llm_quantization == "nf4"
            )
        case "ollama":
            if settings.ollama_model is None:
                raise GeneratorUnavailable(
                    "Для GENERATOR=ollama задайте OLLAMA_MODEL, например OLLAMA_MODEL=qwen2.5:3b-instruct."
                )
            from answer.generating.ollama import OllamaGenerator

            return OllamaGenerator(settings.ollama_model, settings.limits, timeout=settings.llm_timeout)
        case "openai":
            from answer.generating.openai import OpenAIGenerator

            key = settings.openai_api_key
            return OpenAIGenerator(
                settings.openai_base_url,
                settings.llm_model,
                settings.limits,
                api_key=key.get_secret_value() if key else None,
                timeout=settings.llm_timeout,
            )
