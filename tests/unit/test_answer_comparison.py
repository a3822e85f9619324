"""The two sides of a comparison."""

from __future__ import annotations

import pytest

from answer.comparison import sides


@pytest.mark.parametrize(
    ("question", "one", "other"),
    [
        ("Чем прямая демократия отличается от представительной?", "прямой", "представительный"),
        ("чем отличаются прямые и косвенные налоги", "прямой", "косвенный"),
        ("чем мораль отличается от права", "мораль", "право"),
        ("В чём разница между сказкой и былиной?", "сказка", "былина"),
        ("Сравните игру и учение.", "игра", "учение"),
        ("экономическое благо чем отличается от свободного", "экономический", "свободный"),
    ],
)
def test_sides(question: str, one: str, other: str) -> None:
    assert sides(question) == (frozenset([one]), frozenset([other]))


@pytest.mark.parametrize("question", ["Чем питается лиса?", "Чем различаются люди?", "Сравните"])
def test_nothing_is_compared(question: str) -> None:
    assert sides(question) is None
