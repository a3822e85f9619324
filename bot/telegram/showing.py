"""A page picture into the chat."""

from __future__ import annotations

from bot.errors import PageUnavailable
from bot.rendering import PageRef
from bot.telegram.delivery import Target
from bot.telegram.desk import Desk


async def show_page(desk: Desk, target: Target, page: PageRef) -> None:
    """The page with its quotes highlighted, or a sentence that says why it cannot be shown."""
    try:
        png = await desk.page_picture(page.book_id, page.file_page, page.quotes)
    except PageUnavailable as exc:
        await target.say(str(exc))
        return
    await target.send_photo(png, page.caption)
