"""What a teacher writes to a PDF: «10 класс обществознание» → grades, subject, title."""

from __future__ import annotations

import re
from dataclasses import dataclass

from answer.query import EMPTY_MEMORY
from answer.understand import understand

LONGEST = 150
"""Characters of a title."""
SUBJECTS = (
    "обществознание",
    "обществоведение",
    "всеобщая история",
    "история",
    "география",
    "биология",
    "физика",
    "химия",
    "алгебра",
    "геометрия",
    "математика",
    "вероятность и статистика",
    "информатика",
    "литература",
    "литературное чтение",
    "русский язык",
    "родной язык",
    "английский язык",
    "немецкий язык",
    "французский язык",
    "испанский язык",
    "китайский язык",
    "иностранный язык",
    "окружающий мир",
    "природоведение",
    "естествознание",
    "астрономия",
    "экология",
    "экономика",
    "право",
    "основы безопасности",
    "обж",
    "обзр",
    "технология",
    "труд",
    "музыка",
    "изобразительное искусство",
    "изо",
    "физическая культура",
    "однкнр",
    "орксэ",
    "граждановедение",
)
_GRADE = r"(1[01]|[1-9])"
# «Алгебра 8», «Физика 10-11», «информатика 10А»; no part, no volume, no edition.
_BARE_GRADE = re.compile(
    r"(?<!часть)(?<!ч\.)(?<!том)(?<!т\.)(?<!книга)(?<!кн\.)(?<!выпуск)(?<!вып\.)(?<![№§\d])\s"
    rf"{_GRADE}(?:\s*[-–—]\s*{_GRADE}|\s*,\s*{_GRADE})?(?:-?[а-к](?!\w)|(?!\w))"
    r"(?!\s*[-–—]?(?:е|ое|я|ая)?\s*(?:част|ч\.|том|кн|изд|год|г\.|вып))",
    re.IGNORECASE,
)

# «История ч. 2, 9 класс» names one grade: the number of a part is hidden from whoever looks for grades.
_PART = re.compile(r"\b(часть|ч\.?|том|т\.|книга|кн\.)(\s*)(\d)(?!\d)", re.IGNORECASE)
_LETTERS = "абвгдежзик"
_HIDDEN = re.compile(r"ъ([а-к])ъ")


@dataclass(frozen=True, slots=True)
class Wish:
    """A book as its teacher names it."""

    grades: tuple[int, ...]
    subject: str
    title: str


def read_caption(caption: str) -> Wish | None:
    """None where the grade or what the book is about is not said."""
    text = " ".join(re.sub(r"\.pdf\b", " ", caption.replace("_", " "), flags=re.IGNORECASE).split())
    query = understand(_PART.sub(_hidden, text), EMPTY_MEMORY, {}).query
    grades, rest = query.scope.grades, _HIDDEN.sub(lambda match: str(_LETTERS.index(match[1])), query.text)
    if not grades:
        found = list(_BARE_GRADE.finditer(f" {text}"))
        if len(found) != 1:
            return None
        grades, rest = _numbers(found[0]), f" {text}"[: found[0].start()] + f" {text}"[found[0].end() :]
    title = re.sub(r"\(\s*\)|\s+(?=[,.;:])", "", " ".join(rest.split())).strip(" ,;:—–-|/\\\n\t")
    title = re.sub(r"(?<=\w{5})\.$", "", title)
    if len(re.findall(r"[^\W\d_]", title)) < 3 or len(title) > LONGEST:
        return None
    return Wish(grades, _subject(title), title[0].upper() + title[1:])


def _hidden(match: re.Match[str]) -> str:
    return f"{match[1]}{match[2]}ъ{_LETTERS[int(match[3])]}ъ"


def _numbers(match: re.Match[str]) -> tuple[int, ...]:
    """«10-11» and «10, 11» → (10, 11); «7-9» → (7, 8, 9)."""
    first, last, other = match[1], match[2], match[3]
    if last is not None and int(first) < int(last):
        return tuple(range(int(first), int(last) + 1))
    return tuple(sorted({int(number) for number in (first, last, other) if number is not None}))


def _subject(title: str) -> str:
    """The school subject that stands first in the title; a title without one is its own subject."""
    low = f" {re.sub(r'[^а-яёa-z]+', ' ', title.lower())} "
    places = [
        (low.find(f" {subject}"), -len(subject), subject) for subject in SUBJECTS if f" {subject}" in low
    ]
    return min(places)[2] if places else title.lower()
