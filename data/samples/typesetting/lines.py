"""Breaks runs of text into justified lines: Russian hyphenation, least total badness over the paragraph."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, groupby, pairwise
from typing import Final, Literal

import pyphen
from reportlab.pdfbase.pdfmetrics import stringWidth

from typesetting import fonts
from typesetting.model import Runs, plain

NBSP: Final = "\u00a0"
# Spaces where a line must not end. Lookarounds, so that neighbouring ones are all found.
_GLUED: Final = re.compile(
    r" (?=[—–] )"  # a dash opens no line
    r"|(?<=\b[А-ЯЁ]\.) (?=[А-ЯЁ])"  # initials and surname
    r"|(?<=\bт\.) (?=[деп]\.)|(?<=\bдо) (?=н\. ?э\.)|(?<=\bн\.) (?=э\.)"
    r"|(?<=[\dIVX]) (?=(?:гг?|вв?|руб|кг|км|м|ст|тыс|млн|млрд)\b)|(?<=[§№]) (?=\d)"
    r"|(?<=\bст\.) (?=\d)|(?<=\bгл\.) (?=\d)|(?<=\bг\.) (?=[А-Я])"
)
_WORD: Final = re.compile(r"[а-яё]{5,}", re.IGNORECASE)
_HARD_BREAK: Final = re.compile(
    r"(?<=[^\W\d_]{2}-)(?=[^\W\d_]{2})|(?<=\d[–—])(?=\d)|(?<=[^\W\d_]/)(?=[^\W\d_])"
)
# After Knuth and Plass: a line is bad by (10 + 100·r³)², where r = 1 is a space grown or shrunk as far as
# looks well; a broken word and an overfull line add to it.
_GROWS: Final = 0.55
_SHRINKS: Final = 0.25
_BROKEN_WORD: Final = 10000.0
_OVERFULL: Final = 1e12

Piece = tuple[str, str]
"""Face and text."""


@dataclass(frozen=True, slots=True)
class Line:
    pieces: tuple[Piece, ...]
    width: float
    """Natural width, the hyphen included."""
    spaces: int
    closes: bool
    """Last line of its paragraph: not stretched."""

    @property
    def text(self) -> str:
        return "".join(text for _, text in self.pieces)


@dataclass(frozen=True, slots=True)
class _Atom:
    """What no line end divides, and what follows it: a space, a possible hyphen, or nothing."""

    pieces: tuple[Piece, ...]
    width: float
    spaces: int
    after: Literal[" ", "-", ""]


@dataclass(frozen=True, slots=True)
class Face:
    """How runs are drawn: `bold` or `italic` turn the plain runs too."""

    size: float
    fallback: str = fonts.REGULAR
    bold: bool = False
    italic: bool = False
    hyphen: str = "-"
    hyphenate: bool = True


@lru_cache(maxsize=4096)
def break_lines(runs: Runs, face: Face, first: float, rest: float) -> tuple[Line, ...]:
    """Lines of widths `first`, then `rest` (points). A word wider than the line sticks out on its own."""
    atoms = _atoms(runs, face)
    space = stringWidth(" ", fonts.REGULAR, face.size)
    hyphen = stringWidth(face.hyphen, fonts.REGULAR, face.size)
    widths = [0.0, *accumulate(atom.width + space * (atom.after == " ") for atom in atoms)]
    spaces = [0, *accumulate(atom.spaces + (atom.after == " ") for atom in atoms)]
    best: list[tuple[float, int]] = [
        (0.0, 0)
    ]  # least badness of the lines before atom i, and their last start
    for end in range(1, len(atoms) + 1):
        last = end == len(atoms)
        after = atoms[end - 1].after
        choice = (float("inf"), end - 1)
        for start in range(end - 1, -1, -1):
            measure = rest if start else first
            width = (
                widths[end] - widths[start] - space * (after == " ") + hyphen * (after == "-" and not last)
            )
            gaps = spaces[end] - spaces[start] - (after == " ")
            stretch = (measure - width) / (max(gaps, 0.3) * space)
            if stretch < -_SHRINKS and start < end - 1:
                break
            badness = (10 + 100 * abs(stretch / (_GROWS if stretch > 0 else _SHRINKS)) ** 3) ** 2
            if width > measure and start == end - 1:
                badness = _OVERFULL
            elif last and stretch >= 0:
                badness = 0.0
            elif after == "-":
                badness += _BROKEN_WORD
            if (total := best[start][0] + badness) < choice[0]:
                choice = (total, start)
        best.append(choice)
    cuts = [len(atoms)]
    while cuts[-1]:
        cuts.append(best[cuts[-1]][1])
    cuts.reverse()
    return tuple(
        _line(atoms[start:end], face, space, hyphen, end == len(atoms)) for start, end in pairwise(cuts)
    )


def natural_width(runs: Runs, face: Face) -> float:
    """Width of the runs on one endless line."""
    return float(sum(stringWidth(text, name, face.size) for name, text in _faces(runs, face)))


def _line(atoms: list[_Atom], face: Face, space: float, hyphen: float, closes: bool) -> Line:
    pieces: list[Piece] = []
    for atom in atoms:
        pieces += atom.pieces
        if atom.after == " " and atom is not atoms[-1]:
            pieces.append((pieces[-1][0], " "))
    broken = atoms[-1].after == "-" and not closes
    if broken:
        pieces.append((pieces[-1][0], face.hyphen))
    inner = atoms[:-1]
    return Line(
        pieces=_joined(pieces),
        width=sum(a.width for a in atoms) + space * sum(a.after == " " for a in inner) + hyphen * broken,
        spaces=sum(a.spaces for a in atoms) + sum(a.after == " " for a in inner),
        closes=closes,
    )


def _atoms(runs: Runs, face: Face) -> list[_Atom]:
    text = _GLUED.sub(NBSP, plain(runs))
    names = [name for name, piece in _faces(runs, face) for _ in piece]
    atoms: list[_Atom] = []
    at = 0
    for word in text.split(" "):
        if word:
            cuts = _cuts(word, face.hyphenate)
            bounds = [0, *cuts, len(word)]
            for start, end in pairwise(bounds):
                pieces = _joined([(names[at + i], word[i].replace(NBSP, " ")) for i in range(start, end)])
                atoms.append(
                    _Atom(
                        pieces=pieces,
                        width=sum(stringWidth(piece, name, face.size) for name, piece in pieces),
                        spaces=word[start:end].count(NBSP),
                        after=" " if end == len(word) else cuts[end],
                    )
                )
        at += len(word) + 1
    return atoms


def _cuts(word: str, hyphenate: bool) -> dict[int, Literal["-", ""]]:
    """Places where a line may end inside the word, with the hyphen to be added there."""
    cuts: dict[int, Literal["-", ""]] = {}
    if hyphenate:
        for part in _WORD.finditer(word):
            if not part[0].isupper():
                cuts |= dict.fromkeys((part.start() + cut for cut in _syllables(part[0].lower())), "-")
    cuts |= dict.fromkeys((match.start() for match in _HARD_BREAK.finditer(word)), "")
    return dict(sorted(cuts.items()))


@lru_cache(maxsize=16384)
def _syllables(word: str) -> tuple[int, ...]:
    return tuple(_dictionary().positions(word))


@lru_cache(maxsize=1)
def _dictionary() -> pyphen.Pyphen:
    return pyphen.Pyphen(lang="ru_RU", left=2, right=3)


def _faces(runs: Runs, face: Face) -> list[Piece]:
    drawable = fonts.register_faces()
    pieces: list[Piece] = []
    for run in runs:
        bold, italic = run.bold or face.bold, run.italic or face.italic
        name = fonts.BOLD if bold else fonts.ITALIC if italic else fonts.REGULAR
        for known, chars in groupby(run.text, key=drawable.__contains__):
            pieces.append((name if known else face.fallback, "".join(chars)))
    return pieces


def _joined(pieces: list[Piece]) -> tuple[Piece, ...]:
    return tuple((name, "".join(t for _, t in group)) for name, group in groupby(pieces, key=lambda p: p[0]))
