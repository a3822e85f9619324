"""Fetching updates. aiogram's own loop repeats every error for ever; here each has its end or its wait."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import NoReturn
from urllib.parse import urlsplit

from aiogram import Bot
from aiogram.exceptions import (
    AiogramError,
    TelegramConflictError,
    TelegramNotFound,
    TelegramRetryAfter,
    TelegramUnauthorizedError,
)
from aiogram.types import BotCommand
from sqlalchemy.exc import SQLAlchemyError

from bot.errors import PollingConflict, TokenInvalid
from bot.telegram.persistence import Sleep
from bot.telegram.raw_updates import ALLOWED_UPDATES, GetRawUpdates, Raw, id_of
from bot.telegram.texts import COMMANDS

logger = logging.getLogger(__name__)

LONG_POLL = 25
"""Seconds that Telegram may hold a getUpdates open."""
LONGEST_PAUSE = 30.0

TOKEN_REFUSED = (
    "Telegram не принимает BOT_TOKEN. Проверьте, что он скопирован целиком; новый выдаёт @BotFather (/token)."  # noqa: S105
)
CONFLICT = (
    "Этого бота опрашивает кто-то ещё: запущен второй экземпляр или токен утёк. Остановите второй экземпляр; "
    "если его нет, отзовите токен у @BotFather (/revoke) и впишите новый в BOT_TOKEN."
)


async def introduce(bot: Bot, sleep: Sleep = asyncio.sleep, *, polling: bool = True) -> None:
    """Checks the token, removes a webhook if updates come by polling, publishes the commands.

    Waits for Telegram as long as it is out of reach. Raises TokenInvalid.
    """
    failures = 0
    while True:
        try:
            me = await bot.me()
            if polling:
                await bot.delete_webhook(drop_pending_updates=False)
            break
        except (TelegramUnauthorizedError, TelegramNotFound) as exc:
            raise TokenInvalid(TOKEN_REFUSED) from exc
        except AiogramError as error:
            failures += 1
            pause = _pause(error, failures)
            logger.warning(
                "Telegram does not answer at %s (%s): check the internet connection of this machine, its "
                "proxy or firewall, and TELEGRAM_API_BASE; next try in %.0f s",
                urlsplit(bot.session.api.base).netloc,
                type(error).__name__,
                pause,
            )
            await sleep(pause)
    with suppress(AiogramError):
        commands = [BotCommand(command=name, description=text) for name, text in COMMANDS.items()]
        await bot.set_my_commands(commands)
    logger.info("connected as @%s", me.username)


async def poll(
    bot: Bot,
    take: Callable[[Sequence[Raw]], Awaitable[None]],
    *,
    conflict_tries: int,
    sleep: Sleep = asyncio.sleep,
    long_poll: int = LONG_POLL,
) -> NoReturn:
    """Hands every batch to `take`, for ever; what was taken is confirmed, also when cancelled.

    A batch that `take` cannot store (SQLAlchemyError) is asked for again.

    Raises PollingConflict after `conflict_tries` conflicts in a row, TokenInvalid when the token is revoked.
    """
    offset: int | None = None
    conflicts = failures = 0
    try:
        while True:
            method = GetRawUpdates(offset=offset, timeout=long_poll, allowed_updates=ALLOWED_UPDATES)
            try:
                updates = await bot(method, request_timeout=long_poll + 15)
                await take(updates)
            except (TelegramUnauthorizedError, TelegramNotFound) as exc:
                raise TokenInvalid(TOKEN_REFUSED) from exc
            except TelegramConflictError as exc:
                conflicts += 1
                webhook = "webhook" in exc.message
                reason = (
                    "a webhook is set" if webhook else "another instance polls with this token, or it leaked"
                )
                logger.error("conflict %d of %d: %s", conflicts, conflict_tries, reason)
                if conflicts >= conflict_tries:
                    raise PollingConflict(CONFLICT) from exc
                if webhook:
                    with suppress(AiogramError):
                        await bot.delete_webhook(drop_pending_updates=False)
                await sleep(_pause(exc, conflicts))
                continue
            except (AiogramError, SQLAlchemyError) as error:
                failures += 1
                pause = _pause(error, failures)
                logger.warning("no updates (%s); next try in %.0f s", type(error).__name__, pause)
                await sleep(pause)
                continue
            if failures:
                logger.info("updates come again")
            conflicts = failures = 0
            for update in updates:
                offset = max(offset or 0, (id_of(update) or 0) + 1)
    finally:
        if offset is not None:
            # Else the last batch would come again to the next instance.
            with suppress(AiogramError, TimeoutError):
                await bot(GetRawUpdates(offset=offset, timeout=0, limit=1), request_timeout=2)


def _pause(error: Exception, failures: int) -> float:
    """Seconds: what Telegram asks for, else 1, 2, 4… at most 30."""
    if isinstance(error, TelegramRetryAfter):
        return float(error.retry_after)
    return min(2.0 ** (failures - 1), LONGEST_PAUSE)
