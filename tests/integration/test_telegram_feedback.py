"""👍 and 👎: counted once, without a name; the question only with consent; exported as cases."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest
from botapi.real import talking
from botapi.records import Person, Sent
from botapi.scripted import quiet, said, settings_for
from botapi.server import BotApi
from click.testing import CliRunner

from answer.assistant import Assistant
from bot.cli import main
from bot.telegram import texts

ROOT = Path(__file__).resolve().parents[2]
BORIS = Person(2002, "Боря")
QUESTION = "Что такое культура, 10 класс"
Talk = Callable[[], AbstractAsyncContextManager[None]]


@pytest.fixture
def talk(api: BotApi, assistant: Assistant, tmp_path: Path) -> Talk:
    return lambda: talking(api, settings_for(api, tmp_path), assistant)


async def press(api: BotApi, message: Sent, label: str, **options: object) -> str | None:
    """The note over the chat that the press brings up."""
    query = api.press(message, label, **options)
    await api.until(lambda: query in api.button_answers)
    await quiet(api)
    return api.button_answers[query].get("text")


def rows(folder: Path, query: str) -> list[tuple[object, ...]]:
    with sqlite3.connect(folder / "users.sqlite3") as database:
        return database.execute(query).fetchall()


def exported(folder: Path) -> list[dict[str, object]]:
    out = folder / "votes.jsonl"
    command = [
        "feedback",
        "export",
        str(out),
        "--database",
        f"sqlite+aiosqlite:///{folder / 'users.sqlite3'}",
    ]
    result = CliRunner().invoke(main, command)
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]


async def test_a_vote_is_counted_once_may_change_and_has_no_author(
    talk: Talk, api: BotApi, tmp_path: Path
) -> None:
    async with talk():
        answer = await said(api, QUESTION)
        up, down = answer.buttons["👍"], answer.buttons["👎"]
        assert await press(api, answer, "👍") == texts.VOTED
        assert "👍 ✓" in answer.buttons
        assert await press(api, answer, "", data=up) == texts.VOTED_ALREADY
        assert await press(api, answer, "", data=down) == texts.VOTE_CHANGED
        assert list(answer.buttons)[-2:] == ["👍", "👎 ✓"]
    [(case_id, grade, paragraph, book_id, good, day)] = rows(tmp_path, "select * from votes")
    assert (grade, paragraph, book_id, good) == (10, None, "obshchestvoznanie-10", 0)
    assert len(str(case_id)) == 16
    assert len(str(day)) == 10
    assert rows(tmp_path, "select * from voted_questions") == []


async def test_consent_is_asked_once_and_decides_whether_the_question_is_kept(
    talk: Talk, api: BotApi, tmp_path: Path
) -> None:
    async with talk():
        await press(api, await said(api, QUESTION), "👍")
        consent = await api.next_message()
        assert consent.text == texts.ASK_CONSENT
        await press(api, consent, texts.CONSENT_YES)
        assert (consent.text, consent.buttons) == (texts.CONSENT_GIVEN, {})
        await press(api, await said(api, "Что такое право?"), "👎")
        assert api.unread() == []
        kept = [
            question for (question,) in rows(tmp_path, "select question from voted_questions order by rowid")
        ]
        assert kept == ["Что такое культура", "Что такое право?"]
        # A second person, in the same minute, is asked for themselves.
        await press(api, await said(api, QUESTION, by=BORIS), "👍", by=BORIS)
        asked = await api.next_message()
        assert asked.chat_id == BORIS.id
        await press(api, asked, texts.CONSENT_NO, by=BORIS)
        await press(api, await said(api, "Что такое право?", by=BORIS), "👍", by=BORIS)
        assert api.unread() == []
    assert len(rows(tmp_path, "select * from voted_questions")) == 2
    assert len(rows(tmp_path, "select * from votes")) == 4


async def test_who_does_not_answer_is_not_asked_again_and_keeps_nothing(
    talk: Talk, api: BotApi, tmp_path: Path
) -> None:
    async with talk():
        await press(api, await said(api, QUESTION), "👍")
        await api.next_message()
        await press(api, await said(api, "Что такое право?"), "👍")
        assert api.unread() == []
    assert rows(tmp_path, "select * from voted_questions") == []


async def test_withdrawing_and_forgetting_erase_the_questions(
    talk: Talk, api: BotApi, tmp_path: Path
) -> None:
    async with talk():
        await press(api, await said(api, QUESTION), "👍")
        await press(api, await api.next_message(), texts.CONSENT_YES)
        privacy = await said(api, "/privacy")
        assert privacy.text.endswith(texts.CONSENT_STATE[True])
        await press(api, privacy, texts.CONSENT_WITHDRAW)
        assert privacy.text.endswith(texts.CONSENT_STATE[False])
        assert rows(tmp_path, "select * from voted_questions") == []
        await press(api, privacy, texts.CONSENT_ALLOW)
        await press(api, await said(api, "Что такое право?"), "👎")
        assert len(rows(tmp_path, "select * from voted_questions")) == 1
        await said(api, "/forget")
        assert rows(tmp_path, "select * from voted_questions") == []
        assert rows(tmp_path, "select * from consents") == []
        assert len(rows(tmp_path, "select * from votes")) == 2
    assert "право" not in (tmp_path / "users.sqlite3").read_bytes().decode("utf-8", "ignore")


async def test_others_cannot_vote_and_old_buttons_say_so(talk: Talk, api: BotApi, tmp_path: Path) -> None:
    group = {"id": -1005, "type": "supergroup", "title": "Класс"}
    name = f"@{api.username}"
    mention = [{"type": "mention", "offset": 0, "length": len(name)}]
    async with talk():
        answer = await said(api, f"{name} {QUESTION}", chat=group, entities=mention)
        assert await press(api, answer, "👍", by=BORIS) == texts.NOT_YOUR_BUTTON
        assert await press(api, answer, "", data="v:unknown:1") == texts.STALE_BUTTON
        await said(api, "/forget", chat=group)
        assert await press(api, answer, "👍") == texts.STALE_BUTTON
    assert rows(tmp_path, "select * from votes") == []


async def test_the_export_is_read_by_the_evaluation_and_measured(
    talk: Talk, api: BotApi, tmp_path: Path, sample_store: Path
) -> None:
    async with talk():
        liked = await said(api, "\u202eЧто такое <b>культура</b>, 10 класс?")
        await press(api, liked, "👍")
        await press(api, await api.next_message(), texts.CONSENT_YES)
        refusal = await said(api, "Кто такой Наполеон?")
        assert await press(api, refusal, "👍") == texts.VOTED
        await press(api, await said(api, "О чём § 6"), "👍")
        await press(api, await said(api, "Что такое право?"), "👎")
    by_question = {row["question"]: row for row in await asyncio.to_thread(exported, tmp_path)}
    culture = next(row for question, row in by_question.items() if "культура" in str(question))
    assert (culture["grade"], culture["gold_paragraph"], culture["gold_pages"]) == (10, "5", ["15"])
    assert str(culture["gold_answer"][0]).startswith("В широком смысле культура")  # type: ignore[index]
    law = by_question["Что такое право?"]
    assert (law["gold_answer"], law["review"], law["kind"]) == (None, True, "review")
    assert by_question["Кто такой Наполеон?"]["gold_answer"] is None
    command = ["-m", "bot", "evaluate", str(tmp_path / "votes.jsonl"), "--store", str(sample_store), "--json"]
    measured = await asyncio.to_thread(
        subprocess.run, [sys.executable, *command], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert measured.returncode == 0, measured.stderr
    assert "review не измеряются: 1" in measured.stderr
    figures = json.loads(measured.stdout)
    assert (figures["cases"], figures["unanswerable"], figures["accuracy"]) == (3, 1, 1.0)


def test_an_export_without_a_database_names_it_and_makes_none(tmp_path: Path) -> None:
    missing = tmp_path / "none.sqlite3"
    command = [
        "feedback",
        "export",
        str(tmp_path / "o.jsonl"),
        "--database",
        f"sqlite+aiosqlite:///{missing}",
    ]
    result = CliRunner().invoke(main, command)
    assert result.exit_code == 1
    assert str(missing) in result.output
    assert not missing.exists()
