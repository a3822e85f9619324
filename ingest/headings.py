"""What a single heading is: its number, its words, and whether its type is that of a heading."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from rapidfuzz import fuzz

from index.chunk import ChunkKind
from ingest.numbers import keys, ordinal, ordinal_word, roman
from ingest.outline import Bookmarks, letters
from ingest.paragraphs import SECTION_START, Habits, Para
from ingest.repair import Joiner, clean

_NUMBERS = r"\d+(?:\.\d+)*\s*[а-яa-z]?(?![^\W\d_])(?:\s*(?:[–—-]|,|\sи\s)\s*\d+(?![\d.]*\d))*"
_SECTION = re.compile(
    rf"^\W?\s*(?:§+|(?:параграф[ы]?)\b)\s*(?:№\s*)?({_NUMBERS})(?:\s*[.:)]|\s+|$)\s*(.*)$", re.I | re.S
)
_WORDED = re.compile(
    r"^(глава|раздел|часть|тема|урок|лекция|занятие|статья)\s+(?:№\s*)?"
    r"(\d+(?![.\d]*\.\d)|[ivxlcхс]+|[а-яё]+)(?![^\W_])\s*[.:–—-]?\s*(.*)$",
    re.IGNORECASE | re.DOTALL,
)
_APPENDIX = re.compile(
    r"^приложение\s+(?:№\s*)?(\d{1,2}|[а-яa-z])(?![^\W_])\s*[.:–—-]?\s*(?:\([а-яё]+\)\s*)?(.*)$", re.I | re.S
)
APPENDIX_STATUS = re.compile(r"^\([а-яё]+\)\s*$", re.IGNORECASE)
"""«(справочное)» between the number and the title of an appendix."""
_ROMAN = re.compile(r"^([IVXLC]{1,7})\s?([.)]?)\s+([^\W\d_].*)$", re.DOTALL)
_DOTTED = re.compile(r"^((?:\d{1,3}|[A-ZА-Я])(?:\.\d{1,3})+)\.?\s+(\S.*)$", re.DOTALL)
_SINGLE = re.compile(r"^(\d{1,3})\.?\s+([^\W\d_].*)$", re.DOTALL)
UNITS = {
    "§": "§", "глава": "глава", "раздел": "раздел", "часть": "часть", "тема": "тема", "урок": "урок",
    "лекция": "лекция", "занятие": "занятие", "статья": "статья", "приложение": "приложение",
    "dotted": "раздел", "single": "раздел", "roman": "раздел",
}  # fmt: skip
_QUESTIONS = re.compile(
    r"^\W*(?:"
    r"(?:(?:контрольные|проверочные|итоговые|дискуссионные|обобщающие|проблемные)\s+)?вопросы"
    r"(?:(?:\s+и|,)\s*(?:задания|задачи|упражнения))*"
    r"|(?:(?:контрольные|творческие|тестовые|практические|итоговые|проверочные|дополнительные)\s+)?"
    r"(?:задания|задачи|упражнения|тесты?)(?:(?:\s+и|,)\s*(?:вопросы|задания|задачи|упражнения))*"
    r"|провер(?:ь|ьте|им|яем)\s+(?:себя|свои\s+знания)|самопроверка|самоконтроль|контроль\s+знаний"
    r"|подумай(?:те)?(?:\s+и\s+\w+)?|обсудим(?:\s+вместе)?|обсудите(?:\s+в\s+классе)?|повторим(?:\s+[\w ]+)?"
    r"|отвечаем\s+на\s+вопросы|ответьте\s+на\s+вопросы|выполните\s+задани[ея]"
    r"|в\s+классе\s+и\s+дома|практикум|думаем,?\s+сравниваем,?\s+размышляем|рефлексия|домашнее\s+задание"
    r"|рубежный\s+контроль|подвед[её]м\s+итоги|итоговый\s+контроль|контрольная\s+работа|самостоятельная\s+работа"
    r"|темы\s+(?:для\s+)?(?:рефератов|проектов|сообщений|обсуждения)|готовимся\s+к\s+(?:экзамену|егэ|огэ|впр)"
    r"|исследуем(?:\s+\w+)?|возможные\s+темы\s+[\w ]+"
    r")(?:\s+(?:для|к|ко|по)\s+[\w§№.,«» –—-]+)?(?:\s+№?\s?\d+)?\W*$",
    re.IGNORECASE,
)
_GLOSSARY = re.compile(
    r"^\W*(?:(?:краткий\s+)?(?:терминологический\s+)?словар[ьи](?:к|чик|ик)?(?:\s+[\w ]+)?|глоссарий|"
    r"(?:основные|новые|ключевые|важные)\s+(?:понятия|термины|слова)(?:\s+и\s+\w+)?|"
    r"термины(?:\s+и\s+понятия)?|понятия(?:\s+и\s+термины)?|запомни(?:те|м)?)\W*$",
    re.IGNORECASE,
)
_DOCUMENT = re.compile(
    r"^\W*(?:документ(?:ы)?(?:\s+\w+)?|источник(?:и)?|из\s+источник\w*|изучаем\s+документ\w*|работаем\s+с\s+документ\w*|"
    r"изучаем\s+источник\w*)\W*$",
    re.IGNORECASE,
)
_MAX_HEADING = 220


@dataclass(frozen=True, slots=True)
class Heading:
    """A paragraph that looks like a heading."""

    scheme: str
    """«§», «глава», «раздел», «часть», «тема», «урок», «лекция», «приложение», "dotted" (1.2), "single" (1.),
    "roman" (II.), "plain"."""
    numbers: tuple[str, ...]
    marker: str
    """As printed: «§ 13», «Глава II»."""
    title: str
    typed: bool
    """Set larger, bolder or otherwise apart from the text."""
    style: tuple[float, bool]
    confirmed: bool
    """The outline of the PDF or the printed contents name it."""
    size: float
    depth: int
    """Parts of its number: «1.2» → 2."""
    run_in: bool = False
    """It is the beginning of a paragraph of text, which goes on after it."""


@dataclass(frozen=True, slots=True)
class Scheme:
    """The headings that are the units students name."""

    name: str
    unit: str
    depth: int
    is_chapter: bool
    """The units are chapters: nothing smaller has numbers of its own."""
    run_in: bool = False
    """The units begin inside the text; a heading that stands by itself is above them."""

    def takes(self, heading: Heading) -> bool:
        return heading.depth == self.depth


def is_heading_type(para: Para, book: Habits) -> bool:
    """Larger than the text, bold throughout, in capitals, or centred and short."""
    if para.size >= 1.07 * book.body_size or para.bold:
        return True
    caps = [ch for ch in para.raw if ch.isalpha()]
    if len(caps) >= 4 and all(ch.isupper() for ch in caps):
        return True
    return all(_centred(row.x0, row.x1, row.left, row.right) for row in para.rows) and len(para.rows) <= 3


def _centred(x0: float, x1: float, left: float, right: float) -> bool:
    width = right - left
    return (
        width > 0
        and x1 - x0 < 0.75 * width
        and x0 - left > 0.1 * width
        and abs((x0 - left) - (right - x1)) < 4
    )


def heading_of(
    para: Para,
    book: Habits,
    bookmarks: Bookmarks,
    named: Mapping[str, str],
    mid_sentence: bool,
    joiner: Joiner,
) -> Heading | None:
    """The heading that `para` is, or None.

    `named`: § key → title from the printed contents. `mid_sentence`: the text around it runs on through it.
    """
    larger = para.size >= 1.07 * book.body_size
    if para.flow not in ("main", "box") or len(para.rows) > (8 if larger else 5):
        return None
    if mid_sentence and not larger and not SECTION_START.match(para.raw):
        return None
    text = joined(para, joiner)
    if len(text) > (2 * _MAX_HEADING if larger else _MAX_HEADING) or not any(ch.isalnum() for ch in text):
        return None
    typed = is_heading_type(para, book)
    if para.flow == "box" and not (typed and len(para.rows) <= 2):
        return None
    level = bookmarks.level(para.page, text, re.sub(r"^[\W\d.]+", "", text))
    found = _numbered(text)
    if found is None:
        return _plain(para, text, book, typed, level)
    scheme, numbers, marker, title = found
    confirmed = level is not None or any(
        fuzz.ratio(letters(title), letters(named.get(number, ""))) >= 85 for number in numbers if title
    )
    if not confirmed and not _credible(scheme, title, para, typed and (larger or not mid_sentence), larger):
        return None
    style = (round(para.size, 1), para.bold)
    return Heading(
        scheme, numbers, marker, title, typed, style, confirmed, para.size, numbers[0].count(".") + 1
    )


def _credible(scheme: str, title: str, para: Para, typed: bool, larger: bool) -> bool:
    """May a numbered line that neither outline nor contents name be a heading?"""
    # A lower-case Russian word goes on with a sentence («§ 14 посвящён …»); names of commands begin so too.
    if title[:1].islower() and not title[:1].isascii():
        return False
    if scheme in ("single", "dotted", "roman"):
        ended = title[-1:] in ",;:-" or (title[-1:] == "." and not larger)
        return typed and (larger or para.bold) and not ended and (len(para.rows) <= 3 or larger)
    if not typed:
        return (
            scheme in ("§", "тема", "урок", "глава", "раздел")
            and title[-1:] not in ".,;"
            and len(para.rows) <= 3
        )
    return True


def joined(para: Para, joiner: Joiner) -> str:
    """Repaired text of a heading."""
    return joiner.join(filter(None, (clean(row.text) for row in para.rows)))


def _numbered(text: str) -> tuple[str, tuple[str, ...], str, str] | None:
    section = _SECTION.match(text)
    if section is not None and keys(section[1]):
        numbers = keys(section[1])
        return (
            "§",
            numbers,
            f"§ {'–'.join((numbers[0], numbers[-1])) if len(numbers) > 1 else numbers[0]}",
            section[2].strip(),
        )
    worded = _WORDED.match(text)
    if worded is not None:
        value = int(worded[2]) if worded[2].isdecimal() else roman(worded[2]) or ordinal_word(worded[2])
        if value is not None:
            return (
                worded[1].lower(),
                (str(value),),
                f"{worded[1].capitalize()} {worded[2]}",
                worded[3].strip(),
            )
    appendix = _APPENDIX.match(text)
    if appendix is not None:
        number = appendix[1].upper()
        return "приложение", (number,), f"Приложение {number}", appendix[2].strip()
    numeral = _ROMAN.match(text)
    # «I think» is no heading without a point behind the number.
    if numeral is not None and (numeral[2] or len(numeral[1]) > 1) and (value := roman(numeral[1])):
        return "roman", (str(value),), f"{numeral[1]}{numeral[2]}", numeral[3].strip()
    dotted = _DOTTED.match(text)
    if dotted is not None:
        return "dotted", (dotted[1],), dotted[1], dotted[2].strip()
    single = _SINGLE.match(text)
    if single is not None:
        return "single", (single[1],), single[1], single[2].strip()
    return None


def _plain(para: Para, text: str, book: Habits, typed: bool, level: int | None) -> Heading | None:
    """An unnumbered heading: short, by itself, set apart from the text."""
    known = kind_of_block(text) != "text"
    if level is None and not typed:
        return None
    larger = para.size >= 1.07 * book.body_size
    if level is None and not known:
        if not any(ch.isalpha() for ch in text) or len(para.rows) > 3 or len(text) > 150:
            return None
        if text[-1:] in ".,;:-" or text[:1].islower() or not (larger or para.bold):
            return None
    return Heading(
        "plain", (), "", text, typed, (round(para.size, 1), para.bold), level is not None, para.size, 0
    )


def kind_of_block(title: str) -> ChunkKind:
    """Kind of the text under a subheading, by the many names that books give it."""
    title = " ".join(title.split())
    if _QUESTIONS.match(title):
        return "questions"
    if _GLOSSARY.match(title):
        return "glossary"
    if _DOCUMENT.match(title):
        return "document"
    return "text"


def unit_scheme(found: Sequence[Heading]) -> Scheme | None:
    """The finest numbering that names each of its units once: § before topics, sections and chapters."""
    for name in ("§", "урок", "тема", "лекция", "занятие", "статья"):
        if any(h.scheme == name for h in found):
            return Scheme(name, UNITS[name], 1, False)
    dotted = [h for h in found if h.scheme == "dotted" and h.depth == 2]
    if len(dotted) >= 2 and _mostly_unique([h.numbers[0] for h in dotted]):
        return Scheme("dotted", "раздел", 2, False)
    for name in ("single", "глава", "раздел", "часть"):
        of_scheme = [h for h in found if h.scheme == name]
        numbers = [h.numbers[0] for h in of_scheme]
        least = 2 if name == "single" else 1
        rising = all(ordinal(a) < ordinal(b) for a, b in pairwise(numbers))
        if len(numbers) >= least and _mostly_unique(numbers) and (rising or name != "single"):
            inner = name == "single" and any(h.scheme in ("глава", "раздел", "часть") for h in found)
            return Scheme(name, UNITS[name], 1, not inner)
    return None


def _mostly_unique(numbers: Sequence[str]) -> bool:
    return sum(n > 1 for n in Counter(numbers).values()) <= 0.05 * len(numbers)
