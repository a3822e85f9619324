"""Can the text of a page be read? A page that cannot gives no chunk: it would be quoted wrong.

Limits are by script. Russian is judged by the dictionary; other Cyrillic (Kazakh, Ukrainian) and Latin text
has no dictionary here and is judged by its letters alone, so that a foreign book is loaded, with a warning.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ingest.lines import RawPage
from ingest.repair import is_russian_word

_LOST = re.compile("[\ufffd\ue000-\uf8ff\u0080-\u009f]")
_CYRILLIC_WORD = re.compile(r"(?<![^\W_])[а-яё]{3,}(?![^\W_])")
_ANY_CYRILLIC = re.compile(r"[А-Яа-яЁё]{3,}")
_LATIN_WORD = re.compile(r"[A-Za-z\d]*[A-Za-z]{2,}[A-Za-z\d]*")
# Written in no Russian word since 1918; one in a hundred letters tells another language.
_NOT_RUSSIAN = frozenset("әғқңөұүһіїєґўјљњћђџѕӘҒҚҢӨҰҮҺІЇЄҐЎЈЉЊЋЂЏЅҗҖӑӗҫӳӣӯҳҷ")
# The words that no page of running text can do without, in the school languages with a Latin alphabet.
_LATIN_FUNCTION = frozenset(
    re.findall(
        r"\w+",
        "the of and to in is that it for on with as are by be this from or an at was have not which "
        "der die das und ist nicht ein eine zu den mit von auf für le la les des et est une dans que pour "
        "el los las del que en una por con il di che per et in non cum ad ut",
    )
)
_MAX_LOST = 0.03
_MIN_PLAUSIBLE = 0.7
_MIN_KNOWN = 0.35  # of running Russian words; a page of names or terms holds 0.6 and more
_GOOD_KNOWN = 0.85  # a text layer below this over a scan is worth another recognition
_WORDS_TO_JUDGE = 40
_FEW_LETTERS = 300  # over a picture of the whole page: a stamp, a page number, not its text
_SCAN = 0.5
"""Share of a page from which a picture is the page."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the text of a page is worth."""

    quality: float
    """0..1."""
    reason: str | None = None
    """Russian; why the page cannot be read as it stands."""
    doubtful: bool = False
    """Readable, but its picture may well be read better."""


def assess(page: RawPage) -> Verdict:
    """Judges the text that a page came with, be it extracted or recognised."""
    if page.failure is not None:
        return Verdict(0.0, page.failure)
    ink = [ch for ch in page.text if not ch.isspace()]
    scan = page.image_share >= _SCAN and not page.ocr
    if not ink:
        return (
            Verdict(0.0, "на странице только картинка (скан), текста в файле нет") if scan else Verdict(1.0)
        )
    lost = len(_LOST.findall(page.text)) / len(ink)
    if lost > _MAX_LOST:
        return Verdict(1 - lost, f"{round(100 * lost)} % знаков не прочитаны: в шрифте нет таблицы букв")
    letters = [ch for ch in ink if ch.isalpha()]
    if not letters:
        return Verdict(1.0, doubtful=scan)
    plausible = sum(_plausible(ch) for ch in letters) / len(letters)
    if len(letters) >= 20 and plausible < _MIN_PLAUSIBLE:
        return Verdict(plausible, "вместо русских букв в файле записаны другие знаки (неверная кодировка)")
    if _is_garbled_latin(page.text):
        return Verdict(0.2, "латиница вместо русских букв: текст распознан не на том языке")
    doubtful = scan and len(letters) < _FEW_LETTERS
    words = _CYRILLIC_WORD.findall(page.text)
    if len(words) >= _WORDS_TO_JUDGE and not is_other_cyrillic(letters):
        known = known_share(words)
        if known < _MIN_KNOWN:
            return Verdict(known, "текстовый слой не похож на русский текст (буквы перепутаны)")
        doubtful = doubtful or (scan and known < _GOOD_KNOWN)
        if page.ocr:
            return Verdict(min(known, plausible))
    elif scan and not words:
        doubtful = True
    return Verdict(min(plausible, 1 - lost), doubtful=doubtful)


def known_share(words: Sequence[str]) -> float:
    """Share of the words that a Russian dictionary knows; 0 without words."""
    return sum(is_russian_word(word) for word in words) / len(words) if words else 0.0


def russian_words(text: str) -> list[str]:
    """Cyrillic words of three letters and more, in lower case."""
    return [word.lower() for word in _ANY_CYRILLIC.findall(text)]


def known_words(text: str) -> int:
    """How many Russian words stand in a text: the measure for which of two readings is better."""
    return sum(is_russian_word(word) for word in russian_words(text))


def is_other_cyrillic(letters: Sequence[str]) -> bool:
    """Cyrillic of another language than Russian, for which there is no dictionary."""
    cyrillic = [ch for ch in letters if "\u0400" <= ch <= "\u052f"]
    return sum(ch in _NOT_RUSSIAN for ch in cyrillic) > 0.01 * len(cyrillic)


def _is_garbled_latin(text: str) -> bool:
    """English recognition of Russian letters: «KpynHeMWMx» mixes capitals and digits into its words."""
    words = _LATIN_WORD.findall(text)
    if len(words) < 20 or len(words) < 3 * len(_ANY_CYRILLIC.findall(text)):
        return False
    mixed = sum(bool(re.search(r"[a-z][A-Z]|[A-Za-z]\d+[a-z]", word)) for word in words) / len(words)
    function = sum(word.lower() in _LATIN_FUNCTION for word in words) / len(words)
    return mixed > 0.15 and function < 0.08


def _plausible(ch: str) -> bool:
    code = ord(ch)
    return code < 0x80 or 0x370 <= code <= 0x52F or 0x1E00 <= code <= 0x1FFF or code >= 0x2000
