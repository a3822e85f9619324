"""Gets a file that somebody has sent. Its address holds the token, so no address leaves this module."""

from __future__ import annotations

import asyncio
import logging
import shutil
from collections.abc import Awaitable, Callable
from pathlib import Path

from aiogram import Bot
from aiogram.exceptions import AiogramError, TelegramBadRequest, TelegramNotFound
from aiohttp import ClientError

from bot.telegram.upload_texts import DOWNLOAD_FAILED, FILE_GONE, NOT_PDF, too_large

logger = logging.getLogger(__name__)

PUBLIC_LIMIT = 20 * 1024 * 1024
"""Bytes that the Bot API hands to a bot, unless a server of one's own runs with --local."""
TRIES = 3
SECONDS = 900
"""For one try."""
_PIECE = 256 * 1024


class UploadRefused(Exception):
    """The file is not taken; `str(error)` is a Russian sentence for its sender."""


async def fetch(
    bot: Bot,
    file_id: str,
    target: Path,
    largest: int,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> None:
    """Writes the file to `target`: at most `largest` bytes, a PDF by its content. Raises UploadRefused."""
    local = bot.session.api.is_local
    for number in range(1, TRIES + 1):
        try:
            file = await bot.get_file(file_id)
            if not file.file_path:
                raise UploadRefused(FILE_GONE)
            if local:
                await asyncio.to_thread(_copy, Path(file.file_path), target, largest)
            else:
                await _download(bot, file.file_path, target, largest)
            break
        except TelegramBadRequest as error:
            big = "too big" in error.message
            raise UploadRefused(too_large(0, largest, local) if big else FILE_GONE) from None
        except (AiogramError, ClientError, TimeoutError, OSError) as error:
            if isinstance(error, TelegramNotFound) or number == TRIES:
                # Without the cause: its text holds the address, and that the token.
                logger.warning("a file could not be fetched (%s)", type(error).__name__)
                raise UploadRefused(DOWNLOAD_FAILED) from None
            await sleep(2.0**number)
    if not await asyncio.to_thread(is_pdf, target):
        raise UploadRefused(NOT_PDF)


def is_pdf(path: Path) -> bool:
    """By its content, as ingestion looks at it; a name or a type that Telegram tells proves nothing."""
    with path.open("rb") as file:
        return b"%PDF-" in file.read(1024)


async def _download(bot: Bot, file_path: str, target: Path, largest: int) -> None:
    url = bot.session.api.file_url(bot.token, file_path)
    pieces = bot.session.stream_content(url, timeout=SECONDS, chunk_size=_PIECE, raise_for_status=True)
    size = 0
    with target.open("wb") as out:
        async for piece in pieces:
            size += len(piece)
            if size > largest:
                raise UploadRefused(too_large(size, largest, local=False))
            out.write(piece)


def _copy(source: Path, target: Path, largest: int) -> None:
    size = source.stat().st_size
    if size > largest:
        raise UploadRefused(too_large(size, largest, local=True))
    shutil.copyfile(source, target)
