"""How a source is named to a reader; the same words in every view."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from answer.answer import Answer, Citation
from answer.wording import grades_name


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
    return f"{source.title}, {grades_name(source.grades)}"


def place_line(source: Citation) -> str:
    """«Обществознание, 10 класс · § 13 «…» · стр. 57»."""
    return " · ".join(part for part in (book_name(source), section_name(source), page_name(source)) if part)


def all_sources(answer: Answer) -> list[Citation]:
    """The citations of the answer, else those of its parts, in order of mention."""
    return [*answer.sources] or [source for part in answer.parts or () for source in part.sources]


@dataclass(frozen=True, slots=True)
class CitedPage:
    """One page and everything quoted from it."""

    book_id: str
    file_page: int
    name: str
    """«стр. 57» or «лист 59 файла»."""
    place: str
    """«Обществознание, 10 класс · § 13 «…» · стр. 57»."""
    quotes: tuple[str, ...]
    page: str | None = None
    """Printed number."""
    paragraph: str | None = None
    """§ of the first quote."""


def cited_pages(sources: Iterable[Citation]) -> list[CitedPage]:
    """The distinct pages of the citations, in order of mention."""
    pages: dict[tuple[str, int], list[Citation]] = {}
    for source in sources:
        pages.setdefault((source.book_id, source.file_page), []).append(source)
    return [
        CitedPage(
            book_id=book_id,
            file_page=file_page,
            name=page_name(cited[0]),
            place=place_line(cited[0]),
            quotes=tuple(dict.fromkeys(source.quote for source in cited)),
            page=cited[0].page,
            paragraph=cited[0].paragraph,
        )
        for (book_id, file_page), cited in pages.items()
    ]
