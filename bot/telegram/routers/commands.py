"""/start, /help, /grade, /books, /reset, /forget, /privacy."""

from __future__ import annotations

import re
from dataclasses import replace

from aiogram import Bot, F, Router
from aiogram.filters import Command, CommandObject
from aiogram.types import Message

from answer.query import Memory
from bot.html_parts import split_html
from bot.rendering import plain_html
from bot.telegram import texts
from bot.telegram.conversation import Conversation
from bot.telegram.delivery import Target
from bot.telegram.keyboards import grade_keyboard
from bot.telegram.people import key_of


def build(conversation: Conversation) -> Router:
    """Commands in private chats and groups."""
    router = Router(name="commands")
    desk, users = conversation.desk, conversation.users

    @router.message(Command("start", ignore_case=True))
    async def start(message: Message, bot: Bot) -> None:
        grades = await desk.grades()
        keyboard = grade_keyboard(grades) if grades else None
        await Target.of(bot, message).say(texts.welcome(grades), keyboard)

    @router.message(Command("help", ignore_case=True))
    async def show_help(message: Message, bot: Bot) -> None:
        await Target.of(bot, message).say(texts.HELP)

    @router.message(Command("privacy", ignore_case=True))
    async def privacy(message: Message, bot: Bot) -> None:
        await Target.of(bot, message).say(texts.PRIVACY)

    @router.message(Command("grade", ignore_case=True))
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

    @router.message(Command("books", ignore_case=True))
    async def books(message: Message, bot: Bot) -> None:
        library = await desk.library()
        lines = texts.books_list(library.books).split("\n")
        await Target.of(bot, message).send_html(split_html("\n".join(map(plain_html, lines))))

    @router.message(Command("reset", ignore_case=True))
    async def reset(message: Message, bot: Bot) -> None:
        key = key_of(message)
        conversation.answering.cancel(key)
        memory = await users.memory(key)
        await users.save(key, replace(Memory(), grade=memory.grade))
        grade = f" {texts.grade_chosen(memory.grade)}" if memory.grade is not None else ""
        await Target.of(bot, message).say(texts.RESET + grade)

    @router.message(Command("forget", ignore_case=True))
    async def forget(message: Message, bot: Bot) -> None:
        conversation.answering.cancel(key_of(message))
        await users.forget(key_of(message))
        await Target.of(bot, message).say(texts.FORGOTTEN)

    @router.message(F.chat.type == "private", F.text.startswith("/"))
    async def unknown(message: Message, bot: Bot) -> None:
        await Target.of(bot, message).say(texts.UNKNOWN_COMMAND)

    return router
