"""How a source is named to a reader; the same words in every view."""

from __future__ import annotations

from answer.answer import Citation


def page_name(source: Citation) -> str:
    """«стр. 57», or «лист 59 файла» where the page shows no number."""
    return f"стр. {source.page}" if source.page is not None else f"лист {source.file_page} файла"


def section_name(source: Citation) -> str:
    """«§ 13 «Закон Ома»», or the chapter where the text belongs to no §; empty when neither is known."""
    if source.paragraph is None:
        return source.chapter or ""
    name = f"{source.unit} {source.paragraph}"
    return f"{name} «{source.paragraph_title}»" if source.paragraph_title else name


def book_name(source: Citation) -> str:
    """«Обществознание, 10 класс»."""
    grades = ", ".join(map(str, source.grades))
    return f"{source.title}, {grades} класс"


def place_line(source: Citation) -> str:
    """«Обществознание, 10 класс · § 13 «…» · стр. 57»."""
    return " · ".join(part for part in (book_name(source), section_name(source), page_name(source)) if part)
