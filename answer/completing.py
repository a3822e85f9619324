"""A sentence with what it cannot be understood without: the list around it, the sentence before."""

from __future__ import annotations

import re
from collections.abc import Sequence

from answer.citations import Span
from answer.corpus import Corpus
from answer.table_rows import head
from index.chunk import Chunk, Sentence

LIST_LIMIT = 900
"""Characters of an enumeration that are quoted at most."""
SHORT_LIST = 400
"""An enumeration of at most so many characters is quoted whole even where one item was asked for."""

_POINTING = re.compile(
    r"(?:он[аои]?|его|е[её]|их|ему|ей|им|это[тйм]?|эт[аиу]|так(?:ой|ая|ое|ие|им|ую)|тако[вг]о?|поэтому|потому|"
    r"однако|кроме того|при этом|тем самым|так|тогда|также|следовательно|значит|здесь|там|тот|та|те|"
    r"последн(?:ий|яя|ее|ие)|друг(?:ой|ая|ое|ие)|второй|вторая|второе|третий|третья|третье|например|"
    r"в то же время|с другой стороны|наоборот|напротив|зато|но|а|и)\b",
    re.IGNORECASE,
)
_BACK = re.compile(
    r"\W*(?:[\w-]+[\s,]+){0,4}?(?:он[аои]?|его|е[её]|их|ему|ей|им|н(?:его|е[её]|ему|ей|[её]м|их|им)|"
    r"эт(?:от|а|о|и|у|ого|ой|ому|им|их)|так(?:ой|ая|ое|ие|ого|ую|их))\b",
    re.IGNORECASE,
)
ITEM = re.compile(r"\s*(?:[•●▪◦·*–—-]\s|\(?\d{1,2}[.)]\s|\(?[а-я]\)\s)")
# «…сосуществуют три формы культуры.» ends before it has named them.
_ANNOUNCES = re.compile(
    r"\b(?:два|две|двух|оба|обе|три|тр[её]х|четыре|четыр[её]х|пять|пяти|шесть|шести|семь|семи|несколько|нескольких|"
    r"различа[юе]т|выделя[юе]т|следующ(?:ие|их))\b[^,:;()]*\.\s*$",
    re.IGNORECASE,
)
_GOES_ON = re.compile(
    r"(?:во-|в-)?(?:перв|втор|трет|четв[её]рт|пят|шест|седьм|следующ|последн|друг|ещё одн|еще одн|кроме|"
    r"наконец|также|к ним|к числу)\w*",
    re.IGNORECASE,
)


def points_back(chunk: Chunk, sentences: Sequence[Sentence], position: int) -> bool:
    """Whether a sentence speaks of what the one before it names: «Россия присоединилась к ней в 2012 г.»."""
    if not position or is_item(chunk, sentences[position - 1]):
        return False
    between = chunk.text[sentences[position - 1].end : sentences[position].start]
    return "\n" not in between and _BACK.match(chunk.text, sentences[position].start) is not None


def complete(chunk: Chunk, position: int, whole_list: bool, corpus: Corpus) -> list[Span]:
    """The sentence at `position` with what it cannot be understood without."""
    sentences = corpus.sentences(chunk)
    here = sentences[position]
    at = head(chunk, sentences)
    if at is not None:
        shown = sentences[at:] if whole_list or position <= at else [sentences[at], here]
        return _limited(shown, chunk)
    if is_item(chunk, here):
        lead, items = _list_around(chunk, sentences, position)
        length = sum(item.end - item.start for item in items)
        if whole_list or length <= SHORT_LIST:
            return _limited([*lead, *items], chunk)
        return [span_of(chunk, sentence) for sentence in (*lead, here)]
    if chunk.text[here.start : here.end].rstrip().endswith(":"):
        spans = _limited([here, *_items_after(chunk, sentences, position)], chunk)
        following = corpus.following(chunk)
        if len(sentences) == position + len(spans) and following is not None:
            # The list goes on in the next chunk of the same §.
            rest = _items_after(following, corpus.sentences(following), -1)
            spans += _limited(rest, following, LIST_LIMIT - sum(span.end - span.start for span in spans))
        return spans
    chosen = [here]
    if position and _POINTING.match(chunk.text, here.start) and not is_item(chunk, sentences[position - 1]):
        before = sentences[position - 1]
        if not chunk.text[before.end : here.start].count("\n"):
            chosen.insert(0, before)
    elif points_back(chunk, sentences, position):
        chosen.insert(0, sentences[position - 1])
    if whole_list:
        announced = _ANNOUNCES.search(chunk.text, here.start, here.end) is not None
        for sentence in sentences[position + 1 :]:
            same_paragraph = "\n" not in chunk.text[chosen[-1].end : sentence.start]
            if not (_GOES_ON.match(chunk.text, sentence.start) or (announced and same_paragraph)):
                break
            chosen.append(sentence)
    return _limited(chosen, chunk)


def _list_around(
    chunk: Chunk, sentences: Sequence[Sentence], position: int
) -> tuple[list[Sentence], list[Sentence]]:
    """Lead-in (none or one sentence) and all items of the list that the item at `position` belongs to."""
    first = position
    while first and is_item(chunk, sentences[first - 1]):
        first -= 1
    lead = [sentences[first - 1]] if first and chunk.text[: sentences[first - 1].end].endswith(":") else []
    return lead, _items_after(chunk, sentences, first - 1)


def _items_after(chunk: Chunk, sentences: Sequence[Sentence], position: int) -> list[Sentence]:
    items: list[Sentence] = []
    for sentence in sentences[position + 1 :]:
        line_goes_on = bool(items) and "\n" not in chunk.text[items[-1].end : sentence.start]
        if not (is_item(chunk, sentence) or line_goes_on):
            break
        items.append(sentence)
    return items


def is_item(chunk: Chunk, sentence: Sentence) -> bool:
    opens_line = not chunk.text[: sentence.start].rpartition("\n")[2].strip()
    return opens_line and ITEM.match(chunk.text, sentence.start) is not None


def _limited(sentences: Sequence[Sentence], chunk: Chunk, limit: int = LIST_LIMIT) -> list[Span]:
    """As many of the sentences as fit; the first one always."""
    spans: list[Span] = []
    for sentence in sentences:
        limit -= sentence.end - sentence.start
        if spans and limit < 0:
            break
        spans.append(span_of(chunk, sentence))
    return spans


def span_of(chunk: Chunk, sentence: Sentence) -> Span:
    return Span(chunk, sentence.start, sentence.end)
