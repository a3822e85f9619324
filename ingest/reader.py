"""PDF file → `RawBook`, read by child processes under time and memory limits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from ingest.crew import BROKEN, Crew
from ingest.errors import Damaged, IngestError, Missing, NoPages, NotPdf, TooLarge
from ingest.lines import RawBook, RawPage
from ingest.settings import IngestSettings
from ingest.worker import PAGE_DAMAGED, Way, header_is_pdf

Progress = Callable[[int, int], None]
"""`progress(done, total)` in pages."""


def read_pdf(path: Path, settings: IngestSettings, progress: Progress = lambda done, total: None) -> RawBook:
    """Reads all pages; a page that fails is there with its `failure`.

    Raises:
        IngestError: the file as a whole cannot be read.
    """
    _check_file(path, settings)
    with Crew(path, settings) as crew:
        file = crew.open()
        if file.pages > settings.max_pages:
            raise TooLarge(
                f"Страниц в файле: {file.pages}, принимаем не больше {settings.max_pages}. "
                "Разделите его на части."
            )
        pages = _read(crew, range(1, file.pages + 1), "full", progress)
    if all(page.failure == PAGE_DAMAGED for page in pages.values()):
        raise Damaged(BROKEN)
    return RawBook(tuple(pages.values()), file.outline, file.cut)


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
            raise NotPdf(f"Это не PDF{_kind(path)}. Сохраните учебник в формате PDF и повторите.")
    except FileNotFoundError:
        raise Missing("Файла нет. Проверьте путь и имя.") from None
    except PermissionError:
        raise IngestError(
            "Файл нельзя прочитать: не хватает прав. Дайте право на чтение и повторите."
        ) from None


_KINDS = (
    (b"PK\x03\x04", "документ Word, EPUB или архив"),
    (b"\xd0\xcf\x11\xe0", "документ старого Word"),
    (b"{\\rtf", "документ RTF"),
    (b"AT&T", "DjVu"),
    (b"\xff\xd8", "картинка"),
    (b"\x89PNG", "картинка"),
    (b"Rar!", "архив"),
    (b"7z", "архив"),
)


def _kind(path: Path) -> str:
    """«, а …» where the first bytes tell what a file is instead of a PDF."""
    with path.open("rb") as file:
        head = file.read(512).lstrip(b"\xef\xbb\xbf \t\r\n")
    if head[:9].lower() == b"<!doctype" or head[:5].lower() in (b"<html", b"<?xml"):
        return ", а страница сайта (вместо файла скачалась она)"
    return next((f", а {name}" for mark, name in _KINDS if head.startswith(mark)), "")
