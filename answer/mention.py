"""A place named in a message."""

from __future__ import annotations

from dataclasses import dataclass

from answer.units import UnitName

GRADES = range(1, 12)

Range = tuple[str, str]
"""First and last key; equal for a single number."""


@dataclass(frozen=True, slots=True)
class Mention:
    """Numbers of one unit and the tokens `[start, end)` that say them."""

    name: UnitName
    form: str
    """Dictionary form of the unit: «§», «п», «вопрос», «глава»."""
    ranges: tuple[Range, ...]
    start: int
    end: int
    firm: bool = True
    """False where it counts only beside a § or a page («третий вопрос»)."""

    @classmethod
    def of_grade(cls, value: int, start: int, end: int) -> Mention:
        """A single grade."""
        return cls("grade", "класс", ((str(value), str(value)),), start, end)
