"""`Answer` → Telegram HTML. Everything from books, models and users is escaped; only our own tags are added.

Tags used: `<b>`, `<i>`, `<blockquote>`, `<blockquote expandable>`.
"""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass

from answer.answer import Answer, Citation, Part
from bot.citations import book_name, page_name, place_line, section_name
from bot.clean_text import Style, clean, markdown_spans
from bot.html_parts import split_html

NOT_CHECKED = "Текст составлен моделью и не проверен: сверьтесь с цитатами ниже."
WITHOUT_MODEL = "Модель сейчас не отвечает, поэтому ответ собран из цитат."
SOURCES = "Откуда это"

_TAGS: dict[Style, tuple[str, str]] = {"plain": ("", ""), "bold": ("<b>", "</b>"), "italic": ("<i>", "</i>")}
_CAPTION_LIMIT = 900


@dataclass(frozen=True, slots=True)
class PageRef:
    """A page that can be shown, with what is highlighted on it."""

    book_id: str
    file_page: int
    label: str
    """«стр. 57» or «лист 59 файла»."""
    caption: str
    """Plain text, at most 900 characters."""
    quotes: tuple[str, ...]


def render(answer: Answer) -> list[str]:
    """Messages in the order to send: balanced HTML of at most 4096 UTF-16 units each; at least one."""
    blocks = [block for block in _blocks(answer) if block]
    return split_html("\n\n".join(blocks)) or ["…"]


def page_refs(answer: Answer, limit: int = 3) -> list[PageRef]:
    """The distinct pages that the answer cites, in order of mention, at most `limit`."""
    sources = [*answer.sources, *(s for part in answer.parts or () for s in part.sources)]
    pages: dict[tuple[str, int], list[Citation]] = {}
    for source in sources:
        pages.setdefault((source.book_id, source.file_page), []).append(source)
    refs = []
    for (book_id, file_page), cited in list(pages.items())[:limit]:
        quotes = tuple(dict.fromkeys(source.quote for source in cited))
        caption = clean(place_line(cited[0]))[:_CAPTION_LIMIT]
        refs.append(PageRef(book_id, file_page, page_name(cited[0]), caption, quotes))
    return refs


def text_html(text: str) -> str:
    """Cleaned, Markdown marks turned into tags, the rest escaped."""
    pieces = []
    for run in markdown_spans(clean(text)):
        opening, closing = _TAGS[run.style]
        pieces.append(f"{opening}{html.escape(run.text, quote=False)}{closing}")
    return "".join(pieces)


def plain_html(text: str) -> str:
    """Cleaned and escaped: for titles and names, where marks are part of the name."""
    return html.escape(" ".join(clean(text).split()), quote=False)


def _blocks(answer: Answer) -> list[str]:
    # The note of a clarifying question lists its options, which are buttons here.
    note = answer.scope.note if answer.status != "clarify" else None
    lead = f"<i>{text_html(note)}</i>" if note else ""
    if answer.parts is not None:
        return [lead, *_parts_blocks(answer)]
    return [lead, *_answer_blocks(answer.answer, answer.sources), *_remarks(answer)]


def _remarks(answer: Answer) -> list[str]:
    if answer.status == "generated_unverified":
        return [f"<i>{NOT_CHECKED}</i>"]
    return [f"<i>{WITHOUT_MODEL}</i>"] if answer.model_error else []


def _parts_blocks(answer: Answer) -> list[str]:
    """One block per question of the textbook; an introduction only where no part repeats it."""
    parts = answer.parts or ()
    if not parts:
        return _answer_blocks(answer.answer, answer.sources)
    return [_part_block(number, part) for number, part in enumerate(parts, start=1)] + _remarks(answer)


def _part_block(number: int, part: Part) -> str:
    question = plain_html(part.question)
    if not question[:1].isdigit():
        question = f"{number}. {question}"
    return "\n".join([f"<b>{question}</b>", *_answer_blocks(part.answer, part.sources, gap="\n")])


def _answer_blocks(text: str, sources: Sequence[Citation], gap: str = "\n\n") -> list[str]:
    """The answer and where it stands.

    Where the answer consists of quotes, each stands as a quotation over the line of its source, and nothing
    is said twice. Otherwise (a model phrased it) the quotes follow the text.
    """
    if not sources:
        return [text_html(text)]
    passages = _passages(text, sources)
    if passages is not None:
        return [gap.join(block for block in map(_passage_html, passages) if block)]
    shown = [
        f"{_place(group)}\n<blockquote expandable>{text_html(' '.join(s.quote for s in group))}</blockquote>"
        for group in _by_place(sources)
    ]
    return [text_html(text), f"<b>{SOURCES}:</b>", gap.join(shown)]


@dataclass(frozen=True, slots=True)
class _Passage:
    """A stretch of the answer: words around the quotes (no sources), or quotes of one place."""

    text: str
    sources: tuple[Citation, ...]


def _passages(text: str, sources: Sequence[Citation]) -> list[_Passage] | None:
    """The answer cut at its quotes; None where a quote is not in it."""
    found: list[tuple[int, int, Citation]] = []
    for source in sources:
        quote = source.quote.strip()
        start = text.find(quote, found[-1][1] if found else 0) if quote else -1
        if start < 0:
            return None
        found.append((start, start + len(quote), source))
    passages: list[_Passage] = []
    position = 0
    for start, end, source in found:
        between = text[position:start]
        last = passages[-1] if passages else None
        if (
            last is not None
            and last.sources
            and not between.strip()
            and _same_place(last.sources[-1], source)
        ):
            passages[-1] = _Passage(last.text + between + text[start:end], (*last.sources, source))
        else:
            if between.strip():
                passages.append(_Passage(between, ()))
            passages.append(_Passage(text[start:end], (source,)))
        position = end
    if text[position:].strip(" \n"):
        passages.append(_Passage(text[position:], ()))
    return passages


def _passage_html(passage: _Passage) -> str:
    body = text_html(passage.text)
    if not passage.sources:
        return body
    return f"<blockquote>{body}</blockquote>\n{_place(passage.sources)}"


def _same_place(one: Citation, other: Citation) -> bool:
    return (one.book_id, one.paragraph, one.chapter) == (other.book_id, other.paragraph, other.chapter)


def _by_place(sources: Sequence[Citation]) -> list[list[Citation]]:
    groups: list[list[Citation]] = []
    for source in sources:
        if groups and _same_place(groups[-1][-1], source):
            groups[-1].append(source)
        else:
            groups.append([source])
    return groups


def _place(sources: Sequence[Citation]) -> str:
    """«Обществознание, 10 класс · § 13 «…» · стр. 57, 58» for quotes of one §."""
    first = sources[0]
    pages = ", ".join(dict.fromkeys(map(page_name, sources))).replace(", стр. ", ", ")
    line = " · ".join(part for part in (book_name(first), section_name(first), pages) if part)
    return f"<i>{plain_html(line)}</i>"
