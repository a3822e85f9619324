"""The bot against the stand-in for the Bot API: real polling and SQLite; only the assistant is scripted."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
from botapi.records import ANYA, BLOCKED, UNAUTHORIZED, Fault, Person, Refused, flood
from botapi.scripted import (
    BORIS,
    GROUP,
    Running,
    ScriptedAssistant,
    Shelf,
    acquaint,
    quiet,
    running,
    settings_for,
)
from botapi.server import CONFLICT, TOKEN, BotApi
from pydantic import SecretStr

from answer.query import EMPTY_MEMORY, Memory
from bot import logs
from bot.errors import PollingConflict, TokenInvalid
from bot.settings import BotSettings
from bot.telegram import texts, waiting
from bot.telegram.app import run_bot

Settings = Callable[..., BotSettings]


@pytest.fixture
def settings(api: BotApi, tmp_path: Path) -> Settings:
    return lambda **changes: settings_for(api, tmp_path, **changes)


@pytest.fixture
async def bot(api: BotApi, settings: Settings) -> AsyncIterator[Running]:
    await acquaint(settings())
    async with running(api, settings(), 9, 10) as bot:
        yield bot


# --- commands and the dialogue -----------------------------------------------------------------------------


async def test_first_contact_asks_for_the_grade_and_remembers_it(bot: Running, api: BotApi) -> None:
    api.say("/start")
    hello = await api.next_message()
    assert list(hello.buttons) == ["9 класс", "10 класс", texts.GRADE_ANY]
    assert len(hello.text.split("\n\n")[0].splitlines()) == 3
    press = api.press(hello, "10 класс")
    assert "10 класс" in (await api.next_message()).text
    api.say("Что такое общество?")
    assert "[10]" in (await api.next_message()).text
    assert press in api.button_answers
    assert hello.reply_markup is None


async def test_the_answer_is_html_with_the_source_and_a_page_button(bot: Running, api: BotApi) -> None:
    api.say("/grade 9")
    await api.next_message()
    api.say("если x<y & a>b, **что** это?")
    answer = await api.next_message()
    assert answer.parse_mode == "HTML"
    assert answer.text.startswith("если x<y & a>b, что это? [9]")
    assert "Обществознание, 9 класс · § 3 «Тема» · стр. 7" in answer.text
    assert list(answer.buttons) == ["Показать страницу", "👍", "👎"]
    assert answer.params["link_preview_options"]["is_disabled"]
    assert api.made("sendChatAction")


async def test_a_choice_resumes_the_pending_question(bot: Running, api: BotApi) -> None:
    api.say("Что такое дума?")
    clarify = await api.next_message()
    assert list(clarify.buttons) == ["9 класс", "10 класс"]
    press = api.press(clarify, "10 класс")
    assert (await api.next_message()).text.startswith("Что такое дума? [10]")
    message, memory, options = bot.assistant.asked[-1]
    assert (message, memory.pending, options.grade) == ("Что такое дума?", None, 10)
    assert press in api.button_answers
    assert (clarify.text, clarify.reply_markup) == ("В каком классе?\n→ 10 класс", None)


async def test_the_grade_command_answers_the_pending_question(bot: Running, api: BotApi) -> None:
    api.say("Что такое дума?")
    await api.next_message()
    api.say("/grade 9")
    assert (await api.next_message()).text.startswith("Что такое дума? [9]")


async def test_a_stale_or_foreign_button_is_answered_politely(bot: Running, api: BotApi) -> None:
    api.say("Что такое дума?", chat=GROUP, reply_to_message=from_bot(api))
    clarify = await api.next_message()
    foreign = api.press(clarify, "9 класс", by=BORIS)
    first = api.press(clarify, "9 класс")
    again = api.press(clarify, "", data=clarify.buttons["10 класс"])
    presses = [api.press(clarify, "", data=data) for data in ("p:gone:0", "o:gone:0", "nonsense", "g:12")]
    await api.until(lambda: {foreign, first, again, *presses} <= api.button_answers.keys())
    await quiet(api)
    assert api.button_answers[foreign]["text"] == texts.NOT_YOUR_BUTTON
    assert api.button_answers[again]["text"] == texts.STALE_BUTTON
    assert [api.button_answers[press].get("text") for press in presses[:3]] == [texts.STALE_BUTTON] * 3
    assert [message.text for message in api.unread()][-1].startswith("Учебников для этого класса нет")
    assert len(bot.assistant.asked) == 2


async def test_buttons_work_after_a_restart(api: BotApi, settings: Settings) -> None:
    async with running(api, settings(), 9, 10):
        api.say("Что такое дума?")
        clarify = await api.next_message()
    async with running(api, settings(), 9, 10):
        api.press(clarify, "9 класс")
        assert (await api.next_message()).text.startswith("Что такое дума? [9]")


async def test_a_page_that_cannot_be_drawn_is_said(bot: Running, api: BotApi) -> None:
    api.say("/grade 9")
    await api.next_message()
    api.say("вопрос")
    press = api.press(await api.next_message(), "Показать страницу")
    assert "не показать" in (await api.next_message()).text
    assert press in api.button_answers


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("/help", "/forget"),
        ("/privacy", "/forget удаляет всё"),
        ("/books", "• Обществознание, 9 класс: страниц 1\n• Обществознание, 10 класс"),
        ("/grade", texts.ASK_GRADE),
        ("/grade 12", "Учебников для этого класса нет. Есть: 9, 10"),
        ("/grade десятый", "Учебников для этого класса нет"),
        ("/grade 0", "Учебников для этого класса нет"),
        ("/GRADE 10А", "Хорошо, 10 класс"),
        ("/reset", texts.RESET),
        ("/forget", "всё забыл"),
        ("/что", texts.UNKNOWN_COMMAND),
        ("/start@paragraf_test_bot", "Здравствуйте"),
    ],
)
async def test_commands(bot: Running, api: BotApi, command: str, expected: str) -> None:
    api.say(command)
    assert expected in (await api.next_message()).text


async def test_commands_are_published(bot: Running, api: BotApi) -> None:
    await api.until(lambda: api.commands)
    assert {c["command"] for c in api.commands} >= {"start", "help", "grade", "books", "reset", "forget"}


async def test_reset_keeps_the_grade_and_forget_keeps_nothing(bot: Running, api: BotApi) -> None:
    for text in ("/grade 10", "вопрос", "/reset", "другой", "/forget", "третий"):
        api.say(text)
        await api.next_message()
    before_reset, after_reset, after_forget = (memory for _, memory, _ in bot.assistant.asked)
    assert after_reset == Memory(grade=10)
    assert after_forget == EMPTY_MEMORY
    assert before_reset.grade == 10


async def test_without_books_nobody_is_asked_for_a_grade(api: BotApi, settings: Settings) -> None:
    async with running(api, settings()):
        for command in ("/start", "/books", "/grade"):
            api.say(command)
            message = await api.next_message()
            assert texts.NO_BOOKS in message.text
            assert not message.buttons


# --- who is meant ------------------------------------------------------------------------------------------


def from_bot(api: BotApi) -> dict[str, object]:
    """A message of the bot itself, to be replied to."""
    me = {"id": 123456, "is_bot": True, "first_name": "Параграф", "username": api.username}
    return {"message_id": 1, "date": 0, "chat": GROUP, "from": me, "text": "…"}


async def test_in_groups_only_what_is_meant_for_the_bot_is_answered(bot: Running, api: BotApi) -> None:
    name = f"@{api.username}"
    mention = [{"type": "mention", "offset": 3, "length": len(name)}]
    api.say("просто разговор", chat=GROUP)
    api.say(f"🙂 {name}, кто там?", chat=GROUP, entities=mention)
    api.say("ответ боту", chat=GROUP, reply_to_message=from_bot(api))
    api.say("/help@another_bot", chat=GROUP)
    api.say(f"/help@{api.username}", chat=GROUP)
    api.say(chat=GROUP, sticker=STICKER)
    await quiet(api)
    assert [question for question, _, _ in bot.assistant.asked] == ["🙂 , кто там?", "ответ боту"]
    assert len(api.sent) == 3
    assert all(message.params.get("reply_parameters") for message in api.sent)


async def test_two_users_of_a_group_have_their_own_grade(bot: Running, api: BotApi) -> None:
    bot.assistant.library = Shelf(7, 9)
    api.say("/grade 7", chat=GROUP)
    api.say("/grade 9", chat=GROUP, by=BORIS)
    for person in (ANYA, BORIS, ANYA, BORIS):
        api.say("Что такое дума?", chat=GROUP, by=person, reply_to_message=from_bot(api))
        await quiet(api)
    assert [memory.grade for _, memory, _ in bot.assistant.asked] == [7, 9, 7, 9]


async def test_anonymous_admins_are_answered_and_other_bots_are_not(bot: Running, api: BotApi) -> None:
    anonymous = {"id": 1087968824, "is_bot": True, "first_name": "Group"}
    to_bot = from_bot(api)
    shown = api.message("Что такое дума?", chat=GROUP, sender_chat=GROUP, reply_to_message=to_bot)
    api.push("message", {**shown, "from": anonymous})
    clarify = await api.next_message()
    api.press(clarify, "9 класс")
    assert "[9]" in (await api.next_message()).text
    other = {"id": 5, "is_bot": True, "first_name": "Bot"}
    api.push("message", {**api.message("вопрос", chat=GROUP, reply_to_message=to_bot), "from": other})
    forwarded = api.message("/help", chat=GROUP, sender_chat={"id": -1, "type": "channel"})
    api.push("message", {**forwarded, "is_automatic_forward": True})
    await quiet(api)
    assert api.unread() == []


# --- F5 ----------------------------------------------------------------------------------------------------

STICKER = {
    "file_id": "f",
    "file_unique_id": "u",
    "type": "regular",
    "width": 1,
    "height": 1,
    "is_animated": False,
    "is_video": False,
}
FILE = {"file_id": "f", "file_unique_id": "u"}
PHOTO = [{**FILE, "width": 1, "height": 1}]


@pytest.mark.parametrize(
    ("content", "reply"),
    [
        ({"sticker": STICKER}, texts.NOT_TEXT),
        ({"voice": {**FILE, "duration": 1}}, texts.NOT_TEXT),
        ({"photo": PHOTO}, texts.NOT_TEXT),
        ({"location": {"latitude": 1, "longitude": 1}}, texts.NOT_TEXT),
        ({"document": {**FILE, "mime_type": "application/pdf"}}, texts.BOOKS_BY_TEACHER),
        ({"text": " \n "}, texts.NO_TEXT),
        ({"photo": PHOTO, "caption": "10 класс § 5?"}, "10 класс § 5? [None]"),
        ({"text": "ё" * 4096}, "ё" * 1000),
    ],
)
async def test_every_kind_of_message_gets_one_polite_answer(
    bot: Running, api: BotApi, content: dict[str, object], reply: str
) -> None:
    api.say(**content)
    assert (await api.next_message()).text.startswith(reply)
    await quiet(api)
    assert api.unread() == []


async def test_service_messages_and_channel_posts_get_none(bot: Running, api: BotApi) -> None:
    api.say(new_chat_members=[ANYA.to_json()], chat=GROUP)
    api.say(pinned_message=api.message("…"))
    api.push("channel_post", api.message("пост", chat={"id": -7, "type": "channel", "title": "К"}))
    await quiet(api)
    assert api.sent == []


async def test_an_album_gets_one_line(bot: Running, api: BotApi) -> None:
    for _ in range(4):
        api.say(photo=PHOTO, media_group_id="a1")
    await quiet(api)
    assert [message.text for message in api.sent] == [texts.NOT_TEXT]


async def test_a_corrected_question_is_answered_again_and_other_edits_are_not(
    bot: Running, api: BotApi
) -> None:
    said = api.say("вапрос")
    await api.next_message()
    api.edit(said, "вопрос")
    assert (await api.next_message()).text.startswith("вопрос")
    api.edit(said, "вопрос")  # a link preview, a reaction…
    api.edit(api.message("никогда не виденное"), "исправлено")
    api.edit(api.message("/start"), "/grade 9")
    await quiet(api)
    assert [question for question, _, _ in bot.assistant.asked] == ["вапрос", "вопрос"]


# --- order, work, failures ---------------------------------------------------------------------------------


async def test_while_one_waits_others_get_their_commands_and_the_order_is_kept(
    bot: Running, api: BotApi
) -> None:
    api.say("долго 1")
    api.say("вопрос 2")
    api.say("/help", by=BORIS)
    assert "/forget" in (await api.next_message()).text  # the loop lives
    await asyncio.to_thread(bot.assistant.at_work.wait, 10)
    assert len(bot.assistant.asked) == 1
    bot.assistant.gate.set()
    texts_sent = [(await api.next_message()).text for _ in range(2)]
    assert [text[:8] for text in texts_sent] == ["долго 1 ", "вопрос 2"]


async def test_whoever_will_wait_long_is_told_until_the_answer_comes(
    bot: Running, api: BotApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waiting, "LONG_WAIT", 1e-6)
    people = [Person(3000 + number) for number in range(3)]
    for person in people:
        api.say("/grade 10", by=person)
    api.say("вопрос")
    await quiet(api)
    api.say("долго", by=BORIS)
    await asyncio.to_thread(bot.assistant.at_work.wait, 10)
    for person in people:
        api.say("вопрос", by=person)
    await api.until(lambda: any("Сейчас спрашивают многие" in message.text for message in api.sent))
    bot.assistant.gate.set()
    await quiet(api)
    lines = [message for message in api.sent if "Сейчас спрашивают многие" in message.text]
    await api.until(lambda: all(message.deleted for message in lines))
    assert {message.chat_id for message in lines} <= {person.id for person in people}
    assert sum(message.text.startswith("вопрос [10]") for message in api.sent) == len(people)


async def test_an_internal_error_shows_a_number_and_logs_it_without_the_message(
    bot: Running, api: BotApi, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.handler.setFormatter(logs.MaskingFormatter(logs.Masker(SecretStr(TOKEN))))
    api.say("сломай мне тайну")
    shown = (await api.next_message()).text
    number = shown.split("номер ошибки ")[1][:6]
    assert texts.internal_error(number) == shown
    assert number in caplog.text
    assert "RuntimeError: cannot read «<message>»" in caplog.text
    assert "тайну" not in caplog.text
    assert "TEST-SECRET" not in caplog.text
    api.say("вопрос")
    assert (await api.next_message()).text.startswith("вопрос")


async def test_a_blocked_bot_drops_the_job_logs_it_once_and_serves_others(
    bot: Running, api: BotApi, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    anyas: Callable[[dict[str, object]], bool] = lambda params: params["chat_id"] == str(ANYA.id)  # noqa: E731
    api.fail("sendChatAction", Fault(BLOCKED, times=None, when=anyas))
    api.fail("sendMessage", Fault(BLOCKED, times=None, when=anyas))
    api.say("вопрос")
    api.say("вопрос", by=BORIS)
    assert (await api.next_message()).chat_id == BORIS.id
    await quiet(api)
    assert caplog.text.count("has blocked the bot") == 1
    assert str(ANYA.id) not in caplog.text


async def test_a_flood_wait_of_one_chat_does_not_hold_up_another(bot: Running, api: BotApi) -> None:
    anyas: Callable[[dict[str, object]], bool] = lambda params: params["chat_id"] == str(ANYA.id)  # noqa: E731
    api.fail("sendMessage", Fault(flood(1), when=anyas))
    api.say("вопрос")
    api.say("вопрос", by=BORIS)
    assert [(await api.next_message()).chat_id for _ in range(2)] == [BORIS.id, ANYA.id]
    refused, sent = (call.at for call in api.made("sendMessage") if anyas(call.params))
    assert sent - refused >= 1


async def test_a_dropped_connection_loses_no_answer(bot: Running, api: BotApi) -> None:
    api.fail("sendMessage", Fault(drop=True), Refused(502, "Bad Gateway"))
    api.say("вопрос")
    assert (await api.next_message()).text.startswith("вопрос")


# --- F6 ----------------------------------------------------------------------------------------------------


async def test_old_messages_are_dropped_with_one_note_per_user(api: BotApi, settings: Settings) -> None:
    for number in range(120):
        api.say(f"вопрос {number}", by=Person(5000 + (0 if number < 40 else number)), age=3 * 3600)
    api.say("свежий вопрос", by=Person(5000))
    async with running(api, settings(), 10) as bot:
        await api.until(lambda: len(api.sent) >= 82)
        await quiet(api)
        assert len(bot.assistant.asked) == 1
        notes = [message.chat_id for message in api.sent if message.text == texts.MISSED]
        assert len(notes) == len(set(notes)) == 81


async def test_messages_of_a_few_minutes_are_answered(api: BotApi, settings: Settings) -> None:
    api.say("вопрос", age=500)
    async with running(api, settings(), 10):
        assert (await api.next_message()).text.startswith("вопрос")


async def test_a_webhook_is_removed_and_nothing_pending_is_lost(api: BotApi, settings: Settings) -> None:
    api.webhook = "https://example.org/hook"
    api.say("вопрос")
    async with running(api, settings(), 10):
        assert (await api.next_message()).text.startswith("вопрос")


async def test_a_webhook_that_is_set_later_is_removed_too(api: BotApi, settings: Settings) -> None:
    async with running(api, settings(), 10):
        await api.until(lambda: api.made("getUpdates"))
        api.webhook = "https://example.org/hook"
        api.say("первый")
        api.say("второй")
        assert (await api.next_message()).text.startswith("первый")
        assert (await api.next_message()).text.startswith("второй")
        await api.until(lambda: not api.webhook)


async def test_a_conflict_for_ever_ends_the_bot(
    api: BotApi, settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    api.fail("getUpdates", Fault(Refused(409, CONFLICT), times=None))
    async with asyncio.timeout(60):
        with pytest.raises(PollingConflict, match="токен"):
            await run_bot(ScriptedAssistant(10), settings(telegram_conflict_tries=2))
    assert len(api.made("getUpdates")) == 2
    assert "another instance polls with this token" in caplog.text
    assert "TEST-SECRET" not in caplog.text


async def test_a_conflict_that_ends_is_forgotten(api: BotApi, settings: Settings) -> None:
    api.fail("getUpdates", Refused(409, CONFLICT))
    api.say("вопрос")
    async with running(api, settings(telegram_conflict_tries=2), 10):
        assert (await api.next_message()).text.startswith("вопрос")


async def test_of_two_instances_the_older_is_told(api: BotApi, settings: Settings, tmp_path: Path) -> None:
    """Telegram ends the poll of whoever asked first; both back off, so neither is served for long."""
    async with running(api, settings(telegram_conflict_tries=1), 10) as older:
        await api.until(lambda: api.made("getUpdates"))
        other = settings(database_url=f"sqlite+aiosqlite:///{tmp_path / 'other.sqlite3'}")
        async with running(api, other, 10):
            with pytest.raises(PollingConflict):
                await older.task


@pytest.mark.parametrize(
    ("token", "fault"),
    [("123456:WRONG-ONE", None), ("nonsense", None), ("1:x y", None), (TOKEN, UNAUTHORIZED)],
)
async def test_a_wrong_token_ends_the_bot_with_one_message_that_does_not_hold_it(
    api: BotApi, settings: Settings, token: str, fault: Refused | None
) -> None:
    if fault is not None:
        api.fail("getMe", fault)
    async with asyncio.timeout(60):
        with pytest.raises(TokenInvalid) as caught:
            await run_bot(ScriptedAssistant(10), settings(bot_token=SecretStr(token)))
    assert "BOT_TOKEN" in str(caught.value)
    assert token not in str(caught.value)


async def test_bad_json_and_unreadable_updates_do_not_stop_the_bot(api: BotApi, settings: Settings) -> None:
    api.fail("getMe", Fault(body="<html>gateway</html>"))
    api.fail("getUpdates", Fault(body="{"))
    async with running(api, settings(), 10):
        api.push("message", {"message_id": "not a number"})
        api.say("вопрос")
        assert (await api.next_message()).text.startswith("вопрос")
        await api.until(lambda: api.waiting_updates == 0)


async def test_what_was_taken_is_confirmed_and_answered_before_the_end(
    api: BotApi, settings: Settings
) -> None:
    async with running(api, settings(), 10) as bot:
        api.say("долго")
        await api.until(lambda: bot.assistant.asked or api.made("sendChatAction"))
        bot.task.cancel()
        await asyncio.sleep(0.05)
        bot.assistant.gate.set()
        assert (await api.next_message()).text.startswith("долго")
    assert api.waiting_updates == 0
