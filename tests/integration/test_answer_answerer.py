"""Answers over a small library on the bundled embedder: two books, grades 9 and 10, a few §§ each."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

import pytest

from answer.answer import Answer, Option
from answer.answerer import Answerer
from answer.assistant import Assistant
from answer.evidence import SHIPPED, EvidenceModel
from answer.query import EMPTY_MEMORY, Intent, Memory, Query, Scope, ScopeOptions
from index.book import Book, Page, Section
from index.chunk import Chunk, ChunkKind, PageSpan, Sentence
from index.embedder import Embedder
from index.embedders import load_embedder
from index.library import Library
from index.sentences import split_sentences
from index.shard import BookParts
from index.store import Store

# (§, title, [(kind, text)]): one page per §, printed number = sheet - 2; what follows «|» is a page on.
Paragraphs = Sequence[tuple[str, str, Sequence[tuple[ChunkKind, str]]]]
NINTH: Paragraphs = [
    (
        "1",
        "Происхождение человека",
        [
            (
                "text",
                "Основными теориями происхождения человека считают креационизм, эволюционную теорию и теорию "
                "внешнего вмешательства. Они по-разному отвечают на один и тот же вопрос.",
            ),
            (
                "text",
                "Эволюционную теорию обосновал английский учёный Чарльз Дарвин. Его книга «Происхождение "
                "человека "
                "и половой отбор» вышла в 1871 г. и вызвала бурные споры.",
            ),
            (
                "questions",
                "Вопросы и задания\n1. Кто обосновал эволюционную теорию?\n"
                "2. Какие теории происхождения человека вы знаете?\n"
                "3. Подготовьте сообщение о находках древних людей в вашем регионе.\n"
                "4. Как устроен адронный коллайдер?",
            ),
        ],
    ),
    (
        "2",
        "Деньги и налоги",
        [
            (
                "text",
                "Налоги — это обязательные платежи граждан и предприятий государству. На них содержат школы, "
                "больницы и армию.",
            ),
            (
                "text",
                "Деньги выполняют несколько функций:\n• мера стоимости;\n• средство обращения;\n• средство "
                "накопления;\n"
                "• средство платежа.\nЭти функции сложились не сразу.",
            ),
        ],
    ),
]
TENTH: Paragraphs = [
    (
        "1",
        "Что такое общество",
        [
            (
                "text",
                "Общество — это обособившаяся от природы часть материального мира, которая включает в себя "
                "способы "
                "взаимодействия людей и формы их объединения. Оно постоянно изменяется.",
            ),
            (
                "text",
                "Немецкий учёный Макс Вебер считал главным признаком общества "
                "осмысленные действия людей. Что "
                "же "
                "объединяет людей? Людей объединяют общие цели, труд и язык.",
            ),
            ("questions", "Вопросы\n1. Что такое общество?"),
        ],
    ),
    (
        "2",
        "Трудовое право",
        [
            (
                "text",
                "Трудовой договор — это соглашение между работником и работодателем. Его заключают в "
                "письменной "
                "форме. Работник обязан лично выполнять| определённую договором работу и соблюдать "
                "распорядок.",
            ),
            (
                "text",
                "Налоги — это обязательные платежи, которые государство взимает с заработка работника. "
                "Подоходный "
                "налог удерживает работодатель.",
            ),
        ],
    ),
    ("4", "Семейное право", [("text", "Семья — это союз людей, который основан на браке или родстве.")]),
]


def parts(grade: int, paragraphs: Paragraphs, embedder: Embedder, pdf: Path) -> BookParts:
    """A book whose § i stands on printed page i (and i + 1 where its text holds the border mark)."""
    book_id = f"obshestvo-{grade}"
    chunks: list[Chunk] = []
    sections: list[Section] = []
    for place, (number, title, texts) in enumerate(paragraphs, 1):
        sections.append(
            Section("paragraph", "§", (number,), title, "Глава I. Основы", place + 2, place + 3, str(place))
        )
        for kind, marked in texts:
            border = marked.find("|")
            text = marked.replace("|", "")
            spans = (
                (PageSpan(0, len(text), place + 2, str(place)),)
                if border < 0
                else (
                    PageSpan(0, border, place + 2, str(place)),
                    PageSpan(border, len(text), place + 3, str(place + 1)),
                )
            )
            chunks.append(
                Chunk(
                    f"{book_id}:{len(chunks):05d}",
                    book_id,
                    len(chunks),
                    text,
                    kind,
                    (grade,),
                    "Глава I. Основы",
                    (number,),
                    title,
                    None,
                    spans,
                )
            )
    pages = tuple(
        Page(sheet, str(sheet - 2) if sheet > 2 else None, "body", "", "")
        for sheet in range(1, len(paragraphs) + 4)
    )
    sentences = [
        Sentence(chunk.ordinal, start, end) for chunk in chunks for start, end in split_sentences(chunk.text)
    ]
    return BookParts.build(
        Book(
            book_id,
            "Обществознание",
            "обществознание",
            (grade,),
            sha256(pdf.read_bytes()).hexdigest(),
            2,
            pages,
            tuple(sections),
        ),
        chunks,
        embedder.embed_passages([chunk.search_text for chunk in chunks]),
        sentences,
        embedder.embed_passages([chunks[s.chunk].text[s.start : s.end] for s in sentences]),
        pdf,
    )


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    return load_embedder("bundled")


@pytest.fixture(scope="module")
def pdf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("pdf") / "book.pdf"
    path.write_bytes(b"%PDF-1.4\n%%EOF\n")
    return path


@pytest.fixture(scope="module")
def books(embedder: Embedder, pdf: Path) -> dict[int, BookParts]:
    return {9: parts(9, NINTH, embedder, pdf), 10: parts(10, TENTH, embedder, pdf)}


@pytest.fixture(scope="module")
def answerer(books: dict[int, BookParts], embedder: Embedder) -> Answerer:
    return Answerer(Library.from_parts(list(books.values()), embedder), EvidenceModel.load(SHIPPED))


def ask(answerer: Answerer, text: str, intent: Intent = "question", **scope: object) -> Answer:
    return answerer.answer(Query(text, text, Scope(**scope), intent))  # type: ignore[arg-type]


def assert_literal(answer: Answer) -> None:
    """Each quote is in the answer's text, and the text holds nothing of the book beside the quotes."""
    assert answer.sources
    assert len({source.id for source in answer.sources}) == len(answer.sources)
    for source in answer.sources:
        assert source.quote in answer.answer


def test_definition_from_the_grade_that_was_asked(answerer: Answerer) -> None:
    answer = ask(answerer, "Что такое общество", grades=(10,))
    assert answer.status == "supported"
    assert_literal(answer)
    (source,) = answer.sources
    assert answer.answer == source.quote
    assert source.quote.startswith("Общество — это обособившаяся от природы часть")
    assert (source.book_id, source.paragraph, source.page, source.file_page) == ("obshestvo-10", "1", "1", 3)
    assert answer.hits
    assert answer.elapsed_ms >= 0


def test_one_book_answers_clearly_without_a_grade(answerer: Answerer) -> None:
    answer = ask(answerer, "основные теории происхождения человека")
    assert answer.status == "supported"
    assert answer.sources[0].grades == (9,)
    assert "креационизм" in answer.answer


def test_both_grades_answer_so_it_asks_back(answerer: Answerer) -> None:
    answer = ask(answerer, "Что такое налоги?")
    assert answer.status == "clarify"
    assert answer.options == (Option("9 класс", grade=9), Option("10 класс", grade=10))
    assert answer.scope.note is not None
    assert "9 класс" in answer.scope.note
    assert not answer.sources


def test_question_mark_sentence_is_not_quoted(answerer: Answerer) -> None:
    answer = ask(answerer, "что объединяет людей", grades=(10,))
    assert "Людей объединяют общие цели, труд и язык." in answer.answer
    assert "?" not in answer.answer


def test_pronoun_brings_its_sentence(answerer: Answerer) -> None:
    answer = ask(answerer, "в каком году вышла книга Дарвина", grades=(9,))
    assert answer.status == "supported"
    assert "1871" in answer.answer
    assert "Чарльз Дарвин" in answer.answer


def test_whole_list_with_its_lead_in(answerer: Answerer) -> None:
    answer = ask(answerer, "Перечислите функции денег", grades=(9,))
    assert "Деньги выполняют несколько функций:" in answer.answer
    for item in ("мера стоимости", "средство обращения", "средство накопления", "средство платежа"):
        assert item in answer.answer
    assert_literal(answer)


def test_quote_over_a_page_border_has_two_citations(answerer: Answerer) -> None:
    answer = ask(answerer, "какую работу обязан лично выполнять работник", grades=(10,))
    pages = {source.page: source.quote for source in answer.sources}
    assert pages["2"].endswith("Работник обязан лично выполнять")
    assert pages["3"] == "определённую договором работу и соблюдать распорядок."


def test_misspelt_question(answerer: Answerer) -> None:
    answer = ask(answerer, "тиории происхаждения челавека", grades=(9,))
    assert answer.status == "supported"
    assert answer.sources[0].paragraph == "1"


@pytest.mark.parametrize(
    "text", ["как сварить борщ", "Чему равно ускорение свободного падения?", "кто выиграл чемпионат"]
)
def test_off_topic_is_refused(answerer: Answerer, text: str) -> None:
    answer = ask(answerer, text, grades=(10,))
    assert answer.status == "insufficient"
    assert answer.sources == ()
    assert "Ближе всего по теме: §" in answer.answer


def test_the_nearest_sections_of_several_books_name_their_grade(answerer: Answerer) -> None:
    answer = ask(answerer, "как сварить борщ")
    nearest = answer.answer.partition("Ближе всего по теме: ")[2]
    assert nearest
    assert all("класс, стр. " in name for name in nearest.split("), "))


def test_other_grades_book_is_only_pointed_to(answerer: Answerer) -> None:
    answer = ask(answerer, "Кто обосновал эволюционную теорию происхождения человека?", grades=(10,))
    assert answer.status == "insufficient"
    assert answer.sources == ()
    assert "в учебнике «Обществознание» (9 класс): § 1 «Происхождение человека» (стр. 1)" in answer.answer


def test_missing_paragraph_is_said_and_never_replaced(answerer: Answerer) -> None:
    answer = ask(answerer, "Что такое общество", grades=(10,), paragraphs=("200",))
    assert (answer.status, answer.sources, answer.hits) == ("insufficient", (), ())
    assert "нет § 200" in answer.answer
    assert "§ 1–4" in answer.answer
    assert "§ 4 «Семейное право»" in answer.answer


def test_paragraph_between_existing_numbers_is_missing_too(answerer: Answerer) -> None:
    answer = ask(answerer, "Что такое семья", grades=(10,), paragraphs=("3",))
    assert answer.status == "insufficient"
    assert "нет § 3" in answer.answer


def test_missing_one_of_two_paragraphs_is_said_beside_the_answer(answerer: Answerer) -> None:
    answer = ask(answerer, "Что такое общество", grades=(10,), paragraphs=("1", "200"))
    assert answer.status == "supported"
    assert answer.answer.startswith("В учебнике «Обществознание» (10 класс) нет § 200")


def test_paragraph_of_several_books_asks_back(answerer: Answerer) -> None:
    answer = ask(answerer, "Что такое общество", paragraphs=("1",))
    assert answer.status == "clarify"
    assert [option.grade for option in answer.options] == [9, 10]
    assert answer.options[0].paragraph == "1"
    assert "Происхождение человека" in (answer.scope.note or "")


def test_paragraph_of_one_book_needs_no_grade(answerer: Answerer) -> None:
    answer = ask(answerer, "Что такое семья", paragraphs=("4",))
    assert answer.status == "supported"
    assert answer.sources[0].book_id == "obshestvo-10"


def test_widening_is_said_in_words(answerer: Answerer) -> None:
    answer = ask(answerer, "Что такое трудовой договор", grades=(10,), paragraphs=("1",))
    assert answer.status == "supported"
    assert answer.widened
    assert answer.answer.startswith("В § 1 этого нет, но в § 2 того же учебника сказано:\n")
    assert answer.sources[0].paragraph == "2"
    assert answer.to_json()["scope"]["widened"] is True


def test_unknown_grade_names_the_loaded_ones(answerer: Answerer) -> None:
    answer = ask(answerer, "Что такое общество", grades=(7,))
    assert answer.status == "insufficient"
    assert "7 класса" in answer.answer
    assert "9–10 классы" in answer.answer


def test_page_filter_and_missing_page(answerer: Answerer) -> None:
    found = ask(answerer, "что такое трудовой договор", grades=(10,), pages=("2",))
    assert found.status == "supported"
    assert not found.widened
    missing = ask(answerer, "что такое трудовой договор", grades=(10,), pages=("500",))
    assert missing.status == "insufficient"
    assert "нет страницы 500" in missing.answer


def test_section_questions(answerer: Answerer) -> None:
    answer = ask(answerer, "", "section_questions", grades=(9,), paragraphs=("1",))
    assert answer.status == "supported"
    assert answer.parts is not None
    assert [part.status for part in answer.parts] == [
        "supported",
        "supported",
        "insufficient",
        "insufficient",
    ]
    assert "Дарвин" in answer.parts[0].answer
    assert "креационизм" in answer.parts[1].answer
    assert answer.answer.endswith("В § 1 нет ответа на вопросы 3 и 4.")
    ids = [source.id for source in answer.sources]
    assert len(ids) == len(set(ids))
    assert {source.id for part in answer.parts for source in part.sources} == set(ids)
    assert all(source.paragraph == "1" for source in answer.sources)


def test_single_item_of_a_block(answerer: Answerer) -> None:
    answer = ask(answerer, "", grades=(9,), paragraphs=("1",), items=("1",))
    assert answer.parts is not None
    assert [part.question for part in answer.parts] == ["Кто обосновал эволюционную теорию?"]
    absent = ask(answerer, "", "section_questions", grades=(9,), paragraphs=("1",), items=("9",))
    assert absent.status == "insufficient"
    assert "всего вопросов 4" in absent.answer


def test_section_without_a_block_offers_the_summary(answerer: Answerer) -> None:
    answer = ask(answerer, "", "section_questions", grades=(10,), paragraphs=("4",))
    assert answer.status == "insufficient"
    assert "о чём § 4" in answer.answer


def test_summary(answerer: Answerer) -> None:
    answer = ask(answerer, "", "summary", grades=(10,), paragraphs=("2",))
    assert answer.status == "supported"
    assert answer.answer.startswith("§ 2 «Трудовое право». Глава I. Основы, стр. 2–3.\n")
    assert "Трудовой договор — это соглашение" in answer.answer
    assert_literal(answer)
    assert ask(answerer, "", "summary", grades=(10,)).status == "clarify"


def test_contents_lists_every_section_with_its_page(answerer: Answerer) -> None:
    answer = ask(answerer, "", "contents", grades=(10,))
    assert answer.answer.splitlines() == [
        "«Обществознание» (10 класс)",
        "Глава I. Основы",
        "§ 1 «Что такое общество» — стр. 1",
        "§ 2 «Трудовое право» — стр. 2",
        "§ 4 «Семейное право» — стр. 3",
    ]


@pytest.mark.parametrize("message", ["привет", "спасибо!", "пока", "что ты умеешь?"])
def test_smalltalk_quotes_nothing(answerer: Answerer, message: str) -> None:
    answer = ask(answerer, message, "smalltalk")
    assert answer.intent == "smalltalk"
    assert answer.sources == ()
    assert answer.answer


def test_bare_number_and_empty_text_ask_back(answerer: Answerer) -> None:
    number = answerer.answer(Query("10", "", Scope(), "question"))
    assert number.status == "clarify"
    assert number.answer.startswith("10 — это класс, параграф или страница?")
    assert [option.grade for option in number.options] == [10]
    assert answerer.answer(Query("  ", "", Scope(), "question")).status == "clarify"


def test_a_whole_section_is_not_copied(answerer: Answerer) -> None:
    query = Query("спиши § 2 полностью", "", Scope((10,), ("2",)), "summary", whole=True)
    assert answerer.answer(query).answer.startswith("Параграф целиком я не переписываю")


def test_what_cannot_be_searched_is_said(answerer: Answerer) -> None:
    broken = answerer.answer(Query("что такое", "", Scope((10,)), "question", unclear="incomplete"))
    assert (broken.status, broken.scope.note) == (
        "clarify",
        "Напишите его целиком, например: «Что такое общество, 10 класс».",
    )
    calculation = answerer.answer(Query("2+2", "", Scope((10,)), "question", unclear="sum"))
    assert (calculation.status, calculation.sources) == ("insufficient", ())


@pytest.mark.parametrize(
    ("text", "own", "status"),
    [
        ("кто обосновал эволюционную теорию", {"обосновать"}, "supported"),
        ("кто обосновал эволюционную теорию", {"первый"}, "insufficient"),
        ("кто обосновал эволюционную теорию", set(), "supported"),
        ("приведи пример: налоги", set(), "insufficient"),
    ],
)
def test_quotes_about_the_topic_alone_answer_no_followup(
    answerer: Answerer, text: str, own: set[str], status: str
) -> None:
    answer = answerer.answer(Query(text, text, Scope((9,)), "question", own_words=frozenset(own)))
    assert answer.status == status
    assert (status == "supported") == bool(answer.sources)
    assert "§" in answer.answer or answer.sources


def test_every_refusal_of_a_question_names_sections(answerer: Answerer) -> None:
    for scope in (Scope((7,)), Scope(book_id="нет"), Scope((9,), pages=("500",))):
        answer = answerer.answer(Query("налоги", "Что такое налоги", scope, "question"))
        assert answer.status == "insufficient"
        assert "§ 2 «" in answer.answer


def test_parts_are_a_list_for_every_request_about_questions(answerer: Answerer) -> None:
    for scope in (Scope(), Scope((10,), ("4",)), Scope((10,), ("200",)), Scope((), ("1",))):
        answer = answerer.answer(Query("вопросы", "", scope, "section_questions"))
        assert answer.to_json()["parts"] == []
        assert answer.status != "clarify" or answer.scope.note


def test_empty_library(embedder: Embedder) -> None:
    empty = Answerer(Library.from_parts([], embedder), EvidenceModel.load(SHIPPED))
    for intent in ("question", "section_questions", "summary", "contents"):
        answer = ask(empty, "Что такое общество", intent, grades=(10,), paragraphs=("1",))
        assert answer.status == "insufficient"
        assert answer.answer.startswith("Учебники ещё не загружены")
    assert ask(empty, "привет", "smalltalk").status == "clarify"


def put(store: Store, book: BookParts, embedder: Embedder) -> None:
    store.put(book.book, book.chunks, book.vectors, book.sentences, book.sentence_vectors, book.pdf, embedder)


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_assistant_takes_up_new_books_and_survives_a_broken_manifest(
    tmp_path: Path, books: dict[int, BookParts], embedder: Embedder, caplog: pytest.LogCaptureFixture
) -> None:
    store, clock = Store(tmp_path / "хранилище книг"), Clock()
    assistant = Assistant(store, embedder, EvidenceModel.load(SHIPPED), clock)
    assert assistant.ask("Что такое общество, 10 класс").answer.answer.startswith("Учебники ещё не загружены")
    put(store, books[10], embedder)
    clock.now += 0.5
    assert assistant.ask("Что такое общество, 10 класс").answer.status == "insufficient", "looked too early"
    clock.now += 1
    assert assistant.ask("Что такое общество, 10 класс").answer.status == "supported"
    manifest = tmp_path / "хранилище книг" / "manifest.json"
    manifest.write_text("{broken", encoding="utf-8")
    clock.now += 2
    assert assistant.ask("Что такое общество, 10 класс").answer.status == "supported"
    assert "serving the old state" in caplog.text
    clock.now += 2
    assistant.ask("Что такое общество, 10 класс")
    assert caplog.text.count("serving the old state") == 1


def test_clarifying_question_is_resumed(
    tmp_path: Path, books: dict[int, BookParts], embedder: Embedder
) -> None:
    store = Store(tmp_path)
    put(store, books[9], embedder)
    put(store, books[10], embedder)
    assistant = Assistant(store, embedder, EvidenceModel.load(SHIPPED))
    first = assistant.ask("Что такое налоги?")
    assert first.answer.status == "clarify"
    assert (first.memory.pending, first.memory.pending_kind) == ("Что такое налоги?", "grade")
    for reply in (
        assistant.ask("10", first.memory),
        assistant.ask("", first.memory, ScopeOptions(grade=10)),
    ):
        assert reply.answer.status == "supported"
        assert reply.answer.sources[0].grades == (10,)
        assert reply.memory.pending is None
        assert reply.memory.grade == 10
    block = assistant.ask("ответы на вопросы", Memory(grade=10))
    assert block.answer.status == "clarify"
    assert assistant.ask("1", block.memory).answer.parts is not None
    assert assistant.ask("привет", EMPTY_MEMORY).memory == EMPTY_MEMORY
