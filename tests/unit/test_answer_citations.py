"""Spans of chunks become quotes of one page each; the question block is taken apart."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answer.block import block_text, split_block
from answer.citations import Span, cite, merge
from answer.errors import EvidenceModelDamaged
from answer.evidence import FEATURES, SHIPPED, EvidenceModel, Signals
from index.book import Book, Page, Section
from index.chunk import Chunk, PageSpan

TEXT = "Первое предложение. Второе переходит на другую страницу. Третье."
BORDER = TEXT.index("на другую")
BOOK = Book(
    "b",
    "Обществознание",
    "обществознание",
    (10,),
    "sha",
    2,
    tuple(Page(sheet, str(sheet - 2) if sheet > 2 else None, "body", "", "") for sheet in range(1, 6)),
    (Section("paragraph", "§", ("3",), "Природа", "Глава I", 3, 4, "1"),),
)

PAGES = tuple(enumerate(BOOK.pages, 1))


def chunk(
    text: str = TEXT, spans: tuple[PageSpan, ...] | None = None, ordinal: int = 0, paragraph: str = "3"
) -> Chunk:
    return Chunk(
        f"b:{ordinal:05d}",
        "b",
        ordinal,
        text,
        "text",
        (10,),
        "Глава I",
        (paragraph,),
        "Природа",
        None,
        spans or (PageSpan(0, BORDER, 3, "1"), PageSpan(BORDER, len(text), 4, None)),
    )


def sentence(number: int, of: Chunk) -> Span:
    ends = [i + 1 for i, letter in enumerate(of.text) if letter == "."]
    starts = [0, *(end + 1 for end in ends[:-1])]
    return Span(of, starts[number], ends[number])


def test_sentence_across_a_page_border_makes_two_citations() -> None:
    text = TEXT.replace("Второе переходит", "Второе предложение переходит")
    border = text.index("на другую")
    spans = (PageSpan(0, border, 3, "1"), PageSpan(border, len(text), 4, None))
    first, second = cite([sentence(1, chunk(text, spans))], {"b": BOOK})
    assert (first.id, first.page, first.file_page) == ("s1", "1", 3)
    assert first.quote == "Второе предложение переходит"
    assert (second.id, second.page, second.file_page) == ("s2", None, 4)
    assert second.quote == "на другую страницу."
    assert (first.paragraph, first.paragraph_title, first.chapter, first.unit) == (
        "3",
        "Природа",
        "Глава I",
        "§",
    )


def test_a_remainder_of_a_word_or_two_behind_a_page_turn_is_no_source() -> None:
    border = TEXT.index("страницу")
    spans = (PageSpan(0, border, 3, "1"), PageSpan(border, len(TEXT), 4, None))
    assert [c.file_page for c in cite([sentence(1, chunk(spans=spans))], {"b": BOOK})] == [3]
    assert [c.quote for c in cite([sentence(2, chunk(spans=spans))], {"b": BOOK})] == ["Третье."]


@pytest.mark.parametrize(
    ("task", "own"),
    [
        ("Расспросите соседей об их работе.", True),
        ("Опишите случай из прочитанной вами книги.", True),
        ("Опишите устройство рынка.", False),
        ("Что спрашивают у свидетеля?", False),
    ],
)
def test_own_work_is_told_by_who_is_asked(task: str, own: bool) -> None:
    assert split_block(f"1. {task}")[0].own_work is own


def test_the_page_of_the_best_sentence_is_cited_first() -> None:
    whole = chunk()
    spans = merge([sentence(0, whole), sentence(1, whole), sentence(2, whole)])
    assert [source.file_page for source in cite(spans, {"b": BOOK})] == [3, 4]
    led = cite(spans, {"b": BOOK}, best=sentence(2, whole))
    assert [(source.id, source.file_page) for source in led] == [("s1", 4), ("s2", 3)]
    # Most of the second sentence stands on the second page.
    assert cite(spans, {"b": BOOK}, best=sentence(1, whole))[0].file_page == 4
    assert cite(spans, {"b": BOOK}, best=sentence(0, whole))[0].file_page == 3


def test_best_of_several_places_is_cited_first_and_the_others_keep_their_order() -> None:
    chunks = [chunk(f"{word} предложение.", (PageSpan(0, 20, 3, "1"),), n) for n, word in enumerate("АБВ")]
    spans = [Span(one, 0, len(one.text)) for one in chunks]
    quotes = [source.quote[0] for source in cite(spans, {"b": BOOK}, first=5, best=spans[1])]
    assert quotes == ["Б", "А", "В"]
    assert [source.id for source in cite(spans, {"b": BOOK}, first=5, best=spans[1])] == ["s5", "s6", "s7"]


def test_a_word_that_the_page_border_cuts_keeps_its_hyphen() -> None:
    text = "Люди создали общество."
    border = text.index("щество")
    pages = [replace(page, text="Люди создали об-" if sheet == 3 else "щество.") for sheet, page in PAGES]
    book = replace(BOOK, pages=tuple(pages))
    cut = chunk(text, (PageSpan(0, border, 3, "1"), PageSpan(border, len(text), 4, "2")))
    assert [source.quote for source in cite([Span(cut, 0, len(text))], {"b": book})] == [
        "Люди создали об-",  # «щество.» alone is no source
    ]


def test_letters_before_a_page_turn_are_no_source_of_their_own() -> None:
    text = "Англия стала первой мастерской мира."
    border = text.index("глия")
    pages = [replace(page, text="Ан-" if sheet == 3 else text[border:]) for sheet, page in PAGES]
    book = replace(BOOK, pages=tuple(pages))
    cut = chunk(text, (PageSpan(0, border, 3, "1"), PageSpan(border, len(text), 4, "2")))
    [source] = cite([Span(cut, 0, len(text))], {"b": book})
    assert (source.quote, source.file_page) == (text[border:], 4)


def test_adjacent_sentences_of_a_page_are_one_quote() -> None:
    whole = chunk(spans=(PageSpan(0, len(TEXT), 3, "1"),))
    assert len(cite(merge([sentence(1, whole), sentence(0, whole), sentence(0, whole)]), {"b": BOOK})) == 1
    assert len(cite(merge([sentence(0, whole), sentence(2, whole)]), {"b": BOOK})) == 2


def test_the_same_sentence_of_overlapping_chunks_is_quoted_once() -> None:
    one = chunk(spans=(PageSpan(0, len(TEXT), 3, "1"),))
    other = chunk("Третье. И дальше.", (PageSpan(0, 17, 3, "1"),), ordinal=1)
    assert len(merge([sentence(2, one), sentence(0, other)])) == 1


@given(st.integers(0, len(TEXT) - 1), st.integers(1, len(TEXT)), st.integers(1, len(TEXT) - 1))
def test_every_quote_lies_within_its_page(start: int, length: int, border: int) -> None:
    two = chunk(spans=(PageSpan(0, border, 3, "1"), PageSpan(border, len(TEXT), 4, "2")))
    parts = {3: TEXT[:border], 4: TEXT[border:]}
    for source in cite([Span(two, start, min(len(TEXT), start + length))], {"b": BOOK}):
        assert source.quote in parts[source.file_page]
        assert source.quote == source.quote.strip() != ""


def test_numbered_block() -> None:
    questions = split_block(
        "Вопросы и задания\n1. Что такое общество?\n2) Чем отличаются\nтипы обществ?\nЗадания\n"
        "1. Подготовьте сообщение о городе.\n12. Почему люди живут вместе?"
    )
    assert [(q.number, q.text) for q in questions] == [
        ("1", "Что такое общество?"),
        ("2", "Чем отличаются типы обществ?"),
        ("1", "Подготовьте сообщение о городе."),
        ("12", "Почему люди живут вместе?"),
    ]
    assert [q.own_work for q in questions] == [False, False, True, False]


def test_block_without_numbers() -> None:
    assert [q.text for q in split_block("Вопросы\n• Что такое мораль?\n• Что такое право?")] == [
        "Что такое мораль?",
        "Что такое право?",
    ]
    assert [q.number for q in split_block("Проверьте себя\nЧто такое мораль?\nЧто такое право?")] == [
        "1",
        "2",
    ]
    assert split_block("") == []


def test_block_in_overlapping_chunks() -> None:
    shared = "2. Какие сферы жизни общества вы знаете?"
    first = chunk(f"1. Что такое общество?\n{shared}", (PageSpan(0, 63, 3, "1"),))
    second = chunk(f"{shared}\n3. Почему?", (PageSpan(0, 51, 3, "1"),), ordinal=1)
    assert [q.number for q in split_block(block_text([first, second]))] == ["1", "2", "3"]


def test_shipped_evidence_model_reads_and_orders() -> None:
    model = EvidenceModel.load(SHIPPED)
    assert 0 < model.threshold < 1
    mean = Signals(*model.mean)
    strong = replace(
        mean,
        sentence=0.95,
        nearest=1.1,
        gap=0.1,
        lead=0.1,
        sentence_coverage=1.0,
        missing=0.0,
    )
    weak = replace(
        mean,
        sentence=0.78,
        nearest=0.78,
        gap=0.0,
        lead=0.0,
        sentence_coverage=0.1,
        missing=15.0,
    )
    assert len(FEATURES) == len(model.mean)
    assert model.probability(strong) > model.probability(mean) > model.probability(weak)
    assert model.probability(strong) > model.threshold > model.probability(weak)


@pytest.mark.parametrize("content", ["", "{}", '{"features": ["other"]}', "[1]"])
def test_damaged_evidence_model_names_the_file_and_the_fix(tmp_path: Path, content: str) -> None:
    path = tmp_path / "evidence.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(EvidenceModelDamaged, match=r"evidence\.json.*evaluation\.fit"):
        EvidenceModel.load(path)
    with pytest.raises(EvidenceModelDamaged):
        EvidenceModel.load(tmp_path / "absent.json")
