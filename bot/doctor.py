"""Is everything ready? One line per check, with the fix where something is missing."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError

from bot.database import open_database
from bot.errors import DatabaseDamaged
from bot.settings import BotSettings
from index.embedder import Embedder
from index.embedders import load_embedder
from index.errors import IndexStoreError
from index.library import Library
from index.manifest import CHUNKER
from index.store import Store

FREE_DISK_GIB = 1
TESSERACT_SECONDS = 20


@dataclass(frozen=True, slots=True)
class Check:
    """One line of the report."""

    name: str
    ok: bool
    detail: str


def run_checks(store_dir: Path, embedder_name: str, settings: BotSettings) -> list[Check]:
    """All checks. Telegram and a model's server are asked; nobody is written to and no book is touched."""
    from bot.doctor_online import model, telegram

    embedder, found = _embedder(embedder_name)
    return [
        found,
        *([_store(store_dir, embedder)] if embedder is not None else []),
        _tesseract(settings.ingest_tesseract),
        _disk(store_dir),
        _database(settings.database_url),
        *_uploads(settings),
        *asyncio.run(telegram(settings)),
        asyncio.run(model()),
    ]


def _embedder(name: str) -> tuple[Embedder | None, Check]:
    try:
        embedder = load_embedder(name)
        embedder.embed_query("проверка")
    except IndexStoreError as error:
        return None, Check("модель поиска", False, str(error))
    return embedder, Check("модель поиска", True, f"{name}: загружается и работает")


def _store(store_dir: Path, embedder: Embedder) -> Check:
    try:
        store = Store(store_dir)
        library = Library.load(store, embedder)
    except IndexStoreError as error:
        return Check("учебники", False, str(error))
    if library.damaged:
        return Check("учебники", False, f"повреждены: {', '.join(library.damaged)}; загрузите их PDF заново")
    if not library.books:
        return Check("учебники", False, "ни одного: paragraf ingest --help")
    loaded = f"загружено: {len(library.books)}"
    old = [entry.book_id for entry in store.manifest().shards if entry.chunker.partition("+")[0] != CHUNKER]
    if old:
        loaded += f"; прежней версией программы: {', '.join(old)} — загрузите их PDF ещё раз"
    return Check("учебники", True, loaded)


def _tesseract(program: str) -> Check:
    """Scans are read only with it; born-digital books need none, so that its absence is no failure."""
    fix = "страницы-сканы читаться не будут; Debian/Ubuntu: apt install tesseract-ocr tesseract-ocr-rus"
    path = shutil.which(program)
    if path is None and program != "tesseract":
        return Check("Tesseract", False, f"нет программы {program}: исправьте INGEST_TESSERACT")
    if path is None:
        return Check("Tesseract", True, f"нет: {fix}")
    try:
        listed = subprocess.run(  # noqa: S603 - the configured program
            [path, "--list-langs"], capture_output=True, text=True, check=False, timeout=TESSERACT_SECONDS
        )
    except (OSError, subprocess.TimeoutExpired):
        return Check("Tesseract", False, f"{path} не запускается: проверьте INGEST_TESSERACT")
    if "rus" not in listed.stdout.split():
        return Check("Tesseract", True, f"есть, но нет русского языка: {fix}")
    return Check("Tesseract", True, "есть, русский язык установлен")


def _disk(store_dir: Path) -> Check:
    free = shutil.disk_usage(_existing(store_dir)).free / 2**30
    return Check("место на диске", free >= FREE_DISK_GIB, f"свободно {free:.1f} ГиБ")


def _database(address: str) -> Check:
    """A file that is not there yet is not made; only its place is looked at."""
    try:
        url = make_url(address)
    except ArgumentError:
        url = None
    if url is not None and url.get_backend_name() == "sqlite" and url.database not in (None, "", ":memory:"):
        file = Path(str(url.database))
        if not file.exists():
            place = _existing(file.parent)
            writable = os.access(place, os.W_OK)
            detail = f"{file} появится при запуске бота" if writable else f"в {place} нельзя писать"
            return Check("база бота", writable, detail)
    try:
        asyncio.run(_open(address))
    except DatabaseDamaged as error:
        return Check("база бота", False, str(error))
    return Check("база бота", True, "открывается")


async def _open(address: str) -> None:
    await (await open_database(address)).dispose()


def _uploads(settings: BotSettings) -> list[Check]:
    """Only where there are admins who could send a book."""
    if settings.bot_token is None:
        return []
    if not settings.admin_ids:
        detail = "ADMIN_IDS не задан: учебники загружаются только командой, ссылок и статистики нет"
        return [Check("администраторы", True, detail)]
    place = _existing(settings.upload_dir)
    fits = os.access(place, os.W_OK)
    detail = f"{len(settings.admin_ids)}, " + (
        "учебники принимаются в чате" if fits else f"но в {place} нельзя писать (UPLOAD_DIR)"
    )
    return [Check("администраторы", fits, detail)]


def _existing(place: Path) -> Path:
    return next(path for path in (place, *place.absolute().parents) if path.exists())
