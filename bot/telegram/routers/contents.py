"""The walk through a book's contents: one message that changes; page pictures and answers come below it."""

from __future__ import annotations

from collections.abc import Callable

from aiogram import Bot, Router
from aiogram.exceptions import TelegramBadRequest
from aiogram.filters import Command, CommandObject
from aiogram.types import CallbackQuery, Message

from answer.query import Scope, ScopeOptions
from bot.outline import Node, find, outline, tagged
from bot.rendering import PageRef, page_refs
from bot.telegram import texts
from bot.telegram.contents_view import (
    ContentsData,
    ContentsListData,
    Screen,
    SectionPageData,
    SectionQuestionsData,
    book_screen,
    list_screen,
    page_line,
    section_screen,
)
from bot.telegram.conversation import Conversation
from bot.telegram.delivery import Target, answer_button
from bot.telegram.people import key_of, key_of_button
from bot.telegram.showing import show_page
from index.book import Book


def build(conversation: Conversation) -> Router:
    """Everybody in a group may turn the pages; «Ответы на вопросы» answers whoever pressed."""
    router = Router(name="contents")
    desk, users = conversation.desk, conversation.users

    async def place(
        callback: CallbackQuery, tag: str, index: int, fits: Callable[[Node], object] = lambda _: True
    ) -> tuple[Book, Node] | None:
        """The book and the place in it; None after the button was found stale."""
        book = tagged((await desk.library()).books.values(), tag)
        node = find(outline(book), index) if book is not None else None
        if book is None or node is None or not fits(node):
            await answer_button(callback, texts.STALE_CONTENTS, show_alert=True)
            return None
        return book, node

    async def screen_of(book: Book, node: Node, page: int) -> Screen:
        if node.children or node.section is None:
            return book_screen(book, node.index, page)
        if not _is_numbered(node):
            return section_screen(book, node.index, None)
        return section_screen(book, node.index, await desk.describe(book.book_id, node.section.numbers[0]))

    @router.message(Command("contents", ignore_case=True))
    async def contents(message: Message, bot: Bot, command: CommandObject) -> None:
        target, key = Target.of(bot, message), key_of(message)
        if command.args:
            named = f"{command.args} класс" if command.args.strip().isdecimal() else command.args
            await conversation.ask(target, key, f"оглавление {named}")
            return
        memory = await users.memory(key)
        grades = (memory.grade,) if memory.grade is not None else ()
        await conversation.show_contents(target, Scope(grades=grades), memory)

    @router.callback_query(ContentsListData.filter())
    async def books(callback: CallbackQuery, bot: Bot, callback_data: ContentsListData) -> None:
        target, key = Target.of_button(bot, callback), key_of_button(callback)
        await answer_button(callback)
        if target is None or key is None:
            return
        shown = await conversation.books_for(await users.memory(key))
        if shown:
            await _replace(target, callback, list_screen(shown, callback_data.page))
        else:
            await target.say(texts.NO_BOOKS)

    @router.callback_query(ContentsData.filter())
    async def walk(callback: CallbackQuery, bot: Bot, callback_data: ContentsData) -> None:
        target = Target.of_button(bot, callback)
        found = await place(callback, callback_data.tag, callback_data.node)
        if found is None or target is None:
            return
        await answer_button(callback)
        await _replace(target, callback, await screen_of(*found, callback_data.page))

    @router.callback_query(SectionPageData.filter())
    async def page(callback: CallbackQuery, bot: Bot, callback_data: SectionPageData) -> None:
        target = Target.of_button(bot, callback)
        found = await place(callback, callback_data.tag, callback_data.node, lambda node: node.section)
        if found is None or target is None or found[1].section is None:
            return
        await answer_button(callback, texts.SHOWING)
        book, node = found
        section = found[1].section
        marked: tuple[str, ...] = ()
        if _is_numbered(node):
            about = await desk.describe(book.book_id, section.numbers[0])
            quoted = [ref for ref in page_refs(about) if ref.file_page == section.file_page]
            marked = quoted[0].quotes if quoted else ()
        caption = " · ".join([texts.book_line(book), node.name, page_line(node)])
        await show_page(desk, target, PageRef(book.book_id, section.file_page, "", caption[:900], marked))

    @router.callback_query(SectionQuestionsData.filter())
    async def questions(callback: CallbackQuery, bot: Bot, callback_data: SectionQuestionsData) -> None:
        target, key = Target.of_button(bot, callback), key_of_button(callback)
        found = await place(callback, callback_data.tag, callback_data.node, _is_numbered)
        if found is None or target is None or key is None or found[1].section is None:
            return
        await answer_button(callback)
        number = found[1].section.numbers[0]
        options = ScopeOptions(paragraph=number, book_id=found[0].book_id)
        await conversation.ask(target, key, "ответы на вопросы", options)

    return router


def _is_numbered(node: Node) -> bool:
    """A § that can be named: described, and asked for its questions."""
    return node.is_paragraph and node.section is not None and bool(node.section.numbers)


async def _replace(target: Target, callback: CallbackQuery, screen: Screen) -> None:
    """Changes the message that was pressed; sends a new one where it cannot be changed."""
    try:
        if isinstance(callback.message, Message):
            await target.edit_html(callback.message.message_id, screen.html, screen.keyboard)
            return
    except TelegramBadRequest:
        pass
    await target.send_html([screen.html], screen.keyboard)
