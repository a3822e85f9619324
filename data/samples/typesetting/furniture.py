"""Running heads, page numbers and page labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.platypus import BaseDocTemplate

from typesetting import fonts
from typesetting.ledger import CONTENTS, GLOSSARY, INDEX, Ledger, chapter_place, section_place
from typesetting.lines import Face
from typesetting.model import Book
from typesetting.styles import ACCENT, FOOT, HEAD, PAGE, RULE, SIDE


@dataclass(frozen=True, slots=True)
class Furniture:
    """Draws by what the pass before knew, and notes what it drew in the ledger of this pass."""

    book: Book
    face: Face
    known: Ledger
    ledger: Ledger

    def draw(self, canvas: Any, document: BaseDocTemplate) -> None:
        """To be called once for each page."""
        known, layout, page = self.known, self.book.layout, document.page
        width, height = PAGE
        face = self.face
        if page == 1 and layout.page_labels:
            self._label_pages(canvas)
        canvas.saveState()
        canvas.setFillColor(ACCENT)
        if page > known.front:
            odd = (page - known.front) % 2 == 1
            if page not in known.places.values() or self._opens_in_mid_page(page):
                head = _fitted(self._running_head(page, odd), width - 2 * SIDE, face.size)
                canvas.setFont(fonts.ITALIC, face.size)
                x = width - SIDE - stringWidth(head, fonts.ITALIC, face.size) if odd else SIDE
                canvas.drawString(x, height - HEAD, head)
                canvas.setStrokeColor(RULE)
                canvas.setLineWidth(0.5)
                canvas.line(SIDE, height - HEAD - 5, width - SIDE, height - HEAD - 5)
                self.ledger.heads[page] = head
            self._draw_number(canvas, page, odd)
        elif layout.page_labels and known.places.get(CONTENTS, page + 1) <= page <= known.contents_end:
            self._draw_number(canvas, page, page % 2 == 1)
        canvas.restoreState()

    def _draw_number(self, canvas: Any, page: int, odd: bool) -> None:
        number = self.known.label(page)
        size = 9.5
        canvas.setFont(fonts.REGULAR, size)
        number_width = stringWidth(number, fonts.REGULAR, size)
        x = (PAGE[0] - number_width) / 2
        if self.book.layout.mirrored:
            x = PAGE[0] - SIDE - number_width if odd else SIDE
        canvas.drawString(x, FOOT, number)
        self.ledger.numbers[page] = number

    def _opens_in_mid_page(self, page: int) -> bool:
        """A § may begin on the page, but no chapter or part does: those pages go without a running head."""
        return all(place.startswith("§") for place, at in self.known.places.items() if at == page)

    def _running_head(self, page: int, odd: bool) -> str:
        """Left-hand pages name the chapter (or the book), right-hand ones the §."""

        def current(headings: dict[str, str]) -> str:
            begun = [
                title for place, title in headings.items() if 0 < self.known.places.get(place, 0) <= page
            ]
            return begun[-1] if begun else ""

        parts = {GLOSSARY: GLOSSARY, INDEX: INDEX}
        chapters = {chapter_place(c.number): c.heading for c in self.book.chapters} | parts
        sections = {section_place(p.number): p.heading for p in self.book.paragraphs} | parts
        if odd:
            return current(sections)
        return current(chapters) if self.book.layout.mirrored else self.book.title

    def _label_pages(self, canvas: Any) -> None:
        canvas.addPageLabel(0, style="ROMAN_LOWER", start=1)
        canvas.addPageLabel(self.known.front, style="ARABIC", start=1)


def _fitted(text: str, width: float, size: float) -> str:
    """The text, cut at a word with «…» where it is wider than `width`."""
    words = text.split()
    while stringWidth(text, fonts.ITALIC, size) > width and len(words) > 1:
        words.pop()
        text = " ".join(words).rstrip(".,;:") + "…"
    return text
