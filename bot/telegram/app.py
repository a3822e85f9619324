"""Builds the bot and runs it."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from aiogram import Bot, Dispatcher
from aiogram.client.session.aiohttp import AiohttpSession
from aiogram.client.telegram import TelegramAPIServer
from aiogram.utils.token import TokenValidationError

from answer.phrasing import Phraser
from bot.database import open_database
from bot.errors import TokenInvalid
from bot.settings import BotSettings
from bot.telegram.answering import Answering
from bot.telegram.conversation import Conversation
from bot.telegram.delivery import Persistence
from bot.telegram.desk import Asks, Desk
from bot.telegram.intake import Intake
from bot.telegram.lanes import Lanes
from bot.telegram.people import FromPeople
from bot.telegram.polling import introduce, poll
from bot.telegram.routers import buttons, commands, failures, media, questions
from bot.users import Users

GRACE = 10.0
"""Seconds that answers in work get when the bot is stopped."""


def build_dispatcher(conversation: Conversation) -> Dispatcher:
    """All routers in the order in which they are tried."""
    dispatcher = Dispatcher(disable_fsm=True)
    for observer in (dispatcher.message, dispatcher.edited_message):
        observer.filter(FromPeople())
    dispatcher.include_routers(
        commands.build(conversation),
        questions.build(conversation),
        media.build(),
        buttons.build(conversation),
        failures.build(),
    )
    return dispatcher


async def run_bot(assistant: Asks, settings: BotSettings, phraser: Phraser | None = None) -> None:
    """Serves Telegram until cancelled; answers in work are finished first.

    Raises TokenInvalid, PollingConflict, DatabaseDamaged.
    """
    bot = make_bot(settings)
    engine = await open_database(settings.database_url)
    users = Users(engine)
    desk, lanes, answering = Desk(assistant), Lanes(), Answering(phraser)
    dispatcher = build_dispatcher(Conversation(desk, users, answering))
    intake = Intake(bot, dispatcher, lanes, drop_after=settings.telegram_drop_after)
    try:
        await introduce(bot)
        await poll(bot, intake, conflict_tries=settings.telegram_conflict_tries)
    finally:
        with suppress(asyncio.CancelledError):
            await lanes.drain(GRACE)
            await answering.close(GRACE)
        desk.close()
        await engine.dispose()
        await bot.session.close()


def make_bot(settings: BotSettings) -> Bot:
    """A client for the configured server. Raises TokenInvalid."""
    if settings.bot_token is None:
        raise TokenInvalid("BOT_TOKEN не задан: получите токен у @BotFather и впишите его в .env.")
    session = AiohttpSession(api=TelegramAPIServer.from_base(settings.telegram_api_base))
    session.middleware(Persistence())
    try:
        return Bot(settings.bot_token.get_secret_value().strip(), session=session)
    except TokenValidationError:
        raise TokenInvalid("BOT_TOKEN записан с ошибкой: нужен вид 123456789:AAE…, без пробелов.") from None
