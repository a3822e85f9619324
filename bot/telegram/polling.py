"""Fetching updates. aiogram's own loop repeats every error for ever; here each has its end or its wait."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from typing import NoReturn

from aiogram import Bot
from aiogram.exceptions import (
    AiogramError,
    ClientDecodeError,
    TelegramConflictError,
    TelegramNotFound,
    TelegramRetryAfter,
    TelegramUnauthorizedError,
)
from aiogram.methods import GetUpdates
from aiogram.types import BotCommand, Update
from pydantic import ValidationError

from bot.errors import PollingConflict, TokenInvalid
from bot.telegram.delivery import Sleep
from bot.telegram.texts import COMMANDS

logger = logging.getLogger(__name__)

ALLOWED_UPDATES = ["message", "edited_message", "callback_query"]
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


async def introduce(bot: Bot, sleep: Sleep = asyncio.sleep) -> None:
    """Checks the token, removes a webhook (updates come by polling), publishes the commands.

    Waits for Telegram as long as it is out of reach. Raises TokenInvalid.
    """
    failures = 0
    while True:
        try:
            me = await bot.me()
            await bot.delete_webhook(drop_pending_updates=False)
            break
        except (TelegramUnauthorizedError, TelegramNotFound) as exc:
            raise TokenInvalid(TOKEN_REFUSED) from exc
        except AiogramError as error:
            failures += 1
            pause = _pause(error, failures)
            logger.warning("Telegram is out of reach (%s); next try in %.0f s", type(error).__name__, pause)
            await sleep(pause)
    with suppress(AiogramError):
        commands = [BotCommand(command=name, description=text) for name, text in COMMANDS.items()]
        await bot.set_my_commands(commands)
    logger.info("connected as @%s", me.username)


async def poll(
    bot: Bot,
    handle: Callable[[Update], None],
    *,
    conflict_tries: int,
    sleep: Sleep = asyncio.sleep,
    long_poll: int = LONG_POLL,
) -> NoReturn:
    """Hands every update to `handle`, for ever; what was handed over is confirmed, also when cancelled.

    Raises PollingConflict after `conflict_tries` conflicts in a row, TokenInvalid when the token is revoked.
    """
    offset: int | None = None
    conflicts = failures = 0
    try:
        while True:
            method = GetUpdates(offset=offset, timeout=long_poll, allowed_updates=ALLOWED_UPDATES)
            try:
                updates = await bot(method, request_timeout=long_poll + 15)
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
            except AiogramError as error:
                readable = _readable(bot, error)
                if readable is None:
                    failures += 1
                    pause = _pause(error, failures)
                    logger.warning("no updates (%s); next try in %.0f s", type(error).__name__, pause)
                    await sleep(pause)
                    continue
                updates, skipped = readable
                offset = max(offset or 0, skipped + 1)
            if failures:
                logger.info("updates come again")
            conflicts = failures = 0
            for update in updates:
                offset = max(offset or 0, update.update_id + 1)
                handle(update)
    finally:
        if offset is not None:
            # Else the last batch would come again to the next instance.
            with suppress(AiogramError, TimeoutError):
                await bot(GetUpdates(offset=offset, timeout=0, limit=1), request_timeout=3)


def _pause(error: AiogramError, failures: int) -> float:
    """Seconds: what Telegram asks for, else 1, 2, 4… at most 30."""
    if isinstance(error, TelegramRetryAfter):
        return float(error.retry_after)
    return min(2.0 ** (failures - 1), LONGEST_PAUSE)


def _readable(bot: Bot, error: AiogramError) -> tuple[list[Update], int] | None:
    """Of a batch with an update that this version cannot read: the others, and the last id of all.

    Without this one such update would block the bot. None when the answer is no batch at all.
    """
    if not isinstance(error, ClientDecodeError) or not isinstance(error.data, dict):
        return None
    batch = error.data.get("result")
    if not isinstance(batch, list) or not batch:
        return None
    updates, last = [], 0
    for item in batch:
        number = item.get("update_id") if isinstance(item, dict) else None
        last = max(last, number if isinstance(number, int) else 0)
        try:
            updates.append(Update.model_validate(item, context={"bot": bot}))
        except ValidationError:
            logger.warning("skipped an update that this version cannot read")
    return updates, last
