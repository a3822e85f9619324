"""`Answer` → Telegram HTML. Everything from books, models and users is escaped; only our own tags are added.

Tags used: `<b>`, `<i>`, `<blockquote>`, `<blockquote expandable>`.
"""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from answer.answer import Answer, Citation, Part
from bot.citations import all_sources, book_name, cited_pages, page_name, section_name
from bot.clean_text import Style, clean, markdown_spans
from bot.html_parts import split_html, utf16_length
from bot.passages import Passage, passages_of, same_place

NOT_CHECKED = "Текст составлен моделью и не проверен: сверьтесь с цитатами ниже."
WITHOUT_MODEL = "Поэтому ответ собран из цитат."
SOURCES = "Откуда это"

_TAGS: dict[Style, tuple[str, str]] = {"plain": ("", ""), "bold": ("<b>", "</b>"), "italic": ("<i>", "</i>")}
_CAPTION_LIMIT = 900
PAGES = 4
"""Page buttons under one message."""
PART_MESSAGE = 1800
"""UTF-16 units, about two screens of a phone: what a message with questions of a textbook should hold."""
PART_LIMIT = 2600
"""What it holds at most, unless one question takes more."""


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
    page: str | None = None
    """Printed number."""
    paragraph: str | None = None
    """§ of the first quote."""


@dataclass(frozen=True, slots=True)
class Rendered:
    """One message: balanced HTML of at most 4096 UTF-16 units, and the pages that it cites."""

    html: str
    pages: tuple[PageRef, ...] = ()


def render(answer: Answer) -> list[str]:
    """Messages in the order to send: balanced HTML of at most 4096 UTF-16 units each; at least one."""
    return [message.html for message in messages(answer)]


def messages(answer: Answer) -> list[Rendered]:
    """The same with the pages of each message; the pages of an answer in several parts go with the last.

    The questions of a textbook are cut between questions, so that each answer stands whole over the buttons
    of its pages.
    """
    if answer.parts and len(answer.parts) > 1:
        return _parts_messages(answer, answer.parts)
    blocks = [block for block in _blocks(answer) if block]
    *first, last = split_html("\n\n".join(blocks)) or ["…"]
    return [*map(Rendered, first), Rendered(last, tuple(page_refs(answer)))]


def page_refs(answer: Answer, limit: int = PAGES) -> list[PageRef]:
    """The distinct pages that the answer cites, in order of mention, at most `limit`."""
    return _page_refs(all_sources(answer))[:limit]


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
    if answer.intent == "contents":
        # The list is made of the book's headings; a quotation of the word «Оглавление» adds nothing.
        return [lead, text_html(answer.answer), *map(_place, _by_place(answer.sources))]
    titled = answer.intent == "summary"
    return [lead, *_answer_blocks(answer.answer, answer.sources, titled=titled), *_remarks(answer)]


def _remarks(answer: Answer) -> list[str]:
    if answer.status == "generated_unverified":
        return [f"<i>{NOT_CHECKED}</i>"]
    return [f"<i>{text_html(answer.model_error)} {WITHOUT_MODEL}</i>"] if answer.model_error else []


def _parts_blocks(answer: Answer) -> list[str]:
    """The one question of the textbook that was asked for; the § is named above it."""
    parts = answer.parts or ()
    if not parts:
        return _answer_blocks(answer.answer, answer.sources)
    place = _shared_place(parts)
    return [place, *_numbered(parts, bool(place)), *_remarks(answer)]


def _parts_messages(answer: Answer, parts: Sequence[Part]) -> list[Rendered]:
    """Whole questions, about equally many characters in each message."""
    place = _shared_place(parts)
    note = f"<i>{text_html(answer.scope.note)}</i>" if answer.scope.note else ""
    blocks = _numbered(parts, bool(place))
    total = sum(map(utf16_length, blocks))
    target = total / max(1, -(-total // PART_MESSAGE))
    groups: list[list[int]] = [[]]
    for number, block in enumerate(blocks):
        here, size = groups[-1], utf16_length(block)
        used = sum(utf16_length(blocks[other]) for other in here)
        pages = cited_pages([source for other in (*here, number) for source in parts[other].sources])
        too_much = used + size > PART_LIMIT or len(pages) > PAGES
        if here and (too_much or abs(used + size - target) > abs(used - target)):
            groups.append([])
        groups[-1].append(number)
    done: list[Rendered] = []
    for group in groups:
        # Each message is read, and passed on to others, by itself: all of them name the place.
        head = [text for text in ("" if done else note, place) if text]
        remarks = _remarks(answer) if group is groups[-1] else []
        sources = [source for number in group for source in parts[number].sources]
        done += _with_pages([*head, *(blocks[number] for number in group), *remarks], sources)
    return done


def _with_pages(blocks: Sequence[str], sources: Sequence[Citation]) -> list[Rendered]:
    *first, last = split_html("\n\n".join(blocks)) or ["…"]
    return [*map(Rendered, first), Rendered(last, tuple(_page_refs(sources)[:PAGES]))]


def _page_refs(sources: Sequence[Citation]) -> list[PageRef]:
    return [
        PageRef(
            page.book_id,
            page.file_page,
            page.name,
            clean(page.place)[:_CAPTION_LIMIT],
            page.quotes,
            page.page,
            page.paragraph,
        )
        for page in cited_pages(sources)
    ]


def _shared_place(parts: Sequence[Part]) -> str:
    """The § that all answers come from; empty where there are several."""
    sources = [source for part in parts for source in part.sources]
    return f"<i>{plain_html(_section_line(sources[0]))}</i>" if len(_by_place(sources)) == 1 else ""


def _numbered(parts: Sequence[Part], shared: bool) -> list[str]:
    """The questions under the textbook's numbers; where several §§ are answered each names its own."""
    several = len({part.section for part in parts}) > 1
    return [
        _part_block(f"{part.section} · " if several else "", part.number or str(place), part, shared)
        for place, part in enumerate(parts, start=1)
    ]


def _part_block(section: str, number: str, part: Part, shared: bool) -> str:
    question = plain_html(part.question)
    if not question[:1].isdigit():
        question = f"{number}. {question}"
    title = f"<b>{plain_html(section)}{' ' if section else ''}{question}</b>"
    return "\n".join([title, *_answer_blocks(part.answer, part.sources, "\n", shared)])


def _answer_blocks(
    text: str, sources: Sequence[Citation], gap: str = "\n\n", only_pages: bool = False, titled: bool = False
) -> list[str]:
    """The answer and where it stands; `titled`: the line above a § that is quoted is its title.

    Where the answer consists of quotes, each stands as a quotation over the line of its source, and nothing
    is said twice. Otherwise (a model phrased it) the quotes follow the text.
    """
    if not sources:
        return [text_html(text)]
    passages = passages_of(text, sources)
    if passages is not None:
        shown = [_passage_html(passage, only_pages) for passage in passages]
        if titled:
            for number, (words, quotes) in enumerate(pairwise(passages)):
                if quotes.sources and not words.sources:
                    shown[number] = _last_line_bold(words.texts[0])
        return [gap.join(shown)]
    shown = [_quotation(group, only_pages) for group in _by_place(sources)]
    return [text_html(text), f"<b>{SOURCES}:</b>", gap.join(shown)]


def _last_line_bold(text: str) -> str:
    *lines, last = clean(text).split("\n")
    return "\n".join([*map(text_html, lines), f"<b>{plain_html(last)}</b>"])


def _passage_html(passage: Passage, only_pages: bool) -> str:
    if not passage.sources:
        return text_html(passage.texts[0])
    quotations = [f"<blockquote>{text_html(text)}</blockquote>" for text in passage.texts]
    return "\n".join([*quotations, _place(passage.sources, only_pages)])


def _quotation(sources: Sequence[Citation], only_pages: bool) -> str:
    """What a phrased answer rests on: the source line and its quotes, folded."""
    quotes = "\n".join(text_html(source.quote) for source in sources)
    return f"{_place(sources, only_pages)}\n<blockquote expandable>{quotes}</blockquote>"


def _by_place(sources: Sequence[Citation]) -> list[list[Citation]]:
    groups: list[list[Citation]] = []
    for source in sources:
        if groups and same_place(groups[-1][-1], source):
            groups[-1].append(source)
        else:
            groups.append([source])
    return groups


def _place(sources: Sequence[Citation], only_pages: bool = False) -> str:
    """«Обществознание, 10 класс · § 13 «…» · стр. 57, 58» for quotes of one §."""
    pages = ", ".join(dict.fromkeys(map(page_name, sources))).replace(", стр. ", ", ")
    return f"<i>{plain_html(pages if only_pages else f'{_section_line(sources[0])} · {pages}')}</i>"


def _section_line(source: Citation) -> str:
    return " · ".join(part for part in (book_name(source), section_name(source)) if part)
