"""A question through the assistant and back into the chat; every router that asks goes through here."""

from __future__ import annotations

from dataclasses import replace

from aiogram.types import InlineKeyboardMarkup

from answer.answer import Answer, Option
from answer.followups import followup
from answer.query import Memory, Scope, ScopeOptions
from answer.tokens import clean
from bot.feedback import new_case_id
from bot.outline import id_tag
from bot.rendering import Rendered, messages, render
from bot.telegram import texts
from bot.telegram.answer_buttons import Saved, choice_payload
from bot.telegram.answering import Answering
from bot.telegram.contents_view import Screen, book_screen, list_screen
from bot.telegram.delivery import Target, Typing
from bot.telegram.desk import NO_OPTIONS, Desk
from bot.telegram.keyboards import (
    ANY_BOOK,
    ANY_GRADE,
    Further,
    answer_keyboard,
    book_keyboard,
    first_grade_options,
    grade_keyboard,
    option_keyboard,
)
from bot.telegram.people import Recent
from bot.telegram.waiting import Patience
from bot.users import Key, Users
from index.book import Book


class Conversation:
    """Asks, remembers, answers."""

    def __init__(self, desk: Desk, users: Users, answering: Answering) -> None:
        self.desk = desk
        self.users = users
        self.answering = answering
        self.patience = Patience(desk)
        # Only the token: what it stands for is in the database, where /forget finds it.
        self._last: Recent[str] = Recent()

    async def ask(
        self,
        target: Target,
        key: Key,
        question: str,
        options: ScopeOptions = NO_OPTIONS,
        memory: Memory | None = None,
    ) -> None:
        """Answers in the chat. `memory` replaces the stored one for this question.

        Whoever was never asked for the grade is asked now, if books of several are loaded and the question
        names none: it waits, and is answered after the choice.
        """
        known = await self.users.known(key)
        if memory is None:
            memory = await self.users.memory(key)
        async with self.patience.waiting(target):
            answer, after = await self.desk.ask(question, memory, options)
            answer, after = await self._in_chosen_book(answer, after)
        if not known and (asked := await self._grade_first(answer, after)) is not None:
            answer, after = asked, replace(memory, pending=question, pending_kind="grade")
        await self.users.save(key, after)
        last, more = await self._last_answer(key), False
        if last is not None and answer.searched == last.question and answer.status == "supported":
            again = followup(clean(question), last.question)
            more = again is not None and again.kind == "more"
        if last is not None and more and {source.quote for source in answer.sources} <= set(last.quotes):
            # «Ещё» after «подробнее»: what stands around the answer was shown already.
            await self.further(target, key, last, "another")
        elif await self._is_menu(answer):
            await self.show_contents(target, answer.scope, after)
        elif answer.parts is not None and len(answer.parts) > 1:
            await self._send_parts(target, key, answer, after)
        else:
            waiting, case_id = after.pending or question, new_case_id()

            async def keyboard(answer: Answer) -> InlineKeyboardMarkup | None:
                # Asked twice where a model words the answer: both times it is the same case.
                return await self._keyboard(key, waiting, answer, after, case_id, last if more else None)

            await self.answering.deliver(target, key, question, answer, keyboard)

    async def choose(self, target: Target, key: Key, question: str, option: Option) -> None:
        """Asks the question that waited for this choice."""
        memory = replace(await self.users.memory(key), pending=None, pending_kind=None)
        options = ScopeOptions(grade=option.grade, paragraph=option.paragraph, book_id=option.book_id)
        await self.ask(target, key, question, options, memory)

    async def choose_grade(self, target: Target, key: Key, grade: int) -> None:
        """Remembers the grade (ANY_GRADE: none), and answers the question that waited for it, if one did."""
        grades = await self.desk.grades()
        if grade != ANY_GRADE and grade not in grades:
            await target.say(texts.no_such_grade(grades), grade_keyboard(grades) if grades else None)
            return
        memory = await self.users.memory(key)
        waiting = memory.pending if memory.pending_kind == "grade" else None
        chosen = grade if grade != ANY_GRADE else None
        memory = replace(memory, grade=chosen, book_id=None, pending=None, pending_kind=None)
        await self.users.save(key, memory)
        if waiting is not None:
            await self.ask(target, key, waiting, ScopeOptions(grade=chosen), memory)
        else:
            await target.say(texts.any_grade_chosen() if chosen is None else texts.grade_chosen(chosen))

    async def choose_book(self, target: Target, key: Key, tag: str) -> None:
        """Remembers the textbook (ANY_BOOK: none) with its grade; answers the question that waited for it."""
        memory = await self.users.memory(key)
        waiting = memory.pending if memory.pending_kind == "book" else None
        memory = replace(memory, pending=None, pending_kind=None)
        if tag == ANY_BOOK:
            await self.users.save(key, replace(memory, book_id=None))
            await target.say(texts.ANY_BOOK_CHOSEN)
            return
        books = (await self.desk.library()).books.values()
        book = next((book for book in books if id_tag(book.book_id) == tag), None)
        if book is None:
            shown = await self.books_for(memory)
            await target.say(texts.NO_SUCH_BOOK if shown else texts.NO_BOOKS, book_keyboard(shown))
            return
        grade = memory.grade if memory.grade in book.grades else book.grades[0]
        # With several grades in one book, a student's own is not known from it.
        memory = replace(memory, book_id=book.book_id, grade=grade if len(book.grades) == 1 else memory.grade)
        await self.users.save(key, memory)
        if waiting is not None:
            await self.ask(target, key, waiting, ScopeOptions(book_id=book.book_id), memory)
        else:
            await target.say(texts.book_chosen(book))

    async def books_for(self, memory: Memory) -> list[Book]:
        """The books of the user's grade, or all; by subject and grade."""
        books = (await self.desk.library()).books.values()
        mine = [book for book in books if memory.grade is None or memory.grade in book.grades]
        return sorted(mine or books, key=lambda book: (book.subject, book.title, book.grades))

    async def show_contents(self, target: Target, scope: Scope, memory: Memory) -> None:
        """The contents to walk through: of the book that is meant, else a list of books to choose from."""
        books = (await self.desk.library()).books
        if not books:
            await target.say(texts.NO_BOOKS)
            return
        chosen = scope.book_id or memory.book_id
        grades = set(scope.grades)
        if chosen is not None and chosen in books and (not grades or grades & set(books[chosen].grades)):
            meant = [books[chosen]]
        else:
            meant = [book for book in await self.books_for(memory) if not grades or grades & set(book.grades)]
        screen = book_screen(meant[0]) if len(meant) == 1 else list_screen(meant)
        await self.show(target, screen)

    async def show(self, target: Target, screen: Screen) -> None:
        """A new message of the contents."""
        await target.send_html([screen.html], screen.keyboard)

    async def further(self, target: Target, key: Key, saved: Saved, what: Further) -> None:
        """«Подробнее» or «Другой фрагмент» for an answer."""
        async with Typing(target):
            if what == "more":
                answer = await self.desk.again(saved.question, saved.scope, detailed=True)
            else:
                answer = await self.desk.another(saved.question, saved.scope, saved.shown)
        if what == "more" and {source.quote for source in answer.sources} <= set(saved.quotes):
            await target.say(texts.NOTHING_MORE)
            return
        new = Saved.of(answer, await self.users.memory(key), new_case_id(), saved)
        if what == "more":
            new = new.using("more").using("vote")
        keyboard = None
        if answer.sources:
            keyboard = answer_keyboard(await self._keep(key, new), new)
        await target.send_html(render(answer), keyboard)

    async def _in_chosen_book(self, answer: Answer, memory: Memory) -> tuple[Answer, Memory]:
        """A textbook chosen with /book is looked into first where the question names no other place."""
        scope, book_id = answer.scope, memory.book_id
        book = (await self.desk.library()).books.get(book_id) if book_id is not None else None
        if book is None or answer.intent != "question" or not answer.searched:
            return answer, memory
        elsewhere = (
            scope.book_id or scope.paragraphs or scope.pages or not set(scope.grades) <= set(book.grades)
        )
        found = bool(answer.sources) and all(source.book_id == book.book_id for source in answer.sources)
        if elsewhere or found or not (answer.sources or answer.options):
            return answer, memory
        inside = await self.desk.again(answer.searched, replace(scope, book_id=book.book_id, note=None))
        if inside.status != "supported":
            return answer, memory
        return inside, replace(memory, pending=None, pending_kind=None)

    async def _grade_first(self, answer: Answer, memory: Memory) -> Answer | None:
        """The question for the grade, where it is not known and would narrow the answer down."""
        scope = answer.scope
        if answer.status != "supported" or answer.intent != "question":
            return None
        if scope.grades or scope.book_id is not None or memory.grade is not None:
            return None
        grades = await self.desk.grades()
        if len(grades) < 2:
            return None
        options = first_grade_options(grades)
        return Answer("clarify", "question", texts.ASK_GRADE_FIRST, scope, options=options)

    async def _is_menu(self, answer: Answer) -> bool:
        """Whether a walk through the contents answers better than a long list."""
        if answer.intent != "contents" or answer.scope.paragraphs:
            return False
        return answer.status == "supported" or bool(answer.options)

    async def _send_parts(self, target: Target, key: Key, answer: Answer, memory: Memory) -> None:
        """The questions of a §, each message over the buttons of its own pages."""
        rendered = messages(answer)
        pages = tuple(dict.fromkeys(page for message in rendered for page in message.pages))
        saved = replace(Saved.of(answer, memory, new_case_id()), pages=pages)
        token = await self.users.keep_buttons(key, saved.payload())
        for message in rendered:
            await target.send_html([message.html], _part_keyboard(token, saved, message, rendered))

    async def _keyboard(
        self,
        key: Key,
        question: str,
        answer: Answer,
        memory: Memory,
        case_id: str,
        before: Saved | None = None,
    ) -> InlineKeyboardMarkup | None:
        """`before`: the answer of which this one shows more."""
        if answer.options:
            token = await self.users.keep_buttons(key, choice_payload(question, answer.options))
            return option_keyboard(token, answer.options)
        if not (answer.sources or answer.hits):
            return None
        saved = Saved.of(answer, memory, case_id, before)
        if before is not None:
            saved = saved.using("more")
        return answer_keyboard(await self._keep(key, saved), saved)

    async def _keep(self, key: Key, saved: Saved) -> str:
        """The token of an answer's buttons; it is the last answer of this user now."""
        token = await self.users.keep_buttons(key, saved.payload())
        self._last.put(key, token)
        return token

    async def _last_answer(self, key: Key) -> Saved | None:
        token = self._last.get(key)
        kept = await self.users.buttons(token, key.chat_id) if token is not None else None
        return Saved.read(kept[1]) if kept is not None else None


def _part_keyboard(
    token: str, saved: Saved, message: Rendered, rendered: list[Rendered]
) -> InlineKeyboardMarkup | None:
    return answer_keyboard(token, saved, message.pages, last=message is rendered[-1])
