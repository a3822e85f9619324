"""«А следующий?», «о чём предыдущий параграф»: the § (or question) beside the one spoken of, by number."""

from __future__ import annotations

import re
from collections.abc import Iterable

from answer.query import Memory
from index.book import Book

_STEP = r"(?P<step>след(?:ующ\w+)?\.?|пред(?:ыдущ\w+)?\.?|прошл\w+)"
_BARE = re.compile(
    r"\W*(?P<opener>(?:(?:а|и|ну|теперь|тогда|давай|дальше)\s+)*)(?:(?:в|во|на|про|о|об)\s+)?"
    rf"{_STEP}(?:\s+(?P<unit>§|параграф\w*|вопрос\w*|задани\w+))?(?:\s+пожалуйста)?\W*",
    re.IGNORECASE,
)
_WITH_UNIT = re.compile(rf"\b{_STEP}\s+(?:§|параграф\w*)", re.IGNORECASE)
_SECTION_REQUESTS = ("перескажи параграф", "ответы на вопросы")


def with_neighbour(message: str, memory: Memory, books: Iterable[Book]) -> str | None:
    """The cleaned message with the number of the § or question that it means, None where it means none.

    «А следующий?» after § 2 → «а § 3»; after question 3 of § 1 → «вопрос 4 § 1». Without a § before it only
    the word goes, so that the bot asks which § is meant.
    """
    bare = _BARE.fullmatch(message)
    if bare is None:
        match = _WITH_UNIT.search(message)
        if match is None:
            return None
        key = _neighbour(match["step"], memory, books)
        found = f"§ {key}" if key else "параграф"
        return f"{message[: match.start()]}{found}{message[match.end() :]}"
    unit = (bare["unit"] or "").lower()
    if unit.startswith(("вопрос", "задан")) or (not unit and memory.last_items):
        return _neighbouring_item(bare["step"], memory)
    key = _neighbour(bare["step"], memory, books)
    if key is None:
        return "перескажи параграф" if unit else None
    same = bool(bare["opener"]) or not unit or (memory.last_question or "") in _SECTION_REQUESTS
    return f"а § {key}" if same else f"§ {key}"


def asks_for_neighbour(message: str) -> bool:
    """«А следующий?», whether or not there is anything that it can be the next of."""
    return _BARE.fullmatch(message) is not None


def _neighbour(step: str, memory: Memory, books: Iterable[Book]) -> str | None:
    """Key of the § before or behind the last ones in a book that holds them; the next number at its ends."""
    if not memory.last_paragraphs:
        return None
    forward = step.lower().startswith("след")
    here = memory.last_paragraphs[-1 if forward else 0]
    for book in books:
        if memory.book_id not in (None, book.book_id):
            continue
        if memory.grade is not None and memory.grade not in book.grades:
            continue
        numbered = [section for section in book.paragraphs if section.numbers]
        place = next((i for i, section in enumerate(numbered) if here in section.numbers), None)
        if place is None:
            continue
        beside = place + 1 if forward else place - 1
        if 0 <= beside < len(numbered):
            return numbered[beside].numbers[0 if forward else -1]
    return str(int(here) + (1 if forward else -1)) if here.isdecimal() else None


def _neighbouring_item(step: str, memory: Memory) -> str | None:
    forward = step.lower().startswith("след")
    item = memory.last_items[-1 if forward else 0] if memory.last_items else ""
    if not item.isdecimal() or not memory.last_paragraphs:
        return None
    return f"вопрос {int(item) + (1 if forward else -1)} § {', '.join(memory.last_paragraphs)}"
