"""A whole store in one file, to carry or to keep. `index/unpack.py` takes it back.

    archive.json          format, sha256 of the two files below
    manifest.json         as in the store, each book's directory named by the book's id
    books.json            only where the store has one
    shards/BOOK/…         the files of every book

It is a zip, so that any system can look inside, and nothing in it is compressed: PDFs and vectors hardly
shrink, one store always gives the same bytes, and an archive can unpack to no more than its own size.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, BinaryIO, Literal

from pydantic import BaseModel, ConfigDict, Field

from index.errors import ArchiveDamaged, DiskFull
from index.manifest import Manifest, ShardEntry
from index.shard import flush_directory
from index.store import Store

REGISTRY = "books.json"
HEADER = "archive.json"
MANIFEST = "manifest.json"
BLOCK = 1 << 20
_RELOADS = 5
_MEND = "Загрузите этот учебник заново (paragraf ingest) или уберите его (paragraf remove) и повторите."
# What must stay free for the bot's database and the system.
_MARGIN = 64 << 20

Progress = Callable[[int, int], None]
"""Bytes done, bytes in all."""


def silent(done: int, total: int) -> None:
    """No progress is shown."""


class Header(BaseModel):
    """`archive.json`."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    format: Literal["paragraf-archive-1"]
    files: dict[str, Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]]


def member(entry: ShardEntry, name: str) -> str:
    """Name inside the archive of a book's file."""
    return f"shards/{entry.book_id}/{name}"


def check_space(place: Path, size: int) -> None:
    """Raises DiskFull unless `size` bytes fit where `place` is or will be."""
    place = next(path for path in (place, *place.absolute().parents) if path.exists())
    free = shutil.disk_usage(place).free
    if size + _MARGIN > free:
        raise DiskFull(
            f"Нужно {gibibytes(size)}, а в {place} свободно {gibibytes(free)}. Освободите место или укажите "
            "другой диск."
        )


def gibibytes(size: int) -> str:
    """«1,3 ГиБ», «12,0 МиБ»."""
    value, unit = (size / 2**30, "ГиБ") if size >= 2**30 else (size / 2**20, "МиБ")
    return f"{value:.1f} {unit}".replace(".", ",")


def write_archive(store: Store, target: Path, progress: Progress = silent) -> Manifest:
    """Writes the store as it is now to `target`, in one step; every file is checked on its way.

    Returns what was packed. Raises StoreMissing, StoreDamaged, DiskFull, OSError, and ArchiveDamaged where a
    book of the store is not what its manifest says.
    """
    target.parent.resolve(strict=True)
    for _ in range(_RELOADS):
        version, manifest = store.version(), store.manifest()
        try:
            _write(store, manifest, target, progress)
            return manifest
        except FileNotFoundError as exc:
            # A writer may just have replaced the book; then its new version is packed instead.
            gone = exc
            if store.version() == version:
                break
    raise ArchiveDamaged(f"Нет файла {gone.filename}. {_MEND}") from gone


def _write(store: Store, manifest: Manifest, target: Path, progress: Progress) -> None:
    shards = [entry.model_copy(update={"directory": entry.book_id}) for entry in manifest.shards]
    texts = {MANIFEST: manifest.model_copy(update={"shards": shards}).model_dump_json(indent=1).encode()}
    with contextlib.suppress(FileNotFoundError):
        texts[REGISTRY] = (store.root / REGISTRY).read_bytes()
    header = Header(format="paragraf-archive-1", files={name: _sha256(data) for name, data in texts.items()})
    files = [
        (member(entry, name), store.directory(entry) / name, entry.files[name])
        for entry in manifest.shards
        for name in sorted(entry.files)
    ]
    total = sum(path.stat().st_size for _, path, _ in files)
    check_space(target.parent, total)
    temporary = target.with_name(f".{target.name}.new")
    done = 0
    try:
        with temporary.open("wb") as raw, zipfile.ZipFile(raw, "w") as archive:
            for name, data in {HEADER: header.model_dump_json(indent=1).encode(), **texts}.items():
                _add(archive, name, io.BytesIO(data), len(data), lambda count: None)
            for name, path, digest in files:

                def moved(count: int) -> None:
                    nonlocal done
                    done += count
                    progress(done, total)

                with path.open("rb") as file:
                    found = _add(archive, name, file, path.stat().st_size, moved)
                if found != digest:
                    raise ArchiveDamaged(f"Файл {path} повреждён. {_MEND}")
            archive.close()
            raw.flush()
            os.fsync(raw.fileno())
        temporary.replace(target)
        flush_directory(target.absolute().parent)
    finally:
        temporary.unlink(missing_ok=True)


def _add(
    archive: zipfile.ZipFile, name: str, source: BinaryIO, size: int, moved: Callable[[int], None]
) -> str:
    """Adds a file under fixed particulars; returns its sha256."""
    info = zipfile.ZipInfo(name)  # dated 1980, so that equal stores give equal bytes
    info.create_system = 3
    info.external_attr = 0o644 << 16
    info.file_size = size
    digest = hashlib.sha256()
    with archive.open(info, "w") as out:
        while block := source.read(BLOCK):
            digest.update(block)
            out.write(block)
            moved(len(block))
    return digest.hexdigest()


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
