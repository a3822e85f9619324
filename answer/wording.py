"""Every Russian sentence of ours that an answer can hold."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from index.book import Book, Section

NO_BOOKS = "Учебники ещё не загружены. Попросите учителя загрузить PDF учебника и спросите ещё раз."
ASK_QUESTION = "Напишите вопрос, например: «Что такое общество, 10 класс» или «О чём § 5»."
ASK_WHOLE = "Не понял, о чём вопрос. Напишите его целиком, например: «Что такое общество, 10 класс»."
NO_SUMS = "Примеры и задачи я не решаю: отвечаю только тем, что написано в загруженных учебниках."
NOT_WHOLE = "Параграф целиком я не переписываю: откройте его в учебнике. Вот главное из него:"
FORGETTING = "Чтобы я удалил всё, что о вас помню, отправьте /forget."
WHICH_PARAGRAPH_QUESTIONS = "На вопросы какого параграфа ответить? Напишите, например: «вопросы § 5»."
WHICH_PARAGRAPH_SUMMARY = "О каком параграфе рассказать? Напишите, например: «о чём § 5»."
WHICH_PARAGRAPH_ITEM = "Из какого параграфа это задание? Напишите, например: «вопрос {item} § 5»."
WHICH_GRADE_ANSWER = "Об этом говорится в учебниках разных классов. Для какого класса ответить?"
WHICH_CONTENTS = "Оглавление какого учебника показать?"
NOTHING_ELSE = "Больше ничего подходящего в учебнике нет."
OWN_WORK = "Это задание на самостоятельную работу: в параграфе нет готового ответа."

GREETING = (
    "Здравствуйте! Я отвечаю на вопросы строго по загруженным учебникам и показываю параграф и страницу. "
    "Напишите вопрос и класс, например: «Что такое общество, 10 класс»."
)
ABILITIES = (
    "Я ищу ответы в загруженных учебниках: отвечаю цитатами с параграфом и страницей, отвечаю на вопросы "
    "после параграфа («вопросы § 5»), рассказываю, о чём параграф («о чём § 5»), и показываю оглавление. "
    "Чего в учебнике нет, того не придумываю. Какой у вас вопрос?"
)
THANKS = "Пожалуйста! Если появится ещё вопрос по учебнику, напишите его."
READY = "Хорошо. Если появится вопрос по учебнику, напишите его."
CALM = "Давайте по учебнику: напишите вопрос, например «О чём § 5»."
HELPLINE = (
    "Я только ищу ответы в учебниках и помочь с этим не сумею, но вам есть с кем поговорить. Детский телефон "
    "доверия: 8-800-2000-122, бесплатно и без имени; если вы в опасности — 112. Расскажите взрослому, "
    "которому доверяете."
)
FAREWELL = "До свидания! Когда понадобится учебник, напишите вопрос."


def bare_number(number: str) -> str:
    return f"{number} — это класс, параграф или страница? Напишите вопрос целиком."


def grade_noted(grades: Sequence[int]) -> str:
    return f"Хорошо, {grades_name(grades)}. Что вы хотите узнать?"


def grades_name(grades: Iterable[int]) -> str:
    """«10 класс», «10–11 классы», «5, 7 и 9 классы»."""
    ordered = sorted(set(grades))
    if len(ordered) == 1:
        return f"{ordered[0]} класс"
    if len(ordered) == ordered[-1] - ordered[0] + 1:
        return f"{ordered[0]}–{ordered[-1]} классы"
    return f"{', '.join(map(str, ordered[:-1]))} и {ordered[-1]} классы"


def book_name(book: Book) -> str:
    """«учебник «Обществознание» (10 класс)» without the first word, for any case."""
    return f"«{book.title}» ({grades_name(book.grades)})"


def section_name(section: Section) -> str:
    """«§ 13 «Трудовое право»»."""
    return f"{section.label} «{section.title}»" if section.title else section.label


def unit_label(unit: str, keys: Sequence[str]) -> str:
    """«§ 13», «§ 13 и 15», «глава 2»."""
    return f"{unit} {joined(keys)}"


def joined(words: Sequence[str]) -> str:
    """«а», «а и б», «а, б и в»."""
    return " и ".join(part for part in (", ".join(words[:-1]), *words[-1:]) if part)


def unknown_grade(asked: Iterable[int], loaded: Iterable[int]) -> str:
    asked = sorted(set(asked))
    grades = f"{asked[0]} класса" if len(asked) == 1 else f"{joined([str(grade) for grade in asked])} классов"
    return f"Учебника для {grades} у меня нет. Загружены: {grades_name(loaded)}."


def unknown_book(book_id: str, books: Iterable[Book]) -> str:
    return f"Учебника «{book_id}» у меня нет. Загружены: {joined([book_name(book) for book in books])}."


def missing_paragraphs(book: Book, keys: Sequence[str], nearest: Sequence[Section]) -> str:
    """Says that the book has no such §, which ones it has, and the nearest ones."""
    sections = [section for section in book.paragraphs if section.numbers]
    if not sections:
        return f"В учебнике {book_name(book)} нет нумерованных параграфов; спросите без номера."
    unit = sections[0].unit
    first, last = sections[0].numbers[0], sections[-1].numbers[-1]
    there = f"в нём {unit} {first}–{last}" if first != last else f"в нём только {unit} {first}"
    text = f"В учебнике {book_name(book)} нет {unit} {joined(keys)}: {there}."
    if nearest:
        names = joined([section_name(section) for section in nearest])
        text += f" {'Ближайший по номеру' if len(nearest) == 1 else 'Ближайшие по номеру'}: {names}."
    return text


def missing_pages(book: Book, pages: Sequence[str], nearest: Section | None = None) -> str:
    printed = [
        page.printed_page for page in book.pages if page.printed_page and page.printed_page.isdecimal()
    ]
    text = f"В учебнике {book_name(book)} нет {'страницы' if len(pages) == 1 else 'страниц'} {joined(pages)}"
    text += f": страницы {printed[0]}–{printed[-1]}." if printed else ": его страницы без номеров."
    if nearest is None:
        return text
    return f"{text} Ближайший параграф: {section_name(nearest)} (стр. {nearest.printed_page})."


def several_books(what: str) -> str:
    return f"{what[:1].upper()}{what[1:]} есть в нескольких учебниках. О каком вы спрашиваете?"


def where(books: Sequence[Book], keys: Sequence[str], pages: Sequence[str], unit: str) -> str:
    """«В § 5 учебника «Обществознание» (10 класс)», «В учебнике …», «В загруженных учебниках»."""
    book = f"учебника {book_name(books[0])}" if len(books) == 1 else "загруженных учебников"
    if pages:
        return f"На {'странице' if len(pages) == 1 else 'страницах'} {joined(pages)} {book}"
    if keys:
        return f"В {unit_label(unit, keys)} {book}"
    return f"В учебнике {book_name(books[0])}" if len(books) == 1 else "В загруженных учебниках"


def not_found(place: str, nearest: Sequence[str]) -> str:
    text = f"{place} ответа на этот вопрос нет."
    return f"{text} {nearest_sections(nearest)}" if nearest else text


def nearest_sections(names: Sequence[str]) -> str:
    return f"Ближе всего по теме: {', '.join(names)}."


def found_in_other_grade(book: Book, section: str) -> str:
    return f"Похоже, об этом говорится в учебнике {book_name(book)}: {section}."


def widened(asked: str, found: str, same_book: bool) -> str:
    """The sentence before quotes from outside the asked place."""
    return f"{asked} этого нет, но {found}{' того же учебника' if same_book else ''} сказано:"


def no_block(section: Section, book: Book) -> str:
    return (
        f"После {section_name(section)} учебника {book_name(book)} я не нашёл вопросов и заданий. "
        f"Могу рассказать, о чём параграф: напишите «о чём {section.label}»."
    )


def no_item(items: Sequence[str], section: Section, count: int) -> str:
    asked = f"вопроса {items[0]}" if len(items) == 1 else f"вопросов {joined(items)}"
    return f"После {section_name(section)} нет {asked}: всего вопросов {count}."


def unanswered(numbers: Sequence[str], label: str) -> str:
    asked = f"вопрос {numbers[0]}" if len(numbers) == 1 else f"вопросы {joined(numbers)}"
    return f"В {label} нет ответа на {asked}."


def nothing_answered(label: str) -> str:
    return f"В {label} нет ответа ни на один из вопросов."


def empty_place(place: str) -> str:
    return f"{place} нет текста, который можно процитировать."


def capped(limit: int) -> str:
    return f"Показываю первые параграфы, не больше {limit} за раз."
