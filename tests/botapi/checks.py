"""What the Bot API refuses, in its words."""

from __future__ import annotations

import struct

from botapi.markup import BadMarkup, parse_html, utf16
from botapi.records import Json, Refused

MAX_TEXT = 4096
MAX_CAPTION = 1024
MAX_PHOTO = 10 * 1024 * 1024
MAX_DOCUMENT = 50 * 1024 * 1024
MAX_DOWNLOAD = 20 * 1024 * 1024


def text_of(params: Json) -> tuple[str, list[Json]]:
    """Text and entities of a message. Raises Refused."""
    text, entities = formatted(params.get("text", ""), params.get("parse_mode"))
    if not text.strip():
        raise Refused(400, "Bad Request: message text is empty")
    if utf16(text) > MAX_TEXT:
        raise Refused(400, "Bad Request: message is too long")
    return text, entities


def caption_of(params: Json) -> tuple[str, list[Json]]:
    """Caption and entities of a photo. Raises Refused."""
    caption, entities = formatted(params.get("caption", ""), params.get("parse_mode"))
    if utf16(caption) > MAX_CAPTION:
        raise Refused(400, "Bad Request: message caption is too long")
    return caption, entities


def formatted(source: str, parse_mode: str | None) -> tuple[str, list[Json]]:
    """Text and entities after the markup is parsed. Raises Refused."""
    if not parse_mode:
        return source, []
    if parse_mode.lower() != "html":
        raise Refused(400, "Bad Request: unsupported parse_mode")
    try:
        parsed = parse_html(source)
    except BadMarkup as bad:
        raise Refused(400, f"Bad Request: can't parse entities: {bad}") from bad
    return parsed.text, parsed.entities


def keyboard(params: Json) -> Json | None:
    """Inline keyboard, None without one. Raises Refused."""
    markup = params.get("reply_markup")
    if not markup or not markup.get("inline_keyboard"):
        return None
    for row in markup["inline_keyboard"]:
        for button in row:
            if not 1 <= len(str(button.get("callback_data", "")).encode()) <= 64:
                raise Refused(400, "Bad Request: BUTTON_DATA_INVALID")
            if not str(button.get("text", "")).strip():
                raise Refused(400, "Bad Request: can't parse inline keyboard button: Text must be non-empty")
    return dict(markup)


def check_photo(photo: bytes) -> None:
    """Raises Refused."""
    if len(photo) > MAX_PHOTO:
        raise Refused(
            400,
            f"Bad Request: file of size {len(photo)} bytes is too big for a photo; "
            f"the maximum size is {MAX_PHOTO} bytes",
        )
    width, height = png_size(photo)
    if width + height > 10000 or max(width, height) > 20 * min(width, height):
        raise Refused(400, "Bad Request: PHOTO_INVALID_DIMENSIONS")


def png_size(photo: bytes) -> tuple[int, int]:
    """Width and height. Raises Refused for what is no PNG."""
    if photo[:8] != b"\x89PNG\r\n\x1a\n" or len(photo) < 24:
        raise Refused(400, "Bad Request: IMAGE_PROCESS_FAILED")
    width, height = struct.unpack(">II", photo[16:24])
    return width, height


def check_document(content: bytes) -> None:
    """A document that the bot sends. Raises Refused."""
    if len(content) > MAX_DOCUMENT:
        raise Refused(413, "Request Entity Too Large")
    if not content:
        raise Refused(400, "Bad Request: file must be non-empty")


def check_download(content: bytes) -> None:
    """A file that the bot wants to download. Raises Refused."""
    if len(content) > MAX_DOWNLOAD:
        raise Refused(400, "Bad Request: file is too big")
