"""Nearest vectors among the allowed ones."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from index.embedder import Vectors

Ids = NDArray[np.int64]
"""Positions of chunks in the library, ascending."""


class DenseIndex(Protocol):
    """Cosine search, filtered before it searches."""

    def top(self, vector: Vectors, k: int, allowed: Ids | None) -> Ids:
        """The `k` nearest of `allowed` (None: all), nearest first; fewer only where fewer are allowed."""
        ...

    def scores(self, vector: Vectors, ids: Ids) -> Vectors:
        """Cosine of each of `ids`, -1..1."""
        ...


class FaissIndex:
    """Exact search over L2-normalised rows, held once, by FAISS."""

    def __init__(self, vectors: Vectors) -> None:
        import faiss

        self._faiss = faiss
        self._index = faiss.IndexFlatIP(vectors.shape[1])
        self._index.add(vectors)
        self._rows: Vectors = _view(faiss, self._index)

    def top(self, vector: Vectors, k: int, allowed: Ids | None) -> Ids:
        total = self._index.ntotal
        wanted = min(k, total if allowed is None else len(allowed))
        if wanted == 0:
            return np.empty(0, dtype=np.int64)
        parameters = None
        if allowed is not None:
            mask = np.zeros(total, dtype=bool)
            mask[allowed] = True
            bitmap = np.packbits(mask, bitorder="little")
            selector = self._faiss.IDSelectorBitmap(len(bitmap), self._faiss.swig_ptr(bitmap))
            # FAISS's stubs do not know the keyword that its wrapper adds.
            parameters = self._faiss.SearchParameters(sel=selector)  # type: ignore[call-arg]
        _, found = self._index.search(vector[None, :], wanted, params=parameters)
        ids: Ids = found[0]
        return ids[ids >= 0]

    def scores(self, vector: Vectors, ids: Ids) -> Vectors:
        return self._rows[ids] @ vector


def _view(faiss: Any, index: Any) -> Vectors:
    """The index's own memory as an array, so that the vectors are not kept twice."""
    if index.ntotal == 0:
        return np.zeros((0, index.d), dtype=np.float32)
    rows: Vectors = faiss.rev_swig_ptr(index.get_xb(), index.ntotal * index.d)
    return rows.reshape(index.ntotal, index.d)
