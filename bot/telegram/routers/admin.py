"""What admins do in a private chat: textbooks as PDF files, /books with their state, /remove, /stats."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable

from aiogram import Bot, F, Router
from aiogram.filters import Command, Filter
from aiogram.filters.callback_data import CallbackData
from aiogram.types import CallbackQuery, InlineKeyboardButton, InlineKeyboardMarkup, Message

from bot.access import Access
from bot.caption import is_half, read_caption
from bot.html_parts import split_html
from bot.page_picture import PageSource
from bot.rendering import plain_html
from bot.telegram import upload_texts as texts
from bot.telegram.delivery import Target, answer_button
from bot.telegram.people import key_of
from bot.telegram.routers.access import IsAdmin, replace_text
from bot.telegram.texts import HELP, STALE_BUTTON
from bot.telegram.uploads import Library, UploadData, Uploads, keyboard
from bot.upload_rows import Upload
from index.errors import BookMissing, IndexStoreError
from index.store import Store

MOST_BUTTONS = 90
"""Telegram shows at most 100 in a message."""


class RemoveData(CallbackData, prefix="rm"):
    """A book by the digest of its id (ids may be longer than a button's data)."""

    book: str
    sure: str


class Unnamed(Filter):
    """A text that tells what a file sent before is; hands it on as `upload`."""

    def __init__(self, uploads: Uploads) -> None:
        self._uploads = uploads

    async def __call__(self, message: Message) -> bool | dict[str, Upload]:
        text = message.text or ""
        if text.startswith("/"):
            return False
        upload = await self._uploads.rows.unnamed(key_of(message))
        if upload is None:
            return False
        reply = message.reply_to_message
        meant = reply is not None and reply.message_id == upload.message_id
        # A teacher may ask a question in between.
        named = "?" not in text and (is_half(text) or read_caption(text) is not None)
        return {"upload": upload} if meant or named else False


def build(
    access: Access,
    uploads: Uploads,
    store: Store,
    library: Library,
    statistics: Callable[[], Awaitable[str]],
) -> Router:
    """Comes before commands and questions; to everybody else all this does not exist."""
    router = Router(name="admin")
    private, admin = F.chat.type == "private", IsAdmin(access)

    @router.message(F.document, private, admin)
    async def document(message: Message, bot: Bot) -> None:
        file, target = message.document, Target.of(bot, message)
        if file is None:
            return
        if (file.mime_type or "") not in ("", "application/pdf", "application/octet-stream") and not (
            file.file_name or ""
        ).lower().endswith(".pdf"):
            await target.say(texts.NOT_PDF)
            return
        size = file.file_size or 0
        if size > uploads.largest:
            await target.say(texts.too_large(size, uploads.largest, uploads.local))
            return
        upload = await uploads.rows.add(key_of(message), file.file_id, size)
        wish = read_caption(message.caption) if message.caption else None
        if wish is not None:
            await uploads.name(upload, wish)
            return
        text = texts.NAME_UNREADABLE if message.caption else texts.ASK_NAME
        message_id = await target.say(text, keyboard(upload.id, ("c", texts.CANCEL)))
        await uploads.rows.change(upload.id, message_id=message_id)

    @router.message(F.text, private, admin, Unnamed(uploads))
    async def name(message: Message, bot: Bot, upload: Upload) -> None:
        wish = read_caption(message.text or "")
        if wish is None:
            await Target.of(bot, message).say(texts.NAME_UNREADABLE)
            return
        await uploads.name(upload, wish)

    @router.callback_query(UploadData.filter(), admin)
    async def decide(callback: CallbackQuery, callback_data: UploadData) -> None:
        upload = await uploads.rows.get(callback_data.upload_id)
        if upload is None:
            await answer_button(callback, texts.GONE)
            return
        await answer_button(callback)
        if callback_data.what == "c":
            await uploads.cancel(upload)
        else:
            await uploads.decide(upload, beside=callback_data.what == "b")

    @router.message(Command("help", ignore_case=True), private, admin)
    async def show_help(message: Message, bot: Bot) -> None:
        await Target.of(bot, message).say(f"{HELP}\n\n{texts.HELP}")

    @router.message(Command("books", ignore_case=True), private, admin)
    async def books(message: Message, bot: Bot) -> None:
        shelf = await library()
        lines = texts.books_status(shelf.books, _damaged(shelf)).split("\n")
        await Target.of(bot, message).send_html(split_html("\n".join(map(plain_html, lines))))

    @router.message(Command("stats", ignore_case=True), private, admin)
    async def stats(message: Message, bot: Bot) -> None:
        await Target.of(bot, message).say(await statistics())

    @router.message(Command("remove", ignore_case=True), private, admin)
    async def remove(message: Message, bot: Bot) -> None:
        shelf, target = await library(), Target.of(bot, message)
        names = {book_id: texts.book_line(book) for book_id, book in shelf.books.items()}
        names |= {book_id: book_id for book_id in _damaged(shelf)}
        if not names:
            await target.say(texts.NO_BOOKS)
            return
        rows = [[_button(line, book_id, "?")] for book_id, line in sorted(names.items(), key=lambda n: n[1])]
        await target.say(texts.REMOVE_WHICH, InlineKeyboardMarkup(inline_keyboard=rows[:MOST_BUTTONS]))

    @router.callback_query(RemoveData.filter(), admin)
    async def removing(callback: CallbackQuery, bot: Bot, callback_data: RemoveData) -> None:
        target = Target.of_button(bot, callback)
        if target is None:
            await answer_button(callback, STALE_BUTTON)
            return
        await answer_button(callback)
        shelf = await library()
        book_id = next((i for i in (*shelf.books, *_damaged(shelf)) if _tag(i) == callback_data.book), None)
        if book_id is None:
            await replace_text(callback, texts.ALREADY_GONE)
            return
        line = texts.book_line(shelf.books[book_id]) if book_id in shelf.books else book_id
        if callback_data.sure == "?":
            rows = [[_button(texts.REMOVE, book_id, "y")], [_button(texts.KEEP, book_id, "n")]]
            await target.say(texts.remove_question(line), InlineKeyboardMarkup(inline_keyboard=rows))
        elif callback_data.sure == "n":
            await replace_text(callback, texts.KEPT)
        else:
            await replace_text(callback, await asyncio.to_thread(_remove, store, book_id, line))

    return router


def _remove(store: Store, book_id: str, line: str) -> str:
    try:
        store.remove(book_id)
    except BookMissing:
        return texts.ALREADY_GONE
    except IndexStoreError as error:
        return str(error)
    return texts.removed(line)


def _damaged(shelf: PageSource) -> dict[str, str]:
    """Books that are in the store and not served; only a real library has any."""
    return dict(getattr(shelf, "damaged", {}))


def _tag(book_id: str) -> str:
    return hashlib.sha256(book_id.encode()).hexdigest()[:16]


def _button(text: str, book_id: str, sure: str) -> InlineKeyboardButton:
    label = text if len(text) <= 60 else text[:59] + "…"
    return InlineKeyboardButton(text=label, callback_data=RemoveData(book=_tag(book_id), sure=sure).pack())
