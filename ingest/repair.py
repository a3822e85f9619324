"""Repair of extracted text: pure functions on one line, and the joining of lines.

What is repaired here never changes a letter that stands on the page: only what extraction added or split.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from functools import cache, lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pymorphy3

SOFT_HYPHEN = "\u00ad"
HYPHENS = "-\u2010\u2011"
_DROPPED = re.compile("[\u0000-\u0008\u000b-\u001f\u007f\u200b-\u200f\u202a-\u202e\u2060\ufeff]")
# Signs of symbol fonts that no encoding names: ornaments, roots, tall brackets, list bullets. Next to a
# Russian letter such a sign may be a letter that is lost, and stays.
_NAMELESS = re.compile("(?<![а-яёА-ЯЁ])[\ufffd\ue000-\uf8ff\u0080-\u009f]+(?![а-яёА-ЯЁ])")
_BRACKET_PIECES = re.compile("[\uf8e5-\uf8fe]")  # of tall brackets, in the place of Adobe's Symbol font
_NAMELESS_BULLET = re.compile("^\\s*[\ufffd\ue000-\uf8ff\u0080-\u009f](?=\\s+[^\\W_]{2})")
# The gap after a raised sign is lost: «90◦вокруг»; «20 °С» is no such gap.
_DEGREE = re.compile(r"([°◦])(?=[а-яё]{2}|[а-яё]\s)")
_BLANKS = re.compile(r"\s+")
_LIGATURES = str.maketrans(
    {
        "ﬀ": "ff",
        "ﬁ": "fi",
        "ﬂ": "fl",
        "ﬃ": "ffi",
        "ﬄ": "ffl",
        "ﬅ": "st",
        "ﬆ": "st",
        **{chr(0xF730 + digit): str(digit) for digit in range(10)},  # old-style figures
        "\uf0b7": "•",
        "\uf0a7": "•",
    }
)
_TO_CYRILLIC = dict(zip("AaBCcEeHKkMOoPpTXxyёË", "АаВСсЕеНКкМОоРрТХхуёЁ", strict=True))
_TO_LATIN = {cyrillic: latin for latin, cyrillic in _TO_CYRILLIC.items() if latin.isascii()}
_WORD = re.compile(r"[^\W\d_]+")
_TWO_SCRIPTS = re.compile(r"[A-Za-z][\u0400-\u04ff]|[\u0400-\u04ff][A-Za-z]")
# The sign § as recognition sees it: «$ 3», «8$ 3», «(см. 8 2)», in headings «8 3. Группы».
_SIGN = re.compile(r"(?<![^\s(«])[8S]?[$&][8S]?(?= \d)|^[$&](?=\d)")
_SIGN_IN_TEXT = re.compile(r"(\b(?:в|из|к|см\.) )[$&] ?(?=\d)|(\bсм\. )[8S5] (?=\d)")
_SIGN_IN_HEADING = re.compile(r"^[8SБ56](?= \d{1,3}[.) ]\s*[А-ЯЁ])")
_WORD_BEFORE = re.compile(r"([^\W\d_]+)[\s,«(]*$")
_WORD_AFTER = re.compile(r"[\s,»)]*([^\W\d_]+)")
_SPACED_OUT = re.compile(r"(?<![^\W_])(?:[А-ЯЁа-яё] ){4,}[А-ЯЁа-яё](?![^\W_])")


def clean(text: str) -> str:
    """One line without control signs, ligatures, doubled glyphs, spaced-out words, Latin look-alikes."""
    text = unicodedata.normalize("NFC", text).translate(_LIGATURES)
    text = _BRACKET_PIECES.sub(" ", text)
    text = _NAMELESS.sub(" ", _NAMELESS_BULLET.sub("• ", text))
    text = _BLANKS.sub(" ", _DROPPED.sub("", text)).strip()
    return look_alikes(space_out(undouble(_DEGREE.sub(r"\1 ", text))))


def undouble(text: str) -> str:
    """«§§  1133..  ЗЗааккоонн» → «§ 13. Закон», only when every character of the line is doubled."""
    squeezed = _BLANKS.sub("", text)
    if len(squeezed) < 6 or len(squeezed) % 2 or squeezed[::2] != squeezed[1::2]:
        return text
    if sum(ch.isalpha() for ch in squeezed[::2]) < 3 or len(set(squeezed)) < 3:
        return text
    out: list[str] = []
    fresh = True
    for ch in text:
        if ch.isspace():
            if out and out[-1] != " ":
                out.append(" ")
        elif fresh:
            out.append(ch)
            fresh = False
        else:
            fresh = True
    return "".join(out).strip()


def space_out(text: str) -> str:
    """«о п р е д е л е н и е» → «определение»; a wider gap has been made a line of its own by then."""
    return _SPACED_OUT.sub(lambda match: match[0].replace(" ", ""), text)


def look_alikes(text: str) -> str:
    """Latin letters inside a Cyrillic word become Cyrillic, and the other way round. «H2O» stays."""
    if _TWO_SCRIPTS.search(text) is None:
        return text
    return _WORD.sub(lambda match: _one_script(match[0]), text)


def _one_script(word: str) -> str:
    latin = [ch for ch in word if ch.isascii()]
    cyrillic = [ch for ch in word if "\u0400" <= ch <= "\u04ff"]
    if not latin or not cyrillic:
        return word
    may_be_cyrillic = all(ch in _TO_CYRILLIC for ch in latin)
    may_be_latin = all(ch in _TO_LATIN for ch in cyrillic)
    if may_be_cyrillic and may_be_latin:  # «кaк» is a word, «AВС» are three points
        may_be_latin = not is_russian_word(_cyrillic(word)) and word.isupper()
    if may_be_latin:
        return "".join(_TO_LATIN.get(ch, ch) for ch in word)
    return _cyrillic(word) if may_be_cyrillic else word


def _cyrillic(word: str) -> str:
    return "".join(_TO_CYRILLIC.get(ch, ch) for ch in word)


def mixed_words(text: str) -> list[str]:
    """The Cyrillic words of a text that hold Latin look-alikes."""
    words = _WORD.findall(text)
    return [word for word in words if not word.isascii() and _one_script(word) == _cyrillic(word) != word]


def russian_for_latin(text: str, mixed: Iterable[str]) -> str:
    """«o том, чтo Bo всех» → «о том, что Во всех»: for a page that is known to write Latin look-alikes.

    A word all of whose letters are Latin is taken for Russian where it is one, stands beside Russian, and is
    written with letters that the page's `mixed` words have for Russian ones: «Type» and «языке C» stay on a
    page that writes «пpи».
    """
    false = frozenset(ch for word in mixed for ch in word if ch.isascii())

    def russian(match: re.Match[str]) -> str:
        word = _cyrillic(match[0])
        if (
            not false.issuperset(ch for ch in match[0] if ch.isascii())
            or word == match[0]
            or any(ch.isascii() for ch in word)
            or not is_russian_word(word)
        ):
            return match[0]
        before, after = _WORD_BEFORE.search(text, 0, match.start()), _WORD_AFTER.match(text, match.end())
        beside = any(_is_cyrillic(_one_script(side[1])) for side in (before, after) if side is not None)
        return word if beside else match[0]

    return _WORD.sub(russian, text)


def _is_cyrillic(word: str) -> bool:
    return len(word) > 1 and all("\u0400" <= ch <= "\u04ff" for ch in word)


_TAIL = re.compile(rf"([^\W_]+(?:[{HYPHENS}][^\W_]+)*)( ?)([{HYPHENS}])$")
_HEAD = re.compile(rf"[^\W_]+(?:[{HYPHENS}][^\W_]+)*")
_LOWER_TAIL = re.compile(r"(?<![^\W_])[А-ЯЁ]?[а-яё]{2,}$")
_LOWER_HEAD = re.compile(r"[а-яё]{2,}")
_PARTICLES = frozenset({"то", "либо", "нибудь", "таки", "ка", "де", "с"})
_PREFIXES = frozenset({"кое", "по", "во", "в", "из", "кой", "вице", "экс", "обер", "унтер", "пол", "все"})


def section_sign(text: str, heading: bool = False) -> str:
    """A recognised line with its signs of § put right; `heading`: it is set bold or large."""
    text = _SIGN_IN_TEXT.sub(lambda match: (match[1] or match[2]) + "§ ", _SIGN.sub("§", text))
    return _SIGN_IN_HEADING.sub("§", text) if heading else text


class Joiner:
    """Puts lines of one paragraph together, deciding about each hyphen at a line's end.

    `lines`: all lines of the book; the words inside them witness which spelling the book uses.
    """

    def __init__(self, lines: Iterable[str] = ()) -> None:
        self._seen: Counter[str] = Counter()
        for line in lines:
            words = re.findall(rf"[^\W\d_]+(?:[{HYPHENS}][^\W\d_]+)*", line.lower())
            # The first and the last word may be halves.
            self._seen.update(words[1:-1])

    def seam(self, left: str, right: str) -> tuple[str, str]:
        """`left` as it should end, and what to put before `right`: "", "-" (kept in `left`) or " "."""
        if left.endswith(SOFT_HYPHEN):
            return left.rstrip(SOFT_HYPHEN + " "), ""
        if re.search(r"\d[–—]$", left) and right[:1].isdigit():
            return left, ""
        hyphen = left.endswith(tuple(HYPHENS))
        tail, head = _TAIL.search(left) if hyphen else None, _HEAD.match(right)
        if tail is None:
            return left, "" if not left or not right or self._torn(left, right) else " "
        if head is None:
            return left, " " if tail[2] else ""
        first, spaced, second = tail[1], bool(tail[2]), head[0]
        bare = left[: tail.end(1)]
        if spaced:
            glued = self._known(first.rpartition("-")[2] + second) and not (
                _is_word(first) and _is_word(second)
            )
            return (bare, "") if glued else (left, " ")
        return (left, "") if self._keeps(first, second) else (bare, "")

    def _torn(self, left: str, right: str) -> bool:
        """Two halves of a word whose hyphen recognition did not see."""
        tail, head = _LOWER_TAIL.search(left), _LOWER_HEAD.match(right)
        if tail is None or head is None or _is_word(tail[0]):
            return False
        return self._known(tail[0] + head[0])

    def _keeps(self, first: str, second: str) -> bool:
        """Does the hyphen belong to the word?"""
        if first[-1].isdigit() or second[0].isdigit():
            return True
        if second[0].isupper() and not first.isupper():
            return True
        a, b = first.lower(), second.lower()
        part = re.split(f"[{HYPHENS}]", a)[-1]
        rest = re.split(f"[{HYPHENS}]", b)[0]
        joined, hyphened = part + rest, f"{part}-{rest}"
        if self._seen[joined] or self._seen[hyphened]:
            return self._seen[hyphened] > self._seen[joined]
        if a.isascii():
            return self._seen[part] > 0 and self._seen[rest] > 0
        if _is_word(hyphened):
            return True
        if _is_word(joined):
            return False
        if rest in _PARTICLES or part in _PREFIXES:
            return _is_word(part) or _is_word(rest)
        if not (_is_word(part) and _is_word(rest)) or len(part) < 3 or len(rest) < 3:
            return False
        return part[-1] in "ое" or (_is_noun(part) and _is_noun(rest))

    def _known(self, word: str) -> bool:
        return self._seen[word.lower()] > 0 or _is_word(word)

    def join(self, lines: Iterable[str]) -> str:
        """The paragraph made of `lines`."""
        text = ""
        for line in lines:
            text, between = self.seam(text, line)
            text += between + line
        return text.replace(SOFT_HYPHEN, "")


@lru_cache(maxsize=100_000)
def _is_word(word: str) -> bool:
    """In the dictionary, in any form."""
    return bool(_morph().word_is_known(word.lower()))


@lru_cache(maxsize=10_000)
def _is_noun(word: str) -> bool:
    return any(parse.is_known and parse.tag.POS == "NOUN" for parse in _morph().parse(word.lower()))


def is_russian_word(word: str) -> bool:
    """Known to the dictionary; used to judge whether a page is readable."""
    return _is_word(word)


@cache
def _morph() -> pymorphy3.MorphAnalyzer:
    import pymorphy3

    return pymorphy3.MorphAnalyzer(lang="ru")
