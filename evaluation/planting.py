"""Plants one error in a true sentence: a number, a date, a name, a negation, a condition, a pair, a
reference.
"""

# ruff: noqa: E501 - a table of Russian wordings reads best one case a line

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from index.lemmas import analyser

if TYPE_CHECKING:
    from pymorphy3.analyzer import Parse

_YEAR = re.compile(r"(?<!\d)(?:1[0-9]|20)\d\d(?!\d)")
_NUMBER = re.compile(r"(?<![\d,.])\d{1,3}(?:[  ]\d{3})*(?:,\d+)?(?![\d,]*\d)")
_DATE = re.compile(
    r"\b(\d{1,2})\s+(января|февраля|марта|апреля|мая|июня|июля|августа|сентября|октября|ноября|декабря)"
)
_MONTHS = (
    "января", "февраля", "марта", "апреля", "мая", "июня", "июля", "августа", "сентября", "октября", "ноября", "декабря"
)  # fmt: skip
_WORD = re.compile(r"[А-Яа-яЁё-]+")
_HEDGE_WORDS = r"(?:как правило|обычно|иногда|(?<!так )(?<!настолько )часто|нередко|в основном|почти|по общему правилу|чаще всего)"
_HEDGE = re.compile(rf"(?:,\s*\b{_HEDGE_WORDS}\b\s*,|\b{_HEDGE_WORDS}\b)\s*", re.IGNORECASE)
_IF_AFTER = re.compile(r",\s*(?:только\s+)?если\s[^,.;:]+(?=[.;])")
_IF_BEFORE = re.compile(r"^Если\s[^,;:.]+(?:,\s*(?:а|и|но)\s[^,;:.]+)?,\s*(?:то\s+)?")
_MAY = re.compile(r"\b(?:может быть|могут быть)\b|\b(?:может|могут)\s+(?P<verb>[а-яё]+ть(?:ся)?)\b")

Plant = Callable[[str, str, random.Random], str | None]


def number(sentence: str, passage: str, rng: random.Random) -> str | None:
    """Another value for a count; half of the time one that the passage holds elsewhere."""
    places = [
        m
        for m in _NUMBER.finditer(sentence)
        if not _YEAR.fullmatch(m.group()) and not _DATE.match(sentence, m.start())
    ]
    places = [m for m in places if sentence[max(0, m.start() - 2) : m.start()] not in ("§ ", "№ ")]
    places = [m for m in places if sentence[m.end() : m.end() + 2] not in (" г", "-е", "-х")]
    if not places:
        return None
    place = rng.choice(places)
    others = {m.group() for m in _NUMBER.finditer(passage)} - {m.group() for m in _NUMBER.finditer(sentence)}
    others = {o for o in others if len(o) == len(place.group()) and not _YEAR.fullmatch(o)}
    if others and rng.random() < 0.5:
        new = rng.choice(sorted(others))
    else:
        digits = place.group()
        value = rng.choice([d for d in "123456789" if d != digits[0]])
        new = value + digits[1:]
    return sentence[: place.start()] + new + sentence[place.end() :]


def date(sentence: str, passage: str, rng: random.Random) -> str | None:
    """Another year, day or month."""
    years, days = list(_YEAR.finditer(sentence)), list(_DATE.finditer(sentence))
    if days and (not years or rng.random() < 0.5):
        match = rng.choice(days)
        month = rng.choice([m for m in _MONTHS if m != match[2]])
        return sentence[: match.start(2)] + month + sentence[match.end(2) :]
    if not years:
        return None
    place = rng.choice(years)
    others = sorted({m.group() for m in _YEAR.finditer(passage)} - {m.group() for m in years})
    new = rng.choice(others) if others and rng.random() < 0.5 else None
    if new is None or new == place.group():
        shift = rng.choice([-20, -11, -3, -1, 1, 3, 10, 17])
        new = str(int(place.group()) + shift)
    if new in sentence:
        return None
    return sentence[: place.start()] + new + sentence[place.end() :]


def name(sentence: str, passage: str, rng: random.Random, foreign: Sequence[str] = ()) -> str | None:
    """Another surname or place in the same form: from the passage where it has one, else from elsewhere."""
    places = [
        m for m in _WORD.finditer(sentence) if m.start() and m.group()[0].isupper() and is_name(m.group())
    ]
    if not places:
        return None
    place = rng.choice(places)
    own = {w.lower() for w in _WORD.findall(sentence)}
    candidates = [
        w
        for w in dict.fromkeys(_WORD.findall(passage))
        if w[0].isupper() and is_name(w) and w.lower() not in own
    ]
    rng.shuffle(candidates)
    for candidate in (*candidates, *rng.sample(list(foreign), min(len(foreign), 40))):
        if _stem(candidate) == _stem(place.group()) or candidate.lower() in own:
            continue
        if form := _in_form_of(candidate, place.group()):
            return sentence[: place.start()] + form + sentence[place.end() :]
    return None


def negation(sentence: str, passage: str, rng: random.Random) -> str | None:
    """A «не» taken away, or put before the finite verb."""
    taken = list(re.finditer(r"\bне\s+(?!только|просто|менее|более|столько|всегда)(?=[а-яё])", sentence))
    if taken and not re.search(r"\b(?:ни|никто|никогда|ничто)\b", sentence, re.IGNORECASE):
        match = rng.choice(taken)
        return sentence[: match.start()] + sentence[match.end() :]
    if taken:
        return None
    for match in _WORD.finditer(sentence):
        parse = _parses(match.group().lower())[0]
        if (
            parse.tag.POS in ("VERB", "PRTS")
            and len(match.group()) > 2
            and match.start()
            and match.group().islower()
        ):
            if sentence[: match.start()].lower().endswith("не "):
                return None
            return sentence[: match.start()] + "не " + sentence[match.start() :]
    return None


def condition(sentence: str, passage: str, rng: random.Random) -> str | None:
    """A condition, a hedge or a «может» dropped."""
    for pattern in (_IF_AFTER, _IF_BEFORE, _HEDGE):
        if pattern.search(sentence):
            cut = pattern.search(sentence)
            text = (
                sentence[: cut.start()] + (" " if cut.group().startswith(",") else "") + sentence[cut.end() :]
                if cut
                else ""
            )
            text = re.sub(r"\s+(?=[,.;:])|\(\s*\)", "", text.replace("  ", " ")).strip()
            return text[:1].upper() + text[1:] if len(text.split()) >= 5 else None
    match = _MAY.search(sentence)
    if match and match["verb"]:
        parse = next((p for p in _parses(match["verb"]) if p.tag.POS == "INFN"), None)
        plural = match.group().startswith("могут")
        tense = "futr" if parse and parse.tag.aspect == "perf" else "pres"
        form = parse.inflect({"VERB", tense, "3per", "plur" if plural else "sing"}) if parse else None
        if form and not re.search(r"\b(?:не|ни)\b", sentence[max(0, match.start() - 6) : match.start()]):
            return sentence[: match.start()] + str(form.word) + sentence[match.end() :]
    return None


def swap(sentence: str, passage: str, rng: random.Random) -> str | None:
    """Two nouns of different cases put in each other's place."""
    nouns = []
    for match in _WORD.finditer(sentence):
        parse = _parses(match.group().lower())[0]
        if (
            parse.tag.POS == "NOUN"
            and len(match.group()) > 3
            and parse.score > 0.3
            and match.group().islower()
        ):
            nouns.append((match, parse))
    pairs = [
        (a, b)
        for i, a in enumerate(nouns)
        for b in nouns[i + 1 :]
        if a[1].normal_form != b[1].normal_form
        and a[1].tag.case != b[1].tag.case
        and "nomn" in (a[1].tag.case, b[1].tag.case)
        and a[1].tag.number == b[1].tag.number
        and a[1].tag.gender == b[1].tag.gender
        and 1 < len(_WORD.findall(sentence[a[0].end() : b[0].start()])) < 6
    ]
    rng.shuffle(pairs)
    for (first, one), (second, two) in pairs:
        new_first, new_second = two.inflect({one.tag.case}), one.inflect({two.tag.case})
        if new_first and new_second:
            middle = sentence[first.end() : second.start()]
            return "".join(
                (
                    sentence[: first.start()],
                    str(new_first.word),
                    middle,
                    str(new_second.word),
                    sentence[second.end() :],
                )
            )
    return None


_REFERENCES = (
    "Согласно § {n}, {low}", "{body} (§ {n}).", "{body} (см. стр. {page}).", "Как сказано в параграфе {n}, {low}",
    "{body}, как указано на странице {page}.", "В соответствии со статьёй {article} Трудового кодекса РФ {low}",
    "{body} (ст. {article} ГК РФ).", "По Федеральному закону № {act}-ФЗ от 5 мая 2017 г. {low}",
    "{body}, что закреплено в Федеральном законе «О квантовой торговле» от 11.03.2016.", "{body} [§ {n}, стр. {page}].",
    "В § {n} говорится, что {low}", "{body} — § {n}.", "Указ Президента РФ № {act} подтверждает: {low}",
    "{body}, согласно п. 3 ст. {article} УК РФ.", "Учебник Перышкина «Физика» сообщает, что {low}", "{body} (глава {n}).",
    "{body} Подробнее см. {n}-й параграф.", "{body}, об этом написано в параграфах {n} и {m}.",
)  # fmt: skip


def reference(sentence: str, passage: str, rng: random.Random) -> str | None:
    """A § page, article or act that is not on the list, in one of the usual wordings."""
    body = sentence.rstrip(".!? ")
    low = body[:1].lower() + body[1:] + "."
    return rng.choice(_REFERENCES).format(
        body=body, low=low, n=rng.randint(60, 99), m=rng.randint(100, 120), page=rng.randint(700, 999),
        article=rng.randint(400, 999), act=rng.randint(600, 999),
    )  # fmt: skip


@lru_cache(maxsize=50_000)
def _parses(word: str) -> list[Parse]:
    return list(analyser().parse(word))


def is_name(word: str) -> bool:
    """Whether the dictionary knows a word as a surname or a place."""
    return any(any(tag in p.tag for tag in ("Surn", "Geox")) for p in _parses(word.lower())[:1])


def _stem(word: str) -> str:
    return word.lower()[:4]


def _in_form_of(word: str, model: str) -> str | None:
    like = _parses(model.lower())[0].tag
    for parse in _parses(word.lower())[:1]:
        if parse.tag.POS != "NOUN" or parse.tag.gender != like.gender:
            return None
        kind = "Surn" if "Surn" in like else "Geox"
        if kind not in parse.tag or not like.case or not like.number:
            return None
        form = parse.inflect({like.case, like.number})
        return str(form.word).capitalize() if form else None
    return None
