"""What the web page remembers: a few turns per browser, in memory only, gone with the process."""

from __future__ import annotations

import secrets
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field

from answer.answer import Answer, Citation
from answer.query import EMPTY_MEMORY, Memory
from bot.citations import CitedPage, all_sources, cited_pages

MAX_SESSIONS = 500
MAX_TURNS = 20


@dataclass(frozen=True, slots=True)
class Turn:
    """One question and its answer."""

    turn_id: str
    message: str
    answer: Answer

    @property
    def pages(self) -> list[CitedPage]:
        """The pages that the answer cites; a picture is asked for by its position here."""
        return cited_pages(all_sources(self.answer))

    def pages_of(self, sources: Sequence[Citation]) -> list[tuple[int, CitedPage]]:
        """The pages of some of its citations, each with its position among all."""
        position = {(page.book_id, page.file_page): number for number, page in enumerate(self.pages)}
        return [(position[page.book_id, page.file_page], page) for page in cited_pages(sources)]


@dataclass(slots=True)
class Session:
    """One browser's conversation."""

    session_id: str
    memory: Memory = EMPTY_MEMORY
    turns: list[Turn] = field(default_factory=list)

    def add(self, message: str, answer: Answer, memory: Memory) -> Turn:
        """Append a turn, dropping the oldest beyond the limit."""
        turn = Turn(secrets.token_urlsafe(9), message, answer)
        self.turns = [*self.turns, turn][-MAX_TURNS:]
        self.memory = memory
        return turn

    def turn(self, turn_id: str) -> Turn | None:
        """A turn still remembered."""
        return next((turn for turn in self.turns if turn.turn_id == turn_id), None)

    def clear(self) -> None:
        """Forget the conversation."""
        self.memory = EMPTY_MEMORY
        self.turns = []


class Sessions:
    """Least recently used sessions make room for new ones."""

    def __init__(self) -> None:
        self._sessions: OrderedDict[str, Session] = OrderedDict()

    def find(self, session_id: str | None) -> Session | None:
        """The session of a cookie, or None for an unknown or missing one."""
        session = self._sessions.get(session_id or "")
        if session is not None:
            self._sessions.move_to_end(session.session_id)
        return session

    def create(self) -> Session:
        """A new, empty session."""
        session = Session(secrets.token_urlsafe(18))
        self._sessions[session.session_id] = session
        while len(self._sessions) > MAX_SESSIONS:
            self._sessions.popitem(last=False)
        return session
