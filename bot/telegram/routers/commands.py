"""/start, /help, /grade, /book, /books, /reset, /forget, /privacy."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from aiogram import Bot, F, Router
from aiogram.dispatcher.event.handler import CallbackType
from aiogram.filters import Command, CommandObject
from aiogram.types import Message, Update

from answer.query import Memory
from bot.feedback import Feedback
from bot.html_parts import split_html
from bot.rendering import plain_html
from bot.telegram import texts
from bot.telegram.conversation import Conversation
from bot.telegram.delivery import Target
from bot.telegram.keyboards import book_keyboard, grade_keyboard, privacy_keyboard
from bot.telegram.people import key_of


def build(conversation: Conversation, feedback: Feedback) -> Router:
    """Commands in private chats and groups; also where a correction has made a message one."""
    router = Router(name="commands")
    desk, users = conversation.desk, conversation.users

    def command(name: str) -> Callable[[CallbackType], CallbackType]:
        def register(handler: CallbackType) -> CallbackType:
            # What somebody else wrote is no command of whoever passes it on.
            rule = (Command(name, ignore_case=True), ~F.forward_origin)
            router.edited_message(*rule)(handler)
            return router.message(*rule)(handler)

        return register

    @command("start")
    async def start(message: Message, bot: Bot) -> None:
        grades, key = await desk.grades(), key_of(message)
        await users.save(key, await users.memory(key))  # the grade was asked for
        keyboard = grade_keyboard(grades) if grades else None
        await Target.of(bot, message).say(texts.welcome(grades), keyboard)

    @command("help")
    async def show_help(message: Message, bot: Bot) -> None:
        await Target.of(bot, message).say(texts.HELP)

    @command("privacy")
    async def privacy(message: Message, bot: Bot) -> None:
        agreed = await feedback.consent(key_of(message)) == "yes"
        await Target.of(bot, message).say(texts.privacy(agreed), privacy_keyboard(agreed))

    @command("grade")
    async def grade(message: Message, bot: Bot, command: CommandObject) -> None:
        target, key = Target.of(bot, message), key_of(message)
        number = re.search(r"\d+", command.args or "")
        if number is not None:
            await conversation.choose_grade(target, key, min(int(number.group()[:3]), 99) or 99)
            return
        grades = await desk.grades()
        if not grades:
            await target.say(texts.NO_BOOKS)
        elif command.args:
            await target.say(texts.no_such_grade(grades), grade_keyboard(grades))
        else:
            memory = await users.memory(key)
            await target.say(texts.current_grade(memory.grade), grade_keyboard(grades))

    @command("book")
    async def book(message: Message, bot: Bot) -> None:
        target, memory = Target.of(bot, message), await users.memory(key_of(message))
        shown = await conversation.books_for(memory)
        if not shown:
            await target.say(texts.NO_BOOKS)
            return
        chosen = (await desk.library()).books.get(memory.book_id or "")
        await target.say(texts.current_book(chosen), book_keyboard(shown))

    @command("books")
    async def books(message: Message, bot: Bot) -> None:
        library = await desk.library()
        lines = texts.books_list(library.books).split("\n")
        await Target.of(bot, message).send_html(split_html("\n".join(map(plain_html, lines))))

    @command("reset")
    async def reset(message: Message, bot: Bot) -> None:
        key = key_of(message)
        conversation.answering.cancel(key)
        memory = await users.memory(key)
        await users.save(key, replace(Memory(), grade=memory.grade))
        grade = f" {texts.grade_chosen(memory.grade)}" if memory.grade is not None else ""
        await Target.of(bot, message).say(texts.RESET + grade)

    @command("forget")
    async def forget(message: Message, bot: Bot, event_update: Update) -> None:
        conversation.answering.cancel(key_of(message))
        await users.forget(key_of(message), event_update.update_id)
        await Target.of(bot, message).say(texts.FORGOTTEN)

    @router.message(
        F.chat.type == "private", F.text.startswith("/") | F.caption.startswith("/"), ~F.forward_origin
    )
    async def unknown(message: Message, bot: Bot) -> None:
        await Target.of(bot, message).say(texts.UNKNOWN_COMMAND)

    return router
