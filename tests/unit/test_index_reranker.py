"""The order of reranked hits; off where nothing is configured, and no torch is imported for that."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence

import pytest

from index.chunk import Chunk, Hit, PageSpan
from index.reranker import RERANKED, load_reranker, rerank


class ByLength:
    """The longer the better."""

    def __init__(self) -> None:
        self.read: list[str] = []

    def scores(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        self.read += texts
        return [float(len(text)) for text in texts]


def hit(text: str, ordinal: int = 0) -> Hit:
    chunk = Chunk(
        f"b:{ordinal}",
        "b",
        ordinal,
        text,
        "text",
        (9,),
        None,
        ("1",),
        "§",
        None,
        (PageSpan(0, len(text), 1, "1"),),
    )
    return Hit(chunk, 0.5, "both")


def test_hits_are_put_in_the_rerankers_order() -> None:
    hits = [hit("а"), hit("ббб"), hit("вв")]
    assert [h.chunk.text for h in rerank(ByLength(), "?", hits)] == ["ббб", "вв", "а"]


def test_equal_scores_keep_their_order() -> None:
    hits = [hit("аа", 1), hit("бб", 2), hit("вв", 3)]
    assert rerank(ByLength(), "?", hits) == hits


def test_only_the_first_hits_are_read() -> None:
    hits = [hit("а" * (n + 1), n) for n in range(RERANKED + 3)]
    reranker = ByLength()
    found = rerank(reranker, "?", hits)
    assert len(reranker.read) == RERANKED
    assert found[:RERANKED] == hits[:RERANKED][::-1]
    assert found[RERANKED:] == hits[RERANKED:]


@pytest.mark.parametrize("name", [None, ""])
def test_off_by_default(name: str | None) -> None:
    assert load_reranker(name) is None


def test_nothing_heavy_is_imported_while_it_is_off() -> None:
    code = (
        "import sys, answer.assistant; from index.reranker import load_reranker; load_reranker(None); "
        "sys.exit('torch' in sys.modules or 'sentence_transformers' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-P", "-c", code], check=False).returncode == 0
