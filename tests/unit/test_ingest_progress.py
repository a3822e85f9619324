"""Progress where no bar can be drawn."""

from __future__ import annotations

import io

from ingest.progress import SELDOM, Lines


def test_each_step_is_named_and_then_seldom_said() -> None:
    out, clock = io.StringIO(), [0.0]
    lines = Lines(out, "книга.pdf", lambda: clock[0])
    for page in range(301):
        clock[0] += 0.1
        lines("Чтение страниц", page, 300)
    lines("Смысл фрагментов", 0, 90)
    said = out.getvalue().splitlines()
    assert said[0] == "книга.pdf: Чтение страниц, 0 из 300"
    assert said[-1] == "книга.pdf: Смысл фрагментов, 0 из 90"
    assert 1 <= len(said) - 2 <= 30 / SELDOM
