"""Builds the bot and runs it."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from pathlib import Path

from aiogram import Bot, Dispatcher
from aiogram.client.session.aiohttp import AiohttpSession
from aiogram.client.telegram import TelegramAPIServer
from aiogram.utils.token import TokenValidationError
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine

from answer.phrasing import Phraser
from bot.database import empty_log, open_database
from bot.errors import TokenInvalid
from bot.feedback import Feedback
from bot.metrics import Meters
from bot.settings import BotSettings
from bot.telegram.albums import Albums
from bot.telegram.answering import Answering
from bot.telegram.conversation import Conversation
from bot.telegram.desk import Asks
from bot.telegram.hints import Hints
from bot.telegram.inbox import Inbox, MarksSending
from bot.telegram.intake import Intake
from bot.telegram.lanes import Lanes
from bot.telegram.metered import MeteredDesk, MeteredPhraser, MeteredRequests
from bot.telegram.pace import Pace
from bot.telegram.people import FromPeople
from bot.telegram.persistence import Follows, Persistence
from bot.telegram.polling import introduce, poll
from bot.telegram.routers import (
    answers,
    buttons,
    chats,
    commands,
    contents,
    failures,
    media,
    questions,
)
from bot.telegram.school import School
from bot.telegram.webhook import Webhook, receive
from bot.users import Users
from index.settings import IndexSettings

GRACE = 4.0
"""Seconds that answers in work get when the bot is stopped.

With two seconds for the last poll and four for a textbook in work all ends within about ten, after which a
plain `docker stop` kills.
"""
GRACE_WORDING = 1.0
"""Seconds more for a model that is writing, and as many for taking back the hints of the other answers."""
TIDY_EVERY = 60.0
"""Seconds for which the database's log may hold what has been deleted."""


def build_dispatcher(
    conversation: Conversation, feedback: Feedback, albums: Albums, school: School | None = None
) -> Dispatcher:
    """All routers in the order in which they are tried."""
    dispatcher = Dispatcher(disable_fsm=True)
    for observer in (dispatcher.message, dispatcher.edited_message):
        observer.filter(FromPeople())
    if school is not None:
        school.guard(dispatcher)
        dispatcher.include_routers(*school.routers())
    dispatcher.include_routers(
        chats.build(conversation.users),
        contents.build(conversation),
        commands.build(conversation, feedback),
        questions.build(conversation),
        media.build(albums),
        answers.build(conversation, feedback),
        buttons.build(conversation),
        failures.build(),
    )
    return dispatcher


async def run_bot(
    assistant: Asks,
    settings: BotSettings,
    phraser: Phraser | None = None,
    pace: Pace | None = None,
    *,
    store_dir: Path | None = None,
    meters: Meters | None = None,
) -> None:
    """Serves Telegram until cancelled; answers in work are finished first, the rest waits for the next start.

    Raises TokenInvalid, PollingConflict, WebhookRefused, AddressInvalid, PortTaken, DatabaseDamaged.
    """
    bot = make_bot(settings)
    engine = await open_database(settings.database_url)
    users, inbox, meters, pace = Users(engine), Inbox(engine), meters or Meters(), pace or Pace()
    desk, lanes = MeteredDesk(assistant, meters), Lanes()
    words = MeteredPhraser(phraser, meters) if phraser is not None else None
    answering = Answering(words, Hints(engine), interval=pace.edits)
    store = store_dir or IndexSettings().store_dir
    school = School(bot, engine, settings, desk.library, meters, store, edit_interval=pace.edits)

    async def migrate(old_chat_id: int, new_chat_id: int) -> None:
        await users.migrate(old_chat_id, new_chat_id)
        await school.migrate(old_chat_id, new_chat_id)

    requests = (Follows(migrate), Persistence(), pace, MarksSending(), MeteredRequests(meters))
    for middleware in requests:
        bot.session.middleware(middleware)
    conversation = Conversation(desk, users, answering)
    albums = Albums()
    dispatcher = build_dispatcher(conversation, Feedback(engine), albums, school)
    intake = Intake(bot, dispatcher, lanes, inbox, albums, drop_after=settings.telegram_drop_after)
    webhook = webhook_of(settings)
    tidying = asyncio.create_task(_keep_tidy(engine))
    old_hints: asyncio.Task[None] | None = None
    try:
        await introduce(bot, polling=webhook is None)
        async with school.running():
            await intake.resume()
            old_hints = asyncio.create_task(answering.take_back_hints(bot))
            if webhook is not None:
                await receive(bot, intake, webhook)
            else:
                await poll(bot, intake, conflict_tries=settings.telegram_conflict_tries)
    finally:
        tidying.cancel()
        if old_hints is not None:
            old_hints.cancel()
            await asyncio.gather(old_hints, return_exceptions=True)
        with suppress(asyncio.CancelledError):
            desk.stop()
            await lanes.stop(GRACE)
            await answering.close(GRACE_WORDING)
            await conversation.patience.close()
        desk.close()
        await engine.dispose()
        await bot.session.close()


async def _keep_tidy(engine: AsyncEngine) -> None:
    while True:
        await asyncio.sleep(TIDY_EVERY)
        with suppress(SQLAlchemyError):
            await empty_log(engine)


def webhook_of(settings: BotSettings) -> Webhook | None:
    """None: the bot polls."""
    if settings.webhook_url is None:
        return None
    secret = settings.webhook_secret
    return Webhook.of(
        settings.webhook_url, secret.get_secret_value() if secret else None, settings.webhook_listen
    )


def make_bot(settings: BotSettings) -> Bot:
    """A client for the configured server. Raises TokenInvalid."""
    if settings.bot_token is None:
        raise TokenInvalid("BOT_TOKEN не задан: получите токен у @BotFather и впишите его в .env.")
    session = AiohttpSession(
        api=TelegramAPIServer.from_base(settings.telegram_api_base, is_local=settings.telegram_local)
    )
    try:
        return Bot(settings.bot_token.get_secret_value().strip(), session=session)
    except TokenValidationError:
        raise TokenInvalid("BOT_TOKEN записан с ошибкой: нужен вид 123456789:AAE…, без пробелов.") from None
