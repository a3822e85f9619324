"""How the scores of one question become one order."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from index.embedder import Vectors

# Chosen on six articles of XQuAD Russian by mean reciprocal rank; their neighbours are within one question.
# They sum to 1, so the fused score is at most 1.
DENSE_WEIGHT = 0.49
SENTENCE_WEIGHT = 0.36
SPARSE_WEIGHT = 0.15


def fuse(dense: Vectors, sentence: Vectors, sparse: Vectors, ceiling: float) -> Vectors:
    """Fused score of each candidate, `(n,)` like the inputs; at most 1; greater is better.

    `dense`, `sentence`: cosines of the question with the chunk and with its nearest sentence, -1..1.
    `sparse`: BM25 of the chunk, 0..`ceiling`. `ceiling`: the BM25 that no text can exceed for this question
    (the sum of its lemmas' idf), so that the share `sparse / ceiling` is 0..1 for every question and library.

    Fixed scales, not those of the candidates: a chunk keeps its score whatever filter it was found under.
    """
    share = sparse / ceiling if ceiling > 0 else np.zeros_like(sparse)
    fused: NDArray[np.float32] = DENSE_WEIGHT * dense + SENTENCE_WEIGHT * sentence + SPARSE_WEIGHT * share
    return fused
