"""Finds where a message names a subject or a textbook as the place to look, not as its topic.

«по истории», «учебник геометрии 7 класса» and «обществознание 10: что такое право» name a book;
«что такое история?» and «роль экономики» do not.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from rapidfuzz.distance import OSA

from answer.mention import Mention
from answer.morphology import is_dictionary_word
from answer.numerals import read_numeral
from answer.tokens import Token, word_set
from answer.units import is_book_noun, is_counted, is_noun, is_noun_after_few, is_verb
from index.book import Book
from index.lemmas import lemmas

Phrase = tuple[str, ...]

# How pupils call the subjects. Only where a preposition or a place in the message shows that a subject is
# meant.
_NICKNAMES: dict[str, tuple[str, ...]] = {
    "обществознание": ("общество", "общага", "общ", "обществу", "обществоведение", "обществознанию"),
    "история": ("ист",),
    "информатика": ("инфа", "инфе", "информ"),
    "геометрия": ("геома", "геом", "геоме"),
    "алгебра": ("алг",),
    "математика": ("матем", "матеша", "матеше", "матика"),
    "биология": ("био", "биол"),
    "география": ("гео", "геогр"),
    "литература": ("лит", "литра", "литре"),
    "физика": ("физ",),
    "химия": ("хим",),
    "русский": ("рус",),
}
_QUESTION_WORDS = word_set(
    """
    что кто как какой какая какое какие каков какова каковы почему зачем когда где сколько чем
    чему кого о дай дайте назови назовите перечисли перечислите объясни объясните расскажи опиши
    приведи укажи определение ответы ответь вопросы дз перескажи конспект оглавление содержание
    """
)


@dataclass(frozen=True, slots=True)
class NamedBook:
    """A subject or title at tokens `[start, end)` and the books that it fits."""

    start: int
    end: int
    books: frozenset[str]
    grade: int | None = None
    """«обществознание 10»: the number after the subject, within `[start, end)`."""
    nickname: bool = False
    """Called by a word that is also a topic («общество»)."""

    def number_only(self) -> NamedBook | None:
        """The grade of «общество 9» without the subject."""
        return (
            None
            if self.grade is None
            else replace(self, start=self.end - 1, books=frozenset(), nickname=False)
        )


def find_named_book(
    tokens: Sequence[Token], mentions: Sequence[Mention], books: Mapping[str, Book]
) -> NamedBook | None:
    """The first place that names a book of `books`, or None."""
    phrases = _phrases(books)
    if not phrases:
        return None
    starts = {mention.start for mention in mentions}
    ends = {mention.end for mention in mentions}
    taken = {k for mention in mentions for k in range(mention.start, mention.end)}
    for i, token in enumerate(tokens):
        if token.kind != "word" or i in taken:
            continue
        end, fitting = _match(tokens, i, phrases, taken)
        if not fitting:
            continue
        named = _accept(tokens, i, end, fitting, starts, ends, _grades(books, fitting))
        if named is not None:
            return replace(named, nickname=_is_nickname(token.key))
    return None


def books_mentioned(tokens: Sequence[Token], books: Mapping[str, Book]) -> frozenset[str]:
    """Books whose subject or title stands anywhere among `tokens` («оглавление геометрии»)."""
    for i, token in enumerate(tokens):
        if token.kind == "word":
            _, fitting = _match(tokens, i, _phrases(books), set())
            if fitting:
                return fitting
    return frozenset()


def _is_nickname(key: str) -> bool:
    return any(key in names for names in _NICKNAMES.values())


def books_called(tokens: Sequence[Token], books: Mapping[str, Book]) -> frozenset[str]:
    """Books that fit a message which is nothing but a subject or a title («обществознание», «по истории»)."""
    words = [
        token
        for token in tokens
        if token.kind != "sign" and token.key not in ("по", "учебник", "книга", "из", "в")
    ]
    if not words:
        return frozenset()
    end, fitting = _match(words, 0, _phrases(books), set())
    return fitting if end == len(words) else frozenset()


def subject_lemmas(books: Mapping[str, Book]) -> frozenset[str]:
    """All words of the loaded subjects and titles, as lemmas."""
    return frozenset(lemma for phrase in _phrases(books) for lemma in phrase)


def _accept(
    tokens: Sequence[Token],
    i: int,
    end: int,
    fitting: frozenset[str],
    starts: set[int],
    ends: set[int],
    grades: set[int],
) -> NamedBook | None:
    before = tokens[i - 1] if i else None
    after = tokens[end] if end < len(tokens) else None
    at_start = before is None or before.kind == "sign" or i in ends
    marked = before is not None and (
        before.key in ("по", "предмету", "предмет", "урок", "уроку") or is_book_noun(before)
    )
    grade, number_end = _number_after(tokens, end, grades) if (at_start or marked) else (None, end)
    if grade is not None:
        return NamedBook(i, number_end, fitting, grade)
    if marked:
        # «по истории возникновения денег»: the word has a complement, so it is the topic.
        governed = (
            after is not None
            and end not in starts
            and not is_book_noun(after)
            and is_noun_after_few(tokens, end)
        )
        return None if governed else NamedBook(i, end, fitting)
    near_mention = (
        end in starts or (after is not None and after.kind == "sign" and end + 1 in starts) or i in ends
    )
    if i >= 2 and tokens[i - 1].kind == "sign" and i - 1 in ends:
        near_mention = True
    if near_mention:
        stands_alone = at_start or (before is not None and is_noun(before) and not is_verb(before))
        return NamedBook(i, end, fitting) if stands_alone else None
    if at_start and i == 0 and after is not None and (after.key in ":,.-" or after.key in _QUESTION_WORDS):
        return NamedBook(i, end, fitting)
    if before is not None and before.key in ",.;(" and (after is None or after.kind == "sign"):
        return NamedBook(i, end, fitting)
    return None


def _number_after(tokens: Sequence[Token], end: int, grades: set[int]) -> tuple[int | None, int]:
    number = read_numeral(tokens, end)
    if number is None or number.word or number.value not in grades or number.key != str(number.value):
        return None, end
    if is_counted(tokens, number.end) or is_noun_after_few(tokens, number.end):
        return None, end
    return number.value, number.end


def _grades(books: Mapping[str, Book], ids: Iterable[str]) -> set[int]:
    return {grade for book_id in ids for grade in books[book_id].grades}


def _match(
    tokens: Sequence[Token], i: int, phrases: Mapping[Phrase, frozenset[str]], taken: set[int]
) -> tuple[int, frozenset[str]]:
    """Longest phrase that starts at `i`: (index after it, its books). The start of a phrase will do:
    «история» for
    «история России»."""
    best_end, best = i, frozenset[str]()
    first = _lemma(tokens[i].key)
    for phrase, ids in phrases.items():
        if not _same(first, tokens[i].key, phrase[0]):
            continue
        length = 1
        while (
            length < len(phrase)
            and i + length < len(tokens)
            and i + length not in taken
            and _lemma(tokens[i + length].key) == phrase[length]
        ):
            length += 1
        if i + length > best_end:
            best_end, best = i + length, ids
        elif i + length == best_end:
            best |= ids
    return best_end, best


def _same(lemma: str, key: str, wanted: str) -> bool:
    if lemma == wanted or key in _NICKNAMES.get(wanted, ()) or lemma in _NICKNAMES.get(wanted, ()):
        return True
    if len(key) < 8 or len(wanted) < 8 or is_dictionary_word(key):
        return False
    return OSA.distance(key[: len(wanted) - 1], wanted[:-1], score_cutoff=2) <= 2


def _lemma(key: str) -> str:
    found = lemmas(key)
    return found[0] if found else key


def _phrases(books: Mapping[str, Book]) -> dict[Phrase, frozenset[str]]:
    found: dict[Phrase, frozenset[str]] = {}
    for book_id, book in books.items():
        for phrase in {*_phrase(book.subject), *_phrase(book.title), *_phrase(book_id.replace("_", " "))}:
            found[phrase] = found.get(phrase, frozenset()) | {book_id}
    return found


@lru_cache(maxsize=1024)
def _phrase(name: str) -> tuple[Phrase, ...]:
    """Lemmas of a name without its numbers: («история», «россия»)."""
    words = tuple(word for word in lemmas(name) if word.isalpha() and word != "класс")
    return (words,) if words else ()
