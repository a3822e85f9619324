"""Greetings, thanks and pleas around a question."""

from __future__ import annotations

from collections.abc import Sequence

from answer.cut import Cut
from answer.tokens import word_set

_OPENING = frozenset('«"“„(')
_CLOSING = frozenset('?!.»"”)…')

_GREETINGS = word_set(
    """
    привет приветик приветствую прив хай hello hi здравствуй здравствуйте здрасте здрасьте
    здраствуйте здраствуй
    """
)
_PLEASE = word_set(
    """
    пожалуйста пожалуйсто пожалуйто пожалуста пожайлуста пж пжл пжлст пжалста плиз плз please
    """
)
_ASKING = word_set(
    """
    подскажи подскажите скажи скажите помоги помогите срочно дз гдз слушай слушайте эй бот
    кстати короче
    """
)
_THANKS = word_set("спасибо спс пасиб пасибо благодарю")
_CONNECTORS = word_set("и а ну так вот но")
_QUESTION_STARTS = word_set(
    """
    что че чо шо кто как какой какая какое какие каков какова каково каковы почему зачем отчего
    когда где куда откуда сколько чем чему чего кем кого кому о об про в из на для дай назови
    перечисли объясни расскажи опиши приведи есть правда можно
    """
)


def _phrases(*phrases: str) -> tuple[tuple[str, ...], ...]:
    """Phrases as word lists, the longest first."""
    return tuple(sorted((tuple(phrase.split()) for phrase in phrases), key=len, reverse=True))


_GREETING_PHRASES = _phrases(
    "добрый день", "добрый вечер", "доброе утро", "доброго времени суток", "доброго дня"
)
_ANSWER_ME = ("ответь", "ответьте", "ответить", "дай ответ", "дайте ответ", "ответ", "помоги ответить",
              "помогите ответить", "нужен ответ", "напиши ответ")  # fmt: skip
_REQUEST_PHRASES = _phrases(
    *(f"{ask}{please} на вопрос" for ask in _ANSWER_ME for please in ("", " пожалуйста")),
    "у меня вопрос", "у меня такой вопрос", "можешь сказать", "можете сказать", "можешь подсказать",
    "можете подсказать", "можно узнать", "хочу узнать", "хотел узнать", "хотела узнать", "мне нужно узнать",
    "по теме", "на тему",
    "не могу найти", "не могу понять", "не понимаю", "очень нужно", "очень надо",
    "помогите с дз", "помоги с дз", "задали дз", "нам задали", "мне задали", "домашнее задание",
)  # fmt: skip
_THANKS_PHRASES = _phrases(
    "заранее спасибо", "спасибо заранее", "спасибо большое", "большое спасибо", "буду благодарен"
)
_LAST_PHRASES = _phrases(
    "очень надо", "очень нужно", "срочно надо", "срочно нужно", "очень срочно", "для дз", "помогите с дз",
    "помоги с дз", "помоги мне", "помогите мне",
)  # fmt: skip


_EXAMPLES = tuple(
    f"{give} {example}{life}"
    for give in ("приведи", "приведите", "дай", "дайте", "назови", "назовите")
    for example in ("пример", "примеры")
    for life in ("", " из жизни")
)
_IN_DETAIL_PHRASES = _phrases(
    *(
        f"{ask} {please} {much}"
        for ask in ("", "расскажи", "расскажите", "объясни", "объясните", "напиши", "опиши")
        for please in ("", "пожалуйста", "мне")
        for much in ("подробно", "подробнее", "поподробнее", "подробней")
    ),
    *(f"{and_}{examples}" for and_ in ("", "и ") for examples in _EXAMPLES),
)
"""Behind a question of its own, as it is dictated: «что такое общество расскажи подробно»."""


def is_polite(word: str) -> bool:
    """«пожалуйста», «спасибо»."""
    return word in _PLEASE or word in _THANKS


def drop_politeness(cut: Cut, *, requests: bool) -> None:
    """Take the polite words out of a message; see `politeness` for `requests`."""
    rest = cut.rest()
    words = [cut.tokens[i].key for i in rest]
    stops = [
        cut.tokens[i + 1].key if i + 1 < len(cut.tokens) and cut.tokens[i + 1].kind == "sign" else ""
        for i in rest
    ]
    before, after, inside = politeness(words, stops, requests=requests)
    if not (before or after or inside):
        return
    kept = rest[before : len(rest) - after]
    if not kept:
        cut.remove(0, len(cut.tokens))
        return
    if before:
        first = kept[0]
        while first > 0 and cut.tokens[first - 1].key in _OPENING:
            first -= 1
        cut.remove(0, first)
    if after:
        tail = kept[-1] + 1
        while tail < len(cut.tokens) and cut.tokens[tail].kind == "sign" and cut.tokens[tail].key in _CLOSING:
            tail += 1
        question = any(token.key == "?" for token in cut.tokens[tail:])
        end = len(cut.tokens)
        while question and end > tail and cut.tokens[end - 1].kind == "sign":
            end -= 1
        cut.remove(tail, end)
    for k in inside:
        cut.remove(rest[k], rest[k] + 1)
    cut.close_gaps()


def politeness(
    words: Sequence[str], stops: Sequence[str], *, requests: bool
) -> tuple[int, int, frozenset[int]]:
    """How many words to drop at the beginning and at the end, and which inside («объясни, пожалуйста, …»).

    `stops[i]` is the sign after word `i` ("" for none): it tells «а что…» from the initial in «А. С. Пушкин».
    With `requests` also words such as «подскажите», «дз», «ответь на вопрос», which may be the request
    itself.
    """
    start, end = 0, len(words)
    while start < end and (step := _noise_before(words[start:end], stops[start:end], requests)):
        start += step
    while end > start and (step := _noise_after(words[start:end], requests)):
        end -= step
    inside = frozenset(i for i in range(start, end) if words[i] in _PLEASE and not _is_word_itself(words, i))
    return start, len(words) - end, inside


def _is_word_itself(words: Sequence[str], i: int) -> bool:
    """«слово пожалуйста» speaks about the word."""
    return i > 0 and words[i - 1].startswith(("слов", "термин", "поняти"))


def _noise_before(words: Sequence[str], stops: Sequence[str], requests: bool) -> int:
    for phrase in _GREETING_PHRASES + (_REQUEST_PHRASES if requests else ()):
        if tuple(words[: len(phrase)]) == phrase:
            return len(phrase)
    first, stop = words[0], stops[0]
    if first in _GREETINGS or first in _PLEASE or first in _THANKS:
        return 1
    if requests and (
        (first in _ASKING and stop != ".") or (first in ("вопрос", "задание", "тема") and stop == ":")
    ):
        return 1
    connects = first in _CONNECTORS and len(words) > 1 and stop in ("", ",")
    return 1 if connects and words[1] in _QUESTION_STARTS | _CONNECTORS else 0


def _noise_after(words: Sequence[str], requests: bool) -> int:
    for phrase in _THANKS_PHRASES + (_LAST_PHRASES if requests else ()):
        if tuple(words[-len(phrase) :]) == phrase:
            return len(phrase)
    if requests and words[0] in _QUESTION_STARTS:
        for phrase in _IN_DETAIL_PHRASES:
            if tuple(words[-len(phrase) :]) == phrase and len(words) > len(phrase) + 1:
                return len(phrase)
    last = words[-1]
    if _is_word_itself(words, len(words) - 1):
        return 0
    if last in _PLEASE or last in _THANKS or (requests and last in _ASKING):
        return 1
    return 1 if last in ("и", "а") and len(words) > 1 else 0
