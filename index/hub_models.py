"""Loading what sentence-transformers reads: a directory or a hub id. Needs the extra `gpu`."""

from __future__ import annotations

from typing import Any, Literal

from index.errors import IndexStoreError


def load_hub_model(
    kind: Literal["SentenceTransformer", "CrossEncoder"],
    name: str,
    *,
    setting: str,
    without: str,
    error: type[IndexStoreError],
    threads: int,
) -> Any:
    """The model on the GPU, or on `threads` threads of the processor.

    `setting` is where `name` comes from, `without` how to do without it; both go into the message of `error`,
    which is raised when the library or the model is not there.
    """
    try:
        import sentence_transformers
    except ImportError as exc:
        raise error(
            f"Модели «{name}» из {setting} нужен sentence-transformers: pip install 'paragraf[gpu]' — "
            f"или {without}."
        ) from exc
    try:
        model = getattr(sentence_transformers, kind)(name)
    except Exception as exc:  # the library raises whatever hub, torch or transformers raise
        raise error(
            f"Модель «{name}» из {setting} не загружается ({type(exc).__name__}: {exc}). Нужен "
            f"существующий каталог или доступное имя модели; иначе {without}."
        ) from exc
    if str(model.device) == "cpu":
        import torch

        torch.set_num_threads(threads)
    return model
