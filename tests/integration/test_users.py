"""The users' memory in a real SQLite file."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from answer.query import EMPTY_MEMORY, Memory
from bot.database import open_database
from bot.errors import DatabaseDamaged
from bot.users import BUTTONS_KEPT, Key, Users

ANYA, BORIS = Key(-100, 7), Key(-100, 9)
QUESTION = "Что такое синхрофазотрон?"
MEMORY = Memory(grade=10, book_id="o10", last_question=QUESTION, last_paragraphs=("3", "4"))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "новый каталог" / "память.sqlite3"


@pytest.fixture
async def users(path: Path) -> AsyncIterator[Users]:
    engine = await open_database(f"sqlite+aiosqlite:///{path}")
    yield Users(engine)
    await engine.dispose()


def mentions_question(directory: Path) -> bool:
    """Whether any file still holds the question, as text or as JSON escapes."""
    content = b"".join(file.read_bytes() for file in directory.iterdir())
    word = "синхрофазотрон"
    return word.encode() in content or word.encode("unicode_escape") in content


def read(path: Path) -> bytes:
    return path.read_bytes()


def write(path: Path, content: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(content)


async def test_memory_is_kept_per_user_and_chat(users: Users) -> None:
    await users.save(ANYA, MEMORY)
    await users.save(BORIS, Memory(grade=7))
    assert await users.memory(ANYA) == MEMORY
    assert await users.memory(BORIS) == Memory(grade=7)
    assert await users.memory(Key(7, 7)) == EMPTY_MEMORY


async def test_memory_and_buttons_survive_a_restart(users: Users, path: Path) -> None:
    await users.save(ANYA, MEMORY)
    token = await users.keep_buttons(ANYA, {"pages": [1]})
    engine = await open_database(f"sqlite:///{path}")
    again = Users(engine)
    assert await again.memory(ANYA) == MEMORY
    assert await again.buttons(token, ANYA.chat_id) == (ANYA, {"pages": [1]})
    await engine.dispose()


async def test_forget_removes_every_byte_of_what_was_written(users: Users, path: Path) -> None:
    await users.save(ANYA, MEMORY)
    token = await users.keep_buttons(ANYA, {"question": QUESTION})
    await users.save(BORIS, Memory(grade=7))
    assert mentions_question(path.parent)
    await users.forget(ANYA)
    assert await users.memory(ANYA) == EMPTY_MEMORY
    assert await users.buttons(token, ANYA.chat_id) is None
    assert await users.memory(BORIS) == Memory(grade=7)
    assert not mentions_question(path.parent)


async def test_only_the_last_buttons_are_kept_and_only_for_their_chat(users: Users) -> None:
    tokens = [await users.keep_buttons(ANYA, {"n": n}) for n in range(BUTTONS_KEPT + 5)]
    other = await users.keep_buttons(BORIS, {"n": 0})
    kept = [await users.buttons(token, ANYA.chat_id) is not None for token in tokens]
    assert kept == [False] * 5 + [True] * BUTTONS_KEPT
    assert await users.buttons(tokens[-1], 555) is None
    assert await users.buttons(other, BORIS.chat_id) is not None
    await users.drop_buttons(other)
    assert await users.buttons(other, BORIS.chat_id) is None
    assert all(len(f"p:{token}:99".encode()) <= 64 for token in tokens)


async def test_a_row_of_an_older_version_counts_as_empty(users: Users, path: Path) -> None:
    await users.save(ANYA, MEMORY)
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE memory SET memory = ?", ('{"grade": "ten"}',))
    connection.close()
    assert await users.memory(ANYA) == EMPTY_MEMORY


async def test_a_row_without_newer_fields_is_read(users: Users, path: Path) -> None:
    await users.save(ANYA, MEMORY)
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE memory SET memory = ?", ('{"grade": 9, "last_paragraphs": ["5"]}',))
    connection.close()
    assert await users.memory(ANYA) == Memory(grade=9, last_paragraphs=("5",))


@pytest.mark.parametrize("content", [b"not a database " * 100, b"SQLite format 3\x00" + b"\xff" * 5000])
async def test_a_damaged_file_is_named_with_the_fix(path: Path, content: bytes) -> None:
    write(path, content)
    with pytest.raises(DatabaseDamaged, match=r"память\.sqlite3.*запустите бота снова"):
        await open_database(f"sqlite+aiosqlite:///{path}")
    assert read(path) == content


async def test_a_foreign_database_with_a_table_of_that_name_is_refused(path: Path) -> None:
    path.parent.mkdir()
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE memory (something INTEGER)")
    connection.close()
    with pytest.raises(DatabaseDamaged):
        await open_database(f"sqlite+aiosqlite:///{path}")


@pytest.mark.parametrize(
    "url",
    ["", "nonsense", "sqlite+aiosqlite:////proc/nowhere/x.sqlite3", "postgresql+asyncpg://a:hunter2@b/c"],
)
async def test_an_unusable_address_is_refused_without_showing_a_password(url: str) -> None:
    with pytest.raises(DatabaseDamaged) as caught:
        await open_database(url)
    assert "hunter2" not in str(caught.value)
