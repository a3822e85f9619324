"""Finds what a text refers to: §§, pages, articles, chapters, acts, works, their authors."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Literal

from answer.checking import patterns
from answer.checking.people import find_people, is_person
from answer.numerals import read_numeral, read_roman
from answer.registry import MONTHS
from answer.tokens import tokenize
from index.lemmas import analyser, lemmas

Kind = Literal["paragraph", "page", "chapter", "article", "act", "title", "author"]

_NUMBER = re.compile(r"(?P<digits>\d{1,4}(?:\.\d{1,3})*)(?P<tail>-?[а-яё]{1,3})?|(?P<roman>[IVXLХ]{1,6})")
_RANGE = re.compile(r"\s*(?:–|—|-|по)\s*$")
_CLAUSE_NOUN = re.compile(
    r"(?:подпункт|пункт|част|абзац|задани|вопрос)[а-яё]+|(?:под)?пункт|абзац|вопрос", re.IGNORECASE
)
_COUNTED = re.compile(r"\s*(?:%|г\.|гг\.|год|руб|тыс|млн|млрд|лет\b|чел)|\s+(?P<word>[а-яё]{3,})")
_COUNTRY = {"рф", "россия", "российский", "федерация", "наш", "страна"}
_SHORT_CODES = {
    "гк": "гражданский кодекс", "ук": "уголовный кодекс", "тк": "трудовой кодекс", "ск": "семейный кодекс",
    "нк": "налоговый кодекс", "жк": "жилищный кодекс", "зк": "земельный кодекс", "бк": "бюджетный кодекс",
    "гпк": "гражданский процессуальный кодекс", "упк": "уголовно процессуальный кодекс",
    "апк": "арбитражный процессуальный кодекс", "коап": "кодекс административный правонарушение",
    "уик": "уголовно исполнительный кодекс", "кас": "кодекс административный судопроизводство",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Number:
    """A number of a list, or the two ends of a range."""

    low: str
    high: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class ActParts:
    """What was said of an act; "" and () where nothing was."""

    name: str = ""
    """Key of a named act: «трудовой кодекс», «конституция»."""
    number: str = ""
    """«273-фз»."""
    date: str = ""
    """ISO, or a bare year."""
    title: str = ""
    topic: tuple[str, ...] = ()
    """Lemmas of «закон о …»."""
    spans: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Where number, date, title and topic stand."""
    kind: str = ""
    """Lemma of its noun: «закон», «декларация»."""


@dataclass(frozen=True, slots=True)
class Reference:
    """A mention at `text[start:end]`."""

    kind: Kind
    start: int
    end: int
    head: str = ""
    """Its noun as written («параграфе», «законом»), "" for «§», «ст.», «стр.» and abbreviations."""
    numbers: tuple[Number, ...] = ()
    numbers_at: tuple[int, int] = (0, 0)
    act: ActParts | None = None
    title: str = ""
    """Title of a work, or names of authors, as written."""
    cut: tuple[int, int] = (0, 0)
    """For works: what is taken out when only the noun may stay."""


def find_references(text: str) -> list[Reference]:
    """References of `text` in their order; none overlap."""
    found: list[Reference] = []
    for reference in sorted(_all(text), key=lambda r: (r.start, -r.end)):
        if not found or reference.start >= found[-1].end:
            found.append(reference)
    return found


def act_key(name: str) -> str:
    """«ТК РФ», «Трудового кодекса Российской Федерации» → «трудовой кодекс»."""
    words = [word for word in lemmas(name) if word not in _COUNTRY and word not in ("о", "об")]
    if words and words[0] in _SHORT_CODES:
        return _SHORT_CODES[words[0]]
    return " ".join(words)


def act_number_key(number: str) -> str:
    """«273 – ФЗ» → «273-фз»."""
    return re.sub(r"\s*[-–—]\s*", "-", number.strip()).lower().rstrip(".,")


def _all(text: str) -> Iterator[Reference]:
    yield from _numbered("article", patterns.ARTICLE, text)
    yield from _numbered("paragraph", patterns.PARAGRAPH, text)
    yield from _numbered("page", patterns.PAGE, text)
    yield from _numbered("chapter", patterns.CHAPTER, text)
    yield from _acts(text)
    for match in patterns.TITLE.finditer(text):
        yield Reference(
            "title", *match.span(), head=match["head"], title=match["inner"], cut=match.span("title")
        )
    for match in patterns.BARE_TITLE.finditer(text):
        yield Reference("title", *match.span("title"), title=match["inner"], cut=match.span("title"))
    for match in patterns.AUTHOR.finditer(text):
        if is_person(match["names"]):
            yield Reference(
                "author", *match.span(), head=match["head"], title=match["names"], cut=match.span("author")
            )
    for span in find_people(text):
        yield Reference("author", *span, title=text[slice(*span)], cut=span)


def _numbered(kind: Kind, pattern: re.Pattern[str], text: str) -> Iterator[Reference]:
    for match in pattern.finditer(text):
        groups = match.groupdict()
        head = (
            next((groups[name] for name in ("head", "head2", "head3", "head4") if groups.get(name)), "") or ""
        )
        if kind in ("article", "paragraph") and (clause := _CLAUSE_NOUN.match(match.group())):
            head = clause.group()
        elif groups.get("clause"):
            head = ""
        group = next(
            name for name in ("list", "list2", "list3", "list4", "words", "words3") if groups.get(name)
        )
        span = match.span(group)
        end = match.end()
        if group.startswith("words"):
            numeral = read_numeral(tokenize(text[span[0] : span[1]].lower().replace("ё", "е")), 0)
            numbers: tuple[Number, ...] = (Number(numeral.key, numeral.key, *span),) if numeral else ()
            if numeral and kind == "page" and numeral.value < 20 and group == "words3":
                continue  # «первая страница истории»
        else:
            numbers = _list(text, *span)
            if numbers and group != "list3" and not (groups.get("act") or groups.get("of")):
                numbers = _without_counted(numbers, text, end)
                span = (span[0], numbers[-1].end)
                end = span[1]
        if not numbers or (group == "list3" and _counts(text, span, head or "стр", numbers)):
            continue
        act = ActParts(name=act_key(groups["act"])) if groups.get("act") else None
        yield Reference(
            kind, match.start(), end, "" if head == "§" or head == "§§" else head, numbers, span, act
        )


def _list(text: str, start: int, end: int) -> tuple[Number, ...]:
    numbers: list[Number] = []
    last_end = start
    for match in _NUMBER.finditer(text, start, end):
        value = _value(match)
        if value is None:
            continue
        if numbers and _RANGE.search(text[last_end : match.start()]):
            numbers[-1] = Number(numbers[-1].low, value, numbers[-1].start, match.end())
        else:
            numbers.append(Number(value, value, match.start(), match.end()))
        last_end = match.end()
    return tuple(numbers)


def _value(match: re.Match[str]) -> str | None:
    if match["roman"]:
        roman = read_roman(tokenize(match["roman"])[0])
        return str(roman) if roman else None
    tail = (match["tail"] or "").lstrip("-").lower()
    letter = tail if len(tail) == 1 and tail in "абвгд" else ""
    return ".".join(str(int(part)) for part in match["digits"].split(".")) + letter


def _without_counted(numbers: tuple[Number, ...], text: str, end: int) -> tuple[Number, ...]:
    """Drops a last number that counts something: «в § 13, 40 часов», «§ 13, 1945 г.»."""
    if len(numbers) < 2 or numbers[-1].end != end:
        return numbers
    match = _COUNTED.match(text, end)
    if match is None:
        return numbers
    word = match["word"]
    if (
        word is None
        or word in MONTHS
        or any({"NOUN", "gent"} <= p.tag.grammemes for p in analyser().parse(word)[:1])
    ):
        return numbers[:-1]
    return numbers


def _counts(text: str, span: tuple[int, int], head: str, numbers: tuple[Number, ...]) -> bool:
    """Whether «137 статей», «2 страницы», «21 страница» count rather than name."""
    raw = text[span[0] : span[1]]
    if re.search(r"\d-?[а-яё]", raw) or not raw.strip()[-1].isdigit():
        return False
    if head == "стр":
        return True
    tag = analyser().parse(head)[0].tag
    forms = {(p.tag.number, p.tag.case) for p in analyser().parse(head) if p.score > 0.01 or p.tag == tag}
    if any(number == "sing" and case in ("loct", "datv", "ablt") for number, case in forms) and text[
        : span[0]
    ].rstrip().lower().endswith((" в", " на", " к", " по", " о")):
        return False
    before = text[: span[0]].rstrip().lower()
    return (
        not re.search(r"(?:^|\s)(?:в|на|из|со?|к|по|о|об)$", before)
        or ("plur", "gent") in forms
        or (numbers[-1].low[-1] in "234" and ("sing", "gent") in forms)
    )


def _acts(text: str) -> Iterator[Reference]:
    for match in patterns.NAMED_ACT.finditer(text):
        end, parts = _parts(text, match.end(), act_key(match.group()), topic=False)
        yield Reference("act", match.start(), end, _noun(match.group()), act=parts)
    for match in patterns.ACT_HEAD.finditer(text):
        law = (
            match["head"]
            .lower()
            .endswith(("закон", "закона", "закону", "законом", "законе", "законы", "законов", "фз", "фкз"))
        )
        topical = (
            match["head"].split()[-1].lower().startswith(("указ", "кодекс", "конвенци", "декларац", "пакт"))
        )
        end, parts = _parts(text, match.end(), "", topic=law or topical)
        if parts.number or parts.date or parts.title or parts.topic:
            head = match["head"].split()[-1]
            parts = replace(parts, kind=lemmas(head)[0] if lemmas(head) else "")
            yield Reference("act", match.start(), end, "" if head.isupper() else head, act=parts)
    for match in patterns.BARE_NUMBER.finditer(text):
        number = match["number"] or f"{match['number2']}-фз"
        end, parts = _parts(text, match.end(), "", topic=False)
        parts = ActParts(
            "", act_number_key(number), parts.date, parts.title, (), {"number": match.span(), **parts.spans}
        )
        yield Reference("act", match.start(), end, "", act=parts)


def _noun(name: str) -> str:
    return next((word for word in name.split() if word.lower().startswith(("кодекс", "конституци"))), "")


def _parts(text: str, end: int, name: str, *, topic: bool) -> tuple[int, ActParts]:
    values: dict[str, str] = {}
    spans: dict[str, tuple[int, int]] = {}
    lemmas_of_topic: tuple[str, ...] = ()
    date, number, title = (
        re.compile(p) for p in (patterns.ACT_DATE, patterns.ACT_NUMBER, patterns.ACT_TITLE)
    )
    while True:
        if "number" not in values and (m := number.match(text, end)):
            values["number"] = act_number_key(m["number"] or m["number2"])
            spans["number"] = m.span()
            end = m.start("number") + len(m["number"].rstrip(".,")) if m["number"] else m.end()
            spans["number"] = (m.start(), end)
        elif "date" not in values and (m := date.match(text, end)):
            values["date"] = _iso(m["date"])
            spans["date"], end = m.span(), m.end()
        elif "title" not in values and (m := title.match(text, end)):
            values["title"] = m["inner"]
            spans["title"], end = m.span(), m.end()
        elif topic and not lemmas_of_topic and (m := patterns.ACT_TOPIC.match(text, end)):
            stop = m.start("topic") + _noun_phrase(m["topic"])
            if stop == m.start("topic"):
                break
            lemmas_of_topic = tuple(lemmas(text[m.start("topic") : stop]))
            spans["topic"], end = (m.start(), stop), stop
        else:
            break
    return end, ActParts(
        name,
        values.get("number", ""),
        values.get("date", ""),
        values.get("title", ""),
        lemmas_of_topic,
        spans,
    )


def _iso(date: str) -> str:
    if match := re.match(r"(\d{1,2})\s+([а-я]+)\s+(\d{4})", date):
        return f"{match[3]}-{MONTHS.index(match[2].lower()) + 1:02}-{int(match[1]):02}"
    if match := re.match(r"(\d{1,2})\.(\d{1,2})\.(\d{4})", date):
        return f"{match[3]}-{int(match[2]):02}-{int(match[1]):02}"
    return date[:4]


def _noun_phrase(text: str) -> int:
    """Length of the noun phrase at the start of `text`: nouns, adjectives, «и», prepositions inside
    it; 0 for none.
    """
    end = last = 0
    for match in re.finditer(r"[а-яё-]+|\S", text):
        parse = analyser().parse(match.group())[0]
        pos = parse.tag.POS
        if pos == "NOUN" or (pos in ("ADJF", "PRTF") and "Apro" not in parse.tag):
            last = match.end() if pos == "NOUN" else last
        elif end and pos in ("CONJ", "PREP") and match.group() in ("и", "от", "на", "в", "для", "по"):
            pass
        else:
            break
        end = match.end()
    return last
