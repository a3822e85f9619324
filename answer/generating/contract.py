"""Is a raw draft the JSON object that was asked for, with a text that may go on to the checks?"""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache

from pydantic import BaseModel, ConfigDict, ValidationError

from answer.checking.drafts import Draft
from answer.checking.neutral import has_template_tokens
from answer.generating.errors import ContractBroken, Fault
from answer.generating.generator import Prompt, RawDraft
from answer.generating.plain import plain
from index.sentences import split_sentences

MAX_ANSWER = 3_000
"""Characters of an answer at most, whatever the schema allowed."""
LATIN_SHARE = 0.3
"""An answer with a greater share of Latin letters that no fragment has is not Russian."""
LATIN_WORDS = 3
"""Fewer Latin words are names and symbols («Newton», «H2O»)."""
REPEATS = 3
"""A sentence said so often is a loop; twice is said once."""
RUN = 12
"""The same character so often in a row is a loop."""
WINDOW = 4
"""Words whose repetition is counted together."""
DISTINCT = 0.5
"""Least share of different word windows in a text that is long enough to tell."""

_FENCED = re.compile(r"\s*```(?:\w+)?\s*\n(?P<body>.*?)\n?\s*```\s*", re.DOTALL)
_THOUGHT = re.compile(r"\s*<think>.*?</think>", re.DOTALL | re.IGNORECASE)
_THINKING = re.compile(r"</?\s*(?:think|thinking|reasoning|scratchpad)\s*>|<\|[^|<>]{1,40}\|>", re.IGNORECASE)
_MARK = re.compile(r"\s*\[\s*(f\d+(?:\s*[,;]\s*f\d+)*)\s*\]", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]+")
_TOKEN = re.compile(r"\w+")
_SENTENCE_END = re.compile(r"[.!?…][»\"”)]*(?:\s*\[[^\]]*\])*$")
_RUSSIAN_LETTER = str.maketrans("ABCEHKMOPTXaceopxyë", "АВСЕНКМОРТХасеорхуё")
_MIXED = re.compile(r"(?=\w*[а-яёА-ЯЁ])(?=\w*[A-Za-z])(?:[а-яёА-ЯЁ]|[ABCEHKMOPTXaceopxyë])+(?!\w)")
_RUSSIAN = frozenset("абвгдеёжзийклмнопрстуфхцчшщъыьэюя")


class _Reply(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    answer: str
    citations: list[str]


def read_draft(raw: RawDraft, prompt: Prompt, texts: Mapping[str, str]) -> Draft:
    """The draft, its text plain. `texts`: fragment id → text, as the student's book has it.

    A code fence or a closed thought around the object is taken off; everything else must be as asked.
    Raises ContractBroken.
    """
    if not raw.complete:
        raise ContractBroken("cut")
    reply = _parse(raw.text)
    citations = tuple(dict.fromkeys(reply.citations))
    if len(reply.answer) > MAX_ANSWER:
        raise ContractBroken("too_long")
    if _THINKING.search(reply.answer) or has_template_tokens(reply.answer):
        raise ContractBroken("thinking")
    answer = _one_script(plain(reply.answer), "\n".join(texts.values()))
    if not _WORD.search(answer) and not any(c.isdigit() for c in answer):
        raise ContractBroken("empty")
    marked = {key.strip().lower() for marks in _MARK.findall(answer) for key in re.split("[,;]", marks)}
    if not citations:
        raise ContractBroken("citations_empty")
    if not (set(citations) | marked) <= set(prompt.ids):
        raise ContractBroken("citations_unknown")
    cited = "\n".join(texts[key] for key in dict.fromkeys((*citations, *sorted(marked))))
    if fault := _language_fault(without_marks(answer), cited):
        raise ContractBroken(fault)
    if len(reply.answer) >= prompt.max_answer:
        answer = _whole_sentences(answer)
    return Draft(_said_once(answer), citations)


def without_marks(text: str) -> str:
    """`text` without «[f1]»."""
    return _MARK.sub("", text).strip()


def readable_start(answer: str, texts: str) -> str:
    """An answer that is still being written, made plain; "" once its letters or its flow are at fault."""
    answer = _one_script(plain(answer), texts)
    faulty = (
        _THINKING.search(answer)
        or has_template_tokens(answer)
        or _language_fault(without_marks(answer), texts)
    )
    return "" if faulty else answer


def _one_script(answer: str, texts: str) -> str:
    """Words of Russian and look-alike Latin letters in Russian ones: they slip past every comparison."""

    def russian(match: re.Match[str]) -> str:
        word = match.group()
        return word if word in texts else word.translate(_RUSSIAN_LETTER)

    return _MIXED.sub(russian, answer)


def _parse(text: str) -> _Reply:
    body = _THOUGHT.sub("", text, count=1) if _THOUGHT.match(text) else text
    if fenced := _FENCED.fullmatch(body):
        body = fenced["body"]
    try:
        parsed = json.loads(body, strict=False)
    except (ValueError, RecursionError) as exc:
        raise ContractBroken("thinking" if _THINKING.search(text) else "not_json") from exc
    try:
        return _Reply.model_validate(parsed)
    except ValidationError as exc:
        raise ContractBroken("not_schema") from exc


def _language_fault(answer: str, cited: str) -> Fault | None:
    """What is wrong with the letters or the flow of `answer`."""
    allowed = set(cited.lower())
    letters = [c for c in answer.lower() if c.isalpha()]
    if any(c not in _RUSSIAN and c not in allowed and not _may_stand(c) for c in letters):
        return "foreign_script"
    known = {word.lower() for word in _WORD.findall(cited)}
    latin = [
        word
        for word in _WORD.findall(answer)
        if word.isascii() and len(word) > 1 and word.lower() not in known
    ]
    share = sum(map(len, latin)) / max(1, len(letters))
    no_russian = len(latin) > 1 and not any(c in _RUSSIAN for c in letters)
    if no_russian or (len(latin) >= LATIN_WORDS and share > LATIN_SHARE):
        return "latin"
    return "repeated" if _loops(answer) else None


@lru_cache(maxsize=2048)
def _may_stand(letter: str) -> bool:
    """Latin and Greek letters name quantities and people; Cyrillic beyond the Russian letters does not."""
    name = unicodedata.name(letter, "")
    return name.startswith(
        ("LATIN ", "GREEK ", "MICRO ", "MATHEMATICAL ", "MODIFIER LETTER ", "FEMININE ", "MASCULINE ")
    )


def _loops(answer: str) -> bool:
    if re.search(rf"(\S)\1{{{RUN - 1},}}", answer):
        return True
    sentences = Counter(_key(answer[start:end]) for start, end in split_sentences(answer))
    if any(count >= REPEATS and len(key) > 1 for key, count in sentences.items()):
        return True
    words = _TOKEN.findall(_said_once(answer).lower())
    windows = [tuple(words[i : i + WINDOW]) for i in range(len(words) - WINDOW + 1)]
    return len(windows) >= 3 * WINDOW and len(set(windows)) < DISTINCT * len(windows)


def _said_once(answer: str) -> str:
    """Without sentences that were said before."""
    spans = split_sentences(answer)
    seen: set[tuple[str, ...]] = set()
    pieces: list[str] = []
    position = 0
    for start, end in spans:
        key = _key(answer[start:end])
        if key and key in seen:
            position = end
            continue
        seen.add(key)
        pieces.append(answer[position:end])
        position = end
    return "".join(pieces).strip()


def _key(sentence: str) -> tuple[str, ...]:
    return tuple(_TOKEN.findall(without_marks(sentence).lower()))


def _whole_sentences(answer: str) -> str:
    """Without the sentence that the length limit cut. Raises ContractBroken where none is left."""
    spans = split_sentences(answer)
    while spans and not _SENTENCE_END.search(answer[: spans[-1][1]]):
        spans.pop()
    if not spans:
        raise ContractBroken("cut")
    return answer[: spans[-1][1]]
