"""Access, limits, admins and statistics: the bot over the sample textbooks, against the stand-in."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from botapi.records import Person, Sent
from botapi.scripted import settings_for, unhurried
from botapi.server import BotApi

from answer.assistant import Assistant
from bot.access import Access
from bot.database import open_database
from bot.limits import Limits
from bot.settings import BotSettings
from bot.telegram import school_texts as texts
from bot.telegram.app import run_bot
from bot.telegram.texts import UNKNOWN_COMMAND
from bot.users import Key

ADMIN = Person(5005, "Мария Ивановна")
STUDENT, OTHER = Person(1001), Person(2002, "Боря", "boris")
GROUP = {"id": -1005, "type": "supergroup", "title": "10А"}
QUESTION = "Что такое общество, 10 класс?"
SLOW = 60


Serving = Callable[..., object]


@pytest.fixture
def settings(api: BotApi, tmp_path: Path) -> Callable[..., BotSettings]:
    def make(**changes: object) -> BotSettings:
        return settings_for(api, tmp_path, **{"admin_ids": frozenset({ADMIN.id}), **changes})

    return make


@asynccontextmanager
async def running(assistant: Assistant, settings: BotSettings, store: Path) -> AsyncIterator[None]:
    task = asyncio.create_task(run_bot(assistant, settings, pace=unhurried(), store_dir=store))
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def ask(api: BotApi, text: str, by: Person = STUDENT, **more: object) -> Sent:
    api.say(text, by=by, **more)
    return await api.next_message(SLOW)


async def quiet(api: BotApi) -> None:
    """Everything that was pushed is worked off: an admin's command comes after it."""
    assert "Ваш номер" in (await ask(api, "/id", Person(9, "Последний"))).text


def content_of(directory: Path) -> bytes:
    return b"".join(path.read_bytes() for path in directory.glob("users.sqlite3*"))


def link_of(message: Sent) -> str:
    found = [line for line in message.text.splitlines() if line.startswith("https://t.me/")]
    assert len(found) == 1
    return found[0]


async def test_a_school_admits_its_students_by_a_link(
    api: BotApi,
    settings: Callable[..., BotSettings],
    assistant: Assistant,
    sample_store: Path,
    tmp_path: Path,
) -> None:
    async with running(assistant, settings(access="invited"), sample_store):
        assert (await ask(api, QUESTION)).text == texts.NOT_ADMITTED
        made = await ask(api, "/invite 10А 1", ADMIN)
        link = link_of(made)
        assert link.startswith(f"https://t.me/{api.username}?start=")
        code = link.partition("=")[2]
        assert len(code) >= 22
        assert "10А" in made.text

        assert (await ask(api, "/start неверный")).text == texts.CODE_REFUSED
        assert (await ask(api, f"/start {code}")).text == texts.ADMITTED
        assert "учебник" in (await api.next_message(SLOW)).text
        assert "§" in (await ask(api, QUESTION)).text

        # The second student is one too many; the first comes again without taking a place.
        assert (await ask(api, f"/start {code}", OTHER)).text == texts.CODE_REFUSED
        assert "учебник" in (await ask(api, f"/start {code}")).text
        assert (await ask(api, "/invites", ADMIN)).text == texts.NO_INVITES

        # /forget takes the access away, and says so before.
        assert (await ask(api, "/forget")).text == texts.FORGET_ENDS_ACCESS
        assert "забыл" in (await api.next_message(SLOW)).text
        assert (await ask(api, QUESTION)).text == texts.NOT_ADMITTED
    assert code.encode() not in content_of(tmp_path)
    with sqlite3.connect(tmp_path / "users.sqlite3") as database:
        assert database.execute("SELECT count(*) FROM members").fetchone() == (0,)


async def test_a_revoked_link_ends_also_the_access_it_gave(
    api: BotApi, settings: Callable[..., BotSettings], assistant: Assistant, sample_store: Path
) -> None:
    async with running(assistant, settings(access="invited"), sample_store):
        code = link_of(await ask(api, "/invite 10 Б 30 14", ADMIN)).partition("=")[2]
        await ask(api, f"/start {code}")
        await api.next_message(SLOW)
        listed = await ask(api, "/invites", ADMIN)
        assert "10 Б: вошли 1 из 30" in listed.text
        # A student who got hold of the button's data is nobody.
        press = api.press(listed, next(iter(listed.buttons)), by=STUDENT)
        await api.until(lambda: press in api.button_answers)
        assert api.unread() == []
        api.press(listed, next(iter(listed.buttons)), by=ADMIN)
        choice = await api.next_message(SLOW)
        api.press(choice, texts.REVOKE_MEMBERS, by=ADMIN)
        await api.until(lambda: "1 ученика" in choice.text)
        assert (await ask(api, QUESTION)).text == texts.NOT_ADMITTED
        assert (await ask(api, f"/start {code}", OTHER)).text == texts.CODE_REFUSED
        assert (await ask(api, "/invites", ADMIN)).text == texts.NO_INVITES


async def test_groups_are_admitted_by_admins_only(
    api: BotApi, settings: Callable[..., BotSettings], assistant: Assistant, sample_store: Path
) -> None:
    async with running(assistant, settings(access="invited"), sample_store):
        mention = f"@{api.username} {QUESTION}"
        entities = [{"type": "mention", "offset": 0, "length": len(api.username) + 1}]
        told = await ask(api, mention, chat=GROUP, entities=entities)
        assert told.text == texts.GROUP_NOT_ADMITTED
        api.say("/allow", chat=GROUP)  # by a student
        api.say(mention, chat=GROUP, entities=entities)  # told once is enough
        await quiet(api)
        assert (await ask(api, "/allow", ADMIN, chat=GROUP)).text == texts.GROUP_ADMITTED
        answer = await ask(api, mention, chat=GROUP, entities=entities)
        assert "§" in answer.text
        # In private the same student is still not admitted.
        assert (await ask(api, QUESTION)).text == texts.NOT_ADMITTED
        assert (await ask(api, "/disallow", ADMIN, chat=GROUP)).text == texts.GROUP_DISMISSED


@pytest.mark.parametrize("command", ["invite 10А 3", "invites", "stats", "remove"])
async def test_commands_of_admins_do_not_exist_for_others(
    command: str,
    api: BotApi,
    settings: Callable[..., BotSettings],
    assistant: Assistant,
    sample_store: Path,
) -> None:
    # Somebody may call himself like the admin; only the number counts.
    impostor = Person(6006, ADMIN.first_name, "5005")
    async with running(assistant, settings(), sample_store):
        assert (await ask(api, f"/{command}", impostor)).text == UNKNOWN_COMMAND
        assert (await ask(api, f"/{command}", ADMIN)).text != UNKNOWN_COMMAND


async def test_who_asks_too_much_is_told_once_and_buttons_are_answered(
    api: BotApi, settings: Callable[..., BotSettings], assistant: Assistant, sample_store: Path
) -> None:
    async with running(assistant, settings(rate_questions=1), sample_store):
        answer = await ask(api, QUESTION)
        assert "§" in answer.text
        refused = await ask(api, "Что такое право, 9 класс?")
        assert "Подождите 5 мин." in refused.text
        api.say("А что такое налог, 9 класс?")
        await quiet(api)
        page = next(label for label, data in answer.buttons.items() if data.startswith("p:"))
        for _ in range(3):
            api.press(answer, page)
            assert (await api.next_message(SLOW)).photo is not None
        press = api.press(answer, page)
        await api.until(lambda: press in api.button_answers, SLOW)
        assert "Подождите" in api.button_answers[press]["text"]
        # Privacy is never out of reach, and other people are not held up.
        assert "храню" in (await ask(api, "/privacy")).text
        assert "§" in (await ask(api, QUESTION, OTHER)).text
        for _ in range(3):
            assert "§" in (await ask(api, QUESTION, ADMIN)).text


async def test_statistics_count_and_name_nobody(
    api: BotApi,
    settings: Callable[..., BotSettings],
    assistant: Assistant,
    sample_store: Path,
    tmp_path: Path,
) -> None:
    async with running(assistant, settings(rate_questions=2), sample_store):
        assert "§" in (await ask(api, QUESTION, OTHER)).text
        await ask(api, "Как приготовить борщ, 10 класс?", OTHER)
        await ask(api, QUESTION, OTHER)  # one too many
        stats = (await ask(api, "/stats", ADMIN)).text
    assert "Учеников: сегодня 1, за 7 дней 1" in stats
    assert "Вопросов: сегодня 2, за 7 дней 2" in stats
    assert "с ответом 50 %, отказов 50 %, уточнений 0 %" in stats
    assert "слишком часто 1" in stats
    assert "Обществознание, 10 класс: 1" in stats
    assert "половина до" in stats
    assert not any(word in stats for word in (str(OTHER.id), "Боря", "boris", "борщ"))
    # After a restart the counts are still there.
    async with running(assistant, settings(), sample_store):
        assert "Вопросов: сегодня 2" in (await ask(api, "/stats", ADMIN)).text
    with sqlite3.connect(tmp_path / "users.sqlite3") as database:
        columns = {row[1] for row in database.execute("PRAGMA table_info(usage)")}
    assert columns == {"day", "name", "label", "number"}


async def test_two_who_come_at_once_do_not_share_the_last_place(tmp_path: Path) -> None:
    engine = await open_database(f"sqlite+aiosqlite:///{tmp_path / 'a.sqlite3'}")
    access = Access(engine, invited_only=True)
    code, _ = await access.invite("10А", 3, 1)
    results = await asyncio.gather(*(access.admit(code, Key(n, n)) for n in range(1, 9)))
    assert sorted(results) == ["admitted"] * 3 + ["refused"] * 5
    admitted = [n for n, result in enumerate(results, start=1) if result == "admitted"]
    assert [n for n in range(1, 9) if await access.may_ask(Key(n, n))] == admitted
    await engine.dispose()


async def test_an_old_link_admits_nobody(tmp_path: Path) -> None:
    engine = await open_database(f"sqlite+aiosqlite:///{tmp_path / 'a.sqlite3'}")
    clock = [datetime(2026, 9, 1, tzinfo=UTC)]
    access = Access(engine, invited_only=True, now=lambda: clock[0])
    code, invite = await access.invite("10А", 3, 7)
    assert invite.expires_at == clock[0] + timedelta(days=7)
    clock[0] += timedelta(days=6, hours=23)
    assert await access.admit(code, Key(1, 1)) == "admitted"
    clock[0] += timedelta(hours=2)
    assert await access.admit(code, Key(2, 2)) == "refused"
    assert await access.invites() == []
    await engine.dispose()


def test_limits_are_told_once_per_window_and_forgotten_after_it() -> None:
    clock = [0.0]
    limits = Limits(2, 300, 3, now=lambda: clock[0])
    assert [limits.take("a") for _ in range(2)] == [None, None]
    first, second = limits.take("a"), limits.take("a")
    assert first is not None
    assert (first.daily, first.first, first.wait) == (False, True, 300.0)
    assert second is not None
    assert not second.first
    assert limits.take("b") is None
    assert limits.take("a", "press") is None
    clock[0] = 300
    assert limits.take("a") is None
    daily = limits.take("a")
    assert daily is not None
    assert (daily.daily, daily.first) == (True, True)
    clock[0] = 24 * 3600
    assert limits.take("a") is None


def test_a_limit_of_nought_is_none() -> None:
    limits = Limits(0, 300, 0)
    assert [limits.take("a") for _ in range(500)] == [None] * 500
