"""Nothing is lost and nothing is answered twice: restarts, repeated deliveries, /forget."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from botapi.records import ANYA, Fault, Person
from botapi.scripted import BORIS, GROUP, acquaint, quiet, running, settings_for
from botapi.server import BotApi
from sqlalchemy import text as sql

from bot.database import empty_log, open_database
from bot.settings import BotSettings
from bot.telegram import texts
from bot.telegram.inbox import MOST_STARTS, Inbox, Stored
from bot.telegram.lanes import Lanes
from bot.users import Key, Users

WORD = "синхрофазотрон"


@pytest.fixture
async def settings(api: BotApi, tmp_path: Path) -> BotSettings:
    settings = settings_for(api, tmp_path)
    await acquaint(settings)
    return settings


async def leave(
    settings: BotSettings, *updates: dict[str, Any], state: str = "waiting", starts: int = 0
) -> None:
    """Updates that a killed process has left in the database."""
    engine = await open_database(settings.database_url)
    stored = []
    for update in updates:
        message = update["message"]
        key = Key(message["chat"]["id"], message["from"]["id"])
        stored.append(Stored(update["update_id"], key, update))
    await Inbox(engine).take(stored)
    async with engine.begin() as connection:
        await connection.execute(
            sql("UPDATE inbox SET state = :state, starts = :starts"), {"state": state, "starts": starts}
        )
    await engine.dispose()


async def inbox_rows(settings: BotSettings) -> int:
    engine = await open_database(settings.database_url)
    async with engine.connect() as connection:
        rows = (await connection.execute(sql("SELECT count(*) FROM inbox"))).scalar_one()
    await engine.dispose()
    return int(rows)


def mentions(folder: Path, word: str) -> bool:
    """Whether any file of the database holds the word, as text or as JSON escapes."""
    content = b"".join(file.read_bytes() for file in folder.iterdir() if file.is_file())
    return word.encode() in content or word.encode("unicode_escape") in content


async def test_what_a_killed_process_had_taken_is_answered_whatever_its_age(
    api: BotApi, settings: BotSettings
) -> None:
    old = [
        {"update_id": 10 + number, "message": api.message(f"вопрос {number}", age=3 * 3600)}
        for number in range(3)
    ]
    await leave(settings, *old)
    async with running(api, settings, 10):
        answers = [(await api.next_message()).text[:8] for _ in range(3)]
        await quiet(api)
    assert answers == ["вопрос 0", "вопрос 1", "вопрос 2"]
    assert api.unread() == []
    assert await inbox_rows(settings) == 0


async def test_what_has_waited_for_more_than_a_day_gets_a_note(api: BotApi, settings: BotSettings) -> None:
    await leave(settings, {"update_id": 10, "message": api.message("вопрос", age=30 * 3600)})
    async with running(api, settings, 10):
        assert (await api.next_message()).text == texts.MISSED
        await api.until(lambda: api.made("getUpdates"))  # what was left is sorted by then
    assert await inbox_rows(settings) == 0


@pytest.mark.parametrize(("state", "starts"), [("sending", 0), ("waiting", MOST_STARTS)])
async def test_what_may_have_been_sent_is_not_sent_twice_but_its_author_is_told(
    api: BotApi, settings: BotSettings, state: str, starts: int
) -> None:
    await leave(
        settings,
        {"update_id": 10, "message": api.message("первый")},
        {"update_id": 11, "message": api.message("второй")},
        {"update_id": 12, "message": api.message("вопрос", by=BORIS, chat=GROUP)},
        state=state,
        starts=starts,
    )
    async with running(api, settings, 10) as bot:
        told = [await api.next_message() for _ in range(2)]
        await quiet(api)
        assert bot.assistant.asked == []
    assert {message.chat_id for message in told} == {ANYA.id, GROUP["id"]}
    assert [message.text for message in told] == [texts.INTERRUPTED] * 2
    assert api.unread() == []
    assert await inbox_rows(settings) == 0


async def test_stopping_finishes_what_is_in_work_and_the_next_start_does_the_rest(
    api: BotApi, settings: BotSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    stopping, stop = asyncio.Event(), Lanes.stop

    async def stop_and_tell(lanes: Lanes, grace: float) -> None:
        stopping.set()
        await stop(lanes, grace)

    monkeypatch.setattr(Lanes, "stop", stop_and_tell)
    async with running(api, settings, 10) as bot:
        api.say("долго 0")
        for number in range(1, 4):
            api.say(f"вопрос {number}")
        await asyncio.to_thread(bot.assistant.at_work.wait, 10)
        await api.until(lambda: api.waiting_updates == 0)
        bot.task.cancel()
        await stopping.wait()
        bot.assistant.gate.set()
        await asyncio.wait([bot.task], timeout=60)
    assert (await api.next_message()).text.startswith("долго 0")
    assert api.unread() == []
    assert await inbox_rows(settings) == 3
    async with running(api, settings, 10):
        answers = [(await api.next_message()).text[:8] for _ in range(3)]
        await quiet(api)
    assert answers == ["вопрос 1", "вопрос 2", "вопрос 3"]
    assert api.unread() == []


async def test_an_update_that_is_delivered_again_is_answered_once(api: BotApi, settings: BotSettings) -> None:
    # The answer with the batch arrives, the confirmation of the next call does not, and the bot is restarted.
    update = api.push("message", api.message("вопрос"))
    async with running(api, settings, 10):
        assert (await api.next_message()).text.startswith("вопрос")
        await quiet(api)
        api.push_again(update)
        await quiet(api)
    api.push_again(update)
    async with running(api, settings, 10):
        api.say("другой")
        assert (await api.next_message()).text.startswith("другой")
        await quiet(api)
    assert api.unread() == []


async def test_a_batch_whose_delivery_was_cut_is_asked_for_again(api: BotApi, settings: BotSettings) -> None:
    api.fail("getUpdates", Fault(drop_after=True), Fault(slow=0.2))
    for number in range(3):
        api.say(f"вопрос {number}")
    async with running(api, settings, 10):
        answers = [(await api.next_message()).text[:8] for _ in range(3)]
        await quiet(api)
    assert answers == ["вопрос 0", "вопрос 1", "вопрос 2"]
    assert api.unread() == []


async def test_a_database_that_cannot_store_costs_time_but_no_question(
    api: BotApi, settings: BotSettings
) -> None:
    async with running(api, settings, 10):
        await api.until(lambda: api.made("getUpdates"))
        engine = await open_database(settings.database_url)
        async with engine.begin() as connection:
            full = "BEFORE INSERT ON inbox BEGIN SELECT RAISE(ABORT, 'disk is full'); END"
            await connection.execute(sql(f"CREATE TRIGGER full {full}"))
        polls = len(api.made("getUpdates"))
        api.say("вопрос")
        await api.until(lambda: len(api.made("getUpdates")) > polls)
        assert api.waiting_updates == 1
        async with engine.begin() as connection:
            await connection.execute(sql("DROP TRIGGER full"))
        await engine.dispose()
        assert (await api.next_message()).text.startswith("вопрос")
        await quiet(api)
    assert api.unread() == []


async def test_the_question_is_on_the_disk_only_until_it_is_answered(
    api: BotApi, settings: BotSettings, tmp_path: Path
) -> None:
    async with running(api, settings, 10) as bot:
        api.say(f"долго ли живёт {WORD}?")
        await asyncio.to_thread(bot.assistant.at_work.wait, 10)
        assert mentions(tmp_path, WORD)
        bot.assistant.gate.set()
        await api.next_message()
        await quiet(api)
        api.say("/forget")
        await api.next_message()
        await quiet(api)
    assert not mentions(tmp_path, WORD)


async def test_forget_takes_waiting_questions_along(
    settings: BotSettings, tmp_path: Path, api: BotApi
) -> None:
    await leave(settings, {"update_id": 10, "message": api.message(f"что такое {WORD}?")})
    assert mentions(tmp_path, WORD)
    engine = await open_database(settings.database_url)
    await Users(engine).forget(Key(ANYA.id, ANYA.id))
    assert not mentions(tmp_path, WORD)
    await engine.dispose()


async def test_what_is_asked_after_forget_is_still_answered_after_a_kill(
    api: BotApi, settings: BotSettings
) -> None:
    async with running(api, settings, 10) as bot:
        api.say("/forget")
        api.say("долго ли это")
        assert "всё забыл" in (await api.next_message()).text
        await asyncio.to_thread(bot.assistant.at_work.wait, 10)
        assert await inbox_rows(settings) == 1
        bot.assistant.gate.set()
        assert (await api.next_message()).text.startswith("долго ли это")
        await quiet(api)
    assert await inbox_rows(settings) == 0


async def test_done_updates_leave_no_bytes_after_the_log_is_emptied(
    settings: BotSettings, tmp_path: Path, api: BotApi
) -> None:
    engine = await open_database(settings.database_url)
    inbox = Inbox(engine)
    stored = Stored(10, Key(1, 1), {"update_id": 10, "message": {"text": WORD * 300}})
    assert await inbox.take([stored], ignored=[11]) == {10, 11}
    assert await inbox.take([stored], ignored=[11]) == set()
    await inbox.sending(10)
    await inbox.done([10])
    await empty_log(engine)
    assert not mentions(tmp_path, WORD)
    assert await inbox.take([stored]) == set()
    await engine.dispose()


async def test_a_group_that_has_become_a_supergroup_gets_its_answer(
    api: BotApi, settings: BotSettings
) -> None:
    api.migrated[GROUP["id"]] = -100555
    me = {"id": 123456, "is_bot": True, "first_name": "Параграф", "username": api.username}
    to_bot = {"message_id": 1, "date": 0, "chat": GROUP, "from": me, "text": "…"}
    async with running(api, settings, 10):
        api.say("/grade 10", chat=GROUP)
        await api.next_message()
        api.say("вопрос", chat={**GROUP, "id": -100555}, reply_to_message=to_bot)
        answer = await api.next_message()
    assert answer.chat_id == -100555
    assert "[10]" in answer.text  # the grade has moved along


async def test_too_many_messages_of_one_user_are_refused_with_words_and_not_kept(
    api: BotApi, settings: BotSettings
) -> None:
    async with running(api, settings, 10) as bot:
        api.say("долго")
        await asyncio.to_thread(bot.assistant.at_work.wait, 10)
        for number in range(25):
            api.say(f"вопрос {number}")
        api.say("вопрос", by=Person(77))
        assert (await api.next_message()).text == texts.TOO_MANY
        bot.assistant.gate.set()
        await quiet(api)
    mine = [message.text for message in api.sent if message.chat_id == ANYA.id]
    assert len(mine) == 1 + 1 + 20
    assert await inbox_rows(settings) == 0
