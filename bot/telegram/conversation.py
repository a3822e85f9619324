"""A question through the assistant and back into the chat; every router that asks goes through here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import TypeVar

from aiogram.types import InlineKeyboardMarkup
from pydantic import TypeAdapter, ValidationError

from answer.answer import Answer, Option
from answer.query import Memory, ScopeOptions
from bot.rendering import PageRef, page_refs
from bot.telegram.answering import Answering
from bot.telegram.delivery import Target, Typing
from bot.telegram.desk import NO_OPTIONS, Desk
from bot.telegram.keyboards import ANY_GRADE, grade_keyboard, option_keyboard, page_keyboard
from bot.telegram.texts import any_grade_chosen, grade_chosen, no_such_grade
from bot.users import Key, Users

Item = TypeVar("Item")
_OPTIONS = TypeAdapter(list[Option])
_PAGES = TypeAdapter(list[PageRef])


class Conversation:
    """Asks, remembers, answers, and knows what the buttons stand for."""

    def __init__(self, desk: Desk, users: Users, answering: Answering) -> None:
        self.desk = desk
        self.users = users
        self.answering = answering

    async def ask(
        self,
        target: Target,
        key: Key,
        question: str,
        options: ScopeOptions = NO_OPTIONS,
        memory: Memory | None = None,
    ) -> None:
        """Answers in the chat. `memory` replaces the stored one for this question."""
        self.answering.overtake(key)
        if memory is None:
            memory = await self.users.memory(key)
        async with Typing(target):
            answer, memory = await self.desk.ask(question, memory, options)
        await self.users.save(key, memory)
        waiting = memory.pending or question
        await self.answering.deliver(
            target, key, question, answer, lambda answer: self._keyboard(key, waiting, answer)
        )

    async def choose(self, target: Target, key: Key, question: str, option: Option) -> None:
        """Asks the question that waited for this choice."""
        memory = replace(await self.users.memory(key), pending=None, pending_kind=None)
        options = ScopeOptions(grade=option.grade, paragraph=option.paragraph, book_id=option.book_id)
        await self.ask(target, key, question, options, memory)

    async def choose_grade(self, target: Target, key: Key, grade: int) -> None:
        """Remembers the grade (ANY_GRADE: none), and answers the question that waited for it, if one did."""
        grades = await self.desk.grades()
        if grade != ANY_GRADE and grade not in grades:
            await target.say(no_such_grade(grades), grade_keyboard(grades) if grades else None)
            return
        memory = await self.users.memory(key)
        waiting = memory.pending if memory.pending_kind == "grade" else None
        chosen = grade if grade != ANY_GRADE else None
        memory = replace(memory, grade=chosen, book_id=None, pending=None, pending_kind=None)
        await self.users.save(key, memory)
        if waiting is not None and chosen is not None:
            await self.ask(target, key, waiting, ScopeOptions(grade=chosen), memory)
        else:
            await target.say(any_grade_chosen() if chosen is None else grade_chosen(chosen))

    async def option(self, token: str, index: int, chat_id: int) -> tuple[Key, str, Option] | None:
        """Whose choice it is, the waiting question and the choice; None when the button is stale."""
        saved = await self.users.buttons(token, chat_id)
        if saved is None or not isinstance(saved[1].get("question"), str):
            return None
        options = _read(_OPTIONS, saved[1].get("options"))
        if not 0 <= index < len(options):
            return None
        return saved[0], saved[1]["question"], options[index]

    async def page(self, token: str, index: int, chat_id: int) -> PageRef | None:
        """The page behind a button; None when the button is stale."""
        saved = await self.users.buttons(token, chat_id)
        pages = _read(_PAGES, saved[1].get("pages")) if saved is not None else []
        return pages[index] if 0 <= index < len(pages) else None

    async def _keyboard(self, key: Key, question: str, answer: Answer) -> InlineKeyboardMarkup | None:
        if answer.options:
            payload = {"question": question, "options": [asdict(option) for option in answer.options]}
            return option_keyboard(await self.users.keep_buttons(key, payload), answer.options)
        pages = page_refs(answer)
        if not pages:
            return None
        token = await self.users.keep_buttons(key, {"pages": [asdict(page) for page in pages]})
        return page_keyboard(token, pages)


def _read(adapter: TypeAdapter[list[Item]], saved: object) -> Sequence[Item]:
    try:
        return adapter.validate_python(saved)
    except ValidationError:
        return []
