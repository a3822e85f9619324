"""One book version on disk: how `BookParts` become files and come back. JSON and plain arrays, no pickle."""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar, cast

import numpy as np
from numpy.typing import NDArray
from pydantic import TypeAdapter, ValidationError

from index.book import Book
from index.chunk import Chunk, Sentence
from index.embedder import Vectors
from index.lemmas import lemmas, lemmatiser_id

PDF = "book.pdf"
_BOOK = "book.json"
_CHUNKS = "chunks.json"
_LEMMAS = "lemmas.json"
_VECTORS = "vectors.npy"
_SENTENCES = "sentences.npy"
_SENTENCE_VECTORS = "sentence_vectors.npy"
FILES = (_BOOK, _CHUNKS, _LEMMAS, _VECTORS, _SENTENCES, _SENTENCE_VECTORS, PDF)

# What files of the right digests may raise that were made by somebody else, to be read here.
_UNFIT = (ValidationError, ValueError, LookupError, TypeError, AttributeError, RecursionError, MemoryError)
_Number = TypeVar("_Number", np.float32, np.int32)

_BOOK_JSON = TypeAdapter(Book)
_CHUNKS_JSON = TypeAdapter(tuple[Chunk, ...])


class ShardDamaged(Exception):
    """A shard's files are not the ones that were written. Russian, to stand behind the shard's path."""


class ShardGone(ShardDamaged):
    """A file is missing: lost, or removed by a writer that has replaced the book."""


@dataclass(frozen=True, slots=True)
class BookParts:
    """A book with all that is searched in it.

    `vectors` is `(len(chunks), d)`, `sentence_vectors` is `(len(sentences), d)`, L2-normalised, in the order
    of the tuples. `chunks[i].ordinal == i`; sentences are in the order of their chunks. `lemmas[i]` belongs
    to `chunks[i].search_text`; empty means that they are not made yet.
    """

    book: Book
    chunks: tuple[Chunk, ...]
    vectors: Vectors
    sentences: tuple[Sentence, ...]
    sentence_vectors: Vectors
    pdf: Path
    lemmas: tuple[tuple[str, ...], ...] = ()

    @classmethod
    def build(
        cls,
        book: Book,
        chunks: Sequence[Chunk],
        vectors: Vectors,
        sentences: Sequence[Sentence],
        sentence_vectors: Vectors,
        pdf: Path,
    ) -> BookParts:
        """Parts with their lemmas. Raises ValueError that names what does not fit (see `check`)."""
        parts = cls(
            book=book,
            chunks=tuple(chunks),
            vectors=np.ascontiguousarray(vectors, dtype=np.float32),
            sentences=tuple(sentences),
            sentence_vectors=np.ascontiguousarray(sentence_vectors, dtype=np.float32),
            pdf=pdf,
            lemmas=_lemmas(chunks),
        )
        check(parts)
        return parts

    def words(self) -> tuple[tuple[str, ...], ...]:
        """Lemmas of every chunk's `search_text`."""
        return self.lemmas or _lemmas(self.chunks)


def _lemmas(chunks: Sequence[Chunk]) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(lemmas(chunk.search_text)) for chunk in chunks)


def check(parts: BookParts) -> None:
    """Raises ValueError naming the chunk or array that must not reach a store."""
    book = parts.book
    _check_grades(f"Book {book.book_id!r}", book.grades)
    seen: set[str] = set()
    for position, chunk in enumerate(parts.chunks):
        name = f"Chunk {chunk.chunk_id!r} of book {book.book_id!r}"
        if chunk.chunk_id in seen:
            raise ValueError(f"{name} occurs twice; chunk ids must differ.")
        seen.add(chunk.chunk_id)
        if chunk.book_id != book.book_id:
            raise ValueError(f"{name} says that it belongs to {chunk.book_id!r}.")
        if chunk.ordinal != position:
            raise ValueError(f"{name} has ordinal {chunk.ordinal} at position {position}; they must agree.")
        if not chunk.text.strip():
            raise ValueError(f"{name} is empty.")
        if "\ufffd" in chunk.search_text:
            raise ValueError(
                f"{name} holds U+FFFD, an unreadable letter; its page needs OCR or must be left out."
            )
        _check_grades(name, chunk.grades)
        if not all(isinstance(key, str) and key.strip() == key != "" for key in chunk.paragraphs):
            raise ValueError(
                f"{name} has § keys {chunk.paragraphs!r}; they must be trimmed strings like '13а'."
            )
        _check_spans(name, chunk, len(book.pages))
    last = -1
    for sentence in parts.sentences:
        if not last <= sentence.chunk < len(parts.chunks) or sentence.chunk < 0:
            raise ValueError(f"{sentence!r} of book {book.book_id!r} is out of order or names no chunk.")
        last = sentence.chunk
        if not 0 <= sentence.start < sentence.end <= len(parts.chunks[sentence.chunk].text):
            raise ValueError(f"{sentence!r} of book {book.book_id!r} is outside its chunk's text.")
    _check_vectors(f"vectors of book {book.book_id!r}", parts.vectors, len(parts.chunks))
    _check_vectors(f"sentence vectors of book {book.book_id!r}", parts.sentence_vectors, len(parts.sentences))


def _check_grades(name: str, grades: tuple[int, ...]) -> None:
    # bool is an int in Python, and "10" would compare equal to nothing.
    if not grades or not all(type(grade) is int and 1 <= grade <= 11 for grade in grades):
        raise ValueError(f"{name} has grades {grades!r}; they must be one or more whole numbers 1..11.")


def _check_spans(name: str, chunk: Chunk, pages: int) -> None:
    position = 0
    for span in chunk.spans:
        if span.start < position or chunk.text[position : span.start].strip() or span.end <= span.start:
            raise ValueError(f"{name}: page spans leave out or repeat text near character {position}.")
        if not 1 <= span.file_page <= pages:
            raise ValueError(f"{name}: page span names sheet {span.file_page} of a book of {pages}.")
        position = span.end
    if not chunk.spans or position > len(chunk.text) or chunk.text[position:].strip():
        raise ValueError(f"{name}: page spans end at {position} of {len(chunk.text)} characters.")


def _check_vectors(name: str, vectors: Vectors, rows: int) -> None:
    if vectors.ndim != 2 or vectors.shape[0] != rows:
        raise ValueError(f"The {name} have shape {vectors.shape}; there must be {rows} rows.")
    if rows and not np.allclose(np.einsum("ij,ij->i", vectors, vectors), 1.0, atol=1e-2):
        raise ValueError(f"The {name} are not L2-normalised.")


def write_shard(directory: Path, parts: BookParts) -> dict[str, str]:
    """Writes all files of `parts` into the new `directory` and flushes them to the disk.

    Returns the sha256 of every file by name.
    """
    directory.mkdir(parents=True)
    rows = np.array([(s.chunk, s.start, s.end) for s in parts.sentences], dtype=np.int32).reshape(-1, 3)
    words = {"lemmatiser": lemmatiser_id(), "chunks": [" ".join(words) for words in parts.lemmas]}
    digests = {
        _BOOK: _write(directory / _BOOK, _BOOK_JSON.dump_json(parts.book)),
        _CHUNKS: _write(directory / _CHUNKS, _CHUNKS_JSON.dump_json(parts.chunks)),
        _LEMMAS: _write(directory / _LEMMAS, json.dumps(words, ensure_ascii=False).encode()),
        _VECTORS: _write(directory / _VECTORS, _npy(parts.vectors)),
        _SENTENCES: _write(directory / _SENTENCES, _npy(rows)),
        _SENTENCE_VECTORS: _write(directory / _SENTENCE_VECTORS, _npy(parts.sentence_vectors)),
        PDF: _copy(parts.pdf, directory / PDF),
    }
    flush_directory(directory)
    return digests


def read_shard(directory: Path, digests: Mapping[str, str]) -> BookParts:
    """The parts written by `write_shard`. Only bytes with the right digest are parsed.

    Raises ShardGone if a file is missing, ShardDamaged if one differs or does not fit the others.
    """
    if set(digests) != set(FILES):
        raise ShardDamaged(f"в manifest.json названы файлы {sorted(digests)}, а нужны {sorted(FILES)}")
    content = {name: _read(directory / name, digests[name]) for name in FILES if name != PDF}
    _verify_file(directory / PDF, digests[PDF])
    try:
        book = _BOOK_JSON.validate_json(content[_BOOK], strict=True)
        chunks = _CHUNKS_JSON.validate_json(content[_CHUNKS], strict=True)
        rows = _array(content[_SENTENCES], np.int32)
        words = json.loads(content[_LEMMAS])
        current = words["lemmatiser"] == lemmatiser_id() and len(words["chunks"]) == len(chunks)
        parts = BookParts(
            book=book,
            chunks=chunks,
            vectors=_array(content[_VECTORS], np.float32),
            sentences=tuple(Sentence(*row) for row in rows.tolist()),
            sentence_vectors=_array(content[_SENTENCE_VECTORS], np.float32),
            pdf=directory / PDF,
            lemmas=tuple(tuple(line.split()) for line in words["chunks"]) if current else _lemmas(chunks),
        )
        check(parts)
    except _UNFIT as exc:
        raise ShardDamaged(f"содержимое {directory.name} не сходится: {exc}") from exc
    return parts


def _npy(array: NDArray[np.float32] | NDArray[np.int32]) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=False)
    return buffer.getvalue()


def _array(data: bytes, kind: type[_Number]) -> NDArray[_Number]:
    array = np.load(io.BytesIO(data), allow_pickle=False)
    if array.dtype != kind:
        raise ValueError(f"числа вида {array.dtype}, а нужны {np.dtype(kind)}")
    return cast("NDArray[_Number]", array)


def _write(path: Path, data: bytes) -> str:
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    return hashlib.sha256(data).hexdigest()


def _copy(source: Path, target: Path) -> str:
    digest = hashlib.sha256()
    with source.open("rb") as reader, target.open("wb") as writer:
        while block := reader.read(1 << 20):
            digest.update(block)
            writer.write(block)
        writer.flush()
        os.fsync(writer.fileno())
    return digest.hexdigest()


def _read(path: Path, digest: str) -> bytes:
    try:
        data = path.read_bytes()
    except FileNotFoundError as exc:
        raise ShardGone(f"нет файла {path.name}") from exc
    except OSError as exc:
        raise ShardDamaged(f"{path.name} не читается: {exc.strerror}") from exc
    _compare(path, hashlib.sha256(data).hexdigest(), digest)
    return data


def _verify_file(path: Path, digest: str) -> None:
    try:
        with path.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
    except FileNotFoundError as exc:
        raise ShardGone(f"нет файла {path.name}") from exc
    except OSError as exc:
        raise ShardDamaged(f"{path.name} не читается: {exc.strerror}") from exc
    _compare(path, found, digest)


def _compare(path: Path, found: str, digest: str) -> None:
    if found != digest:
        raise ShardDamaged(f"{path.name} изменён: sha256 {found[:12]}… вместо {digest[:12]}…")


def flush_directory(directory: Path) -> None:
    """Makes the names in `directory` survive a power cut, where the file system can flush directories."""
    handle = os.open(directory, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):
            os.fsync(handle)
    finally:
        os.close(handle)
