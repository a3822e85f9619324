"""Other names of one thing, by subject: «ВОВ» is «Великая Отечественная война».

The lists are the `.toml` files beside this one: `subjects` are the beginnings of the subjects that a list is
for (empty: all), each entry of `groups` holds names of one thing. To add a name, add it there.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from index.lemmas import lemmas

RARER = 5
"""A name gives way to another one of its thing that the books use so many times as often."""

_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class SynonymList:
    """One file."""

    subjects: tuple[str, ...]
    groups: tuple[tuple[str, ...], ...]

    def serves(self, subjects: Iterable[str]) -> bool:
        """Whether the list is for one of the subjects."""
        return not self.subjects or any(
            subject.lower().startswith(beginning) for subject in subjects for beginning in self.subjects
        )


@cache
def synonym_lists() -> tuple[SynonymList, ...]:
    """All lists, read once. Raises ValueError naming a file that is none."""
    found = []
    for path in sorted(Path(__file__).parent.glob("*.toml")):
        try:
            stored = tomllib.loads(path.read_text(encoding="utf-8"))
            groups = tuple(tuple(map(str, group)) for group in stored["groups"])
            found.append(SynonymList(tuple(map(str, stored.get("subjects", ()))), groups))
        except (tomllib.TOMLDecodeError, KeyError, TypeError) as exc:
            raise ValueError(f"{path.name}: no list of synonyms ({exc})") from exc
    return tuple(found)


class Synonyms:
    """Names known in the books of some subjects."""

    def __init__(
        self,
        subjects: Iterable[str],
        frequency: Callable[[str], int],
        lists: Iterable[SynonymList] | None = None,
    ) -> None:
        """`frequency`: how many chunks hold a lemma; `lists`: those beside this module where not given."""
        subjects = tuple(subjects)
        self._frequency = frequency
        self._others: dict[tuple[str, ...], list[str]] = {}
        for listed in synonym_lists() if lists is None else lists:
            for group in listed.groups if listed.serves(subjects) else ():
                for name in group:
                    self._others.setdefault(tuple(lemmas(name)), []).extend(n for n in group if n != name)
        self._longest = max(map(len, self._others), default=0)

    def in_the_books_words(self, text: str) -> str:
        """The text with each name that the books do not use, or hardly, replaced by the one that they use."""
        words = list(_WORD.finditer(text))
        forms = [tuple(lemmas(word.group())) for word in words]
        result, end, i = "", 0, 0
        while i < len(words):
            for length in range(min(self._longest, len(words) - i), 0, -1):
                key = tuple(lemma for form in forms[i : i + length] for lemma in form)
                better = self._better(key)
                if better is not None:
                    result += text[end : words[i].start()] + better
                    end = words[i + length - 1].end()
                    i += length
                    break
            else:
                i += 1
        return result + text[end:]

    def _better(self, key: tuple[str, ...]) -> str | None:
        others = self._others.get(key)
        if not others:
            return None
        used = {name: self._uses(tuple(lemmas(name))) for name in others}
        best = max(used, key=used.__getitem__)
        return best if used[best] > RARER * self._uses(key) else None

    def _uses(self, key: tuple[str, ...]) -> int:
        """At most so many chunks hold the name."""
        return min(map(self._frequency, key))
