"""Invite links and admitted groups. To everybody else the commands of admins are unknown ones."""

from __future__ import annotations

import re
from contextlib import suppress

from aiogram import Bot, F, Router
from aiogram.dispatcher.event.bases import SkipHandler
from aiogram.exceptions import TelegramBadRequest, TelegramForbiddenError
from aiogram.filters import (
    IS_MEMBER,
    IS_NOT_MEMBER,
    ChatMemberUpdatedFilter,
    Command,
    CommandObject,
    CommandStart,
    Filter,
)
from aiogram.filters.callback_data import CallbackData
from aiogram.types import (
    CallbackQuery,
    ChatMemberUpdated,
    InlineKeyboardButton,
    InlineKeyboardMarkup,
    Message,
)
from aiogram.utils.deep_linking import create_start_link

from bot.access import Access
from bot.telegram import school_texts as texts
from bot.telegram.delivery import Target, answer_button
from bot.telegram.gate import OPEN
from bot.telegram.people import key_of
from bot.telegram.texts import STALE_BUTTON

MOST_USES, MOST_DAYS, LONGEST_LABEL = 1000, 365, 40


class RevokeData(CallbackData, prefix="rv"):
    """What to revoke: the button of /invites asks first (`what` is «?»)."""

    invite_id: str
    what: str


class IsAdmin(Filter):
    """By numeric id; a button or a message. An anonymous admin of a group is nobody whom we know."""

    def __init__(self, access: Access) -> None:
        self._access = access

    async def __call__(self, event: Message | CallbackQuery) -> bool:
        if isinstance(event, Message) and event.sender_chat is not None:
            return False
        return event.from_user is not None and self._access.is_admin(event.from_user.id)


def build(access: Access, invite_days: int) -> Router:
    """Comes before the commands, some of which go on to them."""
    router = Router(name="access")
    admin = IsAdmin(access)

    @router.message(CommandStart(deep_link=True, ignore_case=True), F.chat.type == "private", flags=OPEN)
    async def start(message: Message, bot: Bot, command: CommandObject) -> None:
        if not access.invited_only:
            raise SkipHandler
        key, target = key_of(message), Target.of(bot, message)
        admission = await access.admit((command.args or "").strip(), key)
        if admission == "refused" and not access.is_admin(key.user_id):
            await target.say(texts.CODE_REFUSED)
            return
        if admission == "admitted":
            await target.say(texts.ADMITTED)
        raise SkipHandler  # and on to the welcome

    @router.message(Command("forget", ignore_case=True), flags=OPEN)
    async def forget(message: Message, bot: Bot) -> None:
        key = key_of(message)
        if access.invited_only and await access.is_member(key):
            await Target.of(bot, message).say(texts.FORGET_ENDS_ACCESS)
        raise SkipHandler

    @router.message(Command("id", ignore_case=True), F.chat.type == "private", flags=OPEN)
    async def own_id(message: Message, bot: Bot) -> None:
        if message.from_user is not None:
            await Target.of(bot, message).say(texts.my_id(message.from_user.id))

    @router.message(Command("invite", ignore_case=True), admin)
    async def invite(message: Message, bot: Bot, command: CommandObject) -> None:
        target = Target.of(bot, message)
        if message.chat.type != "private":
            await target.say(texts.ONLY_IN_PRIVATE)
            return
        wish = read_wish(command.args or "", invite_days)
        if wish is None:
            await target.say(texts.INVITE_USAGE)
            return
        code, made = await access.invite(*wish)
        await target.say(texts.invite_made(made, await create_start_link(bot, code)))
        if not access.invited_only:
            await target.say(texts.ALREADY_OPEN)

    @router.message(Command("invites", ignore_case=True), admin)
    async def invites(message: Message, bot: Bot) -> None:
        found = await access.invites()
        if not found:
            await Target.of(bot, message).say(texts.NO_INVITES)
            return
        # Telegram allows 100 buttons; nobody has as many links.
        rows = [[_button(f"{texts.REVOKE} «{i.label}»", i.id, "?")] for i in found[:50]]
        keyboard = InlineKeyboardMarkup(inline_keyboard=rows)
        await Target.of(bot, message).say(texts.invite_list(found[:50]), keyboard)

    @router.callback_query(RevokeData.filter(), admin)
    async def revoke(callback: CallbackQuery, bot: Bot, callback_data: RevokeData) -> None:
        target, invite_id = Target.of_button(bot, callback), callback_data.invite_id
        if target is None:
            await answer_button(callback, STALE_BUTTON)
            return
        await answer_button(callback)
        if callback_data.what == "?":
            label = next((i.label for i in await access.invites() if i.id == invite_id), None)
            if label is None:
                await target.say(texts.INVITE_GONE)
                return
            choices = (("l", texts.REVOKE_LINK_ONLY), ("m", texts.REVOKE_MEMBERS), ("n", texts.KEEP))
            rows = [[_button(text, invite_id, what)] for what, text in choices]
            await target.say(texts.revoke_question(label), InlineKeyboardMarkup(inline_keyboard=rows))
            return
        if callback_data.what == "n":
            await replace_text(callback, texts.KEPT)
            return
        members_too = callback_data.what == "m"
        ended = await access.revoke(invite_id, members_too=members_too)
        await replace_text(
            callback,
            texts.revoked(ended[0], ended[1] if members_too else None) if ended else texts.INVITE_GONE,
        )

    @router.message(Command("allow", ignore_case=True), admin)
    async def allow(message: Message, bot: Bot) -> None:
        target = Target.of(bot, message)
        if message.chat.type == "private":
            await target.say(texts.ONLY_IN_GROUPS)
            return
        await access.admit_group(message.chat.id)
        await target.say(texts.GROUP_ADMITTED)

    @router.message(Command("disallow", ignore_case=True), admin)
    async def disallow(message: Message, bot: Bot) -> None:
        target = Target.of(bot, message)
        if message.chat.type == "private":
            await target.say(texts.ONLY_IN_GROUPS)
            return
        await access.dismiss_group(message.chat.id)
        await target.say(texts.GROUP_DISMISSED)

    @router.my_chat_member(
        ChatMemberUpdatedFilter(IS_NOT_MEMBER >> IS_MEMBER), F.chat.type.in_({"group", "supergroup"})
    )
    async def joined(event: ChatMemberUpdated, bot: Bot) -> None:
        if access.is_admin(event.from_user.id):
            await access.admit_group(event.chat.id)
        elif access.invited_only:
            with suppress(TelegramForbiddenError, TelegramBadRequest):  # it may not be allowed to write
                await Target(bot, event.chat.id).say(texts.GROUP_NOT_ADMITTED)
            return
        raise SkipHandler  # and on to the greeting

    @router.my_chat_member(ChatMemberUpdatedFilter(IS_MEMBER >> IS_NOT_MEMBER))
    async def left(event: ChatMemberUpdated) -> None:
        await access.dismiss_group(event.chat.id)
        raise SkipHandler

    @router.message(F.migrate_to_chat_id, flags=OPEN)
    async def migrated(message: Message) -> None:
        if message.migrate_to_chat_id is not None:
            await access.move_group(message.chat.id, message.migrate_to_chat_id)
        raise SkipHandler

    return router


def read_wish(text: str, days: int) -> tuple[str, int, int] | None:
    """«10А 30», «10 А 30 14» → label, uses, days; None where it cannot be meant."""
    match = re.fullmatch(r"(?P<label>.+?)\s+(?P<uses>\d{1,4})(?:\s+(?P<days>\d{1,3}))?", text.strip())
    if match is None:
        return None
    label = " ".join(match["label"].split())
    uses, days = int(match["uses"]), int(match["days"] or days)
    if not 1 <= uses <= MOST_USES or not 1 <= days <= MOST_DAYS or len(label) > LONGEST_LABEL:
        return None
    return label, uses, days


def _button(text: str, invite_id: str, what: str) -> InlineKeyboardButton:
    return InlineKeyboardButton(text=text, callback_data=RevokeData(invite_id=invite_id, what=what).pack())


async def replace_text(callback: CallbackQuery, text: str) -> None:
    """Writes the outcome over the question, so that its buttons go."""
    if isinstance(callback.message, Message):
        try:
            await callback.message.edit_text(text, parse_mode=None)
        except TelegramBadRequest:
            await callback.message.answer(text, parse_mode=None)
