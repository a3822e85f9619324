"""Serif faces with Cyrillic that need no system font: the Charis SIL that MuPDF carries, as TrueType.

MuPDF embeds its faces as bare CFF, reportlab takes TrueType only, so their outlines are converted here.
Characters that Charis lacks (Greek, Georgian, phonetic signs…) come from MuPDF's Noto faces.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache
from io import BytesIO
from typing import Any, Final

import pymupdf
from fontTools import agl
from fontTools.cffLib import CFFFontSet
from fontTools.fontBuilder import FontBuilder
from fontTools.pens.cu2quPen import Cu2QuPen
from fontTools.pens.transformPen import TransformPen
from fontTools.pens.ttGlyphPen import TTGlyphPen
from fontTools.ttLib import TTFont as OpenType
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont

REGULAR: Final = "CharisSIL"
BOLD: Final = "CharisSIL-Bold"
ITALIC: Final = "CharisSIL-Italic"
_UNITS: Final = 2048
_ACUTE: Final = "\u0301"
_ALIASES: Final = {"\u2010": "-", "\u2011": "-", "\u2012": "–", "\u202f": " ", "\u2009": " ", "\u00a0": " "}


class MissingGlyph(ValueError):
    """No face at hand can draw some characters of the book."""


@lru_cache(maxsize=1)
def register_faces() -> frozenset[str]:
    """Makes the three faces known to reportlab; returns the characters that all of them can draw."""
    page = pymupdf.open().new_page()
    page.insert_htmlbox(page.rect, '<p style="font-family:Charis SIL">а<b>а</b><i>а</i></p>')
    covered: list[frozenset[str]] = []
    for xref, *_ in page.get_fonts():
        family, _, _, data = page.parent.extract_font(xref)
        name = family.replace(" SIL Regular", "SIL").replace(" SIL ", "SIL-")
        covered.append(_register_charis(name, data))
    return frozenset.intersection(*covered)


@lru_cache(maxsize=8)
def register_fallback(characters: str) -> str:
    """Face made of these characters alone, out of MuPDF's Noto faces; its reportlab name.

    Raises `MissingGlyph` for characters that no face of MuPDF has.
    """
    page = pymupdf.open().new_page()
    page.insert_htmlbox(page.rect, f"<p>{' '.join(characters)}</p>")
    outlines: dict[str, tuple[Any, int]] = {}
    for xref, *_ in page.get_fonts():
        _, kind, _, data = page.parent.extract_font(xref)
        if kind == "cid":
            continue  # Charis itself
        font = OpenType(BytesIO(data))
        glyphs, cmap, scale = font.getGlyphSet(), font.getBestCmap(), _UNITS / font["head"].unitsPerEm
        for char in characters:
            if char not in outlines and (glyph := cmap.get(ord(char))):
                outlines[char] = (
                    _quadratic(glyphs[glyph], glyphs, scale=scale),
                    round(glyphs[glyph].width * scale),
                )
    if absent := [char for char in characters if char not in outlines]:
        listed = ", ".join(f"{char} (U+{ord(char):04X})" for char in absent)
        raise MissingGlyph(f"No font can draw {listed}; replace these characters in the book's text")
    name = f"Fallback-{hashlib.sha256(characters.encode()).hexdigest()[:8]}"
    _register(name, {ord(char): f"u{ord(char):04X}" for char in characters},
              {f"u{ord(char):04X}": outlines[char] for char in characters})  # fmt: skip
    return name


def _register_charis(name: str, cff: bytes) -> frozenset[str]:
    fonts = CFFFontSet()
    fonts.decompile(BytesIO(cff), None)
    outlines = fonts[0].CharStrings
    cmap: dict[int, str] = {}
    for glyph in fonts[0].charset:
        char = agl.toUnicode(glyph)
        if len(char) == 1 and "." not in glyph and ord(char) < 0x2C00:
            cmap.setdefault(ord(char), glyph)
    drawn = {glyph: _quadratic(outlines[glyph], outlines) for glyph in set(cmap.values())}
    glyphs = {glyph: (drawn[glyph], round(outlines[glyph].width)) for glyph in sorted(drawn)}
    for alias, char in _ALIASES.items():
        cmap.setdefault(ord(alias), cmap[ord(char)])
    # Charis here has no combining acute: the spacing one, moved back over the middle of the letter before.
    acute = outlines[cmap[0xB4]]
    letter = outlines[cmap[ord("о")]].width
    glyphs["acutecomb"] = (_quadratic(acute, outlines, shift=-(acute.width + letter) / 2), 0)
    cmap[ord(_ACUTE)] = "acutecomb"
    _register(name, cmap, glyphs)
    return frozenset(map(chr, cmap))


def _quadratic(outline: Any, glyphs: Any, scale: float = 1.0, shift: float = 0.0) -> Any:
    pen = TTGlyphPen(None)
    quadratic = Cu2QuPen(pen, max_err=1.0, reverse_direction=True)
    outline.draw(TransformPen(quadratic, (scale, 0, 0, scale, shift, 0)))
    return pen.glyph()


def _register(name: str, cmap: dict[int, str], glyphs: dict[str, tuple[Any, int]]) -> None:
    builder = FontBuilder(_UNITS, isTTF=True)
    glyphs = {".notdef": (TTGlyphPen(None).glyph(), _UNITS // 2)} | glyphs
    builder.setupGlyphOrder(list(glyphs))
    builder.setupCharacterMap(cmap)
    builder.setupGlyf({glyph: outline for glyph, (outline, _) in glyphs.items()})
    table = builder.font["glyf"]
    builder.setupHorizontalMetrics(
        {glyph: (width, getattr(table[glyph], "xMin", 0)) for glyph, (_, width) in glyphs.items()}
    )
    builder.setupHorizontalHeader(ascent=1950, descent=-550)
    builder.setupNameTable({"familyName": name, "styleName": "Regular", "psName": name, "fullName": name})
    bold, italic = name.endswith("Bold"), name.endswith("Italic")
    builder.setupOS2(
        sTypoAscender=1950, sTypoDescender=-550, usWeightClass=700 if bold else 400, sCapHeight=1400,
        fsSelection=0x20 * bold + 0x01 * italic + 0x40 * (not bold and not italic), fsType=0,
    )  # fmt: skip
    builder.setupPost(italicAngle=-11 if italic else 0)
    # Fixed dates: the same source must give the same bytes.
    builder.updateHead(created=0, modified=0, macStyle=1 * bold + 2 * italic)
    builder.font.recalcTimestamp = False
    data = BytesIO()
    builder.save(data)
    data.seek(0)
    pdfmetrics.registerFont(TTFont(name, data))
