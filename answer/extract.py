"""Which sentences of the found chunks are the answer. Everything returned is a literal span of a chunk."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from answer.citations import Span, merge
from answer.corpus import Corpus
from answer.forms import asks_for_list
from answer.terms import Terms
from index.chunk import Chunk, Hit, Sentence
from index.embedder import Vectors

# Weights and limits were chosen on half of the articles of xquad_ru_dev.json and read off on the other half:
# one sentence holds the answer's words in 0.80 of the cases, the second one within `SECOND_GAP` adds 0.08.
COVERAGE_WEIGHT = 0.15
"""What covering all topical lemmas of the question is worth in cosine."""
CHUNK_WEIGHT = 0.3
"""How much of a chunk's lag behind the best chunk its sentences carry."""
SECOND_GAP = 0.04
"""A second sentence is added when its score is within this of the best one's."""
LIST_LIMIT = 900
"""Characters of an enumeration that are quoted at most."""
SHORT_LIST = 400
"""An enumeration of at most so many characters is quoted whole even where one item was asked for."""

_POINTING = re.compile(
    r"(?:он[аои]?|его|е[её]|их|ему|ей|им|это[тйм]?|эт[аиу]|так(?:ой|ая|ое|ие|им|ую)|тако[вг]о?|поэтому|потому|однако|"
    r"кроме того|при этом|тем самым|так|тогда|также|следовательно|значит|здесь|там|тот|та|те|последн(?:ий|яя|ее|ие)|"
    r"друг(?:ой|ая|ое|ие)|второй|вторая|второе|третий|третья|третье|например|в то же время|с другой стороны|"
    r"наоборот|напротив|зато|но|а|и)\b",
    re.IGNORECASE,
)
_ITEM = re.compile(r"\s*(?:[•●▪◦·*–—-]\s|\(?\d{1,2}[.)]\s|\(?[а-я]\)\s)")
_GOES_ON = re.compile(
    r"(?:во-|в-)?(?:перв|втор|трет|четв[её]рт|пят|шест|седьм|следующ|последн|друг|ещё одн|еще одн|кроме|наконец|"
    r"также|к ним|к числу)\w*",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Scored:
    """A sentence as a candidate; greater is better."""

    hit: Hit
    position: int
    """Place among the sentences of the chunk."""
    score: float


def extract(question: str, terms: Terms, vector: Vectors, hits: Sequence[Hit], corpus: Corpus) -> list[Span]:
    """Spans that answer the question, in reading order; empty only without hits.

    The one or two sentences nearest to the question, completed so that each can be read alone: a list is quoted
    with its lead-in, a sentence that begins by pointing back with the one before it.
    """
    candidates = score(terms, vector, hits, corpus)
    if not candidates:
        return []
    best = candidates[0]
    chosen = [best, *(second for second in candidates[1:2] if best.score - second.score <= SECOND_GAP)]
    whole_list = asks_for_list(question)
    spans: list[Span] = []
    for candidate in chosen:
        spans.extend(complete(candidate.hit.chunk, candidate.position, whole_list, corpus))
    return merge(spans)


def score(terms: Terms, vector: Vectors, hits: Sequence[Hit], corpus: Corpus) -> list[Scored]:
    """Sentences of the hits, best first: cosine, coverage of the question's lemmas, strength of the chunk.

    A question of the book itself («Что же такое общество?») is never an answer; the sentence behind it takes over
    its nearness.
    """
    scored: list[Scored] = []
    strongest = max((hit.dense + hit.sentence for hit in hits), default=0.0)
    for hit in hits:
        lag = CHUNK_WEIGHT * (hit.dense + hit.sentence - strongest)
        handed_on = float("-inf")
        sentences = corpus.library.sentence_scores(hit.chunk, vector)
        known = corpus.sentence_lemmas(hit.chunk)
        for position, (sentence, cosine) in enumerate(sentences):
            text = hit.chunk.text[sentence.start : sentence.end]
            worth = float(cosine) + COVERAGE_WEIGHT * corpus.coverage(terms.lemmas, known[position]) + lag
            if text.rstrip("»\" ").endswith("?"):
                handed_on = worth
                continue
            if len(text) < 200 and _is_heading(text, hit.chunk):
                continue
            scored.append(Scored(hit, position, max(worth, handed_on)))
            handed_on = float("-inf")
    scored.sort(key=lambda candidate: -candidate.score)
    return scored


def complete(chunk: Chunk, position: int, whole_list: bool, corpus: Corpus) -> list[Span]:
    """The sentence at `position` with what it cannot be understood without."""
    sentences = corpus.sentences(chunk)
    here = sentences[position]
    if _is_item(chunk, here):
        lead, items = _list_around(chunk, sentences, position)
        length = sum(item.end - item.start for item in items)
        if whole_list or length <= SHORT_LIST:
            return _limited([*lead, *items], chunk)
        return [Span(chunk, sentence.start, sentence.end) for sentence in (*lead, here)]
    if chunk.text[here.start : here.end].rstrip().endswith(":"):
        spans = _limited([here, *_items_after(chunk, sentences, position)], chunk)
        following = corpus.following(chunk)
        if len(sentences) == position + len(spans) and following is not None:
            # The list goes on in the next chunk of the same §.
            rest = _items_after(following, corpus.sentences(following), -1)
            spans += _limited(rest, following, LIST_LIMIT - sum(span.end - span.start for span in spans))
        return spans
    chosen = [here]
    if position and _POINTING.match(chunk.text, here.start) and not _is_item(chunk, sentences[position - 1]):
        before = sentences[position - 1]
        if not chunk.text[before.end : here.start].count("\n"):
            chosen.insert(0, before)
    if whole_list:
        for sentence in sentences[position + 1 :]:
            if not _GOES_ON.match(chunk.text, sentence.start):
                break
            chosen.append(sentence)
    return _limited(chosen, chunk)


def _list_around(chunk: Chunk, sentences: Sequence[Sentence], position: int) -> tuple[list[Sentence], list[Sentence]]:
    """Lead-in (none or one sentence) and all items of the list that the item at `position` belongs to."""
    first = position
    while first and _is_item(chunk, sentences[first - 1]):
        first -= 1
    lead = [sentences[first - 1]] if first and chunk.text[: sentences[first - 1].end].endswith(":") else []
    return lead, _items_after(chunk, sentences, first - 1)


def _items_after(chunk: Chunk, sentences: Sequence[Sentence], position: int) -> list[Sentence]:
    items: list[Sentence] = []
    for sentence in sentences[position + 1 :]:
        line_goes_on = bool(items) and "\n" not in chunk.text[items[-1].end : sentence.start]
        if not (_is_item(chunk, sentence) or line_goes_on):
            break
        items.append(sentence)
    return items


def _is_item(chunk: Chunk, sentence: Sentence) -> bool:
    opens_line = not chunk.text[: sentence.start].rpartition("\n")[2].strip()
    return opens_line and _ITEM.match(chunk.text, sentence.start) is not None


def _limited(sentences: Sequence[Sentence], chunk: Chunk, limit: int = LIST_LIMIT) -> list[Span]:
    """As many of the sentences as fit; the first one always."""
    spans: list[Span] = []
    for sentence in sentences:
        limit -= sentence.end - sentence.start
        if spans and limit < 0:
            break
        spans.append(Span(chunk, sentence.start, sentence.end))
    return spans


def _is_heading(text: str, chunk: Chunk) -> bool:
    bare = text.strip(" .").casefold()
    return any(bare == title.strip(" .").casefold() for title in (chunk.heading, chunk.paragraph_title) if title)
