"""The store on disk. A book version is written completely, then the manifest is switched to it.

    ROOT/manifest.json              what exists, with the sha256 of every file
    ROOT/shards/BOOK-VERSION/       book.json chunks.json lemmas.json *.npy book.pdf
    ROOT/.lock                      held by the one writer

Readers need no lock: they see the old manifest or the new one. What a killed writer left behind is named by
no manifest, and the next writer removes it.
"""

from __future__ import annotations

import contextlib
import fcntl
import logging
import os
import secrets
import shlex
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from pydantic import ValidationError

from index.book import Book
from index.chunk import Chunk, Sentence
from index.embedder import Embedder, Vectors
from index.errors import BookMissing, EmbedderMismatch, StoreDamaged, StoreMissing
from index.manifest import SCHEMA_VERSION, Manifest, ShardEntry
from index.shard import PDF, BookParts, ShardDamaged, ShardGone, flush_directory, read_shard, write_shard

log = logging.getLogger(__name__)

_RELOADS = 5


class Store:
    """Textbooks under one directory, which need not exist yet."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._manifest_path = root / "manifest.json"
        self._shards = root / "shards"

    def put(
        self,
        book: Book,
        chunks: Sequence[Chunk],
        vectors: Vectors,
        sentences: Sequence[Sentence],
        sentence_vectors: Vectors,
        pdf: Path,
        embedder: Embedder,
        *,
        chunker: str = "1",
    ) -> None:
        """Adds the book or replaces the one of that id; in one step for every reader.

        Raises ValueError naming the chunk that must not be stored, EmbedderMismatch, StoreDamaged.
        """
        for chunk in chunks:
            tokens = embedder.count_tokens(chunk.search_text)
            if tokens > embedder.max_tokens:
                raise ValueError(
                    f"Chunk {chunk.chunk_id!r} of book {book.book_id!r} has {tokens} tokens, the embedder "
                    f"takes {embedder.max_tokens}; split it further."
                )
        parts = BookParts.build(book, chunks, vectors, sentences, sentence_vectors, pdf)
        for array in (parts.vectors, parts.sentence_vectors):
            if len(array) and array.shape[1] != embedder.dimension:
                raise ValueError(
                    f"Vectors of book {book.book_id!r} do not come from embedder {embedder.id!r}."
                )
        with self._writing():
            manifest = self._manifest_or_new(embedder)
            self.check_embedder(manifest, embedder)
            directory = f"{book.book_id}-{secrets.token_hex(6)}"
            files = write_shard(self._shards / directory, parts)
            if files[PDF] != book.sha256:
                raise ValueError(f"{pdf} is not the file that book {book.book_id!r} was read from.")
            flush_directory(self._shards)
            self._switch(_with(manifest, [_entry(parts, directory, files, chunker)]))

    def bring(
        self,
        entries: Sequence[ShardEntry],
        fill: Callable[[ShardEntry, Path], None],
        embedder: Embedder,
    ) -> frozenset[str]:
        """Adds or replaces several books of another store of this embedder; in one step for every reader.

        `fill` writes the files of an entry into an empty directory. Returns the ids of the books that were
        replaced. Raises ValueError naming the book whose files are not what its entry says, EmbedderMismatch,
        StoreDamaged, whatever `fill` raises; then nothing has changed.
        """
        with self._writing():
            manifest = self._manifest_or_new(embedder)
            self.check_embedder(manifest, embedder)
            brought = []
            for entry in entries:
                directory = f"{entry.book_id}-{secrets.token_hex(6)}"
                (self._shards / directory).mkdir()
                fill(entry, self._shards / directory)
                flush_directory(self._shards / directory)
                ours = entry.model_copy(update={"directory": directory})
                alone = manifest.model_copy(update={"shards": [ours]})
                parts, damaged, _ = self._read_shards(alone, embedder)
                if damaged:
                    raise ValueError(damaged[entry.book_id])
                if _entry(parts[0], directory, entry.files, entry.chunker) != ours:
                    raise ValueError(f"«{entry.book_id}»: манифест говорит о книге не то, что её файлы")
                brought.append(ours)
            flush_directory(self._shards)
            self._switch(_with(manifest, brought))
            return frozenset(entry.book_id for entry in entries if manifest.entry(entry.book_id))

    def remove(self, book_id: str) -> None:
        """Removes the book with its PDF. Raises BookMissing."""
        with self._writing():
            manifest = self.manifest()
            if manifest.entry(book_id) is None:
                known = ", ".join(shard.book_id for shard in manifest.shards) or "none"
                raise BookMissing(f"В хранилище {self.root} нет учебника «{book_id}». Есть: {known}.")
            shards = [shard for shard in manifest.shards if shard.book_id != book_id]
            self._switch(manifest.model_copy(update={"shards": shards}))

    def manifest(self) -> Manifest:
        """Raises StoreMissing, StoreDamaged."""
        try:
            data = self._manifest_path.read_bytes()
        except (FileNotFoundError, NotADirectoryError) as exc:
            raise StoreMissing(
                f"В каталоге {self.root} нет учебников (нет manifest.json). Загрузите: paragraf ingest "
                "ФАЙЛ.pdf --grade КЛАСС --subject ПРЕДМЕТ --title НАЗВАНИЕ — или укажите верный каталог: "
                "--store, STORE_DIR."
            ) from exc
        except OSError as exc:
            raise StoreDamaged(f"Не читается {self._manifest_path}: {exc.strerror}.") from exc
        try:
            manifest = Manifest.model_validate_json(data)
        except ValidationError as exc:
            raise StoreDamaged(
                f"{self._manifest_path} повреждён (ошибок: {exc.error_count()}, первая: "
                f"{exc.errors()[0]['msg']}). "
                f"Восстановите его из копии или уберите {self.root} в сторону и загрузите учебники заново: "
                "их PDF лежат в подкаталоге shards."
            ) from exc
        if manifest.schema_version != SCHEMA_VERSION:
            raise StoreDamaged(
                f"{self._manifest_path}: версия схемы {manifest.schema_version}, а программа знает "
                f"{SCHEMA_VERSION}. "
                "Возьмите программу той же версии или загрузите учебники в новый каталог."
            )
        return manifest

    def version(self) -> str:
        """Changes whenever the manifest does; one `stat`. Empty where there is no manifest."""
        try:
            stat = self._manifest_path.stat()
        except OSError:
            return ""
        return f"{stat.st_mtime_ns}-{stat.st_ino}-{stat.st_size}"

    def find_by_sha256(self, sha256: str) -> str | None:
        """Id of the book that was read from the PDF with this digest."""
        try:
            manifest = self.manifest()
        except StoreMissing:
            return None
        return next((shard.book_id for shard in manifest.shards if shard.pdf_sha256 == sha256), None)

    def read(self, embedder: Embedder) -> tuple[list[BookParts], dict[str, str]]:
        """All sound books in manifest order, and why the others are not served (book id → reason).

        Raises StoreMissing, StoreDamaged, EmbedderMismatch.
        """
        for _ in range(_RELOADS):
            version = self.version()
            manifest = self.manifest()
            self.check_embedder(manifest, embedder)
            parts, damaged, gone = self._read_shards(manifest, embedder)
            # A file that is missing because a writer has just replaced the book is no damage.
            if not gone or self.version() == version:
                break
        for book_id, reason in damaged.items():
            log.error("Book %s is not served: %s", book_id, reason)
        return parts, damaged

    def read_book(self, book_id: str, embedder: Embedder) -> BookParts | None:
        """One book; None where it is missing or damaged. Raises StoreDamaged, EmbedderMismatch."""
        for _ in range(_RELOADS):
            try:
                manifest = self.manifest()
            except StoreMissing:
                return None
            self.check_embedder(manifest, embedder)
            only = manifest.model_copy(
                update={"shards": [s for s in manifest.shards if s.book_id == book_id]}
            )
            parts, _, gone = self._read_shards(only, embedder)
            if not gone:
                return parts[0] if parts else None
        return None

    def directory(self, entry: ShardEntry) -> Path:
        """Where the book's files are."""
        return self._shards / entry.directory

    def _read_shards(
        self, manifest: Manifest, embedder: Embedder
    ) -> tuple[list[BookParts], dict[str, str], bool]:
        parts: list[BookParts] = []
        damaged: dict[str, str] = {}
        gone = False
        for entry in manifest.shards:
            try:
                book_parts = read_shard(self.directory(entry), entry.files)
                if (
                    book_parts.book.book_id != entry.book_id
                    or book_parts.vectors.shape[1] != embedder.dimension
                ):
                    raise ShardDamaged("файлы от другого учебника или другой модели поиска")
                parts.append(book_parts)
            except ShardDamaged as exc:
                gone = gone or isinstance(exc, ShardGone)
                damaged[entry.book_id] = f"{self.directory(entry)}: {exc}. Загрузите учебник заново."
        return parts, damaged, gone

    def check_embedder(self, manifest: Manifest, embedder: Embedder) -> None:
        """Raises EmbedderMismatch unless the vectors of the store come from this embedder."""
        if manifest.embedder == embedder.id and manifest.dimension == embedder.dimension:
            return
        rebuild = "\n".join(f"  {self._rebuild_command(entry)}" for entry in manifest.shards)
        raise EmbedderMismatch(
            f"Хранилище {self.root} построено моделью поиска «{manifest.embedder}» (размерность "
            f"{manifest.dimension}), а сейчас задана «{embedder.id}» ({embedder.dimension}). Верните прежний "
            f"EMBEDDER или постройте новое хранилище и укажите его в STORE_DIR:\n{rebuild}"
        )

    def _rebuild_command(self, entry: ShardEntry) -> str:
        offset = [] if entry.page_offset is None else ["--page-offset", str(entry.page_offset)]
        pdf = self.directory(entry) / PDF
        particulars = ["--subject", entry.subject, "--title", entry.title, "--book-id", entry.book_id]
        grades = ["--grade", ",".join(map(str, entry.grades))]
        target = ["--store", str(self.root.with_name(self.root.name + "-new"))]
        return shlex.join(["paragraf", "ingest", str(pdf), *grades, *particulars, *offset, *target])

    def _manifest_or_new(self, embedder: Embedder) -> Manifest:
        try:
            return self.manifest()
        except StoreMissing:
            return Manifest(
                schema_version=SCHEMA_VERSION, embedder=embedder.id, dimension=embedder.dimension, shards=[]
            )

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        """One writer at a time, on this machine; a killed one gives the lock up. Cleans before and after."""
        self._shards.mkdir(parents=True, exist_ok=True)
        with (self.root / ".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self._clean()
            try:
                yield
            finally:
                self._clean()

    def _switch(self, manifest: Manifest) -> None:
        temporary = self.root / ".manifest.json.new"
        with temporary.open("wb") as file:
            file.write(manifest.model_dump_json(indent=1).encode())
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(self._manifest_path)
        flush_directory(self.root)

    def _clean(self) -> None:
        """Removes book versions that the manifest does not name."""
        try:
            live = {shard.directory for shard in self.manifest().shards}
        except StoreMissing:
            live = set()
        except StoreDamaged:
            return  # the shards are all that is left to rebuild from
        for directory in self._shards.iterdir():
            if directory.name not in live:
                shutil.rmtree(directory, ignore_errors=True)


def _entry(parts: BookParts, directory: str, files: Mapping[str, str], chunker: str) -> ShardEntry:
    book = parts.book
    return ShardEntry(
        book_id=book.book_id,
        directory=directory,
        files=dict(files),
        title=book.title,
        subject=book.subject,
        grades=list(book.grades),
        page_offset=book.page_offset,
        pdf_sha256=book.sha256,
        chunks=len(parts.chunks),
        chunker=chunker,
    )


def _with(manifest: Manifest, entries: Sequence[ShardEntry]) -> Manifest:
    """The manifest with each entry in the place of the book of that id, new ones at the end."""
    shards = {shard.book_id: shard for shard in manifest.shards}
    shards.update({entry.book_id: entry for entry in entries})
    return manifest.model_copy(update={"shards": list(shards.values())})
