"""Questions of public sets asked under many conditions: the answer is there, or was taken out."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass, replace

from answer.corpus import Corpus
from answer.evidence import UNDECIDED
from answer.search import Finder
from evaluation.reading_sets import Article, Passage, Remembering, YesNo, make_book
from index.embedder import Embedder
from index.library import Library
from index.search import Filter
from index.sentences import split_sentences

ANSWERABLE = frozenset({"whole", "alone", "small", "section", "reading", "sample", "note"})
GROUP = 6
"""Passages of the reading book that make a §."""
READING = 80
"""Yes/no questions whose passages are in the reading book; others stand in no book."""
ABSENT = 150
"""Of the others, how many are asked."""
MIN_TRACE = 4
"""A shorter answer («24») stands in other paragraphs by chance."""

_EVERYWHERE = Filter()


@dataclass(frozen=True, slots=True)
class Case:
    """One question under one condition."""

    kind: str
    """Those of ANSWERABLE have their answer in the books; the others do not."""
    form: str
    """`written`; `typed` as pupils do: lower case, no question mark; `misspelt` by one letter."""
    group: int
    """Cases of one group must stand on one side of a fold."""
    passage: str
    """Cases of one passage are no independent observations."""
    signals: tuple[float, ...]

    @property
    def answerable(self) -> bool:
        return self.kind in ANSWERABLE


def cases(articles: Sequence[Article], yes_no: Sequence[YesNo], embedder: Embedder) -> Iterator[Case]:
    """Every question under every condition; the same ones whenever called. At least three articles."""
    if len(articles) < 3:
        raise ValueError("a question is asked of books without its article: at least three are needed")
    asker = _Asker(articles, yes_no, embedder)
    for i in range(len(articles)):
        yield from asker.article(i)
    yield from asker.reading()


class _Asker:
    """The books of the conditions, and the questions put to them."""

    def __init__(self, articles: Sequence[Article], yes_no: Sequence[YesNo], embedder: Embedder) -> None:
        self._articles = articles
        self._reading, self._absent = yes_no[:READING], yes_no[READING : READING + ABSENT]
        self._embedder = Remembering(embedder)
        self._random = random.Random(0)
        self._reader = self._reading_book(frozenset())

    def article(self, i: int) -> Iterator[Case]:
        """Questions of one article: it is a § of a book that also has the others, or one of them."""
        articles, article = self._articles, self._articles[i]
        others = [other for other in articles if other is not article]
        neighbour, next_one = articles[(i + 1) % len(articles)], articles[(i + 2) % len(articles)]
        own, other = frozenset({str(i + 1)}), frozenset({str((i + 1) % len(articles) + 1)})
        alone = self._corpus(articles)
        there = [
            ("whole", self._corpus(articles, self._reader), None),
            ("alone", alone, None),
            ("small", self._corpus([article, neighbour]), None),
            ("section", alone, own),
        ]
        gone = [
            ("far", self._corpus(others, self._reader), None),
            ("far_alone", self._corpus(others), None),
            ("far_small", self._corpus([neighbour, next_one]), None),
            ("other_section", alone, other),
        ]
        for place, passage in enumerate(article.passages):
            rest = self._with(i, [p for p in article.passages if p is not passage])
            near = self._corpus(rest)
            siblings = frozenset(f"{i + 1}.{n + 1}" for n in range(len(article.passages)) if n != place)
            left = [
                ("near", self._corpus(rest, self._reader), None),
                ("near_alone", near, None),
                ("near_small", self._corpus([rest[i], neighbour]), None),
                ("near_section", near, own),
                ("sibling", alone, siblings),
            ]
            for asked in passage.questions:
                forms = [("written", asked.text), ("typed", typed(asked.text))]
                if self._random.random() < 0.5:
                    forms.append(("misspelt", _misspelt(asked.text, self._random)))
                cut = self._cut(i, passage, asked.answers)
                for form, text in forms:
                    name = f"{i}.{place}"
                    for kind, corpus, keys in [*there, *gone, *left]:
                        yield self._case(kind, form, i, name, text, corpus, keys)
                    for kind, corpus, keys in cut if form != "misspelt" else []:
                        yield self._case(kind, form, i, name, text, corpus, keys)

    def reading(self) -> Iterator[Case]:
        """Yes/no questions: with their passages, without them, and with passages that never were there."""
        whole = self._corpus(self._articles, self._reader) if self._reading else None
        groups = max(1, len(self._articles))
        for n, question in enumerate(self._reading):
            without = self._corpus(self._articles, self._reading_book(frozenset(question.passages)))
            for form, text in (("written", question.text), ("typed", typed(question.text))):
                if whole is not None:
                    yield self._case("reading", form, n % groups, f"r{n}", text, whole, None)
                yield self._case("reading_far", form, n % groups, f"r{n}", text, without, None)
        for n, question in enumerate(self._absent):
            if whole is not None:
                yield self._case("reading_absent", "written", n % groups, f"a{n}", question.text, whole, None)

    def _cut(
        self, i: int, passage: Passage, answers: Sequence[str]
    ) -> list[tuple[str, Corpus, frozenset[str] | None]]:
        """The passage stays, without the sentences that hold the answer."""
        kept = without(passage, answers)
        if kept is None:
            return []
        long = [answer for answer in answers if len(answer) >= MIN_TRACE]
        passages = [kept if p is passage else without(p, long) or p for p in self._articles[i].passages]
        articles = self._with(i, passages)
        alone = self._corpus(articles)
        return [
            ("cut", self._corpus(articles, self._reader), None),
            ("cut_alone", alone, None),
            ("cut_section", alone, frozenset({str(i + 1)})),
        ]

    def _with(self, i: int, passages: Sequence[Passage]) -> list[Article]:
        changed = replace(self._articles[i], passages=tuple(passages))
        return [*self._articles[:i], changed, *self._articles[i + 1 :]]

    def _reading_book(self, without: frozenset[str]) -> list[Article]:
        texts = dict.fromkeys(text for question in self._reading for text in question.passages)
        kept = [Passage(text, ()) for text in texts if text not in without]
        return [
            Article(f"Чтение {at // GROUP + 1}", tuple(kept[at : at + GROUP]))
            for at in range(0, len(kept), GROUP)
        ]

    def _corpus(self, articles: Sequence[Article], reader: Sequence[Article] = ()) -> Corpus:
        parts = [make_book("book", articles, self._embedder)]
        if reader:
            parts.append(make_book("reader", reader, self._embedder))
        return Corpus(Library.from_parts(parts, self._embedder))

    def _case(
        self,
        kind: str,
        form: str,
        group: int,
        passage: str,
        text: str,
        corpus: Corpus,
        keys: frozenset[str] | None,
    ) -> Case:
        signals = Finder(text, corpus, UNDECIDED).signals(Filter(paragraphs=keys) if keys else _EVERYWHERE)
        if signals is None:
            raise ValueError(f"nothing is found for {text!r} under {kind}")
        return Case(kind, form, group, passage, astuple(signals))


def typed(text: str) -> str:
    """A question as pupils type it."""
    return text.lower().rstrip("? ")


def _misspelt(text: str, chance: random.Random) -> str:
    """One letter of a longer word swapped with the next, left out, or another vowel."""
    words = list(re.finditer(r"[А-Яа-яё]{6,}", text))
    if not words:
        return text
    word = chance.choice(words)
    letters = list(word.group())
    at = chance.randrange(1, len(letters) - 2)
    fault = chance.randrange(3)
    if fault == 0:
        letters[at], letters[at + 1] = letters[at + 1], letters[at]
    elif fault == 1:
        del letters[at]
    else:
        letters[at] = chance.choice("аоиеу")
    return text[: word.start()] + "".join(letters) + text[word.end() :]


def without(passage: Passage, answers: Sequence[str]) -> Passage | None:
    """The passage without the sentences that hold an answer; None where fewer than two or none would go."""
    spans = split_sentences(passage.text)
    kept = [
        passage.text[a:b]
        for a, b in spans
        if not any(answer.lower() in passage.text[a:b].lower() for answer in answers)
    ]
    return Passage(" ".join(kept), ()) if 2 <= len(kept) < len(spans) else None
