"""Carries chapter, unit, subheading and kind of text through the paragraphs of a book."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from index.chunk import ChunkKind
from ingest.contents import CONTENTS_TITLE, INDEX_TITLE
from ingest.headings import APPENDIX_STATUS, UNITS, Heading, Scheme, joined, kind_of_block
from ingest.paragraphs import Habits, Para
from ingest.repair import Joiner, clean

_LOST = re.compile("[а-яё][\ufffd\ue000-\uf8ff\u0080-\u009f]|[\ufffd\ue000-\uf8ff\u0080-\u009f][а-яё]", re.I)
"""A letter that could not be read: what holds one is not quoted."""
_NOTE_MARK = re.compile(r"(?<=[а-яё]{4})\d{1,2}$")
"""The raised mark of a footnote behind a title."""


@dataclass(slots=True)
class Part:
    """Consecutive paragraphs with one place in the book: the input of the splitter."""

    chapter: str | None
    numbers: tuple[str, ...]
    title: str | None
    heading: str | None
    kind: ChunkKind
    paras: list[Para] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Mark:
    """A section opens: chapter, unit or subheading, on the page of its heading."""

    kind: Literal["chapter", "paragraph", "subsection"]
    unit: str
    numbers: tuple[str, ...]
    title: str
    chapter: str | None
    page: int


@dataclass(slots=True)
class Outline:
    """The structured book."""

    parts: list[Part] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)
    levels: dict[int, int] = field(default_factory=dict)
    """id of a heading's `Para` → Markdown level 1..3."""
    warnings: list[str] = field(default_factory=list)
    index_paras: set[int] = field(default_factory=set)
    """ids of paragraphs that belong to an alphabetical index."""


class Walker:
    """State of the walk: feed it each text paragraph and each heading in reading order, then take `out`."""

    def __init__(self, book: Habits, scheme: Scheme | None, joiner: Joiner) -> None:
        self.out = Outline()
        self._book = book
        self._scheme = scheme
        self._joiner = joiner
        self._chapter: str | None = None
        self._chapter_key: tuple[str, str] | None = None
        self._chapter_size: float = 0.0
        self._chapter_style: float = 0.0
        self._section: str | None = None
        self._group: str | None = None
        self._unit_style: float = 0.0
        self._numbers: tuple[str, ...] = ()
        self._title: str | None = None
        self._heading: str | None = None
        self._kind: ChunkKind = "text"
        self._boxed_kind: ChunkKind | None = None
        self._skip = False
        self._lost: list[int] = []

    def finish(self) -> None:
        """Call it after the last paragraph: says what was left out, and closes the gaps between units."""
        if self._scheme is not None and self._scheme.name == "dotted":
            self._number_bare_chapters(self._scheme.unit)
        if self._lost:
            sheets = ", ".join(str(page) for page in dict.fromkeys(self._lost))
            self.out.warnings.append(
                f"Лист {sheets}: в абзаце есть непрочитанные буквы, такие абзацы не загружены."
            )

    def _number_bare_chapters(self, unit: str) -> None:
        """A chapter without sections is a unit itself, «8» beside «7.1»; else nobody could name its text."""
        marks = self.out.marks
        for i in range(len(marks) - 1, -1, -1):
            mark = marks[i]
            if mark.kind != "chapter" or not mark.numbers or not mark.numbers[0].isdecimal():
                continue
            inner = next((m.kind for m in marks[i + 1 :] if m.kind != "subsection"), "chapter")
            own = [part for part in self.out.parts if part.chapter == mark.chapter and not part.numbers]
            if inner == "paragraph" or not own:
                continue
            marks.insert(i + 1, Mark("paragraph", unit, mark.numbers, mark.title, mark.chapter, mark.page))
            for part in own:
                part.numbers, part.title = mark.numbers, mark.title

    def text(self, para: Para) -> None:
        if self._skip:
            self.out.index_paras.add(id(para))
            return
        if any(_LOST.search(clean(row.text)) for row in para.rows):
            self._lost.append(para.page)
            return
        if para.flow != "box":
            self._boxed_kind = None
        kind = self._kind
        if para.flow == "table":
            kind = "table"
        elif para.flow == "box":
            kind = self._boxed_kind or "text"
        elif para.flow in ("note", "side"):
            kind = "text"
        part = self.out.parts[-1] if self.out.parts else None
        place = (self._where(), self._numbers, self._title, self._heading, kind)
        if part is None or (part.chapter, part.numbers, part.title, part.heading, part.kind) != place:
            part = Part(*place)
            self.out.parts.append(part)
        part.paras.append(para)

    def heading(self, heading: Heading, paras: Sequence[Para]) -> None:
        title = self._joiner.join(
            [
                heading.title,
                *(joined(para, self._joiner) for para in paras[1:] if not APPENDIX_STATUS.match(para.raw)),
            ]
        ).strip()
        title = _NOTE_MARK.sub("", title)
        scheme = heading.scheme
        if scheme == "plain":
            self._plain(heading, paras, title)
        elif self._scheme is not None and scheme == self._scheme.name and self._scheme.takes(heading):
            self._open_unit(heading, title, paras)
        elif scheme != "§" and not (
            scheme == "dotted"
            and heading.depth > 1
            and self._scheme is not None
            and self._scheme.name == "dotted"
        ):
            if self._is_chapter(heading):
                self._open_chapter(heading, title, paras)
            else:
                self._subheading(title, paras, heading)
        else:
            self._subheading(title, paras, heading)

    def run_in(self, heading: Heading, para: Para) -> None:
        """A unit begins with this paragraph of text."""
        self._close_unit()
        self._numbers, self._title, self._unit_style = heading.numbers, heading.title or None, heading.size
        self._heading = self._group
        self.out.marks.append(
            Mark("paragraph", "§", heading.numbers, heading.title, self._where(), para.page)
        )
        self.text(para)

    def _where(self) -> str | None:
        """«Глава 1. Прямая линия. Треугольники»."""
        return ". ".join(filter(None, (self._chapter, self._section))) or None

    def _is_chapter(self, heading: Heading) -> bool:
        """Words like «Глава» always; a bare number only when its type is at least that of the units."""
        if heading.scheme in ("глава", "раздел", "часть", "приложение"):
            return True
        return (
            heading.scheme in ("single", "dotted", "roman")
            and heading.size > self._unit_style + 0.5
            and heading.depth <= 1
        )

    def _open_chapter(self, heading: Heading, title: str, paras: Sequence[Para]) -> None:
        name = f"{heading.marker}. {title}" if title else heading.marker
        key = (heading.marker.lower(), title.lower())
        if key == self._chapter_key:
            return  # a running head that was taken for text
        numbered = bool(self._chapter_key and self._chapter_key[0])
        self._close_unit()
        self._group = None
        if (
            heading.scheme in ("single", "dotted", "roman")
            and numbered
            and heading.size < 0.98 * self._chapter_size
        ):
            self._section = title or heading.marker
        else:
            self._begin_chapter(name, key, heading.size)
            self._chapter_style = max(self._chapter_style, heading.size)
        self._mark("chapter", UNITS[heading.scheme], heading.numbers, title or heading.marker, paras, 1)

    def _begin_chapter(self, name: str, key: tuple[str, str], size: float) -> None:
        self._chapter, self._chapter_key, self._chapter_size = name, key, size
        self._section = self._group = None

    def _open_unit(self, heading: Heading, title: str, paras: Sequence[Para]) -> None:
        if heading.numbers == self._numbers and (not title or title == self._title):
            return
        self._close_unit()
        self._numbers, self._title = heading.numbers, title or heading.marker
        self._unit_style = heading.size
        if self._scheme is not None and self._scheme.is_chapter:
            self._chapter = f"{heading.marker}. {title}" if title else heading.marker
        self._mark(
            "paragraph", self._scheme.unit if self._scheme else "§", heading.numbers, self._title, paras, 2
        )

    def _close_unit(self) -> None:
        self._numbers, self._title, self._heading, self._kind = (), None, None, "text"
        self._boxed_kind, self._skip = None, False

    def _plain(self, heading: Heading, paras: Sequence[Para], title: str) -> None:
        kind = kind_of_block(title)
        boxed = paras[0].flow == "box"
        if boxed:
            if kind == "text":
                self._heading_only(paras)  # it is text of the box, not a place in the §
            else:
                self._boxed_kind = kind  # and says no more than the kind itself
            return
        self._boxed_kind = None
        if INDEX_TITLE.match(title) or CONTENTS_TITLE.match(title):
            self._close_unit()
            self._begin_chapter(title, ("", title.lower()), heading.size)
            self._skip = True
            return
        if self._scheme is not None and self._scheme.run_in and self._is_group(heading):
            self._close_unit()
            self._kind, self._group = kind, title if kind == "text" else None
            self._subheading(title, paras)
            return
        if self._closes_unit(heading, kind):
            self._close_unit()
            if (self._chapter_key or ("", ""))[1] != title.lower():
                self._begin_chapter(title, ("", title.lower()), heading.size)
                self._mark("chapter", "раздел", (), title, paras, 1)
            self._kind = kind if kind != "questions" else "text"
            return
        if self._skip:
            self.out.index_paras.add(id(paras[0]))
            return
        if kind == "text" and self._kind == "questions" and heading.size <= self._book.body_size * 1.02:
            # A bold line inside the block of questions («К документу») opens nothing else.
            self._heading_only(paras)
            return
        self._kind = kind
        self._subheading(title, paras)

    def _closes_unit(self, heading: Heading, kind: ChunkKind) -> bool:
        """An unnumbered heading as large as a chapter's, or larger than a unit's, ends the unit."""
        if not self._numbers and not self._chapter:
            return heading.size > self._book.body_size * 1.15
        if self._scheme is not None and self._scheme.run_in:
            return heading.size >= 0.98 * self._chapter_size
        if self._unit_style and heading.size > self._unit_style * 1.06:
            return True
        if self._chapter_style and heading.size >= self._chapter_style * 0.98 > self._unit_style * 1.03:
            return True
        return kind == "glossary" and bool(self._unit_style) and heading.size >= self._unit_style * 0.98

    def _is_group(self, heading: Heading) -> bool:
        """Larger than the text and smaller than the chapter: a heading over several run-in units."""
        return (
            self._chapter is not None
            and 1.07 * self._book.body_size <= heading.size < 0.98 * self._chapter_size
        )

    def _subheading(self, title: str, paras: Sequence[Para], numbered: Heading | None = None) -> None:
        unit = UNITS[numbered.scheme] if numbered else ""
        numbers = numbered.numbers if numbered else ()
        self._heading = f"{numbered.marker} {title}".strip() if numbered else title
        if not self._skip:
            self._mark("subsection", unit, numbers, title or self._heading, paras, 3)

    def _heading_only(self, paras: Sequence[Para]) -> None:
        for para in paras:
            self.text(para)

    def _mark(
        self,
        kind: Literal["chapter", "paragraph", "subsection"],
        unit: str,
        numbers: tuple[str, ...],
        title: str,
        paras: Sequence[Para],
        level: int,
    ) -> None:
        self.out.marks.append(Mark(kind, unit, numbers, title, self._where(), paras[0].page))
        for para in paras:
            self.out.levels[id(para)] = level
