"""Walking through the contents of a book: one message that changes, buttons that outlive restarts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from botapi.checks import png_size
from botapi.real import store_of_one_grade, talking
from botapi.records import Sent
from botapi.scripted import quiet, said, settings_for
from botapi.server import BotApi

from answer import wording
from answer.assistant import Assistant
from bot.outline import book_tag
from bot.settings import BotSettings
from bot.telegram import texts
from bot.telegram.contents_view import book_screen, list_screen
from index.book import Book, Page, Section
from index.embedders import load_embedder
from index.store import Store


@pytest.fixture
def settings(api: BotApi, tmp_path: Path) -> BotSettings:
    return settings_for(api, tmp_path)


async def press(api: BotApi, message: Sent, label: str) -> None:
    """Presses and waits until the bot is done with it."""
    query = api.press(message, label)
    await api.until(lambda: query in api.button_answers)
    await quiet(api)


async def test_from_the_chapter_to_the_section_and_back_in_one_message(
    api: BotApi, settings: BotSettings, assistant: Assistant
) -> None:
    async with talking(api, settings, assistant):
        menu = await said(api, "оглавление, 10 класс")
        assert menu.text == f"Обществознание, 10 класс\n{texts.CHOOSE_CHAPTER}"
        chapters = list(menu.buttons)
        assert chapters[0] == "Глава I. Общество и его развитие"
        await press(api, menu, "Глава II. Культура и экономика")
        assert list(menu.buttons)[:3] == [
            "§ 5. Культура и её формы", "§ 6. Наука и образование", "§ 7. Рынок и конкуренция",
        ]  # fmt: skip
        await press(api, menu, "§ 6. Наука и образование")
        assert menu.text.startswith("§ 6 «Наука и образование». Глава II. Культура и экономика, стр. 18–21.")
        assert "Наука — это форма духовной деятельности людей" in menu.text
        await press(api, menu, "§ 7 ›")
        await press(api, menu, "§ 8 ›")  # the first of the next chapter
        assert menu.text.startswith("§ 8 «Право в системе социальных норм»")
        await press(api, menu, texts.BACK)
        assert "Глава III" in menu.text
        await press(api, menu, texts.BACK_TO_CHAPTERS)
        assert list(menu.buttons) == chapters
        assert api.unread() == []


async def test_the_page_and_the_questions_of_a_section_come_below(
    api: BotApi, settings: BotSettings, assistant: Assistant
) -> None:
    async with talking(api, settings, assistant):
        menu = await said(api, "/contents 10 класс")
        await press(api, menu, "Глава II. Культура и экономика")
        await press(api, menu, "§ 5. Культура и её формы")
        await press(api, menu, texts.SHOW_PAGE)
        [page] = [await api.next_message() for _ in api.unread()]
        assert page.photo is not None
        assert min(png_size(page.photo)) > 500
        assert page.text == "Обществознание, 10 класс · § 5. Культура и её формы · стр. 15"
        await press(api, menu, texts.SECTION_QUESTIONS)
        answers = [await api.next_message() for _ in api.unread()]
        assert "1. Как менялось значение слова «культура»?" in answers[0].text
        assert menu.text.startswith("§ 5 «Культура и её формы»")


async def test_a_chapter_without_sections_shows_its_page(
    api: BotApi, settings: BotSettings, assistant: Assistant
) -> None:
    async with talking(api, settings, assistant):
        menu = await said(api, "/contents 9")
        await press(api, menu, "Словарь терминов")
        assert menu.text == "Обществознание, 9 класс\nСловарь терминов\nстр. 38"
        assert texts.SECTION_QUESTIONS not in menu.buttons
        await press(api, menu, texts.SHOW_PAGE)
        assert (await api.next_message()).photo is not None


async def test_several_books_are_a_list_first_and_the_chosen_one_is_opened_at_once(
    api: BotApi, settings: BotSettings, assistant: Assistant
) -> None:
    async with talking(api, settings, assistant):
        menu = await said(api, "/contents")
        assert list(menu.buttons) == ["Обществознание, 9 класс", "Обществознание, 10 класс"]
        await press(api, menu, "Обществознание, 9 класс")
        assert "Глава I. Человек" in menu.buttons
        await press(api, menu, texts.BACK_TO_BOOKS)
        assert menu.text == texts.CHOOSE_CONTENTS
        await said(api, "/grade 10")
        assert "Глава I. Общество и его развитие" in (await said(api, "Оглавление")).buttons
        assert (await said(api, "/contents 11 класс")).text == wording.unknown_grade([11], [9, 10])


async def test_the_buttons_work_after_a_restart_and_after_forget(
    api: BotApi, settings: BotSettings, assistant: Assistant
) -> None:
    async with talking(api, settings, assistant):
        menu = await said(api, "/contents 10")
    async with talking(api, settings, assistant):
        await said(api, "/forget")
        await press(api, menu, "Глава II. Культура и экономика")
        assert "§ 6. Наука и образование" in menu.buttons


async def test_a_book_that_was_replaced_makes_its_buttons_stale(
    api: BotApi, settings: BotSettings, assistant: Assistant, sample_store: Path, tmp_path: Path
) -> None:
    async with talking(api, settings, assistant):
        menu = await said(api, "/contents 10")
    changed = Store(tmp_path / "store")
    embedder = load_embedder("bundled")
    for part in Store(sample_store).read(embedder)[0]:
        fewer = replace(part.book, sections=part.book.sections[1:])
        vectors = (part.vectors, part.sentences, part.sentence_vectors)
        changed.put(fewer, part.chunks, *vectors, part.pdf, embedder)
    async with talking(api, settings, Assistant.open(tmp_path / "store")):
        query = api.press(menu, "Глава II. Культура и экономика")
        await api.until(lambda: query in api.button_answers)
        assert api.button_answers[query]["text"] == texts.STALE_CONTENTS
        await quiet(api)
    assert menu.text.startswith("Обществознание, 10 класс")


async def test_nonsense_in_a_button_is_stale(
    api: BotApi, settings: BotSettings, assistant: Assistant
) -> None:
    tag = book_tag(assistant.library.books["obshchestvoznanie-10"])
    data = [f"c:{tag}:99999:0", f"c:{tag}:-1:0", f"cp:{tag}:0", f"cq:{tag}:0", f"cq:{tag}:1"]
    data += ["c:::", "c:x:1:1", "cl:", "m:x:all"]
    async with talking(api, settings, assistant):
        menu = await said(api, "/contents 10")
        pressed = [api.press(menu, "", data=one) for one in data]
        await api.until(lambda: set(pressed) <= api.button_answers.keys())
        await quiet(api)
        assert not any("номер ошибки" in message.text for message in api.sent)


async def test_a_message_that_is_gone_is_sent_anew(
    api: BotApi, settings: BotSettings, assistant: Assistant
) -> None:
    async with talking(api, settings, assistant):
        menu = await said(api, "/contents 10")
        menu.deleted = True
        api.press(menu, "Глава II. Культура и экономика")
        await api.until(lambda: api.unread())
        assert "§ 6. Наука и образование" in api.sent[-1].buttons


async def test_two_books_of_one_grade_have_their_own_contents(
    api: BotApi, settings: BotSettings, sample_store: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "one-grade"
    store_of_one_grade(sample_store, folder, load_embedder("bundled"))
    async with talking(api, settings, Assistant.open(folder)):
        menu = await said(api, "оглавление")
        await press(api, menu, "Человек и общество, 10 класс")
        assert "Глава I. Человек" in menu.buttons


def test_four_hundred_sections_are_paged_and_every_label_and_datum_is_legal() -> None:
    page = Page(1, "1", "body", "", "")
    title = "Очень длинное название параграфа " * 5
    sections = tuple(
        Section("paragraph", "§", (str(n),), title if n % 2 else "", None, 1, 1, "1") for n in range(1, 413)
    )
    book = Book("b" * 200, "<Книга> & другие", "геометрия", (7, 8, 9), "0" * 64, 0, (page,), sections)
    seen: list[str] = []
    for number in range(52):
        screen = book_screen(book, page=number)
        rows = screen.keyboard.inline_keyboard
        assert len(rows) <= 10
        for button in (button for row in rows for button in row):
            assert 1 <= len((button.callback_data or "").encode()) <= 64
            assert 1 <= len(button.text) <= 60
        seen += [one.text.partition(".")[0] for row in rows for one in row if one.text.startswith("§")]
    assert seen == [f"§ {n}" for n in range(1, 413)]
    assert book_screen(book).html.startswith("<b>&lt;Книга&gt; &amp; другие, 7–9 классы</b>")
    many = [replace(book, book_id=f"b{n}") for n in range(20)]
    assert len(list_screen(many, 99).keyboard.inline_keyboard) == 4 + 1
