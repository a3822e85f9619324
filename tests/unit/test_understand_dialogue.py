"""Memory rules: what is kept between messages, and messages that only make sense after another one."""

from __future__ import annotations

import pytest

from answer.dialogue import wait_for
from answer.query import EMPTY_MEMORY, Memory, Query, ScopeOptions, Understood
from answer.understand import MAX_SEARCH_TEXT, NO_OPTIONS, understand
from index.book import Book, Section


def book(book_id: str, subject: str, grade: int, last: int = 14) -> Book:
    sections = tuple(
        Section("paragraph", "§", (str(n),), f"Тема {n}", "Глава I", 5, 6, "3") for n in range(1, last + 1)
    )
    return Book(book_id, subject.capitalize(), subject, (grade,), "0" * 64, None, (), sections)


BOOKS = {
    "ob9": book("ob9", "обществознание", 9),
    "ob10": book("ob10", "обществознание", 10),
    "ob11": book("ob11", "обществознание", 11),
    "ist10": book("ist10", "история", 10),
}


class Talk:
    """A user's messages one after another."""

    def __init__(self, memory: Memory = EMPTY_MEMORY) -> None:
        self.memory = memory
        self.query: Query | None = None

    def say(self, message: str, options: ScopeOptions = NO_OPTIONS) -> Query:
        understood: Understood = understand(message, self.memory, BOOKS, options)
        self.memory, self.query = understood.memory, understood.query
        return understood.query

    def bot_asks(self, kind: str) -> None:
        assert self.query is not None
        assert kind in ("grade", "book", "question")
        self.memory = wait_for(self.memory, self.query, kind)


def test_case_c7_grade_kept_paragraph_dropped() -> None:
    talk = Talk()
    first = talk.say("10 класс, § 13: кто такой Столыпин?")
    assert (first.text, first.scope.grades, first.scope.paragraphs) == ("кто такой Столыпин?", (10,), ("13",))
    second = talk.say("А в 11 классе?")
    assert (second.text, second.scope.grades, second.scope.paragraphs) == ("кто такой Столыпин?", (11,), ())
    assert second.intent == "question"
    third = talk.say("Что такое дума?")
    assert (third.text, third.scope.grades, third.scope.paragraphs) == ("Что такое дума?", (11,), ())
    assert not third.explicit_paragraph


@pytest.mark.parametrize(
    "reply",
    ["10", "10 класс", "10-й", "10 кл", "в 10", "в 10 классе", "десятый", "в десятом", "10?", "10!",
    "10а", "для 10 класса", "10 пожалуйста",
     "ну 10", "X класс", "одиннадцатый не мой, 10 класс"],
)  # fmt: skip
def test_case_c7_pending_question_is_resumed(reply: str) -> None:
    talk = Talk()
    talk.say("Что такое дума?")
    talk.bot_asks("grade")
    query = talk.say(reply)
    if "не мой" in reply:  # words of its own: a message of its own
        assert query.message == reply
        return
    assert (query.text, query.scope.grades, query.message) == ("Что такое дума?", (10,), "Что такое дума?")
    assert talk.memory == Memory(grade=10, last_question="Что такое дума?")


@pytest.mark.parametrize("number", ["10", "10?", "10-й", "десять", " 10 "])
def test_a_bare_number_without_a_question_is_asked_about(number: str) -> None:
    talk = Talk()
    query = talk.say(number)
    assert (query.intent, query.text) == ("question", "")
    assert query.scope.grades == query.scope.paragraphs == query.scope.pages == ()
    assert query.scope.note == "10 — это класс, параграф или страница?"
    assert talk.memory.grade is None


@pytest.mark.parametrize(
    ("reply", "grades", "paragraphs", "pages"),
    [
        ("класс", (10,), (), ()),
        ("это класс", (10,), (), ()),
        ("параграф", (), ("10",), ()),
        ("§", (), ("10",), ()),
        ("страница", (), (), ("10",)),
        ("стр.", (), (), ("10",)),
    ],
)
def test_what_the_bare_number_was_is_told_next(
    reply: str, grades: tuple[int, ...], paragraphs: tuple[str, ...], pages: tuple[str, ...]
) -> None:
    talk = Talk()
    talk.say("10")
    query = talk.say(reply)
    assert (query.scope.grades, query.scope.paragraphs, query.scope.pages) == (grades, paragraphs, pages)
    assert talk.memory.pending is None


@pytest.mark.parametrize(("message", "pending"), [("", "10"), ("10", "10"), ("10", None)])
def test_what_the_bare_number_was_is_told_by_a_button(message: str, pending: str | None) -> None:
    asked = Memory(pending=pending, pending_kind="question" if pending else None)
    query = Talk(asked).say(message, ScopeOptions(paragraph="10"))
    assert (query.intent, query.scope.paragraphs, query.scope.note) == ("summary", ("10",), None)
    talk = Talk(asked)
    query = talk.say(message, ScopeOptions(grade=10))
    assert (query.intent, query.text, query.scope.grades, query.scope.note) == ("question", "", (10,), None)
    assert talk.memory == Memory(grade=10)


def test_a_bare_number_that_is_no_grade_is_not_called_one() -> None:
    assert Talk().say("57").scope.note == "57 — это параграф или страница?"


def test_a_new_question_replaces_the_pending_one() -> None:
    talk = Talk()
    talk.say("Что такое дума?")
    talk.bot_asks("grade")
    query = talk.say("кто такой Дарвин 9 класс")
    assert (query.text, query.scope.grades) == ("кто такой Дарвин", (9,))
    assert talk.memory.pending is None
    talk.say("что такое дума")
    assert talk.memory.last_question == "что такое дума"


def test_thanks_do_not_close_the_pending_question() -> None:
    talk = Talk()
    talk.say("Что такое дума?")
    talk.bot_asks("grade")
    assert talk.say("спасибо").intent == "smalltalk"
    assert talk.say("10").text == "Что такое дума?"


def test_a_number_that_is_no_grade_does_not_answer_the_grade_question() -> None:
    talk = Talk()
    talk.say("Что такое дума?")
    talk.bot_asks("grade")
    query = talk.say("57")
    assert query.text == ""
    assert query.scope.note == "57 — это параграф или страница?"


@pytest.mark.parametrize("message", ["", "Что такое дума?", "10 класс"])
def test_a_button_answers_the_pending_question(message: str) -> None:
    talk = Talk()
    talk.say("Что такое дума?")
    talk.bot_asks("grade")
    query = talk.say(message, ScopeOptions(grade=11))
    assert (query.text, query.scope.grades) == ("Что такое дума?", (11,))
    assert talk.memory.grade == 11
    assert talk.memory.pending is None


def test_a_pending_section_request_keeps_its_section() -> None:
    talk = Talk()
    talk.say("ответы на вопросы § 5")
    talk.bot_asks("grade")
    query = talk.say("10")
    assert (query.intent, query.scope.paragraphs, query.scope.grades) == ("section_questions", ("5",), (10,))
    assert query.explicit_paragraph


def test_the_section_is_asked_for_and_told() -> None:
    talk = Talk(Memory(grade=10))
    talk.say("ответы на вопросы")
    talk.bot_asks("question")
    query = talk.say("5")
    assert (query.intent, query.scope.paragraphs, query.scope.grades) == ("section_questions", ("5",), (10,))


@pytest.mark.parametrize("reply", ["история", "по истории", "учебник истории", "История"])
def test_the_book_is_asked_for_and_told(reply: str) -> None:
    talk = Talk(Memory(grade=10))
    talk.say("о чём § 5")
    talk.bot_asks("book")
    query = talk.say(reply)
    assert (query.intent, query.scope.paragraphs, query.scope.book_id) == ("summary", ("5",), "ist10")


def test_a_book_button_settles_later_sections_but_not_later_topics() -> None:
    talk = Talk(Memory(grade=10))
    talk.say("о чём § 5")
    talk.bot_asks("book")
    assert talk.say("", ScopeOptions(book_id="ist10")).scope.book_id == "ist10"
    assert talk.say("а § 6?").scope.book_id == "ist10"
    assert talk.say("что такое мораль").scope.book_id is None
    assert talk.say("§ 7 11 класс").scope.book_id is None


@pytest.mark.parametrize(
    ("message", "grades"),
    [
        ("А в 11 классе?", (11,)),
        ("а в 11?", (11,)),
        ("а в одиннадцатом классе", (11,)),
        ("а в одинадцатом?", (11,)),
        ("а для 9 класса?", (9,)),
        ("в 11 классе?", (11,)),
        ("в 11 классе", (11,)),
        ("11 класс", (11,)),
        ("а 11 класс", (11,)),
        ("а за 9 класс?", (9,)),
        ("теперь 11 класс", (11,)),
        ("а что в 11 классе?", (11,)),
        ("а что насчет 11 класса?", (11,)),
    ],
)
def test_the_last_question_again_in_another_grade(message: str, grades: tuple[int, ...]) -> None:
    talk = Talk(Memory(grade=10, last_question="Что такое дума?", last_paragraphs=("13",)))
    query = talk.say(message)
    assert (query.text, query.scope.grades, query.scope.paragraphs) == ("Что такое дума?", grades, ())


@pytest.mark.parametrize("message", ["А в 11 классе?", "а в 11?", "11 класс"])
def test_another_grade_without_a_last_question(message: str) -> None:
    talk = Talk()
    query = talk.say(message)
    assert query.text == ""


def test_a_question_with_its_own_words_is_no_continuation() -> None:
    talk = Talk(Memory(grade=10, last_question="Что такое дума?"))
    query = talk.say("а в 11 классе что такое мораль?")
    assert (query.text, query.scope.grades) == ("что такое мораль?", (11,))


def test_the_last_question_in_another_section() -> None:
    talk = Talk(Memory(grade=10, last_question="Что такое дума?"))
    query = talk.say("а в § 14?")
    assert (query.intent, query.text, query.scope.paragraphs) == ("question", "Что такое дума?", ("14",))
    assert talk.say("§ 14").intent == "summary"


@pytest.mark.parametrize(
    ("first", "intent"), [("о чём § 5 10 класс", "summary"), ("дз § 5 10 класс", "section_questions")]
)
def test_requests_about_a_section_are_continued(first: str, intent: str) -> None:
    talk = Talk()
    talk.say(first)
    query = talk.say("а § 6?")
    assert (query.intent, query.scope.paragraphs, query.scope.grades) == (intent, ("6",), (10,))
    query = talk.say("а в 9 классе?")
    assert (query.intent, query.scope.paragraphs, query.scope.grades) == (intent, ("6",), (9,))
    assert not query.explicit_paragraph


@pytest.mark.parametrize(
    ("message", "intent"),
    [("ответы на вопросы", "section_questions"), ("вопрос 3", "section_questions"), ("перескажи", "summary"),
     ("краткое содержание этого параграфа", "summary"), ("о чём этот параграф?", "summary")],
)  # fmt: skip
def test_the_section_of_the_last_message_is_meant(message: str, intent: str) -> None:
    talk = Talk()
    talk.say("что такое дума § 5 10 класс")
    query = talk.say(message)
    assert (query.intent, query.scope.paragraphs, query.explicit_paragraph) == (intent, ("5",), False)


def test_in_this_section() -> None:
    talk = Talk()
    talk.say("что такое дума § 5 10 класс")
    query = talk.say("что в этом параграфе сказано о морали")
    assert (query.intent, query.text, query.scope.paragraphs) == ("question", "что сказано о морали", ("5",))


def test_the_section_is_forgotten_with_a_new_topic() -> None:
    talk = Talk()
    talk.say("что такое дума § 5 10 класс")
    talk.say("что такое мораль")
    assert talk.say("ответы на вопросы").scope.paragraphs == ()


@pytest.mark.parametrize(
    ("options", "grades", "paragraphs", "book_id"),
    [
        (ScopeOptions(grade=11), (11,), ("13",), None),
        (ScopeOptions(paragraph="5"), (10,), ("5",), None),
        (ScopeOptions(paragraph="§ 5"), (10,), ("5",), None),
        (ScopeOptions(paragraph="13А"), (10,), ("13а",), None),
        (ScopeOptions(paragraph="3-5"), (10,), ("3", "4", "5"), None),
        (ScopeOptions(paragraph="200"), (10,), ("200",), None),
        (ScopeOptions(paragraph=" "), (10,), ("13",), None),
        (ScopeOptions(book_id="ist10"), (10,), ("13",), "ist10"),
        (ScopeOptions(book_id="ob9"), (), ("13",), "ob9"),
        (ScopeOptions(grade=9, paragraph="4", book_id="ob9"), (9,), ("4",), "ob9"),
    ],
)
def test_options_win_over_words(
    options: ScopeOptions, grades: tuple[int, ...], paragraphs: tuple[str, ...], book_id: str | None
) -> None:
    query = Talk().say("что такое дума § 13 10 класс", options)
    scope = query.scope
    assert query.text == "что такое дума"
    assert (scope.grades, scope.paragraphs, scope.book_id) == (grades, paragraphs, book_id)
    assert query.explicit_paragraph


def test_options_win_over_memory() -> None:
    talk = Talk(Memory(grade=10))
    assert talk.say("что такое дума", ScopeOptions(grade=11)).scope.grades == (11,)
    assert talk.say("что такое дума").scope.grades == (11,)


def test_a_paragraph_option_without_words_asks_for_a_summary() -> None:
    query = Talk().say("", ScopeOptions(grade=10, paragraph="5"))
    assert (query.intent, query.scope.paragraphs) == ("summary", ("5",))


def test_several_grades_are_not_remembered_as_one() -> None:
    talk = Talk(Memory(grade=9))
    assert talk.say("что такое дума 10 и 11 класс").scope.grades == (10, 11)
    assert talk.memory.grade == 9


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ("что такое общество расскажи пожалуйста подробно", "что такое общество"),
        ("что такое общество расскажи подробно и приведи примеры из жизни", "что такое общество"),
        ("почему распался СССР, объясни подробнее", "почему распался СССР"),
        ("приведи примеры морали", "приведи примеры морали"),
        ("правовых норм приведи примеры", "правовых норм приведи примеры"),
    ],
)
def test_a_wish_for_detail_behind_a_question_is_not_searched(message: str, text: str) -> None:
    assert Talk().say(message).text == text


def test_a_page_is_no_answer_to_which_section() -> None:
    talk = Talk()
    assert talk.say("стр. 15 вопросы, 10 класс").intent == "section_questions"
    talk.bot_asks("question")
    query = talk.say("что на странице 20")
    assert (query.intent, query.scope.pages) == ("summary", ("20",))


def test_smalltalk_leaves_the_memory_alone() -> None:
    memory = Memory(grade=9, last_question="Что такое дума?", last_paragraphs=("5",))
    talk = Talk(memory)
    talk.say("спасибо!")
    assert talk.memory == memory


def test_the_grade_is_told_first() -> None:
    talk = Talk()
    assert talk.say("10 класс").text == ""
    query = talk.say("что такое дума")
    assert (query.text, query.scope.grades) == ("что такое дума", (10,))


def test_two_users_keep_their_grades() -> None:
    first, second = Talk(), Talk()
    first.say("7 класс что такое дума")
    second.say("9 класс что такое дума")
    assert first.say("что такое мораль").scope.grades == (7,)
    assert second.say("что такое мораль").scope.grades == (9,)


def test_the_subject_of_another_grade_sets_the_memory_aside() -> None:
    query = Talk(Memory(grade=9)).say("по истории что такое дума")
    assert (query.scope.grades, query.scope.book_id) == ((), "ist10")


def test_a_long_question_is_cut_for_the_search_and_said() -> None:
    message = "расскажи подробно " + "почему государство заботится о гражданах " * 120 + " § 5 10 класс"
    query = Talk().say(message[-4096:])
    assert 400 < len(query.text) <= MAX_SEARCH_TEXT
    assert not query.text.endswith(("забо", "гра"))
    assert (query.scope.grades, query.scope.paragraphs) == ((10,), ("5",))
    assert query.scope.note == "Вопрос длинный: ищу по первым 500 знакам."
    assert query.message == message[-4096:]


def test_a_followup_keeps_the_scope_and_the_question() -> None:
    talk = Talk()
    talk.say("10 класс, § 13: что такое мораль?")
    more = talk.say("подробнее")
    assert (more.text, more.scope.grades, more.scope.paragraphs) == ("что такое мораль?", (10,), ("13",))
    assert more.detailed
    example = talk.say("приведи пример")
    assert (example.text, example.scope.paragraphs, example.detailed) == (
        "приведи пример: мораль",
        ("13",),
        False,
    )
    again = talk.say("а подробнее?")
    assert (again.text, again.detailed) == ("что такое мораль?", True)
    other = talk.say("а что насчёт права?")
    assert (other.text, other.intent, other.scope.paragraphs) == ("что такое право?", "question", ("13",))
    assert talk.say("а в 11 классе?").text == "что такое право?"


def test_a_followup_without_a_question_before_it_stands_alone() -> None:
    assert not Talk().say("подробнее").detailed
    assert "мораль" in Talk().say("а что насчёт морали?").text.replace("морали", "мораль")


@pytest.mark.parametrize(
    ("message", "items"), [("а 4?", ("4",)), ("4", ("4",)), ("а пятый?", ("5",)), ("а 10?", ("10",)),
    ("а следующий?", ("4",)), ("предыдущий", ("2",)), ("следующий вопрос", ("4",))],
)  # fmt: skip
def test_another_question_of_the_same_section(message: str, items: tuple[str, ...]) -> None:
    talk = Talk()
    talk.say("10 класс вопрос 3 § 1")
    query = talk.say(message)
    assert (query.intent, query.scope.paragraphs, query.scope.items) == ("section_questions", ("1",), items)
    assert query.scope.grades == (10,)
    assert talk.say("а в 11?").scope.grades == (11,)


@pytest.mark.parametrize(
    ("first", "message", "intent", "paragraph"),
    [
        ("о чём § 2 10 класс", "а следующий?", "summary", "3"),
        ("о чём § 2 10 класс", "следующий", "summary", "3"),
        ("о чём § 2 10 класс", "предыдущий параграф", "summary", "1"),
        ("дз § 2 10 класс", "следующий параграф", "section_questions", "3"),
        ("дз § 2 10 класс", "перескажи следующий параграф", "summary", "3"),
        ("о чём § 2 10 класс", "ответы на вопросы следующего параграфа", "section_questions", "3"),
        ("о чём § 14 10 класс", "а следующий?", "summary", "15"),
        ("что такое дума § 5 10 класс", "а в следующем параграфе?", "question", "6"),
        ("что такое дума § 5 10 класс", "следующий параграф", "summary", "6"),
    ],
)
def test_the_neighbouring_section(first: str, message: str, intent: str, paragraph: str) -> None:
    talk = Talk()
    talk.say(first)
    query = talk.say(message)
    assert (query.intent, query.scope.paragraphs, query.scope.grades) == (intent, (paragraph,), (10,))
    assert talk.say("ответы на вопросы").scope.paragraphs == (paragraph,)


@pytest.mark.parametrize("message", ["а следующий?", "а почему?", "почему он умер?", "что такое"])
def test_without_anything_before_it_is_unclear(message: str) -> None:
    query = Talk(Memory(grade=10)).say(message)
    assert (query.text, query.unclear) == ("", "incomplete")


def test_the_next_section_of_none_is_asked_back() -> None:
    query = Talk().say("о чём следующий параграф")
    assert (query.intent, query.scope.paragraphs) == ("summary", ())


def test_my_next_question_is_no_section() -> None:
    assert (
        Talk(Memory(last_paragraphs=("2",)))
        .say("у меня следующий вопрос: что такое мораль")
        .text.endswith("что такое мораль")
    )


def test_a_pronoun_is_asked_about_the_last_topic_and_keeps_it() -> None:
    talk = Talk()
    talk.say("кто такой Кант 9 класс")
    born = talk.say("а когда он родился?")
    assert (born.text, born.scope.grades, born.own_words) == ("когда Кант родился?", (9,), {"родиться"})
    assert talk.say("а где он жил?").text == "где Кант жил?"
    assert talk.say("а в § 8?").text == "кто такой Кант"


@pytest.mark.parametrize("reply", ["9", "9 класс", "в 9", "а 9?"])
def test_a_grade_after_a_question_asked_of_all_grades(reply: str) -> None:
    talk = Talk()
    talk.say("что такое мораль")
    query = talk.say(reply)
    assert (query.text, query.scope.grades) == ("что такое мораль", (9,))
    assert talk.say("приведи пример").scope.grades == (9,)


def test_a_number_after_a_question_that_is_no_loaded_grade() -> None:
    talk = Talk()
    talk.say("что такое мораль")
    assert talk.say("5").scope.note == "5 — это класс, параграф или страница?"


def test_the_grade_chosen_beside_the_message_does_not_end_the_talk() -> None:
    talk = Talk()
    talk.say("о чём § 2", ScopeOptions(grade=10))
    assert talk.say("а следующий?", ScopeOptions(grade=10)).scope.paragraphs == ("3",)
    assert talk.say("реши 2+2", ScopeOptions(grade=10)).unclear == "sum"
