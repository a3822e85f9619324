"""A crowd of students for load tests: real questions, each with the quote that only its answer holds."""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from answer.assistant import Assistant
from bot.clean_text import clean
from bot.telegram.texts import INTERRUPTED, MISSED, TOO_MANY
from botapi.records import Fault, Json, Person, Refused, Sent, flood
from botapi.server import BotApi

REFUSALS = (INTERRUPTED, MISSED, TOO_MANY)
FIRST_STUDENT = 10_000
_MARKER = 40


@dataclass(frozen=True, slots=True)
class Question:
    """`marker`: a piece of text that stands in its answer and in no other of the pool."""

    text: str
    marker: str


def question_pool(store: Path, gold: Sequence[Path], size: int) -> list[Question]:
    """Answerable questions with their grade, and what the assistant quotes for each when asked alone."""
    assistant = Assistant.open(store)
    found: list[tuple[str, str, str]] = []
    rows = [json.loads(line) for path in gold for line in path.read_text("utf-8").splitlines()]
    random.Random(1).shuffle(rows)
    for row in rows:
        if len(found) >= size:
            break
        if row["grade"] is None or row["kind"] != "definition":
            continue
        text = f"{row['question'].rstrip('?. ')}, {row['grade']} класс?"
        answer = assistant.ask(text).answer
        if answer.status == "supported" and answer.intent == "question" and answer.sources:
            found.append((text, _flat(answer.sources[0].quote)[:_MARKER], _flat(answer.answer)))
    pool = [
        Question(text, marker)
        for text, marker, _ in found
        if len(marker) == _MARKER and sum(marker in answer for _, _, answer in found) == 1
    ]
    assert len(pool) >= 3, "the store and the gold questions do not belong together"
    return pool


@dataclass(slots=True)
class Asked:
    """A question that was put, and what came of it."""

    question: Question
    person: Person
    at: float
    answers: list[float] = field(default_factory=list)
    """When its answer came (time.monotonic()); more than one when it came again."""


@dataclass(slots=True)
class Verdict:
    """How it went; `lost`, `doubled`, `crossed` and `disordered` must be 0."""

    asked: int = 0
    answered: int = 0
    refused: int = 0
    blocked: int = 0
    lost: int = 0
    doubled: int = 0
    repeated: int = 0
    """Came twice because the connection broke after Telegram had carried the request out."""
    crossed: int = 0
    disordered: int = 0
    errors: int = 0
    """Messages about an internal error."""
    waits: list[float] = field(default_factory=list)

    @property
    def good(self) -> bool:
        return not (self.lost or self.doubled or self.crossed or self.disordered or self.errors)

    def wait(self, share: float) -> float:
        """Seconds that this share of the answered questions waited at most."""
        ordered = sorted(self.waits) or [0.0]
        return ordered[round(share * (len(ordered) - 1))]


class Chats(BotApi):
    """A stand-in that tells when something has been said in a chat."""

    heard: dict[int, asyncio.Event]

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.heard = {}

    def _store(self, params: Json, text: str, source: str, entities: list[Json], **files: Any) -> Json:
        shown = super()._store(params, text, source, entities, **files)
        event = self.heard.get(int(params["chat_id"]))
        if event is not None:
            event.set()
        return shown


class Crowd:
    """`students` who come in bursts within `seconds` and ask `each` different questions.

    Most wait for an answer before they ask again, a third does not; `pause`: mean seconds before the next
    question. A few block the bot after their first question.
    """

    def __init__(
        self,
        api: Chats,
        pool: Sequence[Question],
        students: int,
        *,
        seconds: float,
        each: int = 3,
        pause: float = 3.0,
        blockers: float = 0.02,
        seed: int = 1,
    ) -> None:
        self._api = api
        self._pool = list(pool)
        self._students = students
        self._seconds = seconds
        self._each = each
        self._pause = pause
        self._blockers = blockers
        self._random = random.Random(seed)
        self._by_chat: dict[int, list[Sent]] = {}
        self._listened = 0
        self.asked: dict[int, list[Asked]] = {}
        self.total = students * each

    @property
    def put(self) -> int:
        """Questions that were put so far."""
        return sum(map(len, self.asked.values()))

    async def run(self, patience: float = 60.0) -> None:
        """Returns when all have asked and nothing is missing, or nothing has come for `patience` seconds."""
        bursts = [self._random.uniform(0, self._seconds) for _ in range(max(1, self._students // 25))]
        async with asyncio.TaskGroup() as tasks:
            for number in range(self._students):
                start = self._random.choice(bursts) + self._random.expovariate(0.5)
                tasks.create_task(self._student(Person(FIRST_STUDENT + number, f"Ученик {number}"), start))
        while self._missing():
            seen = len(self._api.sent)
            await asyncio.sleep(1.0)
            since = time.monotonic() - max((message.at for message in self._api.sent[-1:]), default=0.0)
            if len(self._api.sent) == seen and since > patience:
                return

    def verdict(self) -> Verdict:
        """Judges every chat."""
        self._listen()
        verdict = Verdict()
        cuts = self._cut_chats()
        for chat_id, asked in self.asked.items():
            self._judge(verdict, chat_id, asked, cuts)
        return verdict

    async def _student(self, person: Person, start: float) -> None:
        rng = random.Random(person.id)
        questions = rng.sample(self._pool, self._each)
        patient, blocks = rng.random() < 0.67, rng.random() < self._blockers
        heard = self._api.heard[person.id] = asyncio.Event()
        mine = self.asked.setdefault(person.id, [])
        await asyncio.sleep(start)
        for question in questions:
            mine.append(Asked(question, person, time.monotonic()))
            self._api.say(question.text, by=person)
            if blocks:
                self._api.blocked.add(person.id)
            if patient and not blocks:
                while self._unanswered(person.id, mine):
                    heard.clear()
                    try:
                        await asyncio.wait_for(heard.wait(), 300)
                    except TimeoutError:
                        break
            await asyncio.sleep(rng.expovariate(1 / self._pause))

    def _listen(self) -> None:
        """Sorts what has been sent since the last call by chat."""
        for message in self._api.sent[self._listened :]:
            self._by_chat.setdefault(message.chat_id, []).append(message)
        self._listened = len(self._api.sent)

    def _missing(self) -> bool:
        return any(
            chat_id not in self._api.blocked and self._unanswered(chat_id, asked)
            for chat_id, asked in self.asked.items()
        )

    def _unanswered(self, chat_id: int, asked: Sequence[Asked]) -> bool:
        self._listen()
        said = [text for message in self._by_chat.get(chat_id, []) for text in _texts(message)]
        if any(text in REFUSALS for text in said):
            return False
        return any(not any(one.question.marker in text for text in said) for one in asked)

    def _cut_chats(self) -> Counter[int]:
        """How many messages to each chat were carried out without the bot learning of it."""
        return Counter(
            int(call.params["chat_id"])
            for call in self._api.calls
            if call.method == "sendMessage" and (call.error or "").startswith("dropped after")
        )

    def _judge(self, verdict: Verdict, chat_id: int, asked: list[Asked], cuts: Counter[int]) -> None:
        said = self._by_chat.get(chat_id, [])
        own = {a.question.marker for a in asked}
        foreign = [q.marker for q in self._pool if q.marker not in own]
        lines = 0
        for message in said:
            texts = _texts(message)
            answered = [a for a in asked if any(a.question.marker in text for text in texts)]
            for one in answered:
                one.answers.append(message.at)
            verdict.crossed += not answered and any(m in text for m in foreign for text in texts)
            verdict.errors += "номер ошибки" in message.text
            lines += message.text in REFUSALS
        for one in asked:
            verdict.asked += 1
            if one.answers:
                verdict.answered += 1
                verdict.waits.append(one.answers[0] - one.at)
                again = len(one.answers) - 1
                excused = min(again, cuts[chat_id])
                cuts[chat_id] -= excused
                verdict.repeated += excused
                verdict.doubled += again - excused
            elif chat_id in self._api.blocked:
                verdict.blocked += 1
            elif lines:
                verdict.refused += 1
            else:
                verdict.lost += 1
        firsts = [one.answers[0] for one in asked if one.answers]
        verdict.disordered += firsts != sorted(firsts)


def misfortunes(api: BotApi, seed: int = 1) -> None:
    """Everything that may go wrong between the bot and Telegram, now and then."""
    rng = random.Random(seed)

    def share(part: float) -> Callable[[Json], bool]:
        return lambda params: rng.random() < part

    def often(part: float, fault: Fault | Refused) -> Fault:
        ready = fault if isinstance(fault, Fault) else Fault(fault)
        ready.times, ready.when = None, share(part)
        return ready

    api.fail(
        "sendMessage",
        often(0.02, flood(1)),
        often(0.01, Refused(502, "Bad Gateway")),
        often(0.003, Fault(body="<html>502 Bad Gateway</html>")),
        often(0.01, Fault(drop=True)),
        often(0.005, Fault(drop_after=True)),
        often(0.01, Fault(slow=0.5)),
    )
    api.fail("editMessageText", often(0.02, flood(1)), often(0.01, Fault(drop=True)))
    api.fail("sendChatAction", often(0.05, Refused(502, "Bad Gateway")), often(0.02, flood(3)))
    api.fail(
        "getUpdates",
        often(0.02, Refused(502, "Bad Gateway")),
        often(0.01, Fault(drop=True)),
        often(0.01, Fault(drop_after=True)),
        often(0.02, Fault(slow=0.3)),
    )


def _texts(message: Sent) -> list[str]:
    """What stood in a message, before its edits and after."""
    return [_flat(text) for text in (message.text, *(before for _, before in message.history))]


@lru_cache(maxsize=2**16)
def _flat(text: str) -> str:
    """Each chat is read again and again; without the cache that held up the stand-in for seconds."""
    return " ".join(clean(text).split())
