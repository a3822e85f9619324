"""Sizes, spaces and colours of the page: A5, one serif family."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from reportlab.lib.colors import Color
from reportlab.lib.pagesizes import A5

from typesetting.flowables import BoxStyle, Style
from typesetting.lines import Face

PAGE: Final = A5
SIDE: Final = 45.0
TOP: Final = 58.0
BOTTOM: Final = 58.0
HEAD: Final = 37.0
"""Baseline of the running head, from the top edge."""
FOOT: Final = 34.0
"""Baseline of the page number, from the bottom edge."""
ACCENT: Final = Color(0.10, 0.27, 0.45)
RULE: Final = Color(0.45, 0.52, 0.60)
TINT: Final = Color(0.91, 0.94, 0.97)

DICTIONARY: Final = BoxStyle(fill=TINT, stroke=TINT)
DOCUMENT: Final = BoxStyle(fill=None, stroke=RULE, line=0.8)


@dataclass(frozen=True, slots=True)
class Styles:
    """All text styles of one book."""

    body: Style
    item: Style
    subheading: Style
    chapter_number: Style
    chapter: Style
    paragraph: Style
    questions: Style
    question: Style
    box_label: Style
    box: Style
    box_entry: Style
    caption: Style
    cell: Style
    cell_head: Style
    column: Style
    index: Style
    contents_chapter: Style
    contents: Style
    book_title: Style
    title_line: Style
    imprint: Style
    furniture: Face

    @classmethod
    def of(cls, hyphen: str, fallback: str) -> Styles:
        def face(size: float, *, bold: bool = False, italic: bool = False, hyphenate: bool = True) -> Face:
            return Face(size, fallback, bold, italic, hyphen, hyphenate)

        def label(size: float) -> Face:
            return face(size, bold=True, hyphenate=False)

        return cls(
            body=Style(face(10.5), 13.6, indent=17),
            item=Style(face(10.5), 13.6, left=30),
            subheading=Style(label(11), 14, "left", before=11, after=5, glued=True),
            chapter_number=Style(label(15), 20, "center", before=40, after=4, glued=True, colour=ACCENT),
            chapter=Style(label(21), 26, "center", after=34, glued=True, colour=ACCENT),
            paragraph=Style(label(14), 18, "left", before=24, after=9, glued=True, colour=ACCENT),
            questions=Style(label(10.5), 14, "left", before=16, after=4, glued=True, colour=ACCENT),
            question=Style(face(9.5), 12.2, left=22, after=1.5),
            box_label=Style(label(9.5), 12.5, "left", after=3, glued=True, colour=ACCENT),
            box=Style(face(9.2), 12, indent=14),
            box_entry=Style(face(9.5), 12.4, after=2),
            caption=Style(face(9.2, italic=True, hyphenate=False), 12, "left", before=9, after=4, glued=True),
            cell=Style(face(9), 11.4, "left"),
            cell_head=Style(face(9, bold=True), 11.4, "left"),
            column=Style(face(9.5), 12.2, indent=12),
            index=Style(face(9), 11.6, "left", left=10, indent=-10),
            contents_chapter=Style(label(10.5), 14, "left", right=28, before=9, after=2),
            contents=Style(face(10, hyphenate=False), 13.4, "left", left=34, right=28, indent=-20),
            book_title=Style(label(30), 36, "center", before=12, after=14, colour=ACCENT),
            title_line=Style(face(12, hyphenate=False), 17, "center", after=4),
            imprint=Style(face(8.8), 11.8, before=5),
            furniture=face(8.5, italic=True, hyphenate=False),
        )
