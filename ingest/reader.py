"""PDF file → `RawBook`, read by child processes under time and memory limits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from ingest.crew import Crew
from ingest.errors import IngestError, NoPages, NotPdf, TooLarge
from ingest.lines import RawBook, RawPage
from ingest.settings import IngestSettings
from ingest.worker import Way, header_is_pdf

Progress = Callable[[int, int], None]
"""`progress(done, total)` in pages."""


def read_pdf(path: Path, settings: IngestSettings, progress: Progress = lambda done, total: None) -> RawBook:
    """Reads all pages; a page that fails is there with its `failure`.

    Raises:
        IngestError: the file as a whole cannot be read.
    """
    _check_file(path, settings)
    with Crew(path, settings) as crew:
        total, outline = crew.open()
        if total > settings.max_pages:
            raise TooLarge(
                f"В файле {total} страниц, больше {settings.max_pages} не принимаем. Разделите его на части."
            )
        pages = _read(crew, range(1, total + 1), "full", progress)
    return RawBook(tuple(pages.values()), outline)


def read_again(
    path: Path,
    settings: IngestSettings,
    numbers: Sequence[int],
    way: Way,
    progress: Progress = lambda done, total: None,
) -> dict[int, RawPage]:
    """Some sheets of a file that `read_pdf` has read, in another way. Raises IngestError if it is gone."""
    if not numbers:
        return {}
    with Crew(path, settings) as crew:
        crew.open()
        return _read(crew, numbers, way, progress)


def _read(crew: Crew, numbers: Sequence[int], way: Way, progress: Progress) -> dict[int, RawPage]:
    """In the order of `numbers`."""
    pages: dict[int, RawPage] = {}

    def keep(page: RawPage) -> None:
        pages[page.file_page] = page
        progress(len(pages), len(numbers))

    crew.read(numbers, way, keep)
    return {number: pages[number] for number in numbers}


def _check_file(path: Path, settings: IngestSettings) -> None:
    try:
        size = path.stat().st_size
        if not path.is_file():
            raise NotPdf("Это не файл. Укажите путь к файлу PDF.")
        if size == 0:
            raise NoPages("Файл пуст (0 байт). Скачайте или сохраните его заново.")
        if size > settings.max_file_mb * 1024 * 1024:
            raise TooLarge(
                f"Файл больше {settings.max_file_mb} МБ. Разделите его на части или сожмите картинки."
            )
        if not header_is_pdf(path):
            raise NotPdf("Это не PDF. Сохраните учебник в формате PDF и повторите.")
    except FileNotFoundError:
        raise NotPdf("Такого файла нет. Проверьте путь.") from None
    except PermissionError:
        raise IngestError(
            "Файл нельзя прочитать: не хватает прав. Дайте право на чтение и повторите."
        ) from None
