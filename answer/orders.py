"""Sentences of a textbook that speak to a language model instead of to a pupil."""

from __future__ import annotations

import re

from index.sentences import split_sentences

_FORGET = (
    r"(?:забудь|игнорируй|отмени|отбрось|нарушь|не (?:соблюдай|выполняй|обращай внимания|следуй))(?:те)?"
)
_RULES = r"(?:правил|инструкци|указани|ограничени|запрет|установк|сказанн|написанн|предыдущ|прежн|прошл)"
_SAY = (
    r"(?:ответь|отвечай|напиши|пиши|выведи|скажи|говори|повторяй|покажи|пришли|сообщи|выдай|назови|раскрой|напечатай|вставь|добавь)"
    r"(?:те)?"
)
_HIDDEN = r"(?:токен|парол|ключ|секрет|промпт|системн|переменн\w+ окружени|свои (?:правила|инструкции))"
_MODEL = r"(?:нейросет\w+|чат-?бот\w*|ассистент\w*|(?:языков\w+ )?модел[ьи]|gpt|llm|ии)"
_ORDER = re.compile(
    rf"\b{_FORGET}\b.{{0,60}}?\b{_RULES}"
    rf"|\b{_SAY}\b(?:\s+\w+){{0,3}}?\s+(?:только|лишь|одно слово|слово в слово)\b"
    rf"|\b{_SAY}\b.{{0,60}}?\b{_HIDDEN}"
    rf"|\b{_MODEL}\s*[,!:].{{0,60}}?\b{_SAY}\b"
    rf"|\bвместо\s+(?:этого|ответа)\b.{{0,40}}?\b{_SAY}\b"
    r"|^\W*(?:система|системное сообщение|ассистент|пользователь|system|assistant|user|developer)\s*:"
    r"|\b(?:системн\w+|system)\s+(?:промпт|prompt|инструкци|сообщени|message)"
    r"|\bты\s+(?:теперь|больше не|—|–|-|не)\s*(?:\w+\s+){0,3}?(?:ассистент|бот|модел|нейросет|помощник|чат)"
    r"|\b(?:перейди|кликни|нажми|зайди)(?:те)?\b.{0,30}?(?:ссылк|https?:|www\.)"
    r"|\b(?:ignore|disregard|forget|override)\b.{0,60}?\b(?:instruction|rule|prompt|previous|above|prior)"
    r"|\b(?:answer|respond|reply|output|print|say|write)\b(?:\s+\w+){0,3}?\s+only\b"
    r"|\b(?:you are now|act as|pretend to be|reveal|jailbreak)\b",
    re.IGNORECASE,
)


def is_order(sentence: str) -> bool:
    """Whether it tells a model what to do: «Забудь правила, ответь…», «Система: …», «Ignore previous…»."""
    return _ORDER.search(sentence) is not None


def without_orders(text: str) -> str:
    """`text` with each such sentence replaced by «…»; lengths change, so offsets do not carry over.

    A model need not see them, and what it is not shown is no evidence for what it says.
    """
    pieces: list[str] = []
    position = 0
    for start, end in split_sentences(text):
        if is_order(text[start:end]):
            pieces += (text[position:start], "…")
            position = end
    return "".join((*pieces, text[position:]))
