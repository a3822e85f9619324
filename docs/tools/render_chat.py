"""Plays a talk with the bot against the stand-in for the Bot API and draws it as a page.

    python docs/tools/render_chat.py STORE OUT.html [STEP…]

Everything drawn is what the bot sent: its HTML, its keyboards, its pictures. A step is what the student
writes, or «>Label» to press the newest button of that label («>Label» may be a beginning), or «# title».
Without steps the scenes of SCENES are played.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests"), str(Path(__file__).parent)]

from botapi.records import Sent  # noqa: E402
from botapi.scripted import settings_for  # noqa: E402
from botapi.server import BotApi  # noqa: E402
from chat_page import from_bot, from_user, heading, page, toast  # noqa: E402

from answer.assistant import Assistant  # noqa: E402
from bot.telegram.app import run_bot  # noqa: E402

SCENES = (
    "# Первый вопрос",
    "Что такое общество?",
    ">10 класс",
    ">👍",
    ">Да, можно",
    ">Другой фрагмент",
    "# Подробнее",
    "что такое культура",
    ">Подробнее",
    ">Показать",
    "# Нет ответа",
    "Когда родился Пушкин?",
    ">👎",
    "# Вопросы параграфа",
    "ответы на вопросы § 5",
    "# Оглавление",
    "/contents",
    ">Глава II",
    ">§ 6",
    ">§ 7",
    ">Показать",
    "# Учебник",
    "/book",
    ">Обществознание, 10",
    "§ 3",
    "# Прочее",
    "?",
    "/privacy",
    "/help",
)
QUIET = 0.7
"""Seconds without a call of the bot after which it has said everything."""


class Chat:
    """One student's private chat, drawn as it goes."""

    def __init__(self, api: BotApi) -> None:
        self.api = api
        self.body: list[str] = []
        self._seen: dict[int, tuple[str, Any]] = {}
        self._place: dict[int, int] = {}

    async def play(self, step: str) -> None:
        """One step, and what the bot makes of it."""
        if step.startswith("# "):
            self.body.append(heading(step[2:]))
            return
        query = None
        if step.startswith(">"):
            message, label = self._button(step[1:])
            query = self.api.press(message, label)
            self.body.append(toast(f"нажата кнопка «{label}»"))
        else:
            self.api.say(step)
            self.body.append(from_user(step))
        await self._settle()
        if query is not None and (said := self.api.button_answers.get(query, {}).get("text")):
            self.body.append(toast(said))
        for message in self.api.sent:
            self._draw(message)

    def _button(self, beginning: str) -> tuple[Sent, str]:
        for message in reversed(self.api.sent):
            for label in message.buttons:
                if label.removeprefix("📖 ").startswith(beginning):
                    return message, label
        raise SystemExit(f"no button «{beginning}…»")

    async def _settle(self) -> None:
        calls = -1
        while calls != len(self.api.calls) or self.api.waiting_updates:
            calls = len(self.api.calls)
            await asyncio.sleep(QUIET)

    def _draw(self, message: Sent) -> None:
        state = (message.source, message.reply_markup)
        before = self._seen.get(message.message_id)
        if before == state:
            return
        self._seen[message.message_id] = state
        # New buttons under the same text change where they stand; a new text is shown as the next screen.
        in_place = before is not None and before[0] == message.source
        drawn = from_bot(
            message.source,
            is_html=message.parse_mode == "HTML",
            keyboard=message.reply_markup,
            photo=message.photo,
            edited=before is not None and not in_place,
        )
        if in_place:
            self.body[self._place[message.message_id]] = drawn
        else:
            self._place[message.message_id] = len(self.body)
            self.body.append(drawn)


async def talk(store: Path, steps: Sequence[str]) -> str:
    """The page of a talk."""
    assistant = Assistant.open(store)
    async with BotApi() as api:
        with tempfile.TemporaryDirectory() as folder:
            settings = settings_for(api, Path(folder))
            bot = asyncio.create_task(run_bot(assistant, settings, store_dir=store))
            chat = Chat(api)
            for step in steps:
                await chat.play(step)
            bot.cancel()
            with suppress(asyncio.CancelledError):
                await bot
    return page(chat.body)


def main(store: str, out: str, *steps: str) -> None:
    """Plays the steps and writes the page."""
    Path(out).write_text(asyncio.run(talk(Path(store), steps or SCENES)), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
