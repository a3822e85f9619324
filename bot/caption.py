"""What a teacher writes to a PDF: «10 класс обществознание» → grades, subject, title."""

from __future__ import annotations

import re
from dataclasses import dataclass

from answer.query import EMPTY_MEMORY
from answer.understand import understand
from index.lemmas import lemmas

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

_ONLY_GRADE = re.compile(rf"{_GRADE}(?:\s*[-–—,]\s*{_GRADE})?\s*(?:кл\w*\.?)?", re.IGNORECASE)
# «Вот держите», «учебник по»: said to the bot, not the name of a book.
_SAID = re.compile(
    r"(?:(?:вот|это|держи|держите|лови|ловите|возьми|возьмите|загрузи|загрузите|добавь|добавьте|привет|"
    r"здравствуйте|добрый день|пожалуйста|наш|новый)\b\W*)+",
    re.IGNORECASE,
)
_BOOK = re.compile(r"(?:учебник|книга|файл)\b\W*(?:по\b\W*)?", re.IGNORECASE)
_QUOTED = re.compile(r"[«\"“„]([^«»\"“”„]{3,})[»\"”“]")
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
    title = _plain(_SAID.sub("", title, 1) if _SAID.match(title) else title)
    if len(re.findall(r"[^\W\d_]", title)) < 3 or len(title) > LONGEST:
        return None
    subject, name = _subject(title), _unquoted(title)
    return Wish(grades, subject, name[0].upper() + name[1:])


def is_half(text: str) -> bool:
    """Whether a text is only a grade, or only a subject: half of what `read_caption` needs."""
    plain = text.strip(" .!").lower()
    return _ONLY_GRADE.fullmatch(plain) is not None or plain in SUBJECTS


def _plain(title: str) -> str:
    """«учебник по физике» → «физика»; nothing where only the word «учебник» is left."""
    book = _BOOK.match(title)
    rest = title[book.end() :] if book is not None else title
    named = " ".join(lemmas(word)[0] if lemmas(word) else word for word in rest.split())
    if named in SUBJECTS:
        return named
    return title if rest else ""


def _unquoted(title: str) -> str:
    """«обществознание «Человек и общество»» → «Человек и общество»: the subject is no part of the name."""
    quoted = _QUOTED.search(title)
    if quoted is None:
        return title
    rest = (title[: quoted.start()] + title[quoted.end() :]).strip(" ,;:.—–-").lower()
    return quoted[1].strip() if rest in ("", "учебник", *SUBJECTS) else title


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
