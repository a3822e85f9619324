"""The embedder seam. Implementations are in `index/embedders.py`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]


class Embedder(Protocol):
    """Text → L2-normalised vectors of shape `(n, dimension)`, float32.

    Implementations add the e5 prefix (`passage: ` / `query: `) themselves, exactly once.
    """

    @property
    def id(self) -> str:
        """Name and revision, as kept in the manifest: two embedders with one id are interchangeable."""
        ...

    @property
    def dimension(self) -> int: ...

    @property
    def max_tokens(self) -> int:
        """Longest input, prefix and special tokens included."""
        ...

    def count_tokens(self, text: str) -> int:
        """Tokens of `text` as a passage, prefix and special tokens included."""
        ...

    def embed_passages(self, texts: Sequence[str]) -> Vectors: ...

    def embed_query(self, text: str) -> Vectors:
        """One question; shape `(dimension,)`."""
        ...
