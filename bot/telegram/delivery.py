"""Sending: where an answer goes, HTML that Telegram refuses, and the typing sign."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Any, cast

from aiogram import Bot
from aiogram.exceptions import AiogramError, TelegramBadRequest, TelegramForbiddenError
from aiogram.types import (
    BufferedInputFile,
    CallbackQuery,
    InlineKeyboardMarkup,
    LinkPreviewOptions,
    Message,
    ReplyParameters,
)

from bot.html_parts import plain_text

logger = logging.getLogger(__name__)

TYPING_INTERVAL = 4.0
"""Seconds; Telegram shows the sign for five."""
_NO_PREVIEW = LinkPreviewOptions(is_disabled=True)
"""A textbook that names an address must not put a foreign picture under the answer."""


@dataclass(frozen=True, slots=True)
class Target:
    """Where an answer goes."""

    bot: Bot
    chat_id: int
    thread_id: int | None = None
    """Topic of a forum."""
    reply_to: int | None = None
    """In groups: the message that is answered."""

    @classmethod
    def of(cls, bot: Bot, message: Message) -> Target:
        """The chat of a message; in groups as a reply to it."""
        thread = message.message_thread_id if message.is_topic_message else None
        reply = message.message_id if message.chat.type != "private" else None
        return cls(bot, message.chat.id, thread, reply)

    @classmethod
    def of_button(cls, bot: Bot, callback: CallbackQuery) -> Target | None:
        """The chat in which a button was pressed; None for a button of an inline message."""
        if callback.message is None:
            return None
        message = callback.message
        thread = (
            message.message_thread_id if isinstance(message, Message) and message.is_topic_message else None
        )
        return cls(bot, message.chat.id, thread)

    async def say(self, text: str, keyboard: InlineKeyboardMarkup | None = None) -> int:
        """One of our own sentences, as plain text; returns the message's id."""
        return await self._send(text, None, keyboard)

    async def send_html(
        self, parts: Sequence[str], keyboard: InlineKeyboardMarkup | None = None
    ) -> list[int]:
        """Parts in order, buttons under the last; returns the messages' ids.

        HTML that Telegram refuses is sent again as plain text.
        """
        ids = []
        for number, part in enumerate(parts, start=1):
            buttons = keyboard if number == len(parts) else None
            try:
                ids.append(await self._send(part, "HTML", buttons))
            except TelegramBadRequest as error:
                _only_markup(error)
                ids.append(await self._send(plain_text(part), None, buttons))
        return ids

    async def edit_html(
        self, message_id: int, part: str, keyboard: InlineKeyboardMarkup | None = None
    ) -> None:
        """Replaces a message of the bot and its buttons; one that says this already is no error."""
        try:
            await self._edit(message_id, part, "HTML", keyboard)
        except TelegramBadRequest as error:
            if "message is not modified" in error.message:
                return
            _only_markup(error)
            await self._edit(message_id, plain_text(part), None, keyboard)

    async def delete(self, message_id: int) -> None:
        """Takes a message of the bot out of the chat."""
        await self.bot.delete_message(self.chat_id, message_id)

    async def send_photo(self, png: bytes, caption: str) -> None:
        """A picture with a plain caption (at most 1024 characters)."""
        await self.bot.send_photo(
            self.chat_id,
            BufferedInputFile(png, "page.png"),
            caption=caption,
            parse_mode=None,
            message_thread_id=self.thread_id,
        )

    async def _send(self, text: str, parse_mode: str | None, keyboard: InlineKeyboardMarkup | None) -> int:
        reply = (
            ReplyParameters(message_id=self.reply_to, allow_sending_without_reply=True)
            if self.reply_to is not None
            else None
        )
        sent = await self.bot.send_message(
            self.chat_id,
            text,
            parse_mode=parse_mode,
            reply_markup=keyboard,
            reply_parameters=reply,
            message_thread_id=self.thread_id,
            link_preview_options=_NO_PREVIEW,
        )
        return sent.message_id

    async def _edit(
        self, message_id: int, text: str, parse_mode: str | None, keyboard: InlineKeyboardMarkup | None
    ) -> None:
        await self.bot.edit_message_text(
            text,
            chat_id=self.chat_id,
            message_id=message_id,
            parse_mode=parse_mode,
            reply_markup=keyboard,
            link_preview_options=_NO_PREVIEW,
        )


def _only_markup(error: TelegramBadRequest) -> None:
    """Raises the error again unless it is about our HTML."""
    if "can't parse entities" not in error.message:
        raise error
    logger.error("Telegram refused our HTML: %s", error.message.partition(":")[2][:80])


class Typing:
    """Shows «печатает…» while its block runs; for somebody who has blocked the bot it ends with Forbidden."""

    def __init__(self, target: Target, interval: float = TYPING_INTERVAL) -> None:
        self._target = target
        self._interval = interval
        self._task: asyncio.Task[None] | None = None
        self._block: asyncio.Task[Any] | None = None
        self._cancelling = 0
        self._interrupted = False

    async def __aenter__(self) -> None:
        self._block = asyncio.current_task()
        self._cancelling = self._block.cancelling() if self._block is not None else 0
        self._task = asyncio.create_task(self._keep_typing())
        self._task.add_done_callback(self._interrupt)

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        task, block = cast("asyncio.Task[None]", self._task), self._block
        self._block = None  # a sign that fails from now on interrupts nothing
        forbidden = task.exception() if task.done() and not task.cancelled() else None
        if self._interrupted and block is not None:
            # As asyncio.timeout does: our own cancellation ends here, one from outside goes on.
            others = block.uncancel() > self._cancelling
            if kind is asyncio.CancelledError and not others:
                raise cast("BaseException", forbidden) from error
        task.cancel()
        with suppress(asyncio.CancelledError, TelegramForbiddenError):
            await task
        if forbidden is not None and error is None:
            raise forbidden

    def _interrupt(self, task: asyncio.Task[None]) -> None:
        """Nobody is there to read what the block works out."""
        if not task.cancelled() and task.exception() is not None and self._block is not None:
            self._interrupted = True
            self._block.cancel()

    async def _keep_typing(self) -> None:
        target = self._target
        while True:
            # The sign is a courtesy: of its failures only «blocked by the user» matters.
            try:
                await target.bot.send_chat_action(
                    target.chat_id, "typing", message_thread_id=target.thread_id
                )
            except TelegramForbiddenError:
                raise
            except AiogramError:
                pass
            await asyncio.sleep(self._interval)


async def answer_button(callback: CallbackQuery, text: str | None = None, **options: Any) -> None:
    """Ends the button's waiting sign. It is a courtesy too: a query too old to be answered is no failure."""
    with suppress(AiogramError):
        await callback.answer(text, **options)
