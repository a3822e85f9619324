"""Which sentences of the found chunks are the answer. Everything returned is a literal span of a chunk."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from answer.citations import Span, merge
from answer.comparison import sides
from answer.corpus import Corpus
from answer.forms import asks_for_list, asks_for_number
from answer.sought import asks_for_example, sought
from answer.table_rows import asked_rows, head
from answer.terms import Terms
from index.chunk import Chunk, Hit, Sentence
from index.embedder import Vectors
from index.lemmas import lemmas

# Chosen by looking at all 12 articles of xquad_ru_dev.json, so what they reach there (gold span quoted in
# 0.91 of the cases at 270 characters) is no held-out figure.
COVERAGE_WEIGHT = 0.15
"""What covering all topical lemmas of the question is worth in cosine."""
CHUNK_WEIGHT = 0.3
"""How much of a chunk's lag behind the best chunk its sentences carry."""
SAME = 0.8
"""Sentences that share more of their lemmas say the same."""
SECOND_GAP = 0.06
"""A second sentence is added when its score is within this of the best one's."""
LIST_LIMIT = 900
"""Characters of an enumeration that are quoted at most."""
ROOM = 350
"""A sequel is added while the quotes are at most so many characters together."""
AHEAD = 3
"""Sentences behind the best one in which the asked name, number or reason is looked for."""
OTHERS = 20
"""Candidates among which a sentence is looked for that holds the asked number."""
SPOKEN = 0.6
"""idf-weighted share of the question that such a sentence, with the titles above it, speaks of."""
DETAIL = 900
"""Characters quoted around the answer where more was asked for."""
TITLE_LIMIT = 120
"""A longer line without a full stop is no title."""
SHORT_LIST = 400
"""An enumeration of at most so many characters is quoted whole even where one item was asked for."""

_POINTING = re.compile(
    r"(?:он[аои]?|его|е[её]|их|ему|ей|им|это[тйм]?|эт[аиу]|так(?:ой|ая|ое|ие|им|ую)|тако[вг]о?|поэтому|потому|"
    r"однако|кроме того|при этом|тем самым|так|тогда|также|следовательно|значит|здесь|там|тот|та|те|"
    r"последн(?:ий|яя|ее|ие)|друг(?:ой|ая|ое|ие)|второй|вторая|второе|третий|третья|третье|например|"
    r"в то же время|с другой стороны|наоборот|напротив|зато|но|а|и)\b",
    re.IGNORECASE,
)
_TAKES_UP = re.compile(
    r"(?:он[аои]?|его|е[её]|их|ему|ей|им|это[тйм]?|эт[аиуо]\w*|так(?:ой|ая|ое|ие|им|ую)|поэтому|при этом|"
    r"например|так,|к н(?:ей|ему|им)|среди них|из них|перв(?:ый|ая|ое|ые)|сюда|"
    r"в н(?:ей|ём|ем|их)|у н(?:его|её|их)|по его|по их|по мнению|яркий пример|причин)\b",
    re.IGNORECASE,
)
_TASK = re.compile(
    r"\W*(?:\d{1,2}[.)]\s*)?(?:назовите|перечислите|объясните|охарактеризуйте|приведите|сравните|докажите|"
    r"опишите|раскройте|подумайте|вспомните|используя|сформулируйте|дайте\s+определение|укажите|определите)\b",
    re.IGNORECASE,
)
_ITEM = re.compile(r"\s*(?:[•●▪◦·*–—-]\s|\(?\d{1,2}[.)]\s|\(?[а-я]\)\s)")
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


@dataclass(frozen=True, slots=True)
class Scored:
    """A sentence as a candidate; greater is better."""

    hit: Hit
    sentence: Sentence
    position: int
    """Place among the sentences of the chunk."""
    score: float

    @property
    def text(self) -> str:
        return self.hit.chunk.text[self.sentence.start : self.sentence.end]

    @property
    def span(self) -> Span:
        return Span(self.hit.chunk, self.sentence.start, self.sentence.end)


def extract(question: str, candidates: Sequence[Scored], corpus: Corpus) -> list[Span]:
    """Spans that answer the question, in reading order; empty only without candidates (`score`, best first).

    The one or two sentences nearest to the question, completed so that each can be read alone: a list is
    quoted with its lead-in, a sentence that begins by pointing back with the one before it. Where there is
    room, the sentence that goes on about the best one follows it.
    """
    if not candidates:
        return []
    best = candidates[0]
    whole_list = asks_for_list(question)
    if rows := _rows(best, question, whole_list, corpus):
        return rows
    spans = complete(best.hit.chunk, best.position, whole_list, corpus)
    second = next((other for other in candidates[1:] if not alike(other.text, best.text)), None)
    chosen = [best]
    if second is not None and best.score - second.score <= SECOND_GAP:
        chosen.append(second)
        spans += _rows(second, question, whole_list, corpus) or complete(
            second.hit.chunk, second.position, whole_list, corpus
        )
    spans = merge(spans)
    room = ROOM - sum(len(span.text) for span in spans)
    spans = merge([*spans, *_sequel(best, room, whole_list, corpus)])
    spans = merge([*spans, *_each_side(question, spans, candidates, corpus)])
    holds = sought(question)
    if holds is not None and not any(holds(span.text) for span in spans):
        supplied = next(filter(None, (_supply(one, holds, corpus) for one in chosen)), [])
        if not supplied and asks_for_example(question):
            supplied = _supply(best, lambda _: True, corpus)  # what follows a general statement mostly is one
        if not supplied and asks_for_number(question):
            supplied = _elsewhere(candidates, question, holds, corpus)
        spans = merge([*spans, *supplied])
    return spans


def _each_side(
    question: str, spans: Sequence[Span], candidates: Sequence[Scored], corpus: Corpus
) -> list[Span]:
    """For a comparison, the likeliest sentence of each side that no quoted sentence tells of by itself."""
    compared = sides(question)
    if compared is None:
        return []
    added: list[Span] = []
    for own, others in (compared, compared[::-1]):
        quoted = [
            corpus.sentence_lemmas(span.chunk)[place]
            for span in spans
            for place, sentence in enumerate(corpus.sentences(span.chunk))
            if span.start <= sentence.start < span.end
        ]
        # What both sides share («демократия») may stand in either name; the rarest word tells a side.
        telling = max(own, key=lambda lemma: (corpus.library.idf(lemma), lemma))
        if any(telling in known and others.isdisjoint(known) for known in quoted):
            continue
        for other in candidates[:OTHERS]:
            known = corpus.sentence_lemmas(other.hit.chunk)[other.position]
            if telling in known and others.isdisjoint(known):
                added += complete(other.hit.chunk, other.position, False, corpus)
                break
    return added


def _elsewhere(
    candidates: Sequence[Scored], question: str, holds: Callable[[str], bool], corpus: Corpus
) -> list[Span]:
    """The likeliest other sentence that holds what is asked and speaks of most of the question."""
    wanted = Terms.of(question).lemmas
    for other in candidates[:OTHERS]:
        chunk = other.hit.chunk
        told = corpus.sentence_lemmas(chunk)[other.position] | corpus.title_lemmas(chunk)
        if holds(other.text) and corpus.coverage(wanted, told) >= SPOKEN:
            return complete(chunk, other.position, False, corpus)
    return []


def _rows(best: Scored, question: str, whole_list: bool, corpus: Corpus) -> list[Span]:
    """What is quoted where a row of a table answers best."""
    chunk = best.hit.chunk
    spans = asked_rows(chunk, corpus.sentences(chunk), Terms.of(question).lemmas, whole_list)
    limited: list[Span] = []
    for span in spans:
        if limited and sum(len(other.text) for other in limited) + len(span.text) > LIST_LIMIT:
            break
        limited.append(span)
    return merge(limited)


def around(best: Span, corpus: Corpus) -> list[Span]:
    """The sentence with those behind it and then those before it in its chunk, while they fit DETAIL."""
    chunk = best.chunk
    if chunk.kind != "text":
        return [best]
    sentences = corpus.sentences(chunk)
    inside = [i for i, s in enumerate(sentences) if s.start < best.end and best.start < s.end]
    first, last = (inside[0], inside[-1]) if inside else (0, 0)

    def length(left: int, right: int) -> int:
        return sentences[right].end - sentences[left].start

    while last + 1 < len(sentences) and length(first, last + 1) <= DETAIL:
        last += 1
    while first and length(first - 1, last) <= DETAIL:
        first -= 1
    return merge(_span(chunk, sentence) for sentence in sentences[first : last + 1])


def score(terms: Terms, vector: Vectors, hits: Sequence[Hit], corpus: Corpus) -> list[Scored]:
    """Sentences of the hits, best first: cosine, coverage of the question's lemmas, strength of the chunk.

    A question of the book itself («Что же такое общество?») or a title in the text is never an answer; the
    sentence behind it takes over its nearness.
    """
    scored: list[Scored] = []
    strongest = max((hit.dense + hit.sentence for hit in hits), default=0.0)
    for hit in hits:
        lag = CHUNK_WEIGHT * (hit.dense + hit.sentence - strongest)
        handed_on = float("-inf")
        known = corpus.sentence_lemmas(hit.chunk)
        first_row = head(hit.chunk, corpus.sentences(hit.chunk))
        for position, (sentence, cosine) in enumerate(corpus.library.sentence_scores(hit.chunk, vector)):
            worth = float(cosine) + COVERAGE_WEIGHT * corpus.coverage(terms.lemmas, known[position]) + lag
            candidate = Scored(hit, sentence, position, max(worth, handed_on))
            if _says_nothing(candidate) or (first_row is not None and position <= first_row):
                # A caption or the names of columns lead to the rows.
                handed_on = worth
                continue
            scored.append(candidate)
            handed_on = float("-inf")
    scored.sort(key=lambda candidate: -candidate.score)
    return scored


def alike(one: str, other: str) -> bool:
    """Whether two sentences say the same, as the text and the glossary of a § do."""
    mine, theirs = set(lemmas(one)), set(lemmas(other))
    return len(mine & theirs) > SAME * min(len(mine), len(theirs))


def _says_nothing(candidate: Scored) -> bool:
    """A question or a task of the book, or a title in the text: a line that is no sentence, item or row."""
    text, chunk = candidate.text, candidate.hit.chunk
    if text.rstrip('»" ').endswith("?") or _TASK.match(text):
        return True
    line = not chunk.text[: candidate.sentence.start].rpartition("\n")[2].strip()
    ends_line = not chunk.text[candidate.sentence.end :].partition("\n")[0].strip()
    return (
        chunk.kind != "table"
        and line
        and ends_line
        and not text.rstrip('»") ').endswith((".", "!", "…", ":", ";", ","))
        and len(text) < TITLE_LIMIT
        and not _ITEM.match(text)
        and not re.search(r"\s[—–]\s", text)
    )


def _sequel(best: Scored, room: int, whole_list: bool, corpus: Corpus) -> list[Span]:
    """The sentence behind the best one, if it takes up its subject and fits, or leads into the asked list."""
    chunk, after = best.hit.chunk, best.position + 1
    for sentence in corpus.sentences(chunk)[after : after + 1]:
        if "\n" in chunk.text[best.sentence.end : sentence.start]:
            break
        leads = chunk.text[: sentence.end].endswith(":")
        if not (_TAKES_UP.match(chunk.text, sentence.start) or (whole_list and leads)):
            break
        spans = complete(chunk, after, whole_list, corpus) if leads else [_span(chunk, sentence)]
        if (whole_list and leads) or sum(len(span.text) for span in spans) <= room:
            return spans
    return []


def _supply(best: Scored, holds: Callable[[str], bool], corpus: Corpus) -> list[Span]:
    """The sentences behind the best one up to the first that holds what is asked for; none where none does.

    «Переход в другой слой называют мобильностью. Этот термин ввёл Сорокин»: the topic is named first, and the
    person, the year or the reason only then.
    """
    chunk = best.hit.chunk
    spans: list[Span] = []
    for sentence in corpus.sentences(chunk)[best.position + 1 : best.position + 1 + AHEAD]:
        spans.append(_span(chunk, sentence))
        if holds(spans[-1].text):
            return spans
    return []


def complete(chunk: Chunk, position: int, whole_list: bool, corpus: Corpus) -> list[Span]:
    """The sentence at `position` with what it cannot be understood without."""
    sentences = corpus.sentences(chunk)
    here = sentences[position]
    at = head(chunk, sentences)
    if at is not None:
        shown = sentences[at:] if whole_list or position <= at else [sentences[at], here]
        return _limited(shown, chunk)
    if _is_item(chunk, here):
        lead, items = _list_around(chunk, sentences, position)
        length = sum(item.end - item.start for item in items)
        if whole_list or length <= SHORT_LIST:
            return _limited([*lead, *items], chunk)
        return [_span(chunk, sentence) for sentence in (*lead, here)]
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
        spans.append(_span(chunk, sentence))
    return spans


def _span(chunk: Chunk, sentence: Sentence) -> Span:
    return Span(chunk, sentence.start, sentence.end)
