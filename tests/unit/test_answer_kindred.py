"""Words that begin alike."""

from __future__ import annotations

import pytest

from answer.kindred import kindred


@pytest.mark.parametrize(
    ("lemma", "other"), [("борьба", "борьба"), ("общественный", "общество"), ("рост", "роста")]
)
def test_kindred(lemma: str, other: str) -> None:
    assert kindred(lemma, {"дом", other})


@pytest.mark.parametrize(
    ("lemma", "other"), [("рост", "ребёнок"), ("президент", "презумпция"), ("суд", "судья")]
)
def test_strange(lemma: str, other: str) -> None:
    assert not kindred(lemma, {"дом", other})
