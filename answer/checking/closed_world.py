"""Takes out of a generated answer every reference that is not on the closed list."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from answer.checking.allowed import AllowedReferences, expand
from answer.checking.contacts import contact_key, find_contacts
from answer.checking.inflection import case_of, to_singular
from answer.checking.references import Reference, find_references
from answer.checking.taking_out import bracket, rewrite
from answer.checking.tidy import GAP, tidy
from index.sentences import split_sentences

_SOURCE_LINE = re.compile(r"\W*(?:источники?|(?:использованная\s+)?литература)\s*[:—–]", re.IGNORECASE)
_TWICE = re.compile(r"(?<![а-яё])([а-яё]{4,})\s+и\s+\1(?![а-яё])", re.IGNORECASE)
# Between two references that hang together: «§ 3 и § 4», «§ 3 на стр. 15», «ст. 5 … и Закон …».
_JOINT = re.compile(
    r"\s*(?:,\s*а\s+также|а\s+также|,|;|/|(?:и|или)?\s*(?:на|в|из|с|со|от)|и|или)?\s*", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Stripped:
    """A text without foreign references."""

    text: str
    removed: Counter[str]
    """How many references went, by kind; «act_number», «act_date», «act_title» for a wrong part of an
    allowed act.
    """


def close_world(text: str, allowed: AllowedReferences) -> Stripped:
    """`text` without references outside `allowed`, still Russian; lists and ranges keep what is allowed.

    A parenthesis falls whole; a reference falls with its connector («согласно…», «как сказано в…»); elsewhere
    a neutral word takes its place. A sentence that held nothing else disappears, and so does one that gives
    an address (a link, a telephone) which no fragment has.
    """
    removed: Counter[str] = Counter()
    for _ in range(3):  # taking one out may join what was apart
        before = text
        text = _once(text, allowed, removed)
        if text == before:
            break
    return Stripped(text, removed)


def _once(text: str, allowed: AllowedReferences, removed: Counter[str]) -> str:
    pieces: list[str] = []
    last = 0
    for start, end in _sentence_spans(text):
        pieces.append(text[last:start])
        pieces.append(_sentence(text[start:end], allowed, removed))
        last = end
    pieces.append(text[last:])
    return re.sub(r"[ \t]{2,}", " ", "".join(pieces)).strip() if removed else text


def _sentence_spans(text: str) -> list[tuple[int, int]]:
    """Sentences, joined where a border would cut a reference («в пар. 45»), an address or a parenthesis."""
    whole = [(r.start, r.end) for r in find_references(text)] + find_contacts(text)
    spans: list[tuple[int, int]] = []
    for start, end in split_sentences(text):
        if spans and (
            any(first < start < last for first, last in whole) or _open(text[spans[-1][0] : spans[-1][1]])
        ):
            spans[-1] = (spans[-1][0], end)
        else:
            spans.append((start, end))
    return spans


def _open(text: str) -> bool:
    return text.count("(") == text.count(")") + 1


def _sentence(sentence: str, allowed: AllowedReferences, removed: Counter[str]) -> str:
    plain = _without_contacts(sentence, allowed, removed)
    references = [_with_author(plain, r, allowed) for r in find_references(plain)]
    kept = [_kept(plain, reference, allowed, removed) for reference in references]
    changed = any(text != plain[r.start : r.end] for r, text in zip(references, kept, strict=True))
    if changed and _SOURCE_LINE.match(plain) and not any(kept):
        return ""
    if changed:
        for first, last in reversed(_runs(plain, references)):
            plain = rewrite(plain, references[first:last], kept[first:last])
    if plain == sentence:
        return sentence
    result = _TWICE.sub(r"\1", tidy(plain))
    words = re.findall(r"[А-Яа-яёЁA-Za-z0-9]{2,}", result)
    return result if len(words) > 1 or (words and "(" in sentence) else ""


def _without_contacts(sentence: str, allowed: AllowedReferences, removed: Counter[str]) -> str:
    """A parenthesis with an address goes; a sentence with one outside of parentheses goes whole."""
    for start, end in reversed(find_contacts(sentence)):
        if contact_key(sentence[start:end]) in allowed.contacts:
            continue
        removed["contact"] += 1
        around = bracket(sentence, start, end)
        if around is None:
            return ""
        sentence = sentence[: around[0]].rstrip() + GAP + sentence[around[1] :]
    return sentence


def _with_author(text: str, reference: Reference, allowed: AllowedReferences) -> Reference:
    """«книге Адама Смита «…»»: a strange author goes with the title."""
    start = reference.start + len(reference.head)
    between = text[start : reference.cut[0]]
    if reference.kind == "title" and re.search("[А-ЯЁ]", between) and not allowed.allows_names(between):
        return replace(reference, cut=(start, reference.cut[1]))
    return reference


def _runs(text: str, references: Sequence[Reference]) -> list[tuple[int, int]]:
    """Ranges of references that hang together."""
    runs: list[tuple[int, int]] = []
    for i, reference in enumerate(references):
        if runs and _JOINT.fullmatch(text[references[i - 1].end : reference.start]):
            runs[-1] = (runs[-1][0], i + 1)
        else:
            runs.append((i, i + 1))
    return runs


# What may stay of one reference


def _kept(text: str, reference: Reference, allowed: AllowedReferences, removed: Counter[str]) -> str | None:
    """The reference as it may stand: unchanged, shortened, or None when all of it goes."""
    raw = text[reference.start : reference.end]
    if reference.numbers:
        return _kept_numbers(text, reference, allowed, removed)
    if reference.kind == "act" and reference.act is not None:
        faults = allowed.act_faults(reference.act)
        if faults is None:
            removed["act"] += 1
            return None
        for part in faults:
            removed[f"act_{part}"] += 1
        for start, end in sorted((reference.act.spans[part] for part in faults), reverse=True):
            raw = raw[: start - reference.start] + raw[end - reference.start :]
        return raw.strip(" ,")
    if reference.kind in ("title", "author"):
        fine = (
            allowed.allows_title(reference.title)
            if reference.kind == "title"
            else allowed.allows_names(reference.title)
        )
        if fine:
            return raw
        removed[reference.kind] += 1
        return None
    removed[reference.kind] += 1
    return None


def _kept_numbers(
    text: str, reference: Reference, allowed: AllowedReferences, removed: Counter[str]
) -> str | None:
    kept: list[tuple[str, str]] = []
    lost = 0
    for number in reference.numbers:
        values = expand(number.low, number.high)
        good = [value for value in values if allowed.allows_number(reference, value)]
        lost += len(values) - len(good)
        if len(good) == len(values):
            kept.append((text[number.start : number.end], number.high))
        else:
            kept.extend((_span_of(run), run[-1]) for run in _consecutive(good))
    if not lost:
        return text[reference.start : reference.end]
    removed[reference.kind] += lost
    if not kept:
        return None
    words = [word for word, _ in kept]
    listed = words[0] if len(words) == 1 else ", ".join(words[:-1]) + " и " + words[-1]
    start, end = reference.numbers_at
    before, after = text[reference.start : start], text[end : reference.end]
    if len(words) == 1 and not re.search(r"[–—-]", words[0]):
        before = before.replace("§§", "§")
        if reference.head:
            case, plural = case_of(reference.head, text[: reference.start])
            if plural:
                single = to_singular(reference.head, case)
                before, after = before.replace(reference.head, single), after.replace(reference.head, single)
    return before + listed + after


def _consecutive(values: Sequence[str]) -> list[list[str]]:
    runs: list[list[str]] = []
    for value in values:
        if runs and value.isdigit() and runs[-1][-1].isdigit() and int(value) == int(runs[-1][-1]) + 1:
            runs[-1].append(value)
        else:
            runs.append([value])
    return runs


def _span_of(run: Sequence[str]) -> str:
    return run[0] if len(run) == 1 else f"{run[0]}–{run[-1]}"
