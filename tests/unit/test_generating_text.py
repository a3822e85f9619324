"""Plain text of a model's Markdown, the answer inside unfinished JSON, token bounds."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answer.generating.partial import partial_answer
from answer.generating.plain import plain
from answer.generating.tokens import at_least, at_most
from index.embedders import BundledEmbedder

TEXT = st.text(st.characters(exclude_categories=("Cs", "Cn", "Co")), max_size=60)


@given(TEXT, st.booleans(), st.data())
def test_an_unfinished_object_gives_a_beginning_of_its_answer(
    text: str, ascii: bool, data: st.DataObject
) -> None:
    whole = json.dumps({"answer": text, "citations": ["f1"]}, ensure_ascii=ascii)
    end = data.draw(st.integers(0, len(whole)))
    begun = partial_answer(whole[:end])
    assert text.startswith(begun)
    assert partial_answer(whole) == text.rstrip("\ufffd")


@pytest.mark.parametrize(
    ("written", "answer"),
    [
        ("", ""),
        ('{"ans', ""),
        ('{"answer"', ""),
        ('{"answer": "', ""),
        ('{"answer": "Закон О', "Закон О"),
        ('{"answer": "Закон \\u041', "Закон "),
        ('{"answer": "Закон \\u041e', "Закон О"),
        ('{"answer": "путь C:\\\\', "путь C:\\"),
        ('{"answer": "он сказал \\"да\\" и', 'он сказал "да" и'),
        ('{"answer": "😀 \\ud83d', "😀 "),
        ('{"answer": "Зако\ufffd', "Зако"),
        ('{"answer": "всё", "citations": ["f1"', "всё"),
        ('{ "citations": ["f1"], "answer" :"всё', "всё"),
    ],
)
def test_where_an_unfinished_answer_ends(written: str, answer: str) -> None:
    assert partial_answer(written) == answer


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        ("**Общество** — это *люди*.", "Общество — это люди."),
        ("***важно***", "важно"),
        ("__жирный__ и _курсив_", "жирный и курсив"),
        ("# Заголовок\nТекст", "Заголовок\nТекст"),
        ("### Заголовок ###", "Заголовок"),
        ("- первое\n* второе\n+ третье", "• первое\n• второе\n• третье"),
        ("1. первое\n2. второе", "1. первое\n2. второе"),
        ("> цитата", "цитата"),
        ("```python\nx = 1\n```", "x = 1"),
        ("Слово `код` и ``ещё``", "Слово код и ещё"),
        ("[учебник](https://example.org/a)", "учебник"),
        ("![рисунок](x.png)", "рисунок"),
        ("| а | б |\n|---|---|\n| 1 | 2 |", "а — б\n1 — 2"),
        ("до\n\n---\n\nпосле", "до\n\nпосле"),
        ("~~зачёркнуто~~", "зачёркнуто"),
        ("незакрытое **выделение", "незакрытое выделение"),
        ("<b>жирный</b><br/>строка", "жирный строка"),
        ("2 * 3 = 6 и a*b*c", "2 * 3 = 6 и a*b*c"),
        ("имя_файла и __init__.py", "имя_файла и __init__.py"),
        ("если x < y и a > b", "если x < y и a > b"),
        ("н\u200bе\u00adви\u202eдимое\ufeff", "невидимое"),
        ("строка\r\nстрока\u2028строка", "строка\nстрока\nстрока"),
        ("а\n\n\n\n\nб", "а\n\nб"),
        ("§ 13 [f1], стр. 57", "§ 13 [f1], стр. 57"),
    ],
)
def test_markdown_becomes_what_is_read(marked: str, expected: str) -> None:
    assert plain(marked) == expected


@given(st.text(alphabet="аб *_`#|-\n<>[]()b/1.", max_size=80))
def test_no_marks_remain_and_plain_text_is_left_alone(text: str) -> None:
    once = plain(text)
    assert "**" not in once
    assert "```" not in once
    assert "<b>" not in once


RUSSIAN = (
    "Общество — обособившаяся от природы, но тесно связанная с ней часть материального мира.",
    "В 1861 году Александр II подписал Манифест об отмене крепостного права; это затронуло 22,5 млн человек.",
    "Ст. 37 Конституции РФ: «Труд свободен» — каждый вправе свободно распоряжаться способностями к труду.",
    "H2SO4 + 2NaOH → Na2SO4 + 2H2O",
)


@pytest.mark.parametrize("text", RUSSIAN)
def test_token_bounds_enclose_a_real_tokenizer(text: str) -> None:
    """XLM-R's vocabulary is as good for Russian as any model's here."""
    real = BundledEmbedder().count_tokens(text) - BundledEmbedder().count_tokens("")
    assert at_least(text) <= real <= at_most(text)
    assert at_most(text) < 3 * real
