"""Addresses that lead a pupil out of the book: links, mail, telephones, Telegram names, bot commands."""

from __future__ import annotations

import re

_DOT = r"(?:\.|\s?\[\.\]\s?|\s?\(\.\)\s?|\s(?:точка|dot)\s)"
_AT = r"(?:@|\s?\[at\]\s?|\s?\(at\)\s?|\s(?:собака|at)\s)"
_DOMAIN = (
    r"(?:ru|рф|ру|su|com|ком|org|орг|net|info|biz|io|me|dev|app|xyz|site|online|link|club|shop|store|top|pro|kz|by|ua|uz|eu|"
    r"de|uk|us|cc|gg|ly|gl|tk|ai|tv|рус|москва|дети)"
)
_HOST = rf"[\w-]{{2,}}(?:{_DOT}[\w-]{{2,}})*?{_DOT}{_DOMAIN}(?![\w-])(?:/[^\s<>«»]*[^\s<>«».,;:!?)])?"
_CONTACT = re.compile(
    r"\b[a-z][a-z+]{1,9}\s?:\s?//\s?[^\s<>«»]*[^\s<>«».,;:!?)]"
    r"|\bwww\s?\.\s?[^\s<>«»]+[^\s<>«».,;:!?)]"
    r"|\bt\s?\.\s?me\s?/\s?[\w+/-]+"
    rf"|[\w.+-]+{_AT}[\w-]{{2,}}(?:{_DOT}[\w-]{{2,}})+"
    rf"|\b{_HOST}|(?<![\d.])\d{{1,3}}(?:\.\d{{1,3}}){{3}}(?![\d.])(?::\d+)?(?:/[^\s<>«»]*)?"
    r"|(?<![\w.])[@＠]\s?[a-z]\w{2,}"
    r"|(?<![\d+])\+\s?\d(?:[\s()–-]{0,3}\d){7,13}(?!\d)|(?<![\d,.])8(?:[\s()–-]{1,3}\d{2,4}){3,5}(?!\d)|(?<!\d)[78]\d{10}(?!\d)"
    r"|(?<![\w/.:])/[a-z][a-z0-9_]{2,}(?![\w/])|(?<![\w&])#[^\W\d]\w{2,}|(?<![\w$])\$[a-z]{3,8}(?!\w)",
    re.IGNORECASE,
)
# Cyrillic letters that are drawn as Latin ones: «t.mе» with a Russian «е» leads to the same place.
_ALIKE = str.maketrans("авекмнорстухіѕјАВЕКМНОРСТУХІЅЈ", "abekmhopctyxisjABEKMHOPCTYXISJ")
_DIGITS = re.compile(r"\d")


def find_contacts(text: str) -> list[tuple[int, int]]:
    """Where addresses stand, in order; none overlap."""
    spans = sorted(
        match.span() for read in {text, text.translate(_ALIKE)} for match in _CONTACT.finditer(read)
    )
    found: list[tuple[int, int]] = []
    for start, end in spans:
        if _grouped_number(text[start:end]):
            continue
        if found and start < found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return found


def contact_key(raw: str) -> str:
    """What makes two spellings of one address equal: letters and digits, look-alikes as Latin."""
    if not re.search(r"[^\W\d_]", raw):
        return "".join(_DIGITS.findall(raw))[-10:]
    return re.sub(r"[^\w@/]", "", raw.translate(_ALIKE).lower())


def _grouped_number(raw: str) -> bool:
    """«8 000 000 000» counts something."""
    return re.fullmatch(r"8(?:[ \u00a0\u202f]\d{3}){3,}", raw) is not None
