"""Settings of the generators; read by entry points, never at import."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, SecretStr, field_validator

from answer.generating.generator import GeneratorName, Limits
from index.base_settings import Settings


class GenerationSettings(Settings):
    """`.env` or the environment."""

    generator: Literal["none", "transformers", "ollama", "openai"] = Field(
        default="none",
        description="Which model phrases answers: none (exact quotes), transformers (a Hugging Face model in "
        "this process), ollama, openai (any OpenAI-compatible server).",
    )
    llm_model: str = Field(
        default="Qwen/Qwen2.5-3B-Instruct",
        description="For transformers and openai: hub id, directory, or the name that the server knows.",
    )
    llm_quantization: Literal["nf4", "none"] = Field(
        default="nf4", description="For transformers: 4-bit NF4 with double quantisation, or full precision."
    )
    ollama_model: str | None = Field(
        default=None,
        description="Model of the Ollama server on this machine (127.0.0.1:11434); if set, it is used.",
    )
    openai_base_url: str = Field(
        default="http://127.0.0.1:8000/v1", description="Address of an OpenAI-compatible server, with /v1."
    )
    openai_api_key: SecretStr | None = Field(default=None, description="Its key, if it wants one.")
    llm_timeout: float = Field(
        default=30.0,
        gt=0,
        le=600,
        description="Seconds for one phrased answer, waiting and a second try included.",
    )
    llm_context: int = Field(
        default=8192, ge=1024, le=131072, description="Tokens of prompt and reply together."
    )
    llm_max_new_tokens: int = Field(default=400, ge=64, le=4096, description="Tokens of a reply at most.")
    llm_temperature: float = Field(default=0.1, ge=0, le=2, description="0 = always the likeliest token.")
    llm_concurrency: int = Field(
        default=1, ge=1, le=64, description="Answers that are phrased at the same time."
    )
    support_check: bool = Field(
        default=True,
        description="Check every sentence of a model against the textbook; off = marked unchecked.",
    )

    @field_validator("ollama_model", "openai_api_key", mode="before")
    @classmethod
    def _empty_is_none(cls, value: object) -> object:
        return None if isinstance(value, str) and not value.strip() else value

    @field_validator("generator", mode="before")
    @classmethod
    def _any_case(cls, value: object) -> object:
        return value.strip().lower() or "none" if isinstance(value, str) else value

    @field_validator("openai_base_url")
    @classmethod
    def _http_address(cls, value: str) -> str:
        base = value.strip().rstrip("/")
        if not base.startswith(("http://", "https://")):
            raise ValueError("адрес начинается с http:// или https://")
        return base

    @property
    def chosen(self) -> GeneratorName | None:
        """The generator in use; None = exact quotes only."""
        if self.ollama_model is not None:
            return "ollama"
        return None if self.generator == "none" else self.generator

    @property
    def limits(self) -> Limits:
        return Limits(self.llm_context, self.llm_max_new_tokens, self.llm_temperature)
