"""Stickers, voice, photos without a caption, files: one polite line. Service messages: nothing."""

from __future__ import annotations

from aiogram import Bot, F, Router
from aiogram.enums import ContentType
from aiogram.types import Message

from bot.telegram.albums import Albums
from bot.telegram.delivery import Target
from bot.telegram.people import Addressed
from bot.telegram.texts import BOOKS_BY_TEACHER, NOT_TEXT

_MEDIA = {
    ContentType.ANIMATION,
    ContentType.AUDIO,
    ContentType.CHECKLIST,
    ContentType.CONTACT,
    ContentType.DICE,
    ContentType.DOCUMENT,
    ContentType.GAME,
    ContentType.LIVE_PHOTO,
    ContentType.LOCATION,
    ContentType.PAID_MEDIA,
    ContentType.PHOTO,
    ContentType.POLL,
    ContentType.STICKER,
    ContentType.STORY,
    ContentType.UNKNOWN,
    ContentType.VENUE,
    ContentType.VIDEO,
    ContentType.VIDEO_NOTE,
    ContentType.VOICE,
}


def build(albums: Albums) -> Router:
    """Comes after the questions: a caption has made its message a question by then."""
    router = Router(name="media")

    @router.message(F.content_type.in_(_MEDIA), Addressed())
    async def not_text(message: Message, bot: Bot) -> None:
        album = message.media_group_id
        if album is not None and not await albums.want_a_line(album):
            return
        pdf = message.document is not None and message.document.mime_type == "application/pdf"
        await Target.of(bot, message).say(BOOKS_BY_TEACHER if pdf else NOT_TEXT)

    return router
