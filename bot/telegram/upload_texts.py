"""What admins read about textbooks on their way into the bot. Plain Russian text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bot.caption import Wish
from index.book import Book

ASK_NAME = (
    "Что это за учебник? Напишите класс, предмет и, если нужно, автора, например: "
    "«10 класс обществознание» или «История России, 9 класс, ч. 2»."
)
NAME_UNREADABLE = (
    "Нужны и класс, и предмет, в одном сообщении. Например: «10 класс обществознание» или "
    "«История России, 9 класс, ч. 2»."
)
HELP = """Учителю:
• пришлите PDF с подписью «10 класс обществознание», и я загружу учебник
/books — учебники и их состояние
/remove — убрать учебник
/stats — сколько спрашивают и как оценивают
/invite — ссылка для учеников, /invites — действующие ссылки"""
NOT_PDF = "Это не PDF. Учебники я принимаю только в формате PDF."
STARTED = "Скачиваю файл…"
READING = "Читаю учебник…"
DONE = "Готово."
NOT_LOADED = "Не загружен."
REPORT = "Отчёт о том, что прочитано: откройте файл в браузере."
CANCELLED = "Загрузка отменена, в библиотеке ничего не изменилось."
CANCELLED_LATE = "Загрузка отменена, но библиотека в это время менялась: проверьте /books."
GONE = "Этой загрузки уже нет."
INTERRUPTED = "Бот перезапускается. Загрузка продолжится сама, как только он вернётся."
AGAIN = "Бот перезапустился, начинаю с этим учебником заново."
GIVEN_UP = (
    "На этом учебнике бот дважды остановился, больше не пробую. "
    "Загрузите его на сервере: paragraf ingest --help"
)
DOWNLOAD_FAILED = "Файл не скачался: связь с Telegram обрывается. Пришлите его ещё раз чуть позже."
FILE_GONE = "Telegram этот файл больше не отдаёт. Пришлите его ещё раз."
NO_ROOM = "На сервере не хватает места на диске для этого файла. Освободите место и пришлите его ещё раз."
CANCEL = "Отменить"
REPLACE = "Заменить прежний"
BESIDE = "Добавить рядом"
READY = "Ученики уже могут спрашивать."
NOT_YET = "Учебник загружен; бот возьмёт его в течение минуты."
REPORT_TOO_LARGE = (
    "Подробный отчёт слишком велик для Telegram; он получится командой paragraf ingest … --report."
)
NO_BOOKS = "Учебников нет. Пришлите PDF с подписью, например «10 класс обществознание»."
REMOVE_WHICH = "Какой учебник убрать?"
REMOVE = "Убрать"
KEEP = "Оставить"
KEPT = "Учебник остался."
ALREADY_GONE = "Этого учебника уже нет."
SHOWN_WARNINGS = 3

STATUS = {
    "encrypted": "закрыт паролем",
    "damaged": "повреждён",
    "missing": "файла нет",
    "not_pdf": "не PDF",
    "no_text": "нет читаемого текста",
    "empty": "пуст",
    "too_large": "слишком велик",
    "failed": "не загрузился",
}


def too_large(size: int, largest: int, local: bool) -> str:
    """Beyond what the bot may fetch: told how to do it on the server."""
    megabytes = f"{size / 2**20:.0f} МБ"
    if local:
        return f"Файл слишком велик: {megabytes}, разрешено {largest / 2**20:.0f} МБ (INGEST_MAX_FILE_MB)."
    return (
        f"Файл слишком велик для Telegram: {megabytes}, ботам он отдаёт не больше {largest / 2**20:.0f} МБ. "
        "Скопируйте его на сервер и загрузите там:\n"
        "paragraf ingest ФАЙЛ.pdf --grade 10 --subject обществознание --title Обществознание"
    )


def too_slow(minutes: int) -> str:
    """Beyond UPLOAD_MINUTES."""
    return (
        f"Чтение заняло больше {minutes} мин., я его прервал; в библиотеке ничего не изменилось. "
        "Загрузите учебник на сервере (paragraf ingest --help) или увеличьте UPLOAD_MINUTES."
    )


def named(wish: Wish) -> str:
    """«Обществознание», 10 класс."""
    return f"«{wish.title}», {_grades(wish.grades)} класс"


def twice(wish: Wish) -> str:
    """A book of this name is there already."""
    return f"{named(wish)} уже есть. Что сделать с новым файлом?"


def accepted(wish: Wish, before: int) -> str:
    """In the queue."""
    place = f"Перед ним в очереди: {before}." if before else "Сейчас начну."
    return f"Принял: {named(wish)}. {place}"


def progress(wish: Wish, step: str, done: int, total: int) -> str:
    """«Чтение страниц: 40 из 120»."""
    return f"{named(wish)}\n{step}: {done} из {total}" if total else f"{named(wish)}\n{step}"


def summary(wish: Wish, report: Mapping[str, Any], ready: bool) -> str:
    """What was found in the book, and what is wrong with it."""
    status = str(report.get("status"))
    if status == "unchanged":
        return f"{named(wish)}: этот файл уже загружен, ничего не изменилось."
    warnings = [str(warning) for warning in report.get("warnings", ())]
    numbers = [section["number"] for section in report.get("paragraphs", ()) if section.get("number")]
    pages = f"Страниц: {report.get('pages', 0)}"
    details = [
        f"распознано сканов: {report['pages_ocr']}" if report.get("pages_ocr") else "",
        f"не прочитано: {report['pages_unreadable']}" if report.get("pages_unreadable") else "",
    ]
    shown = ", ".join(detail for detail in details if detail)
    lines = [
        f"{named(wish)}: {'загружен, но не весь' if status == 'partial' else 'загружен'}.",
        pages + (f" ({shown})" if shown else ""),
        f"Параграфов: {len(numbers)}" + (f" ({numbers[0]}–{numbers[-1]})" if len(numbers) > 1 else ""),
        *(f"⚠ {warning}" for warning in warnings[:SHOWN_WARNINGS]),
        *(
            [f"И ещё замечаний: {len(warnings) - SHOWN_WARNINGS}, они в отчёте."]
            if len(warnings) > SHOWN_WARNINGS
            else []
        ),
        READY if ready else NOT_YET,
    ]
    return "\n".join(lines)


def failed(wish: Wish, report: Mapping[str, Any]) -> str:
    """The book could not be loaded; the first warning says why."""
    reason = next((str(warning) for warning in report.get("warnings", ())), "")
    return f"{named(wish)}: {STATUS.get(str(report.get('status')), STATUS['failed'])}. {reason}".strip()


def problem(wish: Wish, text: str) -> str:
    """Ingestion did not come as far as the book."""
    return f"{named(wish)}: не загрузился. {text}".strip()


def book_line(book: Book) -> str:
    """«Обществознание, 10 класс: страниц 42, § 12»."""
    return f"{book.title}, {_grades(book.grades)} класс"


def books_status(books: Mapping[str, Book], damaged: Mapping[str, str]) -> str:
    """/books as admins see it."""
    if not books and not damaged:
        return NO_BOOKS
    lines = ["Загруженные учебники:"]
    for book in sorted(books.values(), key=lambda book: (book.grades, book.title)):
        unreadable = sum(page.kind == "unreadable" for page in book.pages)
        recognised = sum(page.ocr for page in book.pages)
        facts = [f"страниц {len(book.pages)}", f"параграфов {len(book.paragraphs)}"]
        facts += [f"распознано {recognised}"] if recognised else []
        facts += [f"не прочитано {unreadable}"] if unreadable else []
        facts += [f"замечаний {len(book.warnings)}"] if book.warnings else []
        lines.append(f"• {book_line(book)} ({book.book_id}): {', '.join(facts)}")
    lines += [f"• {book_id}: повреждён, пришлите его PDF ещё раз" for book_id in damaged]
    return "\n".join([*lines, "", "Добавить: пришлите PDF с подписью. Убрать: /remove"])


def remove_question(book: str) -> str:
    """Before a book is removed."""
    return f"Убрать «{book}» вместе с его PDF? Ученики больше не получат из него ответов."


def removed(book: str) -> str:
    """After it."""
    return f"«{book}» убран."


def _grades(grades: Sequence[int]) -> str:
    if len(grades) > 2 and grades == tuple(range(grades[0], grades[-1] + 1)):
        return f"{grades[0]}–{grades[-1]}"
    return ", ".join(map(str, grades))
