"""The assistant behind one worker thread, so that the event loop lives while a question is worked on."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from statistics import median
from typing import Protocol, TypeVar

from answer.another import Shown
from answer.answer import Answer
from answer.query import EMPTY_MEMORY, Memory, Scope, ScopeOptions
from bot.page_picture import PageSource, render_page

NO_OPTIONS = ScopeOptions()
Result = TypeVar("Result")


class Reply(Protocol):
    """What `Assistant.ask` returns."""

    @property
    def answer(self) -> Answer: ...

    @property
    def memory(self) -> Memory: ...


class Asks(Protocol):
    """What the bot needs of `answer.assistant.Assistant`."""

    @property
    def library(self) -> PageSource: ...

    def ask(
        self, message: str, memory: Memory = EMPTY_MEMORY, options: ScopeOptions = NO_OPTIONS
    ) -> Reply: ...

    def again(self, question: str, scope: Scope, *, detailed: bool = False) -> Answer: ...

    def another(self, question: str, scope: Scope, shown: Shown) -> Answer: ...

    def describe(self, book_id: str, paragraph: str) -> Answer: ...


class Desk:
    """Asks, and draws pages, one at a time in the order of arrival.

    One thread: embedding uses all it may anyway, and MuPDF is not thread-safe. What belongs to an answer that
    was begun (which books are loaded) goes before the waiting questions: it would wait for them all again.
    """

    def __init__(self, assistant: Asks) -> None:
        self._assistant = assistant
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="desk")
        self._turns = Turns()
        self._seconds: deque[float] = deque(maxlen=50)

    @property
    def waiting(self) -> int:
        """How many questions and pages wait."""
        return self._turns.waiting

    def expected_wait(self) -> float:
        """Seconds until a question that is asked now has its turn; 0 while nothing was measured."""
        return self.waiting * median(self._seconds) if self._seconds else 0.0

    async def ask(self, message: str, memory: Memory, options: ScopeOptions) -> tuple[Answer, Memory]:
        """The answer in the book's words, and what to remember after it."""
        reply = await self._run(lambda: self._assistant.ask(message, memory, options))
        return reply.answer, reply.memory

    async def again(self, question: str, scope: Scope, *, detailed: bool = False) -> Answer:
        """The answer to a question understood before, elsewhere or with what stands around it."""
        return await self._run(lambda: self._assistant.again(question, scope, detailed=detailed))

    async def another(self, question: str, scope: Scope, shown: Shown) -> Answer:
        """The next best passage beside those already shown."""
        return await self._run(lambda: self._assistant.another(question, scope, shown))

    async def describe(self, book_id: str, paragraph: str) -> Answer:
        """What a § is about."""
        return await self._run(lambda: self._assistant.describe(book_id, paragraph))

    async def library(self) -> PageSource:
        """The books loaded now (a changed store is reloaded on the way)."""
        return await self._run(lambda: self._assistant.library, first=True)

    async def grades(self) -> tuple[int, ...]:
        """Grades that have a book, ascending."""
        books = (await self.library()).books.values()
        return tuple(sorted({grade for book in books for grade in book.grades}))

    async def page_picture(self, book_id: str, file_page: int, quotes: Sequence[str]) -> bytes:
        """PNG with the quotes highlighted. Raises PageUnavailable."""
        return await self._run(lambda: render_page(self._assistant.library, book_id, file_page, quotes))

    def stop(self) -> None:
        """The question in work and what belongs to begun answers may end; who waits is cancelled."""
        self._turns.stop()

    def close(self) -> None:
        """Lets the question in work end, drops the waiting ones."""
        self._worker.shutdown(wait=False, cancel_futures=True)

    async def _run(self, job: Callable[[], Result], *, first: bool = False) -> Result:
        await self._turns.take(first=first)
        began = time.monotonic()
        try:
            return await asyncio.get_running_loop().run_in_executor(self._worker, job)
        finally:
            if not first:
                self._seconds.append(time.monotonic() - began)
            self._turns.give_back()


class Turns:
    """One at a time, in the order of arrival; those that ask to be `first` before all others."""

    def __init__(self) -> None:
        self._taken = self._stopped = False
        self._first: deque[asyncio.Future[None]] = deque()
        self._others: deque[asyncio.Future[None]] = deque()

    @property
    def waiting(self) -> int:
        """How many wait, besides the `first` ones."""
        return len(self._others)

    async def take(self, *, first: bool = False) -> None:
        """Returns when it is the caller's turn, who has to `give_back` it.

        Raises CancelledError after `stop`.
        """
        refused = self._stopped and not first
        if not self._taken and not refused:
            self._taken = True
            return
        turn = asyncio.get_running_loop().create_future()
        if refused:
            turn.cancel()
        (self._first if first else self._others).append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self.give_back()
            raise

    def stop(self) -> None:
        """Cancels who waits, and whoever comes, except the `first` ones."""
        self._stopped = True
        for turn in self._others:
            turn.cancel()

    def give_back(self) -> None:
        """Hands the turn on."""
        for waiting in (self._first, self._others):
            while waiting:
                turn = waiting.popleft()
                if not turn.done():
                    turn.set_result(None)
                    return
        self._taken = False
