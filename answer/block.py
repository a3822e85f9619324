"""The question block of a § («Вопросы и задания») taken apart into single questions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from index.chunk import Chunk

_NUMBERED = re.compile(r"^\s*(?:№\s*)?(?P<number>\d{1,2})\s*[*°]?\s*[.)]\s*(?P<text>\S.*)$")
_BULLET = re.compile(r"^\s*[•●▪◦·*–—-]\s+(?P<text>\S.*)$")
_ENDS = re.compile(r"[.?!…:;»\")]\s*$")
# What only the pupil can do: nothing in the book answers it.
_OWN_WORK = re.compile(
    r"\b(?:подготовьте|напишите|нарисуйте|составьте|проведите|обсудите|изобразите|придумайте|понаблюдайте|"
    r"найдите\s+(?:в|во|на)\s+(?:интернет|новост|сети|газет|журнал|дополнительн|библиотек)\w*|"
    r"(?:рас|о|по)?спросите|опросите|возьмите\s+интервью|[а-яё]+н(?:ый|ая|ое|ые|ого|ой|ую|ом|ому|ым|ых|ыми)\s+вами|"
    r"узнайте\s+у|выскажите|поделитесь|оцените\s+сво|представьте\s+себ|"
    r"из\s+(?:личн|собственн|своего|своей|вашего|вашей|жизни)\w*|(?:о|в|на)\s+(?:сво[её][йм]|ваш(?:ем|ей))\s+"
    r"(?:жизни|семье|классе|школе|город\w*|опыт\w*|регион\w*|сел\w*)|"
    r"приведите\s+пример\w*\s+из\s+(?:жизни|своей|вашей|личного)|по\s+вашему\s+мнению|"
    r"ваш(?:ем|его|ей|у|и)?\s+(?:класс|школ|семь|город|регион|сел|мнени|опыт)\w*)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class BlockQuestion:
    """One question; `number` as printed, or its place where the block has no numbers."""

    number: str
    text: str

    @property
    def own_work(self) -> bool:
        """Asks for the pupil's own experience or work, not for what the § says."""
        return _OWN_WORK.search(self.text) is not None


def block_text(chunks: Sequence[Chunk]) -> str:
    """Text of the block's chunks in reading order; what two chunks share at their border stands once."""
    text = ""
    for chunk in chunks:
        shared = next(
            (
                size
                for size in range(min(len(text), len(chunk.text)), 19, -1)
                if text.endswith(chunk.text[:size])
            ),
            0,
        )
        text += chunk.text[shared:] if shared else f"\n{chunk.text}"
    return text


def split_block(text: str) -> list[BlockQuestion]:
    """Questions in their order: by numbers, else bullets, else lines. Headings of the block are dropped."""
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    for pattern in (_NUMBERED, _BULLET):
        if any(pattern.match(line) for line in lines):
            return _marked(lines, pattern)
    questions = [line for line in lines if _ENDS.search(line) and not line.endswith(":")]
    return [BlockQuestion(str(place), line) for place, line in enumerate(questions, 1)]


def _marked(lines: Sequence[str], pattern: re.Pattern[str]) -> list[BlockQuestion]:
    questions: list[BlockQuestion] = []
    heading = True
    for line in lines:
        if match := pattern.match(line):
            number = match.groupdict().get("number") or str(len(questions) + 1)
            questions.append(BlockQuestion(number, match["text"].strip()))
            heading = False
            continue
        if not questions or heading:
            continue
        last = questions[-1]
        if _ENDS.search(last.text) and not _ENDS.search(line):
            heading = True  # «Задания» between two runs of numbers
            continue
        questions[-1] = BlockQuestion(last.number, f"{last.text} {line}")
    return questions
