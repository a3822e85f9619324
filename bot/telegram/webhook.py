"""Updates by webhook: Telegram posts them to an address of ours, behind a reverse proxy that speaks https."""

from __future__ import annotations

import asyncio
import errno
import hmac
import json
import logging
import secrets
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import NoReturn

from aiogram import Bot
from aiogram.exceptions import AiogramError, TelegramBadRequest
from aiohttp import web
from sqlalchemy.exc import SQLAlchemyError

from bot.errors import PortTaken, WebhookRefused
from bot.health import read_listen
from bot.telegram.persistence import Sleep
from bot.telegram.raw_updates import ALLOWED_UPDATES, Raw, id_of

logger = logging.getLogger(__name__)

SECRET_HEADER = "X-Telegram-Bot-Api-Secret-Token"  # noqa: S105
LARGEST_BODY = 1024 * 1024
"""Bytes; an update holds no files and is a few kilobytes."""
SHUTDOWN = 2.0
"""Seconds for updates that are being stored when the bot is stopped."""
WATCH_EVERY = 60.0
"""Seconds between two looks at whether the webhook is still ours and works."""


@dataclass(frozen=True, slots=True)
class Webhook:
    """Where Telegram posts to (`url`), what it proves itself with, and where we listen (HOST:PORT)."""

    url: str
    secret: str
    listen: str

    @classmethod
    def of(cls, url: str, secret: str | None, listen: str) -> Webhook:
        """Without a secret a new one is drawn: Telegram is told it at every start."""
        return cls(url, secret or secrets.token_urlsafe(32), listen)


Take = Callable[[Sequence[Raw]], Awaitable[None]]


def application(take: Take, secret: str) -> web.Application:
    """Answers 200 as soon as an update is stored; whatever does not come from Telegram is refused unread."""

    async def receive(request: web.Request) -> web.Response:
        given = request.headers.get(SECRET_HEADER, "")
        if not hmac.compare_digest(given.encode(), secret.encode()):
            return web.Response(status=401)
        try:
            raw = json.loads(await request.read())
        except ValueError:
            return web.Response(status=400)
        if not isinstance(raw, dict) or id_of(raw) is None:
            return web.Response(status=400)
        try:
            await take([raw])
        except SQLAlchemyError as error:
            logger.error(
                "an update could not be stored (%s); Telegram will send it again", type(error).__name__
            )
            return web.Response(status=503)
        return web.Response()

    app = web.Application(client_max_size=LARGEST_BODY)
    # Any path: the proxy may cut its own prefix off, and it is the secret that counts.
    app.router.add_post("/{path:.*}", receive)
    return app


async def receive(bot: Bot, take: Take, webhook: Webhook, sleep: Sleep = asyncio.sleep) -> NoReturn:
    """Hands every update to `take` until cancelled.

    The webhook stays set afterwards: Telegram keeps what comes until the next start.
    Raises AddressInvalid, PortTaken, WebhookRefused.
    """
    host, port = read_listen(webhook.listen, "WEBHOOK_LISTEN")
    runner = web.AppRunner(application(take, webhook.secret), access_log=None, shutdown_timeout=SHUTDOWN)
    await runner.setup()
    try:
        try:
            await web.TCPSite(runner, host, port).start()
        except OSError as error:
            reason = "порт занят" if error.errno == errno.EADDRINUSE else str(error.strerror)
            raise PortTaken(f"WEBHOOK_LISTEN={webhook.listen}: {reason}. Укажите другой порт.") from error
        await _announce(bot, webhook)
        logger.info("updates come by webhook, listening on %s:%d", host, port)
        await _watch(bot, webhook, sleep)
    finally:
        await runner.cleanup()
    raise AssertionError("unreachable")


async def _announce(bot: Bot, webhook: Webhook) -> None:
    try:
        await bot.set_webhook(webhook.url, secret_token=webhook.secret, allowed_updates=ALLOWED_UPDATES)
    except TelegramBadRequest as error:
        raise WebhookRefused(
            f"Telegram не принимает WEBHOOK_URL={webhook.url} ({error.message}). Нужен адрес https://… с "
            "доверенным сертификатом на порту 443, 80, 88 или 8443. Если WEBHOOK_URL убрать, бот будет "
            "опрашивать Telegram сам."
        ) from error


async def _watch(bot: Bot, webhook: Webhook, sleep: Sleep) -> None:
    """Sets the webhook again when somebody has taken it away; logs what Telegram says of its deliveries."""
    told = None
    while True:
        await sleep(WATCH_EVERY)
        try:
            info = await bot.get_webhook_info()
            if info.url != webhook.url:
                logger.error(
                    "somebody has removed the webhook (another instance, or the token leaked); set again"
                )
                await _announce(bot, webhook)
            elif info.last_error_date is not None and info.last_error_date != told:
                told = info.last_error_date
                logger.warning("Telegram cannot deliver updates: %s", info.last_error_message)
        except AiogramError as error:
            logger.warning("the webhook could not be checked (%s)", type(error).__name__)
