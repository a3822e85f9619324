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


LARGE = 50_000
"""From so many vectors on they are kept in half precision: half the memory, a scan in half the time.

Of the ten nearest at least 0.99 are those of full precision at 100,000 and 1,000,000 (benchmarks/search.py
asserts it). Eight bits lose more than that and are no quicker.
"""


class FaissIndex:
    """Search over all L2-normalised rows, held once, by FAISS; exact but for half precision from LARGE on."""

    def __init__(self, vectors: Vectors, *, half: bool | None = None) -> None:
        import faiss

        self._faiss = faiss
        self._half = len(vectors) >= LARGE if half is None else half
        self._index: Any
        if self._half:
            scalars = faiss.ScalarQuantizer.QT_fp16
            self._index = faiss.IndexScalarQuantizer(vectors.shape[1], scalars, faiss.METRIC_INNER_PRODUCT)
        else:
            self._index = faiss.IndexFlatIP(vectors.shape[1])
        self._index.add(vectors)
        self._rows: Vectors | None = None if self._half else _view(faiss, self._index)

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
        if self._rows is not None:
            return self._rows[ids] @ vector
        if not len(ids):
            return np.zeros(0, dtype=np.float32)
        rows: Vectors = self._index.reconstruct_batch(ids)
        return rows @ vector


def _view(faiss: Any, index: Any) -> Vectors:
    """The index's own memory as an array, so that the vectors are not kept twice."""
    if index.ntotal == 0:
        return np.zeros((0, index.d), dtype=np.float32)
    rows: Vectors = faiss.rev_swig_ptr(index.get_xb(), index.ntotal * index.d)
    return rows.reshape(index.ntotal, index.d)
