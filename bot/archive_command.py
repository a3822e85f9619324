"""`paragraf export` and `paragraf import`: the store in one file, with the registry that belongs to it."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

from answer.registry import FILE_NAME, Registry
from bot.errors import FileUnusable
from index.archive import Progress, gibibytes, write_archive
from index.embedder import Embedder
from index.store import Store
from index.unpack import Archive, ArchiveLimits


def export_store(store: Store, target: Path) -> str:
    """Packs the store into `target`; returns what to tell.

    Raises FileUnusable where it cannot be written, IndexStoreError.
    """
    with _progress("Упаковка") as progress, _usable(target):
        manifest = write_archive(store, target, progress)
        size = gibibytes(target.stat().st_size)
    return (
        f"Учебников: {len(manifest.shards)}, {size}, модель поиска {manifest.embedder}.\n"
        f"Архив: {target}. На другой машине: paragraf import {target.name}"
    )


def import_store(source: Path, store: Store, embedder: Embedder, max_gb: int) -> str:
    """Takes the books of the archive into the store; returns what to tell.

    The books come in one step. Their entries of `books.json` follow after it: should the power fail in
    between, the books are served under their own titles, and importing again completes the work.
    Raises FileUnusable, IndexStoreError, RegistryDamaged; then the store is as it was.
    """
    with (
        _progress("Загрузка архива") as progress,
        _usable(source),
        Archive.open(source, ArchiveLimits(total=max_gb << 30)) as archive,
    ):
        brought = Registry.parse(archive.registry or b"{}", f"{source}, {FILE_NAME}")
        own = Registry.load(store.root)
        done = archive.install(store, embedder, progress)
        merged = own.merged(brought, {*done.added, *done.replaced})
        if merged != own:
            merged.save(store.root)
    return (
        f"Добавлено учебников: {len(done.added)}, заменено: {len(done.replaced)}. "
        f"Хранилище: {store.root}. Работающий бот подхватит их сам."
    )


@contextmanager
def _usable(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as exc:
        what = "на диске кончилось место" if exc.errno == errno.ENOSPC else "путь не открывается"
        raise FileUnusable(f"{exc.filename or path}: {what}. Проверьте путь, права и место.") from exc


@contextmanager
def _progress(title: str) -> Iterator[Progress]:
    """A bar on a terminal, nothing elsewhere."""
    console = Console(stderr=True)
    columns = (TextColumn(title), BarColumn(), DownloadColumn(binary_units=True), TimeRemainingColumn())
    with Bar(*columns, console=console, disable=not console.is_terminal, transient=True) as bar:
        task = bar.add_task(title)
        yield lambda done, total: bar.update(task, completed=done, total=total)
