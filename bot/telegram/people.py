"""Who writes, and whether the bot is meant."""

from __future__ import annotations

from collections import OrderedDict
from typing import Generic, TypeVar

from aiogram import Bot
from aiogram.filters import Filter
from aiogram.types import CallbackQuery, Message

from bot.users import Key

Item = TypeVar("Item")


def key_of(message: Message) -> Key:
    """The chat and the person; an anonymous admin or a channel counts as the chat in whose name it writes."""
    if message.sender_chat is not None:
        return Key(message.chat.id, message.sender_chat.id)
    user = message.from_user
    return Key(message.chat.id, user.id if user is not None else message.chat.id)


def key_of_button(callback: CallbackQuery) -> Key | None:
    """The chat and the person who pressed; None for a button of an inline message."""
    return Key(callback.message.chat.id, callback.from_user.id) if callback.message is not None else None


def may_press(owner: Key, presser: Key) -> bool:
    """Whether these are the presser's own buttons.

    An anonymous admin asks in the name of the chat, but presses as a person.
    """
    return owner in (presser, Key(owner.chat_id, owner.chat_id))


class FromPeople(Filter):
    """Not from other bots, and no copy of a channel post in its discussion group."""

    async def __call__(self, message: Message) -> bool:
        if message.chat.type == "channel" or message.is_automatic_forward:
            return False
        user = message.from_user
        return user is None or not user.is_bot or message.sender_chat is not None


class Addressed(Filter):
    """In private always; in groups a mention of the bot or a reply to it.

    Hands `question` on: the text or the caption without the mention, empty for a message without either.
    """

    async def __call__(self, message: Message, bot: Bot) -> bool | dict[str, str]:
        text = message.text or message.caption or ""
        if message.chat.type == "private":
            return {"question": text}
        me = await bot.me()
        name = f"@{me.username}".casefold() if me.username else ""
        kept, mentioned = text, False
        for entity in sorted(message.entities or message.caption_entities or [], key=lambda e: -e.offset):
            encoded = kept.encode("utf-16-le", "surrogatepass")
            start, end = entity.offset * 2, (entity.offset + entity.length) * 2
            said = encoded[start:end].decode("utf-16-le", "replace")
            if (entity.type == "mention" and said.casefold() == name) or (
                entity.type == "text_mention" and entity.user is not None and entity.user.id == me.id
            ):
                mentioned = True
                kept = (encoded[:start] + encoded[end:]).decode("utf-16-le", "surrogatepass")
        replied = message.reply_to_message
        if mentioned or (
            replied is not None and replied.from_user is not None and replied.from_user.id == me.id
        ):
            return {"question": kept.strip(" ,:;—–-\n")}
        return False


class Recent(Generic[Item]):
    """The last values by key; the oldest go first. Lives in memory only."""

    def __init__(self, limit: int = 1000) -> None:
        self._limit = limit
        self._items: OrderedDict[object, Item] = OrderedDict()

    def get(self, key: object) -> Item | None:
        """The value, None when there is none (any more)."""
        return self._items.get(key)

    def put(self, key: object, value: Item) -> None:
        """Stores a value as the newest."""
        self._items[key] = value
        self._items.move_to_end(key)
        if len(self._items) > self._limit:
            self._items.popitem(last=False)
