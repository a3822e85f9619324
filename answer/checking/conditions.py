"""Lost conditions and hedges, added universals, changed modality and bounds."""

from __future__ import annotations

import re

from answer.checking.bounds import wrong_bounds
from answer.checking.coverage import Rest
from answer.checking.denial import is_may
from answer.checking.lexicon import (
    ADDED_UNIVERSAL,
    BINDING,
    BINDING_PHRASES,
    HEDGE_PHRASES,
    HEDGES,
    UNIVERSAL,
    akin,
)
from answer.checking.source import Source
from answer.checking.words import Sentence, Word, read_word

_IF = re.compile(
    r"(?:^|[\s,—(])(?P<mark>если|при\s+условии|в\s+случае|при\s+наличии|при\s+прочих|лишь\s+тогда|только\s+тогда|только\s+если|лишь\s+если)\s"
)
_PERMITTING = frozenset(
    ["разрешить", "разрешать", "разрешаться", "допускаться", "допускать", "позволять", "позволить", "уметь"]
)
_ANY = frozenset({"любой", "каждый", "всякий"})
_EVERY_TIME = re.compile(
    r"каждый\s+(?:год|день|месяц|час|раз|век)|каждую\s+(?:неделю|минуту|секунду)|каждое\s+(?:утро|лето)"
)


def lost(draft: Sentence, source: Source, rest: Rest) -> list[str]:
    """Reasons: «condition», «hedge», «universal», «modality», «bound», each with its word."""
    if rest.best < 0:
        return []
    best = source.sentences[rest.best]
    used = [source.sentences[index] for index in rest.used]
    return [
        *_universals(draft, used),
        *_hedges(draft, best),
        *_conditions(draft, best),
        *_modality(draft, best),
        *wrong_bounds(draft, used),
    ]


def _universals(draft: Sentence, used: list[Sentence]) -> list[str]:
    found = []
    have = {word.lemma for sentence in used for word in sentence.words} | {t for s in used for t in s.tokens}
    have |= {read_word(token).lemma for sentence in used for token in sentence.tokens}
    lemmas = {word.lemma for word in draft.words} | set(draft.tokens)
    for kind, words in ADDED_UNIVERSAL.items():
        added = (lemmas & words) - ({"каждый"} if _EVERY_TIME.search(" ".join(draft.tokens)) else set())
        if kind == "all" and added <= _ANY and not _narrows(draft, used[0]):
            continue
        if added and not have & (UNIVERSAL[kind] | words):
            found.append(f"universal: {min(added)}")
        if kind != "only" and added & {"всегда", "никогда"} and _has_hedge(used[0]) and not _has_hedge(draft):
            found.append(f"universal: {min(added)}")
    if (
        _plain_all(draft)
        and not any(_plain_all(s) for s in used)
        and not have & UNIVERSAL["all"]
        and (_some(used[0]) or _narrows_all(draft, used[0]))
    ):
        found.append("universal: все")
    if (
        _only(draft)
        and not any(_only(sentence) for sentence in used)
        and (_has_hedge(used[0]) or _more(used[0]))
    ):
        found.append("universal: только")
    return found


def _narrows(draft: Sentence, best: Sentence) -> bool:
    """Whether the source limits what the draft says of «any»: a condition, a hedge, or an adjective
    left out.
    """
    if _IF.search(" ".join(best.tokens)) or _only(best) or _has_hedge(best) or _some(best):
        return True
    for word, noun in zip(draft.words, draft.words[1:], strict=False):
        if word.lemma in _ANY and noun.pos == "NOUN":
            for adjective, other in zip(best.words, best.words[1:], strict=False):
                if (
                    other.lemma == noun.lemma
                    and adjective.pos in ("ADJF", "PRTF")
                    and adjective.lemma not in draft.lemmas()
                ):
                    return True
            after = {
                w.pos
                for w in best.words
                for o in best.words
                if o.lemma == noun.lemma and 0 < w.index - o.index <= 2
            }
            if "PRTF" in after:
                return True
    return False


def _narrows_all(draft: Sentence, best: Sentence) -> bool:
    """«Все предприятия» where the source speaks of weak ones, or of those that something is said of."""
    if _IF.search(" ".join(best.tokens)) and not _IF.search(" ".join(draft.tokens)):
        return True
    for quantifier, noun in zip(draft.words, draft.words[1:], strict=False):
        if quantifier.lemma not in ("весь", "любой") or noun.pos != "NOUN":
            continue
        for i, other in enumerate(best.words):
            if other.lemma != noun.lemma:
                continue
            before = best.words[i - 1] if i else None
            if before and before.pos == "ADJF" and before.weight > 0.2 and before.lemma not in draft.lemmas():
                return True
            if "который" in {read_word(t).lemma for t in best.tokens[other.index + 1 : other.index + 4]}:
                return True
    return False


def _plain_all(sentence: Sentence) -> bool:
    return any(t in ("все", "всех", "всем", "всеми", "любые", "любых") for t in sentence.tokens)


def _some(sentence: Sentence) -> bool:
    return any(
        word.lemma in ("некоторый", "многий", "многие", "большинство", "часть", "один", "иной", "другой")
        for word in sentence.words
    )


def _only(sentence: Sentence) -> bool:
    text = re.sub(r"(?:чаще|больше|прежде|скорее|лучше) всего", "", " ".join(sentence.tokens))
    return bool(re.search(r"(?<!не )\b(?:только|лишь|исключительно|всего)\b", text)) or "единственный" in {
        w.lemma for w in sentence.words
    }


def _more(sentence: Sentence) -> bool:
    """«не только», «кроме того»: there is more than one."""
    return bool(
        re.search(r"не (?:только|единственн|просто|лишь)|кроме|помимо|также", " ".join(sentence.tokens))
    )


def _has_hedge(sentence: Sentence) -> bool:
    text = " ".join(sentence.tokens)
    return (
        any(word.lemma in HEDGES for word in sentence.words)
        or any(t in HEDGES for t in sentence.tokens)
        or any(phrase in text for phrase in HEDGE_PHRASES)
    )


def _hedges(draft: Sentence, best: Sentence) -> list[str]:
    """A hedge of the source beside what the draft takes over, and none in the draft."""
    if _softens(draft, best):
        return []
    text = " ".join(best.tokens)
    starts = [len(" ".join(best.tokens[:i])) + (1 if i else 0) for i in range(len(best.tokens))]
    own = " ".join(draft.tokens)
    for phrase in (*BINDING_PHRASES, *BINDING):
        if re.search(rf"(?<![а-я]){phrase}(?![а-я])", own):
            continue
        for match in re.finditer(rf"(?<![а-я]){phrase}(?![а-я])", text):
            index = max(i for i, start in enumerate(starts) if start <= match.start())
            if _taken(draft, best, index):
                return [f"hedge: {phrase}"]
    for word in best.words:
        following = best.tokens[word.index + 1 : word.index + 2]
        if following and following[0].startswith(("друг", "ин")):
            continue  # «некоторые другие» only goes on with a list
        if word.lemma in BINDING and word.lemma not in draft.lemmas() and _taken(draft, best, word.index):
            return [f"hedge: {word.lemma}"]
    return []


def _softens(draft: Sentence, best: Sentence) -> bool:
    """Whether the draft has a hedge or a «может» of its own, which may stand for the source's."""
    own = _soft(draft)
    return bool(own - _soft(best))


def _soft(sentence: Sentence) -> set[str]:
    text = " ".join(sentence.tokens)
    found = {
        word.lemma
        for word in sentence.words
        if word.lemma in HEDGES or (is_may(word, sentence) and word.lemma not in _PERMITTING)
    }
    found |= {token for token in sentence.tokens if token in HEDGES}
    return found | {phrase for phrase in HEDGE_PHRASES if phrase in text}


def _taken(draft: Sentence, best: Sentence, index: int) -> bool:
    """Whether the draft takes over most of what stands around token `index` of the source sentence.

    Not for names («обычно называются ламами»), nor where the draft has a quantifier of its own.
    """
    beside = [word for word in best.words if word.index in (index + 1, index + 2)]
    if any(word.lemma.startswith("назыв") for word in beside):
        return False
    if best.tokens[index].startswith(("некотор", "мног", "больш")) and _some(draft):
        return False
    segment = best.segments[index]
    around = [
        w for w in best.content if w.weight > 0.2 and (w.segment == segment or abs(w.index - index) <= 3)
    ]
    after = [w for w in best.content if w.weight > 0.2 and index < w.index <= index + 4]
    return _share(draft, around) >= 0.5 and _share(draft, after or around) >= 0.5


def _share(draft: Sentence, words: list[Word]) -> float:
    total = sum(word.weight for word in words)
    held = sum(word.weight for word in words if any(akin(word.lemma, own.lemma) > 0 for own in draft.words))
    return held / total if total else 0.0


def _conditions(draft: Sentence, best: Sentence) -> list[str]:
    text = " ".join(best.tokens)
    for match in _IF.finditer(text):
        first = text[: match.start("mark")].count(" ")
        end = _condition_end(best, first + match["mark"].count(" ") + 1)
        inside = [w for w in best.content if first <= w.index < end and w.weight > 0.2]
        border = _stop_before(best, first)
        outside = [
            w
            for w in best.content
            if w.weight > 0.2 and (border <= w.index < first or end <= w.index < _stop_after(best, end))
        ]
        if not inside or not outside:
            continue
        if _share(draft, outside) >= 0.45 and _share(draft, inside) < 0.3:
            return [f"condition: {match['mark']}"]
    return []


def _condition_end(best: Sentence, start: int) -> int:
    """Where the clause that a condition opened ends: at the next comma that no «и», «который» prolongs."""
    for index in range(start, len(best.tokens)):
        if best.tokens[index] in (",", ";", ":", ".", ")", "—") and index > start + 1:
            return index
    return len(best.tokens)


def _stop_before(best: Sentence, index: int) -> int:
    for i in range(index - 1, -1, -1):
        if best.tokens[i] in (";", ":"):
            return i
    return 0


def _stop_after(best: Sentence, index: int) -> int:
    for i in range(index, len(best.tokens)):
        if best.tokens[i] in (";",):
            return i
    return len(best.tokens)


def _modality(draft: Sentence, best: Sentence) -> list[str]:
    """«могут разрешить» → «разрешают»; «вправе» for «обязан»."""
    softened = _softens(draft, best)
    for word in draft.words:
        if word.pos not in ("VERB", "INFN", "PRTS") or word.weight == 0:
            continue
        for other in best.words:
            if other.pos not in ("VERB", "INFN", "PRTS") or akin(word.lemma, other.lemma) < 0.9:
                continue
            if (
                other.modal == "may"
                and not (other.narrow and word.narrow)  # «не могут собраться» — «не соберутся»
                and word.modal != "may"
                and not softened
                and (word.lemma in _PERMITTING or not is_may(word, draft))
            ):
                return [f"modality: {word.lemma}"]
            if {other.modal, word.modal} == {"may", "must"} and not (other.wide or word.wide):
                return [f"modality: {word.lemma}"]
    return []
