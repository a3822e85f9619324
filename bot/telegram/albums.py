"""Albums: several messages of one user, of which any may carry the caption."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from aiogram.types import Message

from bot.telegram.people import Recent

COMPLETE_AFTER = 1.0
"""Seconds; the messages of an album arrive together, now and then in two batches."""


class Albums:
    """Knows which albums have a caption, also where it stands at a later message than the one in work."""

    def __init__(self) -> None:
        self._captions: Recent[asyncio.Event] = Recent()
        self._told: Recent[bool] = Recent()

    def arrived(self, message: Message | None) -> None:
        """Notes a message that has come, before its turn."""
        if message is not None and message.media_group_id is not None and message.caption:
            self._caption(message.media_group_id).set()

    async def want_a_line(self, album: str) -> bool:
        """Whether this message has to speak for an album without a caption: True once.

        Waits until the album is complete.
        """
        if self._told.get(album):
            return False
        caption = self._caption(album)
        with suppress(TimeoutError):
            await asyncio.wait_for(caption.wait(), COMPLETE_AFTER)
        if caption.is_set():
            return False
        self._told.put(album, True)
        return True

    def _caption(self, album: str) -> asyncio.Event:
        event = self._captions.get(album)
        if event is None:
            event = asyncio.Event()
            self._captions.put(album, event)
        return event
