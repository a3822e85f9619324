"""Answers as Telegram HTML: escaped, balanced, literal quotes under their sources, parts of legal length."""

from __future__ import annotations

from dataclasses import replace

import pytest
from botapi.markup import parse_html, utf16
from hypothesis import given, settings
from hypothesis import strategies as st

from answer.answer import Answer, Citation, Option, Part
from answer.query import Scope
from bot.clean_text import clean
from bot.html_parts import plain_text, split_html, utf16_length
from bot.rendering import messages, page_refs, render, text_html

QUOTE = "Общество — это обособившаяся от природы часть мира."
SOURCE = Citation(
    id="s1",
    book_id="o10",
    title="Обществознание",
    grades=(10,),
    chapter="Глава I",
    paragraph="3",
    paragraph_title="Что такое общество",
    page="21",
    file_page=25,
    quote=QUOTE,
)


def supported(text: str, *sources: Citation) -> Answer:
    return Answer(status="supported", intent="question", answer=text, scope=Scope(), sources=sources)


def visible(parts: list[str]) -> str:
    return "\n".join(parse_html(part).text for part in parts)


# F1: texts that break HTML parse mode → what the student reads
BREAKING = [
    ("если x<y & a>b", "если x<y & a>b"),
    ("<имя>", "<имя>"),
    ("<br/>", "<br/>"),
    ("**жирный**", "жирный"),
    ("</b>", "</b>"),
    ("&copy;", "&copy;"),
    ("# Заголовок", "Заголовок"),
    ("| год | событие |\n|---|---|\n| 1861 | реформа |", "год — событие\n1861 — реформа"),
    ("*курсив* и `код`", "курсив и код"),
    ("[ссылка](https://example.org/a)", "ссылка"),
    ("- первое\n- второе", "• первое\n• второе"),
    ("***важно***", "важно"),
    ("```\nтекст\n```", "текст"),
]


@pytest.mark.parametrize(("text", "read"), BREAKING)
@pytest.mark.parametrize("where", ["answer", "quote"])
def test_breaking_text_is_shown_as_it_reads(text: str, read: str, where: str) -> None:
    answer = supported(text) if where == "answer" else supported(text, replace(SOURCE, quote=text))
    assert read in visible(render(answer))


@pytest.mark.parametrize(
    "text",
    [
        "2 * 3 * 4 = 24",
        "файл __init__ и a*b*c",
        "# apt-get update",
        "a | b",
        "x_1 и x_2",
        "5 ** 2",
        "*.deb и *.dsc",
    ],
)
def test_marks_that_belong_to_the_text_stay(text: str) -> None:
    assert visible(render(supported(text))) == text


def test_titles_with_marks_are_escaped_in_the_source_line() -> None:
    source = replace(SOURCE, title="<Физика & химия>", paragraph_title="Сила **F** <i>")
    shown = visible(render(supported(QUOTE, source)))
    assert "<Физика & химия>, 10 класс · § 3 «Сила **F** <i>» · стр. 21" in shown


def test_invisible_characters_are_removed() -> None:
    dirty = "Об\u00adще\u200bство\u202e \ufeffесть\x00\x07 \ud800система\u2028ценностей"
    assert clean(dirty) == "Общество есть система\nценностей"
    assert visible(render(supported(dirty))) == clean(dirty)


def test_an_answer_of_quotes_says_nothing_twice() -> None:
    [part] = render(supported(QUOTE, SOURCE))
    parsed = parse_html(part)
    assert parsed.text == f"{QUOTE}\nОбществознание, 10 класс · § 3 «Что такое общество» · стр. 21"
    quotation = next(e for e in parsed.entities if e["type"] == "blockquote")
    assert (quotation["offset"], quotation["length"]) == (0, utf16(QUOTE))


def test_words_about_a_widened_search_stand_outside_the_quotation() -> None:
    lead = "В § 5 этого нет, но в § 3 того же учебника сказано:"
    [part] = render(supported(f"{lead} {QUOTE}", SOURCE))
    assert part.startswith(lead)
    assert f"<blockquote>{QUOTE}</blockquote>" in part


def test_a_sentence_over_a_page_border_is_one_quotation_with_both_pages() -> None:
    first, second = (
        replace(SOURCE, quote="Общество — это"),
        replace(SOURCE, id="s2", quote="часть мира.", page="22", file_page=26),
    )
    [part] = render(supported("Общество — это часть мира.", first, second))
    assert "<blockquote>Общество — это часть мира.</blockquote>" in part
    assert "стр. 21, 22" in part


def test_separate_quotes_of_one_section_are_two_quotations_over_one_source_line() -> None:
    other = replace(SOURCE, id="s2", page="22", file_page=26, quote="Общество меняется.")
    [part] = render(supported(f"{QUOTE}\n{other.quote}", SOURCE, other))
    place = "<i>Обществознание, 10 класс · § 3 «Что такое общество» · стр. 21, 22</i>"
    assert part == f"<blockquote>{QUOTE}</blockquote>\n<blockquote>{other.quote}</blockquote>\n{place}"


def test_quotes_of_two_sections_stand_under_their_own_lines() -> None:
    other = replace(
        SOURCE, id="s2", paragraph="7", paragraph_title="Семья", page="60", quote="Семья — группа."
    )
    [part] = render(supported(f"{QUOTE} {other.quote}", SOURCE, other))
    assert part.index("§ 3") < part.index(other.quote) < part.index("§ 7")
    assert part.count("<blockquote>") == 2


def test_a_page_without_a_number_is_called_a_sheet() -> None:
    assert "лист 25 файла" in visible(render(supported(QUOTE, replace(SOURCE, page=None))))


def test_generated_text_comes_before_its_quotes_and_says_that_it_is_unchecked() -> None:
    answer = replace(supported("Общество — часть мира.", SOURCE), status="generated_unverified")
    [part] = render(answer)
    assert part.startswith("Общество — часть мира.")
    assert f"<blockquote expandable>{QUOTE}</blockquote>" in part
    assert "не проверен" in part


def test_refusal_is_plain() -> None:
    text = "В учебнике этого нет. Ближе всего: § 4 «Семья» (стр. 12)."
    answer = Answer(
        status="insufficient", intent="question", answer=text, scope=Scope(note="§ 1–400 → § 1–12")
    )
    assert render(answer) == ["<i>§ 1–400 → § 1–12</i>\n\n" + text]


def test_clarify_leaves_its_options_to_the_buttons() -> None:
    answer = Answer(
        status="clarify",
        intent="question",
        answer="В каком классе?",
        scope=Scope(note="9 класс; 10 класс"),
        options=(Option("9 класс", grade=9), Option("10 класс", grade=10)),
    )
    assert render(answer) == ["В каком классе?"]


def test_questions_of_a_block_are_answered_one_by_one() -> None:
    parts = (
        Part("Что такое общество?", "supported", QUOTE, (SOURCE,)),
        Part("2. Приведите пример <из жизни>.", "insufficient", "В § 3 ответа на этот вопрос нет.", ()),
    )
    answer = replace(supported("…", SOURCE), intent="section_questions", parts=parts)
    [part] = render(answer)
    shown = parse_html(part).text
    assert shown.startswith("Обществознание, 10 класс · § 3 «Что такое общество»\n\n1. Что такое общество?")
    assert f"1. Что такое общество?\n{QUOTE}\nстр. 21\n\n2." in shown
    assert "\n\n2. Приведите пример <из жизни>.\nВ § 3 ответа на этот вопрос нет." in shown


def test_many_questions_come_in_even_messages_cut_between_them() -> None:
    parts = tuple(
        Part(f"Вопрос {n}?", "supported", text, (replace(SOURCE, quote=text, page=str(n), file_page=n),))
        for n in range(1, 13)
        for text in [f"Ответ {n}. " + "слово " * 60]
    )
    whole = replace(supported("…", SOURCE), intent="section_questions", parts=parts)
    shown = messages(whole)
    texts = [parse_html(message.html).text for message in shown]
    assert len(shown) >= 3
    assert all(text.startswith("Обществознание, 10 класс · § 3") for text in texts)
    assert all(
        utf16(text) <= 2600 and 1 <= len(message.pages) <= 4
        for text, message in zip(texts, shown, strict=True)
    )
    assert [page.file_page for message in shown for page in message.pages] == list(range(1, 13))
    questions = [text.count("Вопрос ") for text in texts]
    assert sum(questions) == 12
    assert max(questions) - min(questions) <= 1


def test_the_title_of_a_summary_is_bold_and_its_quotes_are_not() -> None:
    text = f"Вот главное:\n§ 3 «Что такое <общество>». Глава I, стр. 21.\n{QUOTE}"
    [part] = render(replace(supported(text, SOURCE), intent="summary"))
    assert part.startswith("Вот главное:\n<b>§ 3 «Что такое &lt;общество&gt;». Глава I, стр. 21.</b>")
    assert f"<blockquote>{QUOTE}</blockquote>" in part


def test_pages_to_show_are_distinct_and_at_most_four() -> None:
    sources = [
        replace(SOURCE, id=f"s{n}", file_page=page, page=str(page - 4), quote=f"Цитата {n}.")
        for n, page in enumerate([25, 26, 25, 27, 28, 29])
    ]
    refs = page_refs(supported("…", *sources))
    assert [ref.file_page for ref in refs] == [25, 26, 27, 28]
    assert refs[0].quotes == ("Цитата 0.", "Цитата 2.")
    assert refs[0].caption == "Обществознание, 10 класс · § 3 «Что такое общество» · стр. 21"


def test_contents_name_their_page_without_a_quotation() -> None:
    answer = replace(
        supported("§ 1 «Общество» — стр. 5", replace(SOURCE, quote="Оглавление")), intent="contents"
    )
    [part] = render(answer)
    assert "стр. 21" in part
    assert "blockquote" not in part


# --- splitting ---------------------------------------------------------------------------------------------


def test_a_long_answer_is_cut_between_paragraphs() -> None:
    paragraphs = [f"Абзац {n}. " + "слово " * 100 for n in range(20)]
    parts = render(supported("\n\n".join(p.strip() for p in paragraphs)))
    assert len(parts) > 1
    assert all(part.startswith("Абзац") for part in parts)
    assert "".join(visible(parts).split()) == "".join("".join(paragraphs).split())


def test_open_tags_are_closed_and_opened_again() -> None:
    text = "<blockquote expandable><b>" + "слово " * 40 + "</b></blockquote>"
    parts = split_html(text, 100)
    assert len(parts) > 2
    for part in parts:
        assert part.startswith("<blockquote expandable><b>")
        assert part.endswith("</b></blockquote>")


def test_astral_characters_count_twice_and_are_not_torn() -> None:
    parts = split_html("🙂" * 5000)
    assert [utf16_length(part) for part in parts] == [4096, 4096, 1808]


def test_an_entity_is_not_torn() -> None:
    for part in split_html("&amp;" * 50, 13):
        assert plain_text(part) == "&&"


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=400), st.text(max_size=80), st.integers(60, 300))
def test_any_text_gives_legal_parts_that_keep_every_letter(text: str, quote: str, limit: int) -> None:
    """Whatever stands in a book: parts parse as Telegram HTML, fit, are not empty, and lose no letter."""
    source = f"{text_html(text)}\n\n<blockquote>{text_html(quote)}</blockquote>\n<i>{text_html(text)}</i>"
    parts = split_html(source, limit)
    for part in parts:
        assert utf16(part) <= limit
        assert parse_html(part).text.strip()
    whole = "".join(plain_text(source).split())
    assert "".join("".join(parse_html(part).text for part in parts).split()) == whole


@settings(max_examples=100, deadline=None)
@given(st.text(alphabet="аб *_`#|<>&[]()~-\n", max_size=60))
def test_markdown_never_loses_letters_or_makes_bad_html(text: str) -> None:
    shown = parse_html(text_html(text)).text
    letters = [c for c in shown if c in "аб"]
    assert letters == [c for c in text if c in "аб"]


@pytest.mark.parametrize(
    ("quote", "rest"), [("из одной школы в дру-", "гую."), ("в обществе людей", " и семьи.")]
)
def test_words_that_a_page_turn_cut_off_stay_in_the_quotation(quote: str, rest: str) -> None:
    answer = supported(f"{quote.rstrip('-')}{rest}", replace(SOURCE, quote=quote))
    whole = f"{quote.rstrip('-')}{rest}"
    assert f"<blockquote>{whole}</blockquote>\n<i>" in render(answer)[0]


@pytest.mark.parametrize("lead", ["", "Первое дело.\n", "В § 5 этого нет, но в § 3 сказано: "])
@pytest.mark.parametrize(
    ("opening", "quote"),
    [("Ан", "глия стала мастерской мира."), ("Так", " росли города."), ("Д. С.", " Лихачёв писал о нём.")],
)
def test_what_opens_a_sentence_before_a_page_turn_stays_in_the_quotation(
    lead: str, opening: str, quote: str
) -> None:
    answer = supported(f"{lead}{opening}{quote}", replace(SOURCE, quote=quote.strip()))
    assert f"<blockquote>{opening}{quote}</blockquote>\n<i>" in render(answer)[0]


def test_an_opening_that_another_quote_holds_is_not_taken_twice() -> None:
    first = replace(SOURCE, quote="Всё началось здесь. Ан-")
    second = replace(SOURCE, id="s2", page="22", file_page=26, quote="глия стала мастерской мира.")
    [part] = render(supported("Всё началось здесь. Англия стала мастерской мира.", first, second))
    assert "<blockquote>Всё началось здесь. Англия стала мастерской мира.</blockquote>" in part
    assert "стр. 21, 22" in part


def test_questions_keep_the_numbers_of_the_textbook() -> None:
    parts = tuple(
        Part(f"{word}?", "supported", QUOTE, (SOURCE,), number)
        for word, number in (("Почему", "2"), ("Зачем", "4"))
    )
    whole = "".join(render(replace(supported(QUOTE, SOURCE), intent="section_questions", parts=parts)))
    assert "<b>2. Почему?</b>" in whole
    assert "<b>4. Зачем?</b>" in whole
    [one] = render(replace(supported(QUOTE, SOURCE), intent="section_questions", parts=parts[1:]))
    assert "<b>4. Зачем?</b>" in one


def test_questions_of_several_sections_name_theirs() -> None:
    parts = tuple(Part("Почему?", "supported", QUOTE, (SOURCE,), "1", section) for section in ("§ 3", "§ 4"))
    whole = "".join(render(replace(supported(QUOTE, SOURCE), intent="section_questions", parts=parts)))
    assert "<b>§ 3 · 1. Почему?</b>" in whole
    assert "<b>§ 4 · 1. Почему?</b>" in whole


@pytest.mark.parametrize(
    ("text", "shown"),
    [("угол 180\u25e6", "угол 180°"), ("45 \u25e6.", "45°."), ("\u25e6 пункт", "\u25e6 пункт")],
)
def test_a_ring_behind_a_number_is_a_degree(text: str, shown: str) -> None:
    assert clean(text) == shown


def test_words_of_ours_after_a_quote_stay_outside() -> None:
    answer = supported(f"{QUOTE}\nЭто всё.", replace(SOURCE, quote=QUOTE))
    assert f"<blockquote>{QUOTE}</blockquote>" in render(answer)[0]
