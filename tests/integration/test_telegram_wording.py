"""The quotes at once, a model's words edited in: order, places, pace, and work that really stops."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from botapi.records import ANYA, Person, flood
from botapi.scripted import BORIS, acquaint, quiet, running, settings_for
from botapi.server import BotApi

from answer.answer import Answer
from bot.database import open_database
from bot.settings import BotSettings
from bot.telegram import answering, texts
from bot.telegram.hints import Hint, Hints
from bot.users import Key


class Model:
    """Words answers as «Словами: вопрос», each when its gate opens; «сбой» in the question makes it fail."""

    def __init__(self, seconds: float = 0.0, concurrency: int = 1) -> None:
        self.concurrency = concurrency
        self.seconds = seconds
        self.gate = asyncio.Event()
        self.gate.set()
        self.asked: list[str] = []
        self.cancelled: list[str] = []
        self.started = asyncio.Event()

    def wants(self, answer: Answer) -> bool:
        return answer.status == "supported"

    async def phrase(self, question: str, answer: Answer) -> Answer:
        self.asked.append(question)
        self.started.set()
        try:
            await asyncio.sleep(self.seconds)
            await self.gate.wait()
        except asyncio.CancelledError:
            self.cancelled.append(question)
            raise
        if "сбой" in question:
            return replace(answer, model_error="Модель не ответила вовремя.")
        worded = f"Словами: {question}" + " очень" * (900 if "длинно" in question else 0)
        return replace(answer, status="generated_checked", mode="ollama", answer=worded)

    async def close(self) -> None: ...


@pytest.fixture
async def settings(api: BotApi, tmp_path: Path) -> BotSettings:
    settings = settings_for(api, tmp_path)
    await acquaint(settings)
    return settings


async def test_the_quotes_come_at_once_and_the_words_take_their_place(
    api: BotApi, settings: BotSettings
) -> None:
    model = Model()
    model.gate.clear()
    async with running(api, settings, 10, phraser=model):
        api.say("вопрос")
        answer = await api.next_message()
        assert answer.text.startswith("вопрос [None]")
        assert answer.text.endswith(texts.WORDING)
        before = answer.buttons
        assert "Показать страницу" in before
        await api.until(lambda: model.asked)
        model.gate.set()
        await api.until(lambda: answer.text.startswith("Словами: вопрос"))
        assert texts.WORDING not in answer.text
        assert "Обществознание" in answer.text  # the quotes stand below the words
        assert list(answer.buttons) == list(before)
        press = api.press(answer, "Показать страницу")
        await api.until(lambda: press in api.button_answers)
        assert api.button_answers[press].get("text") != texts.STALE_BUTTON
        old = api.press(answer, "", data=before["Показать страницу"])
        await api.until(lambda: old in api.button_answers)
        assert api.button_answers[old].get("text") != texts.STALE_BUTTON
    assert len(api.edits) == 1


async def test_when_the_model_fails_the_hint_goes_and_the_quotes_stay(
    api: BotApi, settings: BotSettings
) -> None:
    async with running(api, settings, 10, phraser=Model()):
        api.say("сбой вопрос")
        answer = await api.next_message()
        await api.until(lambda: api.edits)
    assert answer.text.startswith("сбой вопрос [None]")
    assert texts.WORDING not in answer.text
    assert "Модель" not in answer.text
    assert "Показать страницу" in answer.buttons


async def test_the_newest_question_wins_and_both_are_answered_once(
    api: BotApi, settings: BotSettings
) -> None:
    model = Model()
    model.gate.clear()
    async with running(api, settings, 10, phraser=model):
        api.say("первый")
        first = await api.next_message()
        await model.started.wait()
        api.say("второй")
        second = await api.next_message()
        assert model.cancelled == ["первый"]
        await api.until(lambda: texts.WORDING_OVERTAKEN in first.text)
        assert first.text.startswith("первый [None]")
        model.gate.set()
        await api.until(lambda: second.text.startswith("Словами: второй"))
    assert len(api.sent) == 2
    assert model.asked == ["первый", "второй"]


async def test_what_needs_no_words_leaves_an_older_question_its_own(
    api: BotApi, settings: BotSettings
) -> None:
    model = Model()
    model.gate.clear()
    async with running(api, settings, 10, phraser=model):
        api.say("вопрос")
        answer = await api.next_message()
        await model.started.wait()
        api.say("Что такое дума?")  # the bot asks back
        await api.next_message()
        model.gate.set()
        await api.until(lambda: answer.text.startswith("Словами: вопрос"))
    assert model.cancelled == []


@pytest.mark.parametrize("command", ["/reset", "/forget"])
async def test_reset_and_forget_stop_the_model(api: BotApi, settings: BotSettings, command: str) -> None:
    model = Model()
    model.gate.clear()
    async with running(api, settings, 10, phraser=model):
        api.say("вопрос")
        answer = await api.next_message()
        await model.started.wait()
        api.say(command)
        await api.next_message()
        assert model.cancelled == ["вопрос"]
        await api.until(lambda: texts.WORDING not in answer.text)
    assert answer.text.startswith("вопрос [None]")


async def test_whoever_blocks_the_bot_costs_the_model_nothing_more(
    api: BotApi, settings: BotSettings
) -> None:
    model = Model()
    model.gate.clear()
    async with running(api, settings, 10, phraser=model):
        api.say("вопрос")
        await api.next_message()
        await model.started.wait()
        api.blocked.add(ANYA.id)
        signs = len(api.made("sendChatAction"))
        await api.until(lambda: len(api.made("sendChatAction")) > signs)
        api.say("вопрос Бори", by=BORIS)
        await api.next_message()
        model.gate.set()
        await api.until(lambda: "вопрос Бори" in model.asked)
    assert model.cancelled == ["вопрос"]


async def test_users_get_their_words_in_turn_and_see_their_place(
    api: BotApi, settings: BotSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answering, "LONG_WAIT", 1.0)
    model = Model(seconds=0.4)
    people = [Person(3000 + number) for number in range(8)]
    async with running(api, settings, 10, phraser=model):
        for person in people:
            api.say("/grade 10", by=person)
        await quiet(api)
        api.unread()
        for person in people:
            api.say(f"вопрос {person.id}", by=person)
        await api.until(lambda: len(model.asked) == 8, 30)
        await api.until(lambda: all(m.text.startswith("Словами") for m in answers_of(api)), 30)
    answers = answers_of(api)
    assert model.asked == [f"вопрос {person.id}" for person in people]
    assert [m.text.split()[2] for m in answers] == [str(person.id) for person in people]
    seen = [text for message in answers for _, text in message.history]
    assert any("перед вами" in text for text in seen)
    for message in answers:
        times = [at for at, _ in message.history]
        assert all(later - earlier >= 2.9 for earlier, later in pairwise(times))


def answers_of(api: BotApi) -> list[object]:
    return [message for message in api.sent if message.buttons and "Обществознание" in message.text]


async def test_a_full_queue_leaves_the_quotes_without_a_word(
    api: BotApi, settings: BotSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = Model()
    model.gate.clear()
    monkeypatch.setattr(answering, "WAITING_LIMIT", 1)
    async with running(api, settings, 10, phraser=model):
        for number in range(3):
            api.say("/grade 10", by=Person(3000 + number))
        await quiet(api)
        for number in range(3):
            api.say("вопрос", by=Person(3000 + number))
        await quiet(api)
        third = api.sent[-1]
        await api.until(lambda: texts.WORDING not in third.text)
        assert third.text.startswith("вопрос [10]")
        model.gate.set()
        await api.until(lambda: len(model.asked) == 2)


async def test_words_that_need_more_messages_get_them(api: BotApi, settings: BotSettings) -> None:
    async with running(api, settings, 10, phraser=Model()):
        api.say("длинно вопрос")
        first = await api.next_message()
        second = await api.next_message()
        await api.until(lambda: first.text.startswith("Словами"))
        assert first.buttons == {}
        assert "Показать страницу" in second.buttons
        api.say("вопрос")
        await api.next_message()


async def test_a_flood_wait_on_an_edit_is_obeyed_and_the_words_come_after_it(
    api: BotApi, settings: BotSettings
) -> None:
    api.fail("editMessageText", flood(2))
    async with running(api, settings, 10, phraser=Model()):
        api.say("вопрос")
        answer = await api.next_message()
        await api.until(lambda: answer.text.startswith("Словами"))
        refused, edited = (call.at for call in api.made("editMessageText"))
        assert edited - refused >= 2


async def test_a_message_that_the_user_has_deleted_is_left_alone(api: BotApi, settings: BotSettings) -> None:
    model = Model()
    model.gate.clear()
    async with running(api, settings, 10, phraser=model):
        api.say("вопрос")
        answer = await api.next_message()
        answer.deleted = True
        model.gate.set()
        await api.until(lambda: api.made("editMessageText"))
        api.say("другой")
        assert (await api.next_message()).text.startswith("другой")


async def test_stopping_takes_the_hints_back(api: BotApi, settings: BotSettings) -> None:
    model = Model()
    model.gate.clear()
    async with running(api, settings, 10, phraser=model) as bot:
        for person in (ANYA, BORIS):
            api.say("/grade 10", by=person)
        await quiet(api)
        for person in (ANYA, BORIS):
            api.say("вопрос", by=person)
        await quiet(api)
        answers = api.sent[-2:]
        assert all(texts.WORDING in message.text for message in answers)
        bot.task.cancel()
        await asyncio.wait([bot.task], timeout=60)
    assert all(texts.WORDING not in message.text for message in answers)
    assert model.cancelled == ["вопрос"]


async def test_hints_of_a_killed_process_are_taken_back(api: BotApi, settings: BotSettings) -> None:
    async with running(api, settings, 10):
        api.say("вопрос")
        answer = await api.next_message()
    shown = answer.source
    answer.text += f"\n\n{texts.WORDING}"
    engine = await open_database(settings.database_url)
    await Hints(engine).keep(
        Key(ANYA.id, ANYA.id), Hint(ANYA.id, answer.message_id, shown, answer.reply_markup)
    )
    await engine.dispose()
    async with running(api, settings, 10):
        await api.until(lambda: texts.WORDING not in answer.text)
        assert "Показать страницу" in answer.buttons
        engine = await open_database(settings.database_url)
        for _ in range(600):
            if not (left := await Hints(engine).left()):
                break
            await asyncio.sleep(0.1)
        await engine.dispose()
    assert left == []
