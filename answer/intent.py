"""What kind of answer the rest of a message asks for, once the words of scope are taken out of it.

A request about a section («ответы на вопросы», «о чём», «оглавление») is recognised only when *every*
remaining word belongs to the way such requests are put and at least one of them is its mark. One word from
outside («о чём договор?», «какие вопросы решает парламент?») makes it a question. So a rare wording is
taken for a question, never a question for a request.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from answer.query import Intent
from answer.speech import (
    CONTENTS,
    SECTION_QUESTIONS,
    SELF,
    SMALLTALK,
    STRONG_SUMMARY,
    STUB,
    SUMMARY,
    TAUGHT,
    WHOLE,
)
from answer.tokens import clean, tokenize
from index.lemmas import lemmas


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the message says besides the words whose intent is asked."""

    section: bool = False
    """A § is named or meant."""
    tasks: bool = False
    """Numbers of questions or tasks are named."""
    pages: bool = False
    graded: bool = False
    subjects: frozenset[str] = frozenset()
    """Lemmas of the loaded subjects; in a request for the contents they say nothing."""
    titles: tuple[frozenset[str], ...] = ()
    """Lemmas of the titles of the §§ named; pupils copy them from the diary («§ 7 «Рынок»»)."""

    @property
    def nowhere(self) -> bool:
        """Nothing says where in the book."""
        return not (self.section or self.tasks or self.pages)


def intent_of(words: Sequence[str], around: Surroundings) -> Intent:
    """Intent of the words that remain of a message (keys, in their order)."""
    if not words:
        if around.tasks:
            return "section_questions"
        return "summary" if around.section or around.pages else "question"
    if SECTION_QUESTIONS.covers(words) or (around.tasks and SECTION_QUESTIONS.allows(words)):
        return "section_questions"
    if around.section or around.pages:
        if SUMMARY.allows(words):
            return "summary"
        return _beside_title(words, around)
    if SUMMARY.covers(words) and _unmistakable_summary(words):
        return "summary"
    if around.nowhere and _is_contents(words, around):
        return "contents"
    return "smalltalk" if around.nowhere and SMALLTALK.covers(words) else "question"


def _beside_title(words: Sequence[str], around: Surroundings) -> Intent:
    """«§ 7 «Рынок»», «конспект § 7 Рынок»: the whole title beside its § asks for nothing by itself."""
    lemma_of = {word: _lemma(word) for word in words}
    for title in around.titles:
        if not title or not title <= set(lemma_of.values()):
            continue
        rest = [word for word in words if lemma_of[word] not in title]
        if not rest or (SUMMARY.allows(rest) and STRONG_SUMMARY & set(rest)):
            return "summary"
        if SECTION_QUESTIONS.covers(rest):
            return "section_questions"
    return "question"


def _unmistakable_summary(words: Sequence[str]) -> bool:
    """Without any § only «перескажи», «конспект параграфа» and the like count, and none of a whole book."""
    if any(word.startswith(("учебник", "книг")) for word in words):
        return False
    about_paragraph = {"чем", "что"} & set(words) and any(word.startswith("параграф") for word in words)
    return bool(about_paragraph or STRONG_SUMMARY & set(words))


def _is_contents(words: Sequence[str], around: Surroundings) -> bool:
    plain = [word for word in words if _lemma(word) not in around.subjects]
    if (
        around.graded
        and CONTENTS.allows(plain)
        and TAUGHT & set(plain)
        and "что" in plain + ["что"] * ("чему" in plain)
    ):
        return True
    if not plain or not CONTENTS.covers(plain):
        return False
    if len(plain) < len(words):
        # «книга по истории» asks for it no more than «что такое история».
        return any(
            word.startswith(("оглавл", "парагр", "тем", "учебник", "содерж", "глав")) for word in plain
        )
    # «каково содержание», «какое содержание» lack their object.
    return not ({"какое", "какая"} & set(plain) and {"содержание"} & set(plain))


def _lemma(word: str) -> str:
    found = lemmas(word)
    return found[0] if found else word


def is_stub(words: Sequence[str]) -> bool:
    """Whether nothing is left of a question but its question words («что такое»)."""
    return bool(words) and all(word in STUB for word in words)


def is_about_self(words: Sequence[str]) -> bool:
    """Whether the rest only introduces the grade («я учусь в», «у нас»)."""
    return all(word in SELF for word in words)


def asks_for_whole(message: str) -> bool:
    """Whether a request about a § wants its text itself («спиши § 6 полностью»)."""
    return any(token.key in WHOLE for token in tokenize(clean(message)))
