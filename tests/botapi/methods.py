"""The methods of the Bot API that the bot uses, with what they refuse."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from typing import Any

from botapi.checks import caption_of, check_document, check_download, check_photo, keyboard, png_size, text_of
from botapi.markup import utf16
from botapi.records import BLOCKED, Json, Refused, Sent, migrated
from botapi.state import State

CONFLICT = "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running"
WEBHOOK = (
    "Conflict: can't use getUpdates method while webhook is active; "
    "use deleteWebhook to delete the webhook first"
)
NOT_MODIFIED = (
    "Bad Request: message is not modified: specified new message content and reply markup are exactly "
    "the same as a current content and reply markup of the message"
)
_ACTIONS = ("typing", "upload_photo", "upload_document")


class Methods(State):
    """`_do_NAME(params)` carries out the method NAME; raises Refused."""

    __slots__ = ()

    # --- the bot itself ---------------------------------------------------------------------------------

    async def _do_getMe(self, _: Json) -> Json:
        return {
            **self._me(),
            "can_join_groups": True,
            "can_read_all_group_messages": False,
            "supports_inline_queries": False,
        }

    async def _do_setMyCommands(self, params: Json) -> bool:
        for command in params["commands"]:
            name, description = command["command"], command["description"]
            if not (1 <= len(name) <= 32 and name == name.lower() and 1 <= len(description) <= 256):
                raise Refused(400, "Bad Request: BOT_COMMAND_INVALID")
        self.commands = params["commands"]
        return True

    # --- updates ----------------------------------------------------------------------------------------

    async def _do_deleteWebhook(self, params: Json) -> bool:
        self.webhook, self.webhook_params = "", {}
        if params.get("drop_pending_updates") in ("true", True):
            self._updates.clear()
        return True

    async def _do_setWebhook(self, params: Json) -> bool:
        secret = params.get("secret_token", "")
        if not 1 <= len(secret) <= 256 or not all(c.isascii() and (c.isalnum() or c in "_-") for c in secret):
            raise Refused(400, "Bad Request: secret token contains unallowed characters")
        self.webhook, self.webhook_params = str(params.get("url", "")), params
        self._wake()
        return True

    async def _do_getWebhookInfo(self, _: Json) -> Json:
        return {
            "url": self.webhook,
            "has_custom_certificate": False,
            "pending_update_count": len(self._updates),
        }

    async def _do_getUpdates(self, params: Json) -> list[Json]:
        if self.webhook:
            raise Refused(409, WEBHOOK)
        if self._poller is not None and not self._poller.done():
            self._poller.set_exception(Refused(409, CONFLICT))
        mine = self._poller = asyncio.get_running_loop().create_future()
        offset, limit = int(params.get("offset", 0)), int(params.get("limit", 100))
        wanted = params.get("allowed_updates") or []
        self._updates = deque(update for update in self._updates if update["update_id"] >= offset)
        deadline = time.monotonic() + float(params.get("timeout", 0))
        while not self._wanted(wanted) and time.monotonic() < deadline:
            done, _ = await asyncio.wait([mine], timeout=deadline - time.monotonic())
            if done and mine.exception() is not None:
                raise Refused(409, CONFLICT)
            if done:
                mine = self._poller = asyncio.get_running_loop().create_future()
        if self._poller is mine:
            mine.cancel()
            self._poller = None
        return list(self._updates)[:limit]

    # --- messages ---------------------------------------------------------------------------------------

    async def _do_sendMessage(self, params: Json) -> Json:
        text, entities = text_of(params)
        return self._store(params, text, params["text"], entities)

    async def _do_sendPhoto(self, params: Json) -> Json:
        photo = params.get("photo")
        if not isinstance(photo, bytes):
            raise Refused(400, "Bad Request: there is no photo in the request")
        check_photo(photo)
        caption, entities = caption_of(params)
        return self._store(params, caption, params.get("caption", ""), entities, photo=photo)

    async def _do_sendDocument(self, params: Json) -> Json:
        document = params.get("document")
        if not isinstance(document, bytes):
            raise Refused(400, "Bad Request: there is no document in the request")
        check_document(document)
        caption, entities = caption_of(params)
        return self._store(params, caption, params.get("caption", ""), entities, document=document)

    async def _do_sendChatAction(self, params: Json) -> bool:
        self._check_chat(params)
        if params.get("action") not in _ACTIONS:
            raise Refused(400, "Bad Request: wrong parameter action in request")
        return True

    async def _do_editMessageText(self, params: Json) -> Json:
        message = self._own_message(params)
        if message.photo is not None or message.document is not None:
            raise Refused(400, "Bad Request: there is no text in the message to edit")
        text, entities = text_of(params)
        markup = keyboard(params)
        if (text, entities, markup) == (message.text, message.entities, message.reply_markup):
            raise Refused(400, NOT_MODIFIED)
        message.history.append((time.monotonic(), message.text))
        message.text, message.entities, message.reply_markup = text, entities, markup
        message.source, message.parse_mode = params["text"], params.get("parse_mode")
        self.edits.append(params)
        return self._shown(message)

    async def _do_editMessageReplyMarkup(self, params: Json) -> Json:
        message = self._own_message(params)
        markup = keyboard(params)
        if markup == message.reply_markup:
            raise Refused(400, NOT_MODIFIED)
        message.history.append((time.monotonic(), message.text))
        message.reply_markup = markup
        self.edits.append(params)
        return self._shown(message)

    async def _do_deleteMessage(self, params: Json) -> bool:
        message = self._own_message(params, "delete")
        message.deleted = True
        return True

    async def _do_answerCallbackQuery(self, params: Json) -> bool:
        query_id = str(params.get("callback_query_id"))
        if query_id not in self.pressed or query_id in self.button_answers:
            raise Refused(
                400,
                "Bad Request: query is too old and response timeout expired or query ID is invalid",
            )
        if utf16(params.get("text", "")) > 200:
            raise Refused(400, "Bad Request: MESSAGE_TOO_LONG")
        self.button_answers[query_id] = params
        return True

    # --- files ------------------------------------------------------------------------------------------

    async def _do_getFile(self, params: Json) -> Json:
        file_id = str(params.get("file_id", ""))
        if file_id not in self.files:
            raise Refused(400, "Bad Request: wrong file_id or the file is temporarily unavailable")
        content = self.files[file_id]
        check_download(content)
        return {
            "file_id": file_id,
            "file_unique_id": f"u{file_id}",
            "file_size": len(content),
            "file_path": f"documents/{file_id}",
        }

    # --- inside -----------------------------------------------------------------------------------------

    def _wanted(self, kinds: list[str]) -> bool:
        """Drops updates of other kinds; whether any is left."""
        if kinds:
            self._updates = deque(u for u in self._updates if any(kind in u for kind in kinds))
        return bool(self._updates)

    def _check_chat(self, params: Json) -> int:
        if "chat_id" not in params:
            raise Refused(400, "Bad Request: chat_id is empty")
        chat_id = int(params["chat_id"])
        if chat_id in self.blocked:
            raise BLOCKED
        if chat_id in self.migrated:
            raise migrated(self.migrated[chat_id])
        return chat_id

    def _own_message(self, params: Json, what: str = "edit") -> Sent:
        message = self._messages.get((self._check_chat(params), int(params.get("message_id", 0))))
        if message is None or message.deleted:
            raise Refused(400, f"Bad Request: message to {what} not found")
        return message

    def _store(self, params: Json, text: str, source: str, entities: list[Json], **files: Any) -> Json:
        message = Sent(
            chat_id=self._check_chat(params),
            message_id=self._new_message_id(),
            text=text,
            source=source,
            parse_mode=params.get("parse_mode"),
            entities=entities,
            reply_markup=keyboard(params),
            photo=files.get("photo"),
            params=params,
            document=files.get("document"),
            at=time.monotonic(),
        )
        self.sent.append(message)
        self._messages[(message.chat_id, message.message_id)] = message
        return self._shown(message)

    def _shown(self, message: Sent) -> Json:
        private = message.chat_id > 0
        shown: Json = {
            "message_id": message.message_id,
            "from": self._me(),
            "chat": {"id": message.chat_id, "type": "private" if private else "supergroup"},
            "date": int(time.time()),
        }
        if message.photo is not None:
            width, height = png_size(message.photo)
            photo = {"file_id": "f", "file_unique_id": "u", "width": width, "height": height}
            return {**shown, "caption": message.text, "photo": [photo]}
        if message.document is not None:
            return {**shown, "caption": message.text, "document": {"file_id": "f", "file_unique_id": "u"}}
        return {**shown, "text": message.text}
