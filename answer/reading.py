"""Reads one message by itself: which words are scope, what remains, what is asked for. No memory here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from answer.cut import Cut
from answer.intent import Surroundings, intent_of, is_about_self, is_stub
from answer.mention import Mention
from answer.mentions import find_mentions
from answer.named_book import NamedBook, books_mentioned, find_named_book, subject_lemmas
from answer.numerals import Numeral, read_numeral
from answer.politeness import drop_politeness, is_polite
from answer.query import Intent
from answer.sections import chapter_keys, item_keys, page_keys, paragraph_keys
from answer.speech import CONTINUING, SPOKEN
from answer.tokens import Token, clean, tokenize, word_set
from answer.units import is_book_noun, is_noun, unit_at
from index.book import Book
from index.lemmas import lemmas


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


_PREPOSITIONS = word_set(
    """
    в во на из по для за к ко с со от у о об про после до под согласно внутри
    """
)
_BEFORE_BOOK = word_set(
    """
    моего моем нашего нашем этого этом тексте текста школьного школьном предмету
    """
)
_SAME = word_set("этом этого этому этот данном данного")
_OPENERS = word_set("а и ну теперь тогда")


def read(
    message: str, books: Mapping[str, Book], *, grades: tuple[int, ...] = (), book_id: str | None = None
) -> Reading:
    """Read `message`. `grades` and `book_id` are what holds where the message says nothing (options,
    memory).
    """
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
    pages = page_keys(r for m in mentions if m.name == "page" for r in m.ranges)
    items = item_keys(r for m in mentions if m.name in ("task", "sign", "point") for r in m.ranges)
    around = Surroundings(
        section=bool(paragraphs or same),
        tasks=any(m.name in ("task", "sign") for m in mentions),
        pages=bool(pages),
        graded=bool(own_grades or grades),
        subjects=subject_lemmas(books),
        titles=_titles(here, paragraphs),
    )
    intent, text_left = _intent(
        cut, around, anything=bool(mentions or named or same), introduces=bool(own_grades)
    )
    if named is not None and intent == "question" and around.nowhere:
        # «что такое история, 10 класс», «общество, 9 класс»: without the word nothing is left to ask.
        words = _words(cut)
        if is_stub(words) and not all(word in _OPENERS for word in words):
            return _assemble(text, tokens, mentions, None, books, grades, book_id)
        if not words and named.nickname:
            return _assemble(text, tokens, mentions, named.number_only(), books, grades, book_id)
    if intent == "question" and text_left and around.nowhere and is_stub(_words(cut)):
        # «что такое 5 класс», «кто учится в 10 классе»: the grade is what is asked about, though it is the
        # scope too.
        text_left = _without_politeness(text, tokens)
    named_books = named.books if named else frozenset[str]()
    if intent == "contents" and not named_books:
        named_books = books_mentioned([tokens[i] for i in cut.rest()], books)
    return Reading(
        text="" if number else text_left,
        intent="question" if number else intent,
        grades=own_grades,
        paragraphs=paragraphs,
        items=items,
        pages=pages,
        named_books=named_books,
        note=note,
        number=number.key if number else None,
        same_section=same is not None,
        continues=_continues(tokens, text_left),
    )


def _without_politeness(text: str, tokens: Sequence[Token]) -> str:
    cut = Cut(text, tokens)
    drop_politeness(cut, requests=True)
    return cut.text()


def _continues(tokens: Sequence[Token], text_left: str) -> bool:
    """Whether a message is put as a continuation: «а …», or nothing but a place with a preposition or «?»."""
    if not tokens:
        return False
    if tokens[0].key in _OPENERS:
        return True
    return not text_left and (tokens[0].key in ("в", "во", "для", "за", "по") or tokens[-1].key == "?")


def _titles(books: Mapping[str, Book], paragraphs: tuple[str, ...]) -> tuple[frozenset[str], ...]:
    """Lemmas of the titles of the named §§."""
    wanted = set(paragraphs)
    return tuple(
        frozenset(lemmas(section.title))
        for book in books.values()
        for section in (book.paragraphs if wanted else ())
        if wanted & set(section.numbers)
    )


def _words(cut: Cut) -> list[str]:
    """What remains, spoken forms put right («че» is «что»)."""
    return [SPOKEN.get(cut.tokens[i].key, cut.tokens[i].key) for i in cut.rest()]


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
    """The mentions that hold, § keys in the order named, and a note. A chapter that no book numbers is no
    scope.
    """
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
    """Take along what only leads to the place: prepositions, «в учебнике», «учебника» after it, a class
    letter's dot.
    """
    tokens = cut.tokens
    while end < len(tokens) and is_book_noun(tokens[end]) and cut.is_kept(end):
        cut.remove(end, end + 1)
        end += 1
    while start > 0 and cut.is_kept(start - 1):
        key = tokens[start - 1].key
        leads = key in _PREPOSITIONS or key in _BEFORE_BOOK or _leads_as_book(tokens, start - 1)
        if not leads:
            break
        start -= 1
        cut.remove(start, start + 1)


def _leads_as_book(tokens: Sequence[Token], i: int) -> bool:
    """Whether «учебник» at `i` only leads to a grade; in «кто автор учебника 10 класса» it is asked about."""
    if not is_book_noun(tokens[i]):
        return False
    before = tokens[i - 1] if i else None
    if before is None or before.kind == "sign" or before.key in _PREPOSITIONS or before.key in _BEFORE_BOOK:
        return True
    return tokens[i].key in ("учебник", "книга") and is_noun(before)


def _lone_number(tokens: Sequence[Token]) -> Numeral | None:
    """The number when the message says nothing else: «10», «10?», «в 10-м», «а в одиннадцатом?», «ну 9»."""
    i = 0
    while i < len(tokens) and (
        tokens[i].kind == "sign" or tokens[i].key in _OPENERS or tokens[i].key in ("в", "во", "за", "для")
    ):
        i += 1
    number = read_numeral(tokens, i, fuzzy=True)
    if number is None or any(
        token.kind != "sign" and not is_polite(token.key) for token in tokens[number.end :]
    ):
        return None
    return number


def _intent(cut: Cut, around: Surroundings, *, anything: bool, introduces: bool) -> tuple[Intent, str]:
    """Intent and the text that remains. Politeness comes off step by step, since «дз» can be the request
    itself.

    `anything`: something of a scope was said; `introduces`: a grade was.
    """
    words = _words(cut)
    if not words and not anything:
        return "smalltalk", ""
    for step in (None, False, True):
        if step is not None:
            drop_politeness(cut, requests=step)
            words = _words(cut)
        if anything and all(word in _OPENERS for word in words):
            break
        if introduces and is_about_self(words):
            words = []
            break
        intent = intent_of(words, around)
        if intent == "smalltalk" and anything:
            continue
        if intent != "question" and words:
            return intent, cut.text()
    continued = (
        cut.tokens and cut.tokens[0].key in _OPENERS and all(w in _OPENERS | CONTINUING for w in words)
    )
    if all(word in _OPENERS for word in words) or (anything and continued and around.nowhere):
        return intent_of([], around), ""
    return "question", cut.text()
