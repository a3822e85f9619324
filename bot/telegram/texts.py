"""What the bot says by itself, in Russian. Plain text; sent without a parse mode."""

from __future__ import annotations

from collections.abc import Mapping

from answer.wording import grades_name
from index.book import Book

NO_BOOKS = "Учебники ещё не загружены. Попросите учителя загрузить их, и я начну отвечать."
ASK_GRADE = "В каком вы классе?"
GRADE_ANY = "Во всех классах"
HELP = """Напишите вопрос обычными словами.
Я отвечаю только тем, что есть в загруженных учебниках, и показываю, где это написано.

Примеры:
• Что такое общество?
• О чём § 3?
• Ответы на вопросы § 5
• Что сказано о налогах, 9 класс?
• А подробнее?

Команды:
/grade — выбрать класс (или сразу: /grade 10)
/book — выбрать учебник
/contents — оглавление: главы и параграфы
/books — какие учебники загружены
/reset — начать разговор заново (класс останется)
/forget — удалить всё, что я о вас помню
/privacy — что я храню

Если вы исправите свой вопрос, я отвечу на него ещё раз.
В группе обращайтесь ко мне по имени или отвечайте на моё сообщение."""
PRIVACY = """По каждому чату я храню:
• ваш класс и учебник;
• сообщение, пока я на него не ответил;
• последний вопрос и его §;
• вопрос, который ждёт уточнения;
• за кнопками под 20 последними ответами: вопрос, страницы и цитаты (или варианты);
• спрашивал ли я, можно ли сохранять вопросы, и что вы ответили;
• что вас пригласил учитель, если я отвечаю только по приглашениям;
• у учителей: присланный учебник, пока он загружается;
• время последнего изменения.

Кто долго не пишет, о том я всё удаляю сам.

👍 и 👎 считаются без имени: класс, §, учебник, оценка и день.
Вопрос с его страницами сохраняется для учителя, только если вы разрешили.

Имени, номера телефона и переписки я не храню. /forget удаляет всё сразу (безымянные оценки остаются)."""
UNKNOWN_COMMAND = "Такой команды нет. Все команды: /help"
RESET = "Начинаем заново."
FORGOTTEN = "Готово, я всё забыл: класс, последний вопрос и кнопки под ответами. Начать снова: /start"
NOT_TEXT = "Я понимаю только текст. Напишите вопрос словами (подпись к фото тоже подойдёт)."
NO_TEXT = "Напишите вопрос словами."
BOOKS_BY_TEACHER = "Учебники я принимаю только от учителя. Напишите вопрос словами."
NO_WORDS = "Не вижу в сообщении слов. Напишите вопрос, например: «Что такое общество?»"
ASK_GRADE_FIRST = "В каком вы классе? Отвечу по вашему учебнику, а вопрос подождёт."
HELLO_GROUP = (
    "Здравствуйте! Отвечаю на вопросы по учебникам. Обратитесь ко мне по имени или ответьте на моё "
    "сообщение; остального я не читаю. Что умею: /help"
)
BOOK_ANY = "Любой учебник"
CHOOSE_BOOK = "Какой у вас учебник?"
CHOOSE_CONTENTS = "Оглавление какого учебника показать?"
ANY_BOOK_CHOSEN = "Хорошо, ищу во всех учебниках вашего класса. Выбрать учебник: /book"
NO_SUCH_BOOK = "Этого учебника больше нет. Выберите из загруженных:"
CHOOSE_CHAPTER = "Выберите главу:"
CHOOSE_PART = "Выберите раздел:"
CHOOSE_SECTION = "Выберите параграф:"
CHOOSE_PLACE = "Выберите параграф или раздел:"
NO_SECTIONS = "Параграфов в этом учебнике я не нашёл. Спросите обычными словами."
SHOW_PAGE = "Показать страницу"
SECTION_QUESTIONS = "Ответы на вопросы"
BACK, BACK_TO_CHAPTERS, BACK_TO_BOOKS = "⬅ Назад", "⬅ Оглавление", "⬅ Учебники"
CUT = "Сообщение длинное, я прочитал только начало."
NOTHING_MORE = "Вокруг этого места больше ничего по вопросу нет. Всю страницу покажет кнопка под ответом."
ALREADY_SHOWN = "Это уже показано ниже."
VOTED = "Спасибо!"
VOTE_CHANGED = "Оценка изменена."
VOTED_ALREADY = "Эта оценка уже учтена."
ASK_CONSENT = (
    "Спасибо за оценку! Можно сохранять вопросы, которые вы оценили, чтобы учитель улучшил бота? "
    "Имя не сохраняется. Передумать можно в /privacy."
)
CONSENT_YES, CONSENT_NO = "Да, можно", "Нет"
CONSENT_GIVEN = "Спасибо! Оценённые вопросы сохраняю. Передумать: /privacy"
CONSENT_REFUSED = "Хорошо, вопросы не сохраняю."
CONSENT_STATE = {
    True: "Сейчас вы разрешили сохранять оценённые вопросы.",
    False: "Сейчас вопросы не сохраняются.",
}
CONSENT_WITHDRAW, CONSENT_ALLOW = "Не сохранять и удалить", "Разрешить сохранять"
STALE_CONTENTS = "Учебник с тех пор обновили. Откройте оглавление заново: /contents"
STALE_BUTTON = "Эта кнопка устарела. Задайте вопрос ещё раз."
NOT_YOUR_BUTTON = "Это кнопки другого ученика. Задайте свой вопрос."
MISSED = "Меня некоторое время не было, и старые сообщения я пропустил. Задайте вопрос ещё раз, пожалуйста."
INTERRUPTED = (
    "Меня перезапустили, пока я отвечал. Если ответа нет или он не весь, повторите вопрос, пожалуйста."
)
TOO_MANY = "Слишком много сообщений сразу. Подождите ответа на предыдущие."
SHOWING = "Сейчас покажу"
WORDING = "…подбираю слова"
WORDING_OVERTAKEN = "Слова подбираю уже к следующему вопросу; здесь остаются цитаты."
COMMANDS = {
    "start": "начать",
    "help": "как спрашивать",
    "grade": "выбрать класс",
    "book": "выбрать учебник",
    "contents": "оглавление учебника",
    "books": "загруженные учебники",
    "reset": "начать разговор заново",
    "forget": "удалить всё, что бот помнит",
    "privacy": "что бот хранит",
}


def welcome(grades: tuple[int, ...]) -> str:
    """First contact, in three lines and a question."""
    if not grades:
        return f"Здравствуйте! Я отвечаю на вопросы по школьным учебникам.\n{NO_BOOKS}"
    return (
        "Здравствуйте! Я отвечаю на вопросы строго по школьным учебникам.\n"
        "К ответу даю цитату, § и страницу; страницу могу показать.\n"
        "Если в учебнике ответа нет, так и скажу. Как спрашивать: /help\n\n" + ASK_GRADE
    )


def grade_chosen(grade: int) -> str:
    """After a grade is chosen."""
    return f"Хорошо, {grade} класс. Задавайте вопрос. Сменить класс: /grade"


def any_grade_chosen() -> str:
    """After the grade is taken back."""
    return "Хорошо, ищу во всех учебниках. Задавайте вопрос. Выбрать класс: /grade"


def no_such_grade(grades: tuple[int, ...]) -> str:
    """A grade without books, or something that is no grade."""
    if not grades:
        return NO_BOOKS
    return f"Учебников для этого класса нет. Есть: {', '.join(map(str, grades))}. Выберите класс:"


def book_chosen(book: Book) -> str:
    """After a textbook is chosen."""
    return f"Хорошо: {book_line(book)}. Ищу сначала в нём. Сменить учебник: /book, его оглавление: /contents"


def current_book(book: Book | None) -> str:
    """Above the list of books."""
    return CHOOSE_BOOK if book is None else f"Сейчас выбран: {book_line(book)}. {CHOOSE_BOOK}"


def book_line(book: Book) -> str:
    """«Обществознание, 10 класс»."""
    return f"{book.title}, {grades_name(book.grades)}"


def privacy(agreed: bool) -> str:
    """What is stored, and whether voted questions are."""
    return f"{PRIVACY}\n\n{CONSENT_STATE[agreed]}"


def current_grade(grade: int | None) -> str:
    """Above the grade buttons."""
    return ASK_GRADE if grade is None else f"Сейчас выбран {grade} класс. {ASK_GRADE}"


def books_list(books: Mapping[str, Book]) -> str:
    """Title, grade and extent of each book."""
    if not books:
        return NO_BOOKS
    ordered = sorted(books.values(), key=lambda book: (book.grades, book.title))
    lines = [f"• {book_line(book)}: {_extent(book)}" for book in ordered]
    return "Загруженные учебники:\n" + "\n".join(lines) + "\n\nЧто в учебнике: /contents"


def internal_error(number: str) -> str:
    """An error that the log explains under the same number."""
    return f"Что-то пошло не так, номер ошибки {number}. Попробуйте ещё раз."


def queue_line(ahead: int, seconds: int) -> str:
    """While many ask at once; taken away before the answer. `seconds` is rounded."""
    return f"Сейчас спрашивают многие: перед вами {ahead}, ждать примерно {seconds} с. Отвечу обязательно."


def wording_place(ahead: int, seconds: int) -> str:
    """Under an answer that waits for the model; `seconds` is rounded."""
    return f"…подбираю слова: перед вами {ahead}, ждать примерно {seconds} с"


def option_chosen(question: str, label: str) -> str:
    """The clarifying question after a button was pressed."""
    return f"{question}\n→ {label}"


def _extent(book: Book) -> str:
    """«§ 1–12, страниц 40»."""
    numbers = [section.numbers[0] for section in book.paragraphs if section.unit == "§" and section.numbers]
    pages = f"страниц {len(book.pages)}"
    return f"§ {numbers[0]}–{numbers[-1]}, {pages}" if len(numbers) > 1 else pages
