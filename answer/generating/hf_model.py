"""Loads a Hugging Face causal language model: precision by what the hardware computes in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from answer.generating.errors import GeneratorUnavailable


@dataclass(frozen=True, slots=True)
class LoadedModel:
    """Weights and tokenizer."""

    model: Any
    tokenizer: Any
    context: int
    """Tokens that the model itself can hold."""
    vocabulary: int
    """Width of its output, at least the tokenizer's."""
    stop_ids: tuple[int, ...]


def load_model(name: str, *, quantize: bool) -> LoadedModel:
    """`name`: hub id or directory. `quantize`: 4-bit NF4 with double quantisation, else full precision.

    On a graphics card the layers are laid out by `device_map="auto"` and compute in bf16 where the card has
    it (a T4 has not), else in fp16; without a card everything is float32. Raises GeneratorUnavailable.
    """
    try:
        import torch
        from transformers import AutoModelForCausalLM, AutoTokenizer, BitsAndBytesConfig
    except ImportError as exc:
        raise GeneratorUnavailable(
            f"GENERATOR=transformers needs the package {exc.name!r}: `pip install 'paragraf[gpu]'`, or "
            "choose another GENERATOR."
        ) from exc
    dtype = compute_dtype()
    options: dict[str, Any] = {
        "dtype": dtype,
        "device_map": "auto" if torch.cuda.is_available() else {"": "cpu"},
    }
    if quantize:
        options["quantization_config"] = BitsAndBytesConfig(
            load_in_4bit=True,
            bnb_4bit_quant_type="nf4",
            bnb_4bit_use_double_quant=True,
            bnb_4bit_compute_dtype=dtype,
        )
    try:
        tokenizer = AutoTokenizer.from_pretrained(name)
        model = AutoModelForCausalLM.from_pretrained(name, **options)
    except Exception as exc:  # the libraries raise whatever hub, torch or bitsandbytes raise
        raise GeneratorUnavailable(
            f"LLM_MODEL={name!r} cannot be loaded ({type(exc).__name__}: {_first_line(exc)}). Check that it "
            "is a directory or a hub id that can be reached, and that the card has room for it; "
            "LLM_QUANTIZATION=none needs no bitsandbytes."
        ) from exc
    if tokenizer.chat_template is None:
        raise GeneratorUnavailable(
            f"LLM_MODEL={name!r} has no chat template; take an instruction-tuned model (often «…-Instruct»)."
        )
    model.eval()
    config = model.config.get_text_config()
    return LoadedModel(
        model,
        tokenizer,
        int(getattr(config, "max_position_embeddings", None) or 1_000_000),
        int(config.vocab_size),
        _stop_ids(model, tokenizer),
    )


def compute_dtype() -> Any:
    """bf16 or fp16 on a card, by what it computes in natively; float32 on the processor."""
    import torch

    if not torch.cuda.is_available():
        return torch.float32
    return torch.bfloat16 if torch.cuda.is_bf16_supported(including_emulation=False) else torch.float16


def _stop_ids(model: Any, tokenizer: Any) -> tuple[int, ...]:
    """Tokens that end a turn: the model's own list, and the tokenizer's end mark."""
    known = model.generation_config.eos_token_id
    ids = [known] if isinstance(known, int) else list(known or ())
    if tokenizer.eos_token_id is not None:
        ids.append(tokenizer.eos_token_id)
    return tuple(dict.fromkeys(map(int, ids)))


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [""])[0][:200]
