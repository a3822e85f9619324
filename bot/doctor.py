"""Is everything ready? One line per check, with the fix where something is missing."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from bot.settings import BotSettings
from index.embedders import load_embedder
from index.errors import IndexStoreError
from index.library import Library
from index.store import Store

FREE_DISK_GIB = 1


@dataclass(frozen=True, slots=True)
class Check:
    """One line of the report."""

    name: str
    ok: bool
    detail: str


def run_checks(store_dir: Path, embedder_name: str, settings: BotSettings) -> list[Check]:
    """All checks, none of which writes anything or speaks to the network."""
    return [
        _store(store_dir, embedder_name),
        _tesseract(),
        _disk(store_dir),
        _token(settings),
    ]


def _store(store_dir: Path, embedder_name: str) -> Check:
    try:
        library = Library.load(Store(store_dir), load_embedder(embedder_name))
    except IndexStoreError as error:
        return Check("учебники", False, str(error))
    if library.damaged:
        return Check("учебники", False, f"повреждены: {', '.join(library.damaged)}; загрузите их PDF заново")
    return Check(
        "учебники", bool(library.books), f"загружено: {len(library.books)}, модель поиска: {embedder_name}"
    )


def _tesseract() -> Check:
    """Scans are read only with it; born-digital books need none, so that its absence is no failure."""
    fix = "нет: страницы-сканы читаться не будут; Debian/Ubuntu: apt install tesseract-ocr tesseract-ocr-rus"
    path = shutil.which("tesseract")
    if path is None:
        return Check("Tesseract", True, fix)
    listed = subprocess.run([path, "--list-langs"], capture_output=True, text=True, check=False)  # noqa: S603
    has_russian = "rus" in listed.stdout.split()
    return Check("Tesseract", True, "есть, русский язык установлен" if has_russian else fix)


def _disk(store_dir: Path) -> Check:
    place = next(path for path in (store_dir, *store_dir.absolute().parents) if path.exists())
    free = shutil.disk_usage(place).free / 2**30
    return Check("место на диске", free >= FREE_DISK_GIB, f"свободно {free:.1f} ГиБ")


def _token(settings: BotSettings) -> Check:
    if settings.bot_token is None:
        return Check("BOT_TOKEN", True, "не задан: будет работать страница чата")
    return Check("BOT_TOKEN", True, "задан")
