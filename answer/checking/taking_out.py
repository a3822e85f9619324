"""How a reference is taken out of a sentence, so that the rest stays Russian."""

# ruff: noqa: E501 - a table of Russian wordings reads best one case a line

from __future__ import annotations

import re
from collections.abc import Sequence

from answer.checking.inflection import PREPOSITION, case_of, gender_of, put, singular_verb
from answer.checking.people import SAYS
from answer.checking.references import Reference, find_references
from answer.checking.tidy import GAP

_SOURCE_NOUN = r"(?:текст[а-яё]*|материал[а-яё]*|содержани[а-яё]*|положени[а-яё]*|норм[а-яё]*|требовани[а-яё]*|данн[а-яё]*|информаци[а-яё]*|слов[а-яё]*|начал[а-яё]*|конц[а-яё]*)"
_SAID = (
    r"(?:указан|сказан|написан|отмечен|показан|описан|изложен|установлен|предусмотрен|закрепл[её]н|определ[её]н|приведен|дан)(?:о|а|ы)?"
    r"|говорится|отмечается|указывается|утверждается|объясняется|пишется|сообщается|рассказывается|описывается|подч[её]ркивается|устанавливается|гласит|говорит|учит"
)
# A connector that falls with its reference; it ends where the reference begins.
_CONNECTOR = re.compile(
    r"(?P<connector>(?:"
    r"(?:в\s+(?:полном\s+)?соответствии\s+со?|согласно|на\s+основании|на\s+основе|исходя\s+из|со\s+ссылкой\s+на|ссылаясь\s+на|опираясь\s+на|"
    r"руководствуясь|следуя|в\s+силу|вслед\s+за|по\s+данным|по\s+(?:мнению|словам|версии|мысли|утверждению|определению|учебнику)|с\s+точки\s+зрения|по\s+смыслу|в\s+рамках|во\s+исполнение|вопреки)"
    rf"(?:\s+{_SOURCE_NOUN})?"
    rf"|(?:как|что)\s+(?:это\s+)?(?:и\s+)?(?:было\s+)?(?:{_SAID})\s+(?:нам\s+)?(?:в|во|на|из|у)?(?:\s+{_SOURCE_NOUN})?"
    rf"|как\s+(?:и\s+)?(?:верно\s+|справедливо\s+|подробно\s+)?{SAYS}(?:\s+(?:об\s+этом|нам))?"
    rf"|как\s+(?:следует|видно|известно|вытекает|ясно|явствует)\s+из(?:\s+{_SOURCE_NOUN})?"
    r"|(?:подробнее\s+(?:об\s+этом\s+|о\s+н[её]м\s+|о\s+ней\s+)?|об\s+этом\s+)?(?:см\.?|смотри(?:те)?|ср\.|сравни(?:те)?|читай(?:те)?)(?:\s+также)?(?:\s+(?:в|на))?"
    r"|(?:более\s+)?подробн(?:ее|о)\s+(?:об\s+этом\s+|о\s+н[её]м\s+)?(?:(?:говорится|рассказано|сказано|написано|описано)\s+)?(?:—\s+|–\s+)?(?:в|на)"
    r"|об\s+этом\s+(?:подробно\s+)?(?:говорится|рассказано|сказано|написано|рассказывается|пишут)\s+(?:в|на|у)"
    r"|(?:источник(?:и|ом)?|ссылк[аи]|основание|цитата|взято)\s*(?::|—|–|-|из)?"
    r"|(?:предусмотрен|установлен|закрепл[её]н|указан|описан|назван|перечислен|изложен|привед[её]н|гарантирован|определ[её]н|введ[её]н|утвержд[её]н)"
    r"н?(?:ыми|ими|ого|ому|ый|ой|ая|ое|ые|ых|ым|ом|ую)(?:\s+(?:в|на))?"
    r"|по"
    r"))\s*(?P<open>[«\"(]?)$",
    re.IGNORECASE,
)
_NEEDS_START = re.compile(r"(?:^|[.!?…,;:(—–-]\s*)$")
# «В § 45 сказано, что общество…»: lead-in before and after the reference.
_LEAD_BEFORE = re.compile(r"(?:^|(?<=[.!?…]\s))(?:(?:в|во|на|из)\s+)?$", re.IGNORECASE)
_LEAD_AFTER = re.compile(
    rf"\s*(?:(?:ч[её]тко|прямо|подробно|также|нам)\s+)?(?:{_SAID}|{SAYS}|устанавливает|утверждает|указывает|сообщает|провозглашает|"
    r"подч[её]ркивает|рассказывает|объясняет|определяет|закрепляет|напоминает|следует|гласят|сообщают)"
    r"(?:\s+нам)?\s*(?:,\s*что|:|о\s+том,\s*что)\s*",
    re.IGNORECASE,
)
_CONDITIONAL = re.compile(r"(?:если|когда|хотя|поскольку|пока|чтобы|раз|так\s+как)\b[^,]*$", re.IGNORECASE)

_NEUTRAL = {
    "paragraph": ("учебник", "раздел|учебника"), "page": ("книга", "страница|книги"), "chapter": ("книга", "часть|книги"),
    "article": ("норма|закона", "норма|закона"), "act": ("закон", "закон"), "title": ("книга", "книга"),
}  # fmt: skip
_NEUTRAL_ACT = {"masc": "закон", "femn": "правовая норма", "neut": "правило"}
_PLACE_PREPOSITIONS = {"на": "в", "со": "из", "с": "из"}


def rewrite(text: str, references: Sequence[Reference], kept: Sequence[str | None]) -> str:
    """`text` with one run of references rewritten."""
    if any(piece is not None for piece in kept):
        return _shorten(text, references, kept)
    start, end = references[0].start, references[-1].end
    if (around := bracket(text, start, end)) is not None:
        return _from_bracket(text, references, around)
    before, after = text[:start], text[end:]
    if (
        references[0].head
        and references[0].kind in ("title", "author")
        and len(references) == 1
        and not _CONNECTOR.search(before)
    ):
        return _without_name(text, references[0])
    if _LEAD_BEFORE.search(before) and (lead := _LEAD_AFTER.match(after)):
        cut = _LEAD_BEFORE.search(before)
        return before[: cut.start() if cut else start] + GAP + after[lead.end() :]
    if (match := _CONNECTOR.search(before)) and _fits(match, before):
        return _drop(before[: match.start()], after)
    if re.search(r"[—–:;,]\s*$", before) and re.match(r"\s*[.!?…]?\s*$", after) and re.search(r"\w", before):
        return before + GAP + after
    if not re.search(r"\w", before) and re.match(r"\s*[.!?…:—–-]*\s*$", after):
        return ""
    if not re.search(r"\w", before) and (match := re.match(r"\s*[:—–-]\s+(?!это\b)", after)):
        return before + GAP + after[match.end() :]
    return _neutral(text, references)


def _fits(match: re.Match[str], before: str) -> bool:
    """A bare «по» is a connector at the start of a clause only: not in «экзамен по § 45»."""
    lead = before[: match.start()]
    if lead and lead[-1].isalnum():
        return False
    if match["connector"].lower() == "по":
        return bool(_NEEDS_START.search(lead))
    return True


def _drop(before: str, after: str) -> str:
    """Joins what stood before a connector and after its reference; a pair of commas around them goes too."""
    opened = re.search(r",\s*$", before)
    closed = re.match(r"\s*,", after)
    if opened and closed:
        if _CONDITIONAL.search(before[: opened.start()]):
            return before[: opened.start()] + GAP + after[closed.end() - 1 :]
        return before[: opened.start()] + " " + GAP + " " + after[closed.end() :]
    return before + GAP + after


def bracket(text: str, start: int, end: int) -> tuple[int, int] | None:
    """The brackets around `text[start:end]`, with nothing closed in between."""
    for left, right in ("()", "[]"):
        opening = text.rfind(left, 0, start)
        if opening >= 0 and right not in text[opening:start]:
            closing = text.find(right, end)
            if closing >= 0 and left not in text[end:closing]:
                return opening, closing + 1
    return None


def _from_bracket(text: str, references: Sequence[Reference], around: tuple[int, int]) -> str:
    """A parenthesis goes whole, unless it holds another reference, which then is an allowed one."""
    opening, closing = around
    start, end = references[0].start, references[-1].end
    others = [
        r for r in find_references(text[opening:closing]) if not start - opening <= r.start < end - opening
    ]
    if not others:
        return text[:opening].rstrip() + GAP + text[closing:]
    if match := re.search(r"\s*(?:,|;|и)?\s*(?:(?:в|на|из|см\.)\s+)?$", text[opening + 1 : start]):
        start = opening + 1 + match.start()
    if start == opening + 1 and (match := re.match(r"\s*(?:,|;|и)\s*", text[end:])):
        end += match.end()
    return text[:start] + text[end:]


def _without_name(text: str, reference: Reference) -> str:
    """Leaves the noun («в книге»), takes the name out."""
    start, end = reference.cut
    before = text[:start].rstrip()
    if reference.kind == "author":
        return before + GAP.join(("", "")) + (" " if text[end : end + 1].isalnum() else "") + text[end:]
    return before + text[end:]


def _shorten(text: str, references: Sequence[Reference], kept: Sequence[str | None]) -> str:
    """Some references of the run stay; the words between them are kept where both neighbours are."""
    start, end = references[0].start, references[-1].end
    before = text[:start]
    out = ""
    missing = False
    for i, piece in enumerate(kept):
        gap = text[references[i - 1].end : references[i].start] if i else ""
        if piece is None:
            missing = True
            continue
        if not out:
            preposition = re.search(r"(?:в|на|из|с|со|от)\s*$", gap, re.IGNORECASE)
            if i and preposition and (own := PREPOSITION.search(before)):
                before = before[: own.start()] + _like(own["word"], preposition.group().strip()) + " "
            out = piece
        elif missing and i + 1 == len(kept) and not re.search(r"[а-яё]", gap):
            out += " и " + piece
        else:
            out += gap + piece
    whole = before + out
    after = text[end:]
    plural_before = sum(max(1, len(r.numbers)) for r in references) > 1
    single_now = sum(1 for piece in kept if piece is not None) == 1 and not re.search(
        r"[,и–—]\s*\d|\d\s*[–—]", out
    )
    if plural_before and single_now and not PREPOSITION.search(before):
        after = _singular_after(after, references[0])
        whole = _singular_before(before, references[0]) + out
    return whole + after


def _singular_before(before: str, reference: Reference) -> str:
    """«О труде рассказывают» before what now is one."""
    match = re.search(r"([а-яё]+)(\s+)$", before)
    verb = singular_verb(match[1], _gender(reference)) if match else None
    return before[: match.start()] + verb + match[2] if match and verb else before


def _gender(reference: Reference) -> str:
    nouns = {"paragraph": "параграф", "page": "страница", "chapter": "глава", "article": "статья"}
    return gender_of(nouns.get(reference.kind, "закон"))


def _like(old: str, new: str) -> str:
    return new.capitalize() if old[:1].isupper() else new


def _singular_after(after: str, reference: Reference) -> str:
    match = re.match(r"(\s+)([а-яё]+)", after)
    if match is None:
        return after
    verb = singular_verb(match[2], _gender(reference))
    return match[1] + verb + after[match.end() :] if verb else after


def _neutral(text: str, references: Sequence[Reference]) -> str:
    """A short neutral wording in the case that the place asks for."""
    first = references[0]
    before, after = text[: first.start], text[references[-1].end :]
    case, plural = case_of(first.head, before)
    plural = plural or len(references) > 1 or (len(first.numbers) > 1 and not PREPOSITION.search(before))
    if first.kind == "author" and not first.head:
        preposition = re.search(r"\s*(?<![а-яё])у\s+$", before)
        return (before[: preposition.start()] if preposition else before) + GAP + after
    if first.head and first.kind in ("title", "author"):
        wording = first.head
    elif first.kind == "act":
        noun = (
            first.head if first.head.lower().startswith(("закон", "указ", "приказ", "постановлени")) else ""
        )
        gender = gender_of(first.head) if first.head else "masc"
        wording = noun or put(_NEUTRAL_ACT[gender], case, plural and bool(first.head))
    else:
        single, many = _NEUTRAL[first.kind]
        preposition = PREPOSITION.search(before)
        place = preposition["word"].lower() if preposition else ""
        if first.kind == "article" and place == "в":
            wording = "законе"
        else:
            nominative = plural and case in ("nomn", "accs") and not place
            wording = (
                put(many, case, True) if nominative else put(single, case, plural and first.kind == "article")
            )
        if first.kind == "page" and place in _PLACE_PREPOSITIONS and preposition:
            before = (
                before[: preposition.start()] + _like(preposition["word"], _PLACE_PREPOSITIONS[place]) + " "
            )
    if not re.search(r"\w", before) or re.search(r"[.!?…]\s+$", before):
        wording = wording[:1].upper() + wording[1:]
    else:
        wording = wording[:1].lower() + wording[1:]
    return before + wording + after
