"""What is kept how long, in a real SQLite file; and that docs/privacy.md says so."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner
from sqlalchemy import func, insert, select
from sqlalchemy.ext.asyncio import AsyncEngine

from answer.query import Memory
from bot.access import Access
from bot.cli import main
from bot.database import Base, open_database, personal_tables
from bot.retention import RULES, Rule, purge
from bot.users import Key, Users

ROOT = Path(__file__).resolve().parents[2]
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
ANYA, BORIS = Key(1, 1), Key(2, 2)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "users.sqlite3"


@pytest.fixture
async def engine(path: Path) -> AsyncIterator[AsyncEngine]:
    engine = await open_database(f"sqlite+aiosqlite:///{path}")
    yield engine
    await engine.dispose()


async def rows(engine: AsyncEngine, table: str) -> int:
    number = select(func.count()).select_from(Base.metadata.tables[table])
    async with engine.connect() as connection:
        return (await connection.execute(number)).scalar_one()


async def put(engine: AsyncEngine, table: str, **values: object) -> None:
    async with engine.begin() as connection:
        await connection.execute(insert(Base.metadata.tables[table]).values(**values))


async def remember(engine: AsyncEngine, key: Key, days_ago: float) -> None:
    moment = NOW - timedelta(days=days_ago)
    await put(engine, "memory", chat_id=key.chat_id, user_id=key.user_id, memory={}, updated_at=moment)


def test_every_table_has_a_rule() -> None:
    assert set(RULES) == set(Base.metadata.tables)
    for name, rule in RULES.items():
        if isinstance(rule, Rule):
            assert rule.column in Base.metadata.tables[name].c


def test_the_privacy_page_names_every_table_column_and_term() -> None:
    page = (ROOT / "docs" / "privacy.md").read_text(encoding="utf-8")
    shown = {}
    for line in page.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 5 and cells[0].startswith("`"):
            shown[cells[0].strip("`")] = (set(re.findall(r"`(\w+)`", cells[1])), cells[3], cells[4])
    assert set(shown) == set(Base.metadata.tables)
    personal = {table.name for table in personal_tables()}
    for name, table in Base.metadata.tables.items():
        columns, whose, kept = shown[name]
        assert columns == set(table.c.keys()), name
        assert whose.startswith("yes") == (name in personal), name
        rule = RULES[name]
        if isinstance(rule, Rule):
            assert (str(rule.most) if rule.most is not None else "RETENTION_DAYS") in kept, name


async def test_who_does_not_come_back_is_forgotten(engine: AsyncEngine) -> None:
    await remember(engine, ANYA, 181)
    await remember(engine, BORIS, 179)
    for key, days_ago in ((ANYA, 300), (BORIS, 300)):
        admitted = NOW - timedelta(days=days_ago)
        await put(
            engine, "members", chat_id=key.chat_id, user_id=key.user_id, invite_id="i", admitted_at=admitted
        )
        await put(engine, "consents", chat_id=key.chat_id, user_id=key.user_id, agreed=True)
    deleted = await purge(engine, 180, lambda: NOW)
    assert deleted == {"memory": 1, "members": 1, "consents": 1}
    access = Access(engine, invited_only=True)
    assert not await access.may_ask(ANYA)
    assert await access.may_ask(BORIS)
    assert await purge(engine, 180, lambda: NOW) == {}


async def test_shorter_terms_hold_and_a_short_retention_shortens_them(engine: AsyncEngine) -> None:
    for token, days_ago in (("a", 31), ("b", 29), ("c", 3)):
        created = NOW - timedelta(days=days_ago)
        await put(engine, "buttons", token=token, chat_id=1, user_id=1, payload={}, created_at=created)
    for case, days_ago in (("x", 40), ("y", 2)):
        day = (NOW - timedelta(days=days_ago)).date()
        await put(engine, "votes", case_id=case, grade=9, paragraph="1", book_id="b", good=True, day=day)
    assert await purge(engine, 180, lambda: NOW) == {"buttons": 1}
    assert await purge(engine, 7, lambda: NOW) == {"buttons": 1}
    assert await rows(engine, "votes") == 2  # nobody's: they stay


async def test_a_message_that_nobody_dealt_with_goes_with_its_number(engine: AsyncEngine) -> None:
    for number, days_ago in ((1, 3), (2, 1)):
        taken = NOW - timedelta(days=days_ago)
        await put(engine, "taken_updates", update_id=number, taken_at=taken)
        body = {"update_id": number}
        await put(
            engine, "inbox", update_id=number, chat_id=1, user_id=1, body=body, state="waiting", starts=0
        )
    assert await purge(engine, 180, lambda: NOW) == {"taken_updates": 1, "inbox": 1}
    assert await rows(engine, "inbox") == 1


async def test_what_is_purged_is_gone_from_the_disk(engine: AsyncEngine, path: Path) -> None:
    users = Users(engine)
    await users.save(ANYA, Memory(last_question="Что такое синхрофазотрон?"))
    word = b"\\u0441\\u0438\\u043d\\u0445\\u0440\\u043e"  # «синхро», as JSON writes it
    assert word in content_of(path) or "синхро".encode() in content_of(path)
    await purge(engine, 180, lambda: datetime.now(UTC) + timedelta(days=200))
    assert word not in content_of(path)
    assert "синхро".encode() not in content_of(path)


def content_of(path: Path) -> bytes:
    return b"".join(file.read_bytes() for file in path.parent.glob(f"{path.name}*"))


def test_the_command_purges_and_says_what(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(path.parent)
    monkeypatch.setenv("DATABASE_URL", f"sqlite+aiosqlite:///{path}")
    done = CliRunner().invoke(main, ["purge"])
    assert (done.exit_code, done.output) == (0, "Удалять нечего.\n")
    path.write_bytes(b"no database" * 100)
    done = CliRunner().invoke(main, ["purge"])
    assert done.exit_code == 1
    assert path.name in done.output
