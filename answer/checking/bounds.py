"""«Не менее», «свыше», «до» before a number."""

from __future__ import annotations

import re

from answer.checking.words import Sentence

_BOUNDS = (
    (
        "ge",
        r"не\s+(?:менее|меньше|короче|моложе|ранее|раньше|ниже|реже)(?:\s+чем)?|минимум|как\s+минимум|по\s+меньшей\s+мере|от|достигш\w+",
    ),
    (
        "le",
        r"не\s+(?:более|больше|позднее|позже|старше|выше|дольше)(?:\s+чем)?|не\s+(?:может\s+)?превыша\w+|максимум|до",
    ),
    ("gt", r"(?<!не )(?:более|больше|свыше|дольше|старше)(?:\s+чем)?"),
    ("lt", r"(?<!не )(?:менее|меньше|моложе|короче)(?:\s+чем)?"),
)
_BOUND = re.compile("|".join(rf"(?P<{name}>(?<![а-я])(?:{pattern}))" for name, pattern in _BOUNDS) + r"\b")


def wrong_bounds(draft: Sentence, used: list[Sentence]) -> list[str]:
    """«bound: 28» where the source has that number with another direction."""
    own = _bounds_of(draft)
    found = []
    for number, bound in own.items():
        theirs = {b for sentence in used if (b := _bounds_of(sentence).get(number))}
        if bound and theirs and bound not in theirs:
            found.append(f"bound: {number}")
    return found


def _bounds_of(sentence: Sentence) -> dict[str, str]:
    """Direction of the bound before each number: ge, le, gt, lt."""
    bounds: dict[str, str] = {}
    for word in sentence.words:
        if word.pos != "NUMB":
            continue
        before = " ".join(sentence.tokens[max(0, word.index - 4) : word.index]) + " "
        matches = list(_BOUND.finditer(before))
        match = matches[-1] if matches else None
        if match is not None and len(before) - match.end() <= 12:
            bounds[word.lemma] = str(match.lastgroup)
    return bounds
