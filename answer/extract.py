"""Which sentences of the found chunks are the answer. Everything returned is a literal span of a chunk."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from answer.citations import Span, merge
from answer.comparison import sides
from answer.completing import LIST_LIMIT, complete, span_of
from answer.corpus import Corpus
from answer.forms import asks_for_list, asks_for_number, definition_request
from answer.listing import lists, spread
from answer.scoring import Scored, alike
from answer.sought import asks_for_example, sought
from answer.table_rows import asked_rows
from answer.terms import Terms

SECOND_GAP = 0.06
"""A second sentence is added when its score is within this of the best one's."""
ROOM = 350
"""A sequel is added while the quotes are at most so many characters together."""
NEARLY = 0.1
"""A sentence that holds what is asked for comes first when its score is within this of the best one's."""
AHEAD = 3
"""Sentences behind the best one in which the asked name, number or reason is looked for."""
OTHERS = 20
"""Candidates among which a sentence is looked for that holds the asked number."""
SPOKEN = 0.6
"""idf-weighted share of the question that such a sentence, with the titles above it, speaks of."""
DETAIL = 900
"""Characters quoted around the answer where more was asked for."""

_TAKES_UP = re.compile(
    r"(?:он[аои]?|его|е[её]|их|ему|ей|им|это[тйм]?|эт[аиуо]\w*|так(?:ой|ая|ое|ие|им|ую)|поэтому|при этом|"
    r"например|так,|к н(?:ей|ему|им)|среди них|из них|перв(?:ый|ая|ое|ые)|сюда|"
    r"в н(?:ей|ём|ем|их)|у н(?:его|её|их)|по его|по их|по мнению|яркий пример|причин)\b",
    re.IGNORECASE,
)


def preferred(question: str, candidates: Sequence[Scored]) -> list[Scored]:
    """The candidates, led by the first that holds what is asked for where the likeliest one holds none.

    The nearest sentence to «кто ввёл понятие…» is the one that defines it; who introduced it stands beside.
    Only sentences that are nearly as near come first.
    """
    holds = lists(question) if asks_for_list(question) else sought(question)
    if holds is None or not candidates or definition_request(question) or holds(candidates[0].text):
        return list(candidates)
    least = candidates[0].score - NEARLY
    first = next((other for other in candidates if other.score >= least and holds(other.text)), candidates[0])
    return [first, *(other for other in candidates if other is not first)]


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
    spans = _completed(best, question, whole_list, corpus)
    second = next((other for other in candidates[1:] if not alike(other.text, best.text)), None)
    chosen = [best]
    if second is not None and best.score - second.score <= SECOND_GAP:
        chosen.append(second)
        spans += _rows(second, question, whole_list, corpus) or _completed(
            second, question, whole_list, corpus
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


def _completed(one: Scored, question: str, whole_list: bool, corpus: Corpus) -> list[Span]:
    """The sentence with what belongs to it; a general one, with the sentences behind it that name a list."""
    chunk, spans = one.hit.chunk, complete(one.hit.chunk, one.position, whole_list, corpus)
    if whole_list and len(spans) == 1 and not lists(question)(one.text):
        return spread(chunk, one.position, question, corpus) or spans
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
    return merge(span_of(chunk, sentence) for sentence in sentences[first : last + 1])


def _sequel(best: Scored, room: int, whole_list: bool, corpus: Corpus) -> list[Span]:
    """The sentence behind the best one, if it takes up its subject and fits, or leads into the asked list."""
    chunk, after = best.hit.chunk, best.position + 1
    for sentence in corpus.sentences(chunk)[after : after + 1]:
        if "\n" in chunk.text[best.sentence.end : sentence.start]:
            break
        leads = chunk.text[: sentence.end].endswith(":")
        if not (_TAKES_UP.match(chunk.text, sentence.start) or (whole_list and leads)):
            break
        spans = complete(chunk, after, whole_list, corpus) if leads else [span_of(chunk, sentence)]
        if (whole_list and leads) or sum(len(span.text) for span in spans) <= room:
            return spans
    return []


def _supply(best: Scored, holds: Callable[[str], bool], corpus: Corpus) -> list[Span]:
    """The sentences behind the best one up to the first that holds what is asked for, else the one before it.

    «Переход в другой слой называют мобильностью. Этот термин ввёл Сорокин»: the topic is named first, and the
    person, the year or the reason only then.
    """
    chunk = best.hit.chunk
    spans: list[Span] = []
    for sentence in corpus.sentences(chunk)[best.position + 1 : best.position + 1 + AHEAD]:
        spans.append(span_of(chunk, sentence))
        if holds(spans[-1].text):
            return spans
    for sentence in corpus.sentences(chunk)[max(0, best.position - 1) : best.position]:
        if holds(chunk.text[sentence.start : sentence.end]):
            return [span_of(chunk, sentence)]
    return []
