"""A talk with the bot over the sample textbooks: grade and book, more of an answer, whatever users send."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest
from botapi.checks import png_size
from botapi.real import store_of_one_grade, talking
from botapi.records import ANYA, Person, Sent
from botapi.scripted import quiet, said, settings_for
from botapi.server import BotApi

from answer import wording
from answer.assistant import Assistant
from bot.telegram import texts
from index.embedders import load_embedder

BORIS = Person(2002, "<b>Боря</b>")
GROUP = {"id": -1005, "type": "supergroup", "title": "Класс"}
Talk = Callable[[], AbstractAsyncContextManager[None]]


@pytest.fixture(scope="module")
def one_grade(sample_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Assistant:
    folder = tmp_path_factory.mktemp("one-grade")
    store_of_one_grade(sample_store, folder, load_embedder("bundled"))
    return Assistant.open(folder)


@pytest.fixture
def talk(api: BotApi, assistant: Assistant, tmp_path: Path) -> Talk:
    return lambda: talking(api, settings_for(api, tmp_path), assistant)


async def pressed(api: BotApi, message: Sent, label: str, **options: object) -> list[Sent]:
    """What the bot sends after somebody has pressed a button."""
    query = api.press(message, label, **options)
    await api.until(lambda: query in api.button_answers)
    await quiet(api)
    return [await api.next_message() for _ in api.unread()]


# --- grade -------------------------------------------------------------------------------------------------


async def test_the_first_question_waits_for_the_grade_and_is_answered_in_it(talk: Talk, api: BotApi) -> None:
    async with talk():
        asked = await said(api, "Что такое культура?")
        assert asked.text == texts.ASK_GRADE_FIRST
        assert list(asked.buttons) == ["9 класс", "10 класс", texts.GRADE_ANY]
        [answer] = await pressed(api, asked, "10 класс")
        assert asked.text.endswith("→ 10 класс")
        assert not asked.buttons
        assert "Обществознание, 10 класс · § 5 «Культура и её формы»" in answer.text
        # It is known now: neither asked for again nor forgotten.
        assert "10 класс" in (await said(api, "Что такое право?")).text


async def test_the_grade_may_be_typed_and_a_number_alone_is_asked_about(talk: Talk, api: BotApi) -> None:
    async with talk():
        await said(api, "Что такое политика?")
        assert "Обществознание, 9 класс" in (await said(api, "9")).text
        number = await said(api, "2")
        assert number.text.startswith("2 — это")
        [section] = await pressed(api, number, "§ 2")
        assert "§ 2 «Индивид, индивидуальность, личность»" in section.text


async def test_all_grades_are_a_choice_too_and_the_question_is_put_once(talk: Talk, api: BotApi) -> None:
    async with talk():
        [answer] = await pressed(api, await said(api, "Что такое культура?"), texts.GRADE_ANY)
        assert "§ 5 «Культура и её формы»" in answer.text
        assert "Обществознание, 9 класс" in (await said(api, "Что такое политический режим?")).text


async def test_who_ignores_the_question_for_the_grade_is_answered_from_all_books(
    talk: Talk, api: BotApi
) -> None:
    async with talk():
        await said(api, "Что такое культура?")
        assert "§ 10 «Деньги и бюджет семьи»" in (await said(api, "Какие функции выполняют деньги?")).text


@pytest.mark.parametrize("question", ["Что такое право, 10 класс", "привет", "о чём § 5 в 9 классе"])
async def test_a_first_message_that_needs_no_grade_is_not_held_up(
    talk: Talk, api: BotApi, question: str
) -> None:
    async with talk():
        assert (await said(api, question)).text != texts.ASK_GRADE_FIRST


async def test_in_a_group_everybody_is_asked_once_and_answers_for_themselves(talk: Talk, api: BotApi) -> None:
    async with talk():
        mention = {
            "chat": GROUP,
            "entities": [{"type": "mention", "offset": 0, "length": len(api.username) + 1}],
        }
        question = f"@{api.username} что такое культура?"
        anyas = await said(api, question, **mention)
        boris = await said(api, question, by=BORIS, **mention)
        assert anyas.text == boris.text == texts.ASK_GRADE_FIRST
        assert not await pressed(api, anyas, "9 класс", by=BORIS)
        assert list(anyas.buttons)
        [answer] = await pressed(api, boris, "10 класс", by=BORIS)
        assert "Обществознание, 10 класс" in answer.text


async def test_the_story_of_a_grade_a_section_and_a_new_topic(talk: Talk, api: BotApi) -> None:
    """C7: the § does not outlive its question, the grade does; /reset keeps it, /forget does not."""
    async with talk():
        assert "10 класс · § 5" in (await said(api, "10 класс, § 5: что такое субкультура?")).text
        assert (await said(api, "А в 9 классе?")).text.startswith(
            "В учебнике «Обществознание» (9 класс) ответа"
        )
        assert "9 класс · § 5 «Политика и власть»" in (await said(api, "Что такое политика?")).text
        assert "9 класс" in (await said(api, "/reset")).text
        await said(api, "/forget")
        assert (await said(api, "Что такое культура?")).text == texts.ASK_GRADE_FIRST


# --- textbook ----------------------------------------------------------------------------------------------


async def test_a_section_of_two_books_is_asked_about_and_the_choice_is_kept(
    api: BotApi, one_grade: Assistant, tmp_path: Path
) -> None:
    async with talking(api, settings_for(api, tmp_path), one_grade):
        which = await said(api, "о чём § 5")
        assert list(which.buttons) == ["Человек и общество, 10 класс", "Обществознание, 10 класс"]
        [answer] = await pressed(api, which, "Человек и общество, 10 класс")
        assert "§ 5 «Политика и власть»" in answer.text
        assert "§ 6 «Государство и его признаки»" in (await said(api, "а следующий?")).text
        assert "§ 2 «Индивид" in (await said(api, "о чём § 2")).text


async def test_the_chosen_book_is_shown_changed_and_looked_into_first(
    api: BotApi, one_grade: Assistant, tmp_path: Path
) -> None:
    async with talking(api, settings_for(api, tmp_path), one_grade):
        before = await said(api, "что такое общество")
        assert "\nОбществознание, 10 класс" in before.text
        choice = await said(api, "/book")
        assert list(choice.buttons) == [
            "Обществознание, 10 класс",
            "Человек и общество, 10 класс",
            texts.BOOK_ANY,
        ]
        [chosen] = await pressed(api, choice, "Человек и общество, 10 класс")
        assert chosen.text.startswith("Хорошо: Человек и общество, 10 класс.")
        assert "Сейчас выбран: Человек и общество" in (await said(api, "/book")).text
        assert "Человек и общество, 10 класс · § 6" in (await said(api, "О чём § 6")).text
        # Not in this book, so in the others.
        assert "\nОбществознание, 10 класс" in (await said(api, "Что такое трудовой договор?")).text
        [any_book] = await pressed(api, await said(api, "/book"), texts.BOOK_ANY)
        assert any_book.text == texts.ANY_BOOK_CHOSEN
        assert len((await said(api, "о чём § 5")).buttons) == 2


async def test_a_book_that_is_gone_is_said_with_those_that_are_there(talk: Talk, api: BotApi) -> None:
    async with talk():
        choice = await said(api, "/book")
        api.press(choice, "", data="b:gonegone")
        await quiet(api)
        answer = api.unread()[-1]
        assert answer.text == texts.NO_SUCH_BOOK
        assert texts.BOOK_ANY in answer.buttons


# --- under an answer ---------------------------------------------------------------------------------------


async def test_other_passages_come_until_there_are_none(talk: Talk, api: BotApi) -> None:
    async with talk():
        message = await said(api, "зачем нужны налоги, 9 класс")
        seen = {message.text}
        for _ in range(12):
            [following] = await pressed(api, message, "Другой фрагмент")
            assert "Другой фрагмент" not in message.buttons
            if following.text == wording.NOTHING_ELSE:
                break
            assert "Обществознание, 9 класс · §" in following.text
            assert following.text not in seen
            seen.add(following.text)
            message = following
        else:
            pytest.fail("the passages never end")
        assert len(seen) > 1
        assert not following.buttons


async def test_more_quotes_what_stands_around_and_only_once(talk: Talk, api: BotApi) -> None:
    async with talk():
        answer = await said(api, "что такое культура, 10 класс")
        quote = answer.text.partition("\n")[0]
        data = answer.buttons["Подробнее"]
        [more] = await pressed(api, answer, "Подробнее")
        assert more.text.startswith(quote)
        assert len(more.text.partition("\n")[0]) > len(quote)
        assert list(more.buttons) == ["Показать страницу", "Другой фрагмент"]
        again = api.press(answer, "", data=data)
        await api.until(lambda: again in api.button_answers)
        assert api.button_answers[again]["text"] == texts.ALREADY_SHOWN
        [page] = await pressed(api, more, "Показать страницу")
        assert page.photo is not None
        assert min(png_size(page.photo)) > 500


async def test_more_asked_for_in_words_is_shown_once_too(talk: Talk, api: BotApi) -> None:
    async with talk():
        first = await said(api, "Что такое экономика, 9 класс")
        more = await said(api, "не понял")
        assert len(more.text) > len(first.text)
        assert "Подробнее" not in more.buttons
        assert (await said(api, "ещё")).text == wording.NOTHING_ELSE
        # Asked once more, the question itself is answered as before.
        assert (await said(api, "Что такое экономика, 9 класс")).text == first.text


async def test_questions_of_a_section_stand_whole_over_their_own_pages(talk: Talk, api: BotApi) -> None:
    async with talk():
        api.say("ответы на вопросы § 5, 10 класс")
        await quiet(api)
        messages = [await api.next_message() for _ in api.unread()]
        assert len(messages) > 1
        numbers = [
            int(line.partition(".")[0]) for m in messages for line in m.text.split("\n") if line[1:3] == ". "
        ]
        assert numbers == [1, 2, 3, 4, 5, 6]
        for message in messages:
            assert "§ 5 «Культура и её формы»" in message.text.partition("\n")[0]
            pages = {line for line in message.text.split("\n") if line.startswith("стр. ")}
            named = {page for line in pages for page in line.removeprefix("стр. ").split(", ")}
            shown = {label.removeprefix("📖 стр. ") for label in message.buttons if "стр." in label}
            assert shown == named or (len(named) == 1 and "Показать страницу" in message.buttons)
        assert [("👍" in message.buttons) for message in messages] == [*[False] * (len(messages) - 1), True]
        page = await pressed(api, messages[-1], next(iter(messages[-1].buttons)))
        assert page[0].photo is not None


# --- F5: whatever users send -------------------------------------------------------------------------------

FILE = {"file_id": "f", "file_unique_id": "u"}
PHOTO = [{**FILE, "width": 1, "height": 1}]
FORWARD = {"forward_origin": {"type": "hidden_user", "date": 1, "sender_user_name": "Кто-то"}}


@pytest.mark.parametrize(
    ("content", "reply"),
    [
        ({"contact": {"phone_number": "+7", "first_name": "А"}}, texts.NOT_TEXT),
        (
            {
                "poll": {
                    "id": "1", "question": "?", "options": [], "total_voter_count": 0, "is_closed": False,
                    "is_anonymous": True, "type": "regular", "allows_multiple_answers": False,
                    "allows_revoting": False, "members_only": False,
                }
            },
            texts.NOT_TEXT,
        ),
        ({"document": {**FILE, "mime_type": "application/pdf"}}, texts.BOOKS_BY_TEACHER),
        ({"dice": {"emoji": "🎲", "value": 3}}, texts.NOT_TEXT),
        ({"text": "?"}, texts.NO_WORDS),
        ({"text": "🙂👍🏽"}, texts.NO_WORDS),
        ({"text": "…!!!"}, texts.NO_WORDS),
        ({"text": "\u200b\u200e\u202e"}, texts.NO_WORDS),
        ({"text": " \n "}, texts.NO_TEXT),
        ({"photo": PHOTO, "caption": "10 класс что такое культура?"}, "В широком смысле культура"),
        ({"photo": PHOTO, "caption": "/grade 9"}, "Хорошо, 9 класс"),
        ({"photo": PHOTO, "caption": "/нет"}, texts.UNKNOWN_COMMAND),
        ({"text": "/grade@other_bot 9"}, texts.UNKNOWN_COMMAND),
        ({"text": "что такое культура, 10 класс", **FORWARD}, "В широком смысле культура"),
        ({"text": "/forget", **FORWARD}, wording.FORGETTING),
        ({"text": "что такое культура, 10 класс " + "и ещё раз " * 405}, "Вопрос длинный: ищу по первым 500"),
        ({"text": "<b>10 класс</b> <a href='x'>что такое культура</a> &lt;"}, "В широком смысле культура"),
        ({"text": "\u202e10 класс\u202c что та\u200bкое куль\u00adтура\x00?"}, "В широком смысле культура"),
        ({"text": "10 класс что такое культура" + "\u0301" * 300}, "В широком смысле культура"),
    ],
)  # fmt: skip
async def test_everything_gets_one_answer(
    talk: Talk, api: BotApi, content: dict[str, object], reply: str
) -> None:
    async with talk():
        assert (await said(api, content.pop("text", None), **content)).text.startswith(reply)  # type: ignore[arg-type]
        assert len(api.sent) == 1


@pytest.mark.parametrize("captioned", [0, 2])
async def test_an_album_with_a_caption_is_one_question(talk: Talk, api: BotApi, captioned: int) -> None:
    async with talk():
        for number in range(4):
            caption = {"caption": "что такое культура, 10 класс"} if number == captioned else {}
            api.say(photo=PHOTO, media_group_id="a", **caption)
            if number == 1:  # the rest comes in a batch of its own
                await api.until(lambda: api.waiting_updates == 0)
        await quiet(api)
        assert [message.text[:8] for message in api.sent] == ["В широко"]


async def test_a_corrected_command_is_obeyed(talk: Talk, api: BotApi) -> None:
    async with talk():
        wrong = api.message("/grad 9")
        api.push("message", wrong)
        api.edit(wrong, "/grade 9")
        api.edit(api.say("что такое культура, 10 класс"), "/grade 10")
        await quiet(api)
        assert [message.text[:16] for message in api.sent] == [
            texts.UNKNOWN_COMMAND[:16],
            texts.grade_chosen(9)[:16],
            "В широком смысле",
            texts.grade_chosen(10)[:16],
        ]


async def test_a_mention_behind_half_a_character_is_read(talk: Talk, api: BotApi) -> None:
    """What no honest client sends: offsets that cut a surrogate pair, and beyond the end."""
    name = f"@{api.username}"
    async with talk():
        for offset, length in ((1, 1), (0, 10**6), (10**6, 5)):
            entities = [{"type": "mention", "offset": offset, "length": length}]
            api.say(f"🙂{name} что такое право?", chat=GROUP, entities=entities)
        assert (await said(api, "/grade 10")).text == texts.grade_chosen(10)
    assert len(api.sent) == 1


# --- the chat itself ---------------------------------------------------------------------------------------


def membership(api: BotApi, chat: dict[str, object], old: str, new: str) -> dict[str, object]:
    me = {"id": 123456, "is_bot": True, "first_name": "Параграф", "username": api.username}
    more = {"kicked": {"until_date": 0}, "left": {}, "member": {}}
    return {
        "chat": chat,
        "from": ANYA.to_json(),
        "date": 1,
        "old_chat_member": {"user": me, "status": old, **more[old]},
        "new_chat_member": {"user": me, "status": new, **more[new]},
    }


async def test_a_group_is_greeted_once_and_a_block_is_taken_quietly(talk: Talk, api: BotApi) -> None:
    private = {"id": ANYA.id, "type": "private", "first_name": "Аня"}
    channel = {"id": -77, "type": "channel", "title": "К"}
    async with talk():
        api.push("my_chat_member", membership(api, GROUP, "left", "member"))
        api.push("my_chat_member", membership(api, private, "member", "kicked"))
        api.push("my_chat_member", membership(api, private, "kicked", "member"))
        api.push("my_chat_member", membership(api, channel, "left", "member"))
        api.push("channel_post", api.message("что такое право?", chat=channel))
        await quiet(api)
    assert [(message.chat_id, message.text) for message in api.sent] == [(GROUP["id"], texts.HELLO_GROUP)]


async def test_a_group_that_moves_keeps_what_its_members_chose(talk: Talk, api: BotApi) -> None:
    old = {"id": -5, "type": "group", "title": "Класс"}
    async with talk():
        await said(api, "/grade 9", chat=old)
        await said(api, "/grade 10", chat=old, by=BORIS)
        api.say(chat=old, migrate_to_chat_id=GROUP["id"])
        await quiet(api)
        assert "Сейчас выбран 9 класс" in (await said(api, "/grade", chat=GROUP)).text
        assert "Сейчас выбран 10 класс" in (await said(api, "/grade", chat=GROUP, by=BORIS)).text
        assert (await said(api, "/grade", chat=old)).text == texts.ASK_GRADE


async def test_commands_of_other_bots_and_talk_among_students_are_left_alone(talk: Talk, api: BotApi) -> None:
    async with talk():
        api.say("/grade@other_bot 9", chat=GROUP)
        api.say("что такое право?", chat=GROUP, **FORWARD)
        api.say("?", chat=GROUP)
        await asyncio.sleep(0)
        await quiet(api)
    assert api.sent == []
