"""Reads one message by itself: which words are scope, what remains, what is asked for. No memory here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from answer.cut import Cut
from answer.intent import intent_of, is_about_self, is_stub, politeness
from answer.mentions import Mention, find_mentions
from answer.named_book import NamedBook, find_named_book, subject_lemmas
from answer.numerals import Numeral, read_numeral
from answer.query import Intent
from answer.sections import chapter_keys, item_keys, page_keys, paragraph_keys
from answer.tokens import Token, clean, tokenize
from answer.units import is_book_noun, unit_at
from index.book import Book


@dataclass(frozen=True, slots=True)
class Reading:
    """A message as it stands."""

    text: str
    """What is asked, without the words of scope and politeness; may be empty."""
    intent: Intent
    grades: tuple[int, ...] = ()
    paragraphs: tuple[str, ...] = ()
    items: tuple[str, ...] = ()
    pages: tuple[str, ...] = ()
    named_books: frozenset[str] = frozenset()
    note: str | None = None
    number: str | None = None
    """The whole message is this number («10», «в десятом?»)."""
    same_section: bool = False
    """«в этом параграфе»: the § of the last message is meant."""
    continues: bool = False
    """«а …?»: put as a continuation of what was asked before."""

    @property
    def has_scope(self) -> bool:
        """Whether anything says where to look."""
        return bool(
            self.grades
            or self.paragraphs
            or self.items
            or self.pages
            or self.named_books
            or self.same_section
        )


_PREPOSITIONS = frozenset("в во на из по для за к ко с со от у о об про после до под согласно внутри".split())
_BEFORE_BOOK = frozenset(
    "моего моем нашего нашем этого этом тексте текста школьного школьном предмету".split()
)
_SAME = frozenset("этом этого этому этот данном данного".split())
_OPENING = frozenset('«"“„(')
_CLOSING = frozenset('?!.»"”)…')
_OPENERS = frozenset("а и ну теперь тогда".split())


def read(
    message: str, books: Mapping[str, Book], *, grades: tuple[int, ...] = (), book_id: str | None = None
) -> Reading:
    """Read `message`. `grades` and `book_id` are what holds where the message says nothing (options, memory)."""
    text = clean(message)
    tokens = tokenize(text)
    loaded = frozenset(grade for book in books.values() for grade in book.grades)
    mentions = find_mentions(tokens, loaded)
    named = find_named_book(tokens, mentions, books)
    return _assemble(text, tokens, mentions, named, books, grades, book_id)


def _assemble(
    text: str,
    tokens: Sequence[Token],
    mentions: list[Mention],
    named: NamedBook | None,
    books: Mapping[str, Book],
    grades: tuple[int, ...],
    book_id: str | None,
) -> Reading:
    number = None if mentions else _lone_number(tokens)
    own_grades = _grades(mentions, named)
    here = _books_in_scope(books, own_grades or grades, named, book_id)
    mentions, paragraphs, note = _paragraphs(mentions, here)
    same = _same_section(tokens, mentions)
    cut = _cut(text, tokens, mentions, named, same)
    if named is not None and is_stub([tokens[i].key for i in cut.rest()]):
        return _assemble(text, tokens, mentions, None, books, grades, book_id)

    pages = page_keys(r for m in mentions if m.name == "page" for r in m.ranges)
    items = item_keys(r for m in mentions if m.name in ("task", "sign", "point") for r in m.ranges)
    anything = bool(mentions or named or same)
    intent, text = _intent(
        cut,
        section=bool(paragraphs or same),
        tasks=any(m.name in ("task", "sign") for m in mentions),
        pages=bool(pages),
        anything=anything,
        introduces=bool(own_grades),
        subjects=subject_lemmas(books),
    )
    continues = bool(tokens) and tokens[0].key in _OPENERS
    return Reading(
        text="" if number else text,
        intent="question" if number else intent,
        grades=own_grades,
        paragraphs=paragraphs,
        items=items,
        pages=pages,
        named_books=named.books if named else frozenset(),
        note=note,
        number=number.key if number else None,
        same_section=same is not None,
        continues=continues
        or (bool(tokens) and tokens[0].key in ("в", "во", "для", "за") and not text)
        or (bool(tokens) and tokens[-1].key == "?" and not text),
    )


def _grades(mentions: Sequence[Mention], named: NamedBook | None) -> tuple[int, ...]:
    grades: list[int] = []
    for mention in mentions:
        if mention.name == "grade":
            for low, high in mention.ranges:
                first, last = sorted((int(low), int(high)))
                grades += range(first, last + 1)
    if not grades and named is not None and named.grade is not None:
        grades.append(named.grade)
    return tuple(dict.fromkeys(grades))


def _books_in_scope(
    books: Mapping[str, Book], grades: tuple[int, ...], named: NamedBook | None, book_id: str | None
) -> dict[str, Book]:
    if book_id is not None and book_id in books:
        return {book_id: books[book_id]}
    chosen = {key: book for key, book in books.items() if named is None or key in named.books}
    return {key: book for key, book in chosen.items() if not grades or set(grades) & set(book.grades)}


def _paragraphs(
    mentions: Sequence[Mention], books: Mapping[str, Book]
) -> tuple[list[Mention], tuple[str, ...], str | None]:
    """The mentions that hold, § keys in the order named, and a note. A chapter that no book numbers is no scope."""
    holding: list[Mention] = []
    keys: list[str] = []
    notes: list[str] = []
    for mention in mentions:
        if mention.name == "chapter":
            found = chapter_keys(mention, books)
            if not found:
                continue
            keys += found
        elif mention.name == "paragraph":
            found, note = paragraph_keys(mention.ranges, books.values())
            keys += found
            if note:
                notes.append(note)
        holding.append(mention)
    return holding, tuple(dict.fromkeys(keys)), " ".join(notes) or None


def _same_section(tokens: Sequence[Token], mentions: Sequence[Mention]) -> tuple[int, int] | None:
    """Tokens of «в этом (же) параграфе» without a number of its own."""
    for i, token in enumerate(tokens[:-1]):
        if token.key not in _SAME:
            continue
        j = i + 2 if tokens[i + 1].key == "же" else i + 1
        unit = unit_at(tokens, j)
        if unit is not None and unit.name == "paragraph" and not any(m.start <= j < m.end for m in mentions):
            return i, unit.end
    return None


def _cut(
    text: str,
    tokens: Sequence[Token],
    mentions: Sequence[Mention],
    named: NamedBook | None,
    same: tuple[int, int] | None,
) -> Cut:
    cut = Cut(text, tokens)
    places = [(mention.start, mention.end) for mention in mentions]
    if named is not None:
        places.append((named.start, named.end))
    if same is not None:
        places.append(same)
    for start, end in places:
        cut.remove(start, end)
    for start, end in places:
        _widen(cut, start, end)
    cut.close_gaps()
    return cut


def _widen(cut: Cut, start: int, end: int) -> None:
    """Take along what only leads to the place: prepositions, «в учебнике», «учебника» after it, a class letter's dot."""
    tokens = cut.tokens
    while end < len(tokens) and is_book_noun(tokens[end]) and cut.is_kept(end):
        cut.remove(end, end + 1)
        end += 1
    while start > 0 and cut.is_kept(start - 1):
        key = tokens[start - 1].key
        if not (key in _PREPOSITIONS or is_book_noun(tokens[start - 1]) or key in _BEFORE_BOOK):
            break
        start -= 1
        cut.remove(start, start + 1)


def _lone_number(tokens: Sequence[Token]) -> Numeral | None:
    """The number when the message says nothing else: «10», «10?», «в 10-м», «а в одиннадцатом?», «ну 9»."""
    i = 0
    while i < len(tokens) and (
        tokens[i].kind == "sign" or tokens[i].key in _OPENERS or tokens[i].key in ("в", "во", "за", "для")
    ):
        i += 1
    number = read_numeral(tokens, i, fuzzy=True)
    if number is None or any(token.kind != "sign" for token in tokens[number.end :]):
        return None
    return number


def _intent(
    cut: Cut,
    *,
    section: bool,
    tasks: bool,
    pages: bool,
    anything: bool,
    introduces: bool,
    subjects: frozenset[str],
) -> tuple[Intent, str]:
    """Intent and the text that remains, politeness taken off step by step so that «дз» can still be the request."""
    words = [cut.tokens[i].key for i in cut.rest()]
    if not words and not anything:
        return "smalltalk", ""
    for step in (None, False, True):
        if step is not None:
            _drop_politeness(cut, requests=step)
            words = [cut.tokens[i].key for i in cut.rest()]
        if introduces and is_about_self(words):
            return _found("question", section, tasks, pages), ""
        intent = intent_of(words, section=section, tasks=tasks, pages=pages, subjects=subjects)
        if intent == "smalltalk" and anything:
            continue
        if intent != "question" and words:
            return intent, cut.text()
    if not words:
        return _found("question", section, tasks, pages), ""
    return "question", cut.text()


def _found(default: Intent, section: bool, tasks: bool, pages: bool) -> Intent:
    if tasks:
        return "section_questions"
    return "summary" if section or pages else default


def _drop_politeness(cut: Cut, *, requests: bool) -> None:
    rest = cut.rest()
    words = [cut.tokens[i].key for i in rest]
    stops = [
        cut.tokens[i + 1].key if i + 1 < len(cut.tokens) and cut.tokens[i + 1].kind == "sign" else ""
        for i in rest
    ]
    before, after, inside = politeness(words, stops, requests=requests)
    if not (before or after or inside):
        return
    kept = rest[before : len(rest) - after]
    if not kept:
        cut.remove(0, len(cut.tokens))
        return
    if before:
        first = kept[0]
        while first > 0 and cut.tokens[first - 1].key in _OPENING:
            first -= 1
        cut.remove(0, first)
    if after:
        tail = kept[-1] + 1
        while tail < len(cut.tokens) and cut.tokens[tail].kind == "sign" and cut.tokens[tail].key in _CLOSING:
            tail += 1
        question = any(token.key == "?" for token in cut.tokens[tail:])
        end = len(cut.tokens)
        while question and end > tail and cut.tokens[end - 1].kind == "sign":
            end -= 1
        cut.remove(tail, end)
    for k in inside:
        cut.remove(rest[k], rest[k] + 1)
    cut.close_gaps()
