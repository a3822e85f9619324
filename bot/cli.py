"""The `paragraf` command: parses, calls, prints. Exit 0 ok, 1 domain error, 2 wrong usage."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

import click
from rich.console import Console

from answer.assistant import Assistant
from answer.errors import AnswerError
from answer.generating.errors import GeneratorError
from answer.query import ScopeOptions
from bot.archive_command import export_store, import_store
from bot.batch import BatchRowError, answer_batch
from bot.doctor import run_checks
from bot.errors import AddressInvalid, BotError
from bot.feedback_command import export_votes
from bot.logs import configure
from bot.phrased import asking, open_phraser
from bot.settings import BotSettings
from bot.terminal import print_answer, print_books
from index.embedders import load_embedder
from index.errors import IndexStoreError
from index.russian_click import RussianGroup
from index.settings import IndexSettings
from index.store import Store

STORE_HELP = "Каталог загруженных учебников (иначе STORE_DIR, иначе data/store)."
store_option = click.option("--store", type=click.Path(path_type=Path, file_okay=False), help=STORE_HELP)


@click.group(
    cls=RussianGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}
)
@click.version_option(package_name="paragraf", message="Параграф %(version)s", help="Показать версию.")
def main() -> None:
    """Параграф: ответы на вопросы строго по загруженным учебникам."""


@main.command()
@click.argument("question", required=False, metavar="[ВОПРОС]")
@click.option("--grade", type=click.IntRange(1, 11), help="Класс.")
@click.option("--paragraph", help="Номер §.")
@click.option("--book", "book_id", help="Идентификатор учебника (см. paragraf books).")
@store_option
@click.option("--json", "as_json", is_flag=True, help="Один объект JSON вместо текста.")
@click.option(
    "--batch",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Файл JSONL с вопросами: {question, grade?, paragraph?, book_id?}.",
)
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), help="Куда писать ответы --batch.")
def ask(
    question: str | None,
    grade: int | None,
    paragraph: str | None,
    book_id: str | None,
    store: Path | None,
    as_json: bool,
    batch: Path | None,
    out: Path | None,
) -> None:
    """Ответить на вопрос по учебникам."""
    if (question is None) == (batch is None):
        raise click.UsageError("Нужен либо вопрос, либо --batch ФАЙЛ.jsonl --out ФАЙЛ.jsonl.")
    if (batch is None) != (out is None):
        raise click.UsageError("--batch и --out даются вместе.")
    options = ScopeOptions(grade=grade, paragraph=paragraph, book_id=book_id)
    with clean_errors():
        assistant = open_assistant(store)
        if book_id is not None and book_id not in assistant.library.books:
            known = ", ".join(sorted(assistant.library.books)) or "ни одного"
            fail(f"Учебника «{book_id}» нет. Загружены: {known}.")
        with asking(assistant, store_path(store)) as answer_to:
            if batch is not None and out is not None:
                count = answer_batch(answer_to, batch, out, options)
                click.echo(f"Ответов: {count}, записаны в {out}", err=True)
                return
            answer = answer_to(question or "", options)
    if as_json:
        print_json(answer.to_json())
    else:
        print_answer(answer, Console())
    if not (question or "").strip():
        sys.exit(2)


@main.command(
    context_settings={"ignore_unknown_options": True, "help_option_names": []}, add_help_option=False
)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def ingest(arguments: tuple[str, ...]) -> None:
    """Загрузить учебники из PDF (см. paragraf ingest --help)."""
    run_module("ingest", arguments)


@main.command(
    context_settings={"ignore_unknown_options": True, "help_option_names": []}, add_help_option=False
)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def evaluate(arguments: tuple[str, ...]) -> None:
    """Измерить качество на наборе вопросов (см. paragraf evaluate --help)."""
    run_module("evaluation", arguments)


@main.command()
@store_option
@click.option("--json", "as_json", is_flag=True, help="Список JSON вместо таблицы.")
def books(store: Path | None, as_json: bool) -> None:
    """Показать загруженные учебники."""
    with clean_errors():
        library = open_assistant(store).library
    if as_json:
        rows = [
            {
                "book_id": book.book_id,
                "title": book.title,
                "subject": book.subject,
                "grades": list(book.grades),
                "pages": len(book.pages),
                "paragraphs": len(book.paragraphs),
                "status": "ok",
            }
            for book in library.books.values()
        ]
        rows += [{"book_id": book_id, "status": "damaged"} for book_id in library.damaged]
        print_json(rows)
    else:
        print_books(library, Console())


@main.command()
@click.argument("book_id", metavar="ИДЕНТИФИКАТОР")
@store_option
def remove(book_id: str, store: Path | None) -> None:
    """Убрать учебник из хранилища."""
    with clean_errors():
        Store(store_path(store)).remove(book_id)
    click.echo(f"Учебник «{book_id}» убран.")


@main.command("export")
@click.argument("target", metavar="ФАЙЛ.paragraf", type=click.Path(path_type=Path, dir_okay=False))
@store_option
def export_command(target: Path, store: Path | None) -> None:
    """Упаковать все учебники в один файл: для переноса или про запас."""
    with clean_errors():
        click.echo(export_store(Store(store_path(store)), target))


@main.command("import")
@click.argument(
    "source", metavar="ФАЙЛ.paragraf", type=click.Path(path_type=Path, exists=True, dir_okay=False)
)
@store_option
@click.option(
    "--max-gb",
    type=click.IntRange(1, 100_000),
    default=50,
    show_default=True,
    help="Наибольший размер архива, гигабайт.",
)
def import_command(source: Path, store: Path | None, max_gb: int) -> None:
    """Взять учебники из файла, который записала команда export.

    Учебники с теми же идентификаторами заменяются, остальные остаются. Все появляются разом; если архив не
    подходит или повреждён, хранилище не меняется.
    """
    with clean_errors():
        embedder = load_embedder(IndexSettings().embedder)
        click.echo(import_store(source, Store(store_path(store)), embedder, max_gb))


@main.group(cls=RussianGroup)
def feedback() -> None:
    """Оценки 👍 и 👎, которые поставили ученики."""


@feedback.command("export")
@click.argument("out", metavar="ФАЙЛ.jsonl", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--database", metavar="АДРЕС", help="База бота (иначе DATABASE_URL).")
def feedback_export(out: Path, database: str | None) -> None:
    """Записать оценённые вопросы, которые ученики разрешили сохранить, как вопросы для evaluate."""
    with clean_errors():
        click.echo(export_votes(database or BotSettings().database_url, out))


@main.command()
@store_option
@click.option("--telegram", is_flag=True, help="Запустить бота Telegram (нужен BOT_TOKEN).")
@click.option("--web", "web", metavar="HOST:PORT", help="Запустить страницу чата, обычно 127.0.0.1:8080.")
@click.option("--open/--no-open", "open_browser", default=None, help="Открыть страницу в браузере.")
def serve(store: Path | None, telegram: bool, web: str | None, open_browser: bool | None) -> None:
    """Запустить бота и/или страницу чата.

    Без ключей: бот Telegram, если задан BOT_TOKEN, иначе страница чата на 127.0.0.1:8080.
    """
    with clean_errors():
        settings = BotSettings()
        configure(settings.log_level, settings.bot_token, settings.log_format)
        if telegram and settings.bot_token is None:
            raise click.UsageError(
                "Для --telegram нужен BOT_TOKEN: получите его у @BotFather и впишите в .env."
            )
        from bot.serve import WebAddress, serve_forever  # takes seconds; wrong settings are said at once

        if not telegram and web is None:
            telegram = settings.bot_token is not None
            web = None if telegram else "127.0.0.1:8080"
        try:
            address = WebAddress.parse(web) if web is not None else None
        except AddressInvalid as error:
            raise click.UsageError(str(error)) from error
        browser = sys.stdout.isatty() if open_browser is None else open_browser
        assistant = open_assistant(store, missing_ok=True)
        if not assistant.library.books:
            click.echo(
                f"В {store_path(store)} учебников пока нет. Загрузите: paragraf ingest --help", err=True
            )
        phraser = open_phraser(assistant, store_path(store))
        asyncio.run(
            serve_forever(assistant, phraser, settings, telegram, address, browser, store_path(store))
        )


@main.command()
@store_option
def doctor(store: Path | None) -> None:
    """Проверить, всё ли готово к работе."""
    with clean_errors():
        checks = run_checks(store_path(store), IndexSettings().embedder, BotSettings())
    for check in checks:
        click.echo(f"{'✓' if check.ok else '✗'} {check.name}: {check.detail}")
    if not all(check.ok for check in checks):
        sys.exit(1)


@main.command("purge")
def purge_command() -> None:
    """Удалить из базы бота то, что хранится дольше положенного (RETENTION_DAYS).

    Работающий бот делает это сам раз в сутки.
    """
    from bot.retention import purge_database

    with clean_errors():
        settings = BotSettings()
        deleted = asyncio.run(purge_database(settings.database_url, settings.retention_days))
    for name, number in deleted.items():
        click.echo(f"{name}: удалено строк {number}")
    if not deleted:
        click.echo("Удалять нечего.")


def store_path(store: Path | None) -> Path:
    """The `--store` option, else the setting."""
    return store if store is not None else IndexSettings().store_dir


def open_assistant(store: Path | None, *, missing_ok: bool = False) -> Assistant:
    """The assistant over the chosen store with the configured embedder."""
    return Assistant.open(store_path(store), IndexSettings().embedder, missing_ok=missing_ok)


def run_module(module: str, arguments: tuple[str, ...]) -> NoReturn:
    """Run a package's own command as a child process, with our streams and its exit code.

    Ingestion must not share memory, limits or fate with whoever started it; `-P` keeps a folder
    of the current directory from being taken for the package.
    """
    command = [sys.executable, "-P", "-m", module, *arguments]
    sys.exit(subprocess.run(command, check=False).returncode)  # noqa: S603 - our own interpreter and modules


@contextmanager
def clean_errors() -> Iterator[None]:
    """Domain errors become one line and exit code 1; anything else is a bug and keeps its traceback."""
    try:
        yield
    except (IndexStoreError, AnswerError, GeneratorError, BotError, BatchRowError) as error:
        fail(str(error))


def fail(message: str) -> NoReturn:
    """Print one line to stderr and leave with exit code 1."""
    click.echo(f"Ошибка: {message}", err=True)
    sys.exit(1)


def print_json(value: Any) -> None:
    """JSON in UTF-8 whatever the terminal's locale says."""
    sys.stdout.buffer.write((json.dumps(value, ensure_ascii=False, indent=1) + "\n").encode())
    sys.stdout.buffer.flush()
