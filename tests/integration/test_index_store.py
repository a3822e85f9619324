"""The store on disk: round trip, atomicity, damage, other embedders. As a script: the writer to kill."""

from __future__ import annotations

import hashlib
import itertools
import json
import pickle
import random
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from index.book import Book, Page, Section
from index.chunk import Chunk, PageSpan, Sentence
from index.embedder import Vectors
from index.errors import BookMissing, EmbedderMismatch, StoreDamaged, StoreMissing
from index.library import Library
from index.search import Filter
from index.store import Store


class LetterEmbedder:
    """Counts letters: deterministic, quick, and equal texts get equal vectors."""

    def __init__(self, id: str = "letters", dimension: int = 32, max_tokens: int = 2000) -> None:
        self.id = id
        self.dimension = dimension
        self.max_tokens = max_tokens

    def count_tokens(self, text: str) -> int:
        return len(text)

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        vectors = np.full((len(texts), self.dimension), 0.01, dtype=np.float32)
        for row, text in enumerate(texts):
            for letter in text.lower():
                vectors[row, ord(letter) % self.dimension] += 1
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    def embed_query(self, text: str) -> Vectors:
        return self.embed_passages([text])[0]


LETTERS = LetterEmbedder()
EDITION = 300
TEXTS = ("Общество — часть мира.", "Труд кормит человека.", "Право хранит порядок.")


def put(
    store: Store,
    book_id: str,
    /,
    texts: Sequence[str] = TEXTS,
    embedder: LetterEmbedder = LETTERS,
    **chunk: object,
) -> None:
    """Stores a one-page book with a chunk for each text; `chunk` overrides fields of its first chunk."""
    store.root.mkdir(parents=True, exist_ok=True)
    pdf = store.root.parent / f"{book_id} {len(texts)} исходник.pdf"
    pdf.write_bytes(b"%PDF-1.4\n" + book_id.encode() + " ".join(texts).encode())
    book = Book(
        book_id=book_id,
        title="Обществознание",
        subject="обществознание",
        grades=(10,),
        sha256=hashlib.sha256(pdf.read_bytes()).hexdigest(),
        page_offset=2,
        pages=(Page(1, "5", "body", "Текст", "Текст"),),
        sections=(Section("paragraph", "§", ("1",), "Общество", None, 1, 1, "5"),),
    )
    chunks = [
        Chunk(
            f"{book_id}:{i}", book_id, i, text, "text", (10,), None, ("1",), "Общество", None,
            (PageSpan(0, len(text), 1, "5"),),
        )
        for i, text in enumerate(texts)
    ]  # fmt: skip
    if chunk:
        chunks[0] = replace(chunks[0], **chunk)  # type: ignore[arg-type]
    sentences = [Sentence(i, 0, len(text)) for i, text in enumerate(texts)]
    vectors = embedder.embed_passages([chunk.search_text for chunk in chunks])
    store.put(book, chunks, vectors, sentences, embedder.embed_passages(texts), pdf, embedder)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "Мои учебники (10 класс)" / "store")


def shard(store: Store, book_id: str) -> Path:
    entry = store.manifest().entry(book_id)
    assert entry is not None
    return store.root / "shards" / entry.directory


def test_what_is_put_is_loaded_under_a_path_with_cyrillic_and_spaces(store: Store) -> None:
    put(store, "общ-10")
    library = Library.load(store, LETTERS)
    assert [chunk.text for chunk in library.chunks()] == list(TEXTS)
    assert library.books["общ-10"].page(1).printed_page == "5"
    assert library.pdf("общ-10").read_bytes().startswith(b"%PDF-1.4")
    [first, *_] = library.search("Труд", library.embed("Труд кормит человека"))
    assert first.chunk.ordinal == 1
    assert library.sentence_scores(first.chunk, library.embed(TEXTS[1]))[0][1] == pytest.approx(1)
    assert not library.damaged


def test_a_second_edition_replaces_the_first_and_its_files(store: Store) -> None:
    put(store, "a")
    put(store, "b")
    old, version = shard(store, "a"), store.version()
    library = Library.load(store, LETTERS)
    put(store, "a", ["Новое издание."])
    assert store.version() != version
    assert [chunk.text for chunk in Library.load(store, LETTERS).chunks()] == ["Новое издание.", *TEXTS]
    assert not old.exists()
    assert len(library.search("труд", library.embed("труд"), k=10)) == 6  # the old library still answers
    with pytest.raises(BookMissing, match=r"«a».*заменён"):
        library.pdf("a")


def test_remove_takes_the_book_and_its_pdf_away(store: Store) -> None:
    put(store, "a")
    directory = shard(store, "a")
    store.remove("a")
    assert not directory.exists()
    library = Library.load(store, LETTERS)
    assert library.search("труд", library.embed("труд")) == []
    assert library.chunks() == []
    with pytest.raises(BookMissing, match="нет учебника «a»"):
        store.remove("a")


def test_the_same_pdf_is_recognised(store: Store) -> None:
    assert store.find_by_sha256("0" * 64) is None
    put(store, "a")
    sha256 = Library.load(store, LETTERS).books["a"].sha256
    assert store.find_by_sha256(sha256) == "a"
    assert store.find_by_sha256("0" * 64) is None


def test_a_missing_store_is_named_with_the_command_that_makes_it(store: Store) -> None:
    assert store.version() == ""
    with pytest.raises(StoreMissing, match=r"Мои учебники.*paragraf ingest"):
        Library.load(store, LETTERS)


def test_another_embedder_is_refused_with_both_names_and_the_rebuild_command(store: Store) -> None:
    put(store, "a")
    other = LetterEmbedder("без приставки", dimension=48)
    with pytest.raises(EmbedderMismatch) as caught:
        Library.load(store, other)
    message = str(caught.value)
    assert "«letters»" in message
    assert "«без приставки»" in message
    program, ingest, pdf, *options = shlex.split(message.splitlines()[-1])
    assert (program, ingest) == ("paragraf", "ingest")
    assert Path(pdf).read_bytes().startswith(b"%PDF")
    assert dict(zip(options[::2], options[1::2], strict=True)) == {
        "--grade": "10",
        "--subject": "обществознание",
        "--title": "Обществознание",
        "--book-id": "a",
        "--page-offset": "2",
        "--store": f"{store.root}-new",
    }
    with pytest.raises(EmbedderMismatch):
        put(store, "b", embedder=other)
    assert list(Library.load(store, LETTERS).books) == ["a"]


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        "[]",
        '{"schema_version": 1}',
        '{"schema_version": 99, "embedder": "x", "dimension": 1, "shards": []}',
    ],
)
def test_an_unreadable_manifest_is_refused_and_nothing_is_lost(store: Store, content: str) -> None:
    put(store, "a")
    directory = shard(store, "a")
    (store.root / "manifest.json").write_text(content)
    with pytest.raises(StoreDamaged, match=r"manifest\.json"):
        Library.load(store, LETTERS)
    with pytest.raises(StoreDamaged):
        put(store, "b")
    assert (directory / "book.pdf").exists()


def test_a_manifest_cannot_point_outside_its_store(store: Store) -> None:
    put(store, "a")
    path = store.root / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest["shards"][0]["directory"] = "../../elsewhere"
    path.write_text(json.dumps(manifest))
    with pytest.raises(StoreDamaged):
        store.manifest()


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


JSON_FILES = ("book.json", "chunks.json", "lemmas.json")
FILES = (*JSON_FILES, "vectors.npy", "sentences.npy", "sentence_vectors.npy", "book.pdf")


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("damage", [flip, Path.unlink, lambda path: path.write_bytes(b"")])
def test_a_damaged_book_is_refused_and_the_others_are_served(store: Store, name: str, damage: object) -> None:
    put(store, "a")
    put(store, "b")
    assert callable(damage)
    damage(shard(store, "a") / name)
    library = Library.load(store, LETTERS)
    assert list(library.books) == ["b"]
    assert list(library.damaged) == ["a"]
    assert name in library.damaged["a"]
    put(store, "a")  # loading the book again heals the store
    assert set(Library.load(store, LETTERS).books) == {"a", "b"}


def test_a_changed_quote_is_refused(store: Store) -> None:
    put(store, "a")
    path = shard(store, "a") / "chunks.json"
    path.write_text(path.read_text().replace("Общество", "Сообщество"))
    library = Library.load(store, LETTERS)
    assert not library.books
    assert "chunks.json изменён: sha256" in library.damaged["a"]


class Trap:
    def __init__(self, marker: Path) -> None:
        self.marker = marker

    def __reduce__(self) -> tuple[object, ...]:
        return Path.touch, (self.marker,)


def test_no_pickle_is_ever_loaded(store: Store, tmp_path: Path) -> None:
    """Even with matching digests: an array file that holds a pickle, and an index.pkl beside it."""
    put(store, "a")
    marker = tmp_path / "marker"
    directory = shard(store, "a")
    (directory / "index.pkl").write_bytes(pickle.dumps(Trap(marker)))
    (directory / "index.faiss").write_bytes(random.Random(0).randbytes(1000))
    trap = directory / "vectors.npy"
    np.save(trap, np.array([Trap(marker)], dtype=object), allow_pickle=True)
    path = store.root / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest["shards"][0]["files"]["vectors.npy"] = hashlib.sha256(trap.read_bytes()).hexdigest()
    path.write_text(json.dumps(manifest))
    library = Library.load(store, LETTERS)
    assert not marker.exists()
    assert "не сходится" in library.damaged["a"]


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ({"grades": ()}, "grades"),
        ({"grades": ("10",)}, "grades"),
        ({"grades": (10.0,)}, "grades"),
        ({"grades": (None,)}, "grades"),
        ({"grades": (0,)}, "grades"),
        ({"grades": (12,)}, "grades"),
        ({"paragraphs": (13,)}, "§ keys"),
        ({"paragraphs": ("13 ",)}, "§ keys"),
        ({"text": "Общество \ufffd\ufffd мира.."}, "U.FFFD"),
        ({"spans": ()}, "spans"),
        ({"spans": (PageSpan(0, 5, 1, "5"),)}, "spans"),
        ({"spans": (PageSpan(5, 22, 1, "5"),)}, "spans"),
        ({"spans": (PageSpan(0, 12, 1, "5"), PageSpan(8, 22, 1, "5"))}, "spans"),
        ({"spans": (PageSpan(0, 22, 2, "5"),)}, "sheet 2"),
        ({"ordinal": 1}, "ordinal"),
        ({"chunk_id": "a:1"}, "twice"),
        ({"book_id": "b"}, "belongs"),
        ({"heading": "очень длинный подзаголовок " * 80}, "tokens"),
    ],
)
def test_a_faulty_chunk_is_named_and_nothing_is_stored(
    store: Store, override: dict[str, object], message: str
) -> None:
    put(store, "a")
    version = store.version()
    with pytest.raises(ValueError, match=rf"Chunk 'a:.*{message}"):
        put(store, "a", **override)
    assert store.version() == version
    assert [chunk.text for chunk in Library.load(store, LETTERS).chunks()] == list(TEXTS)


def test_vectors_that_are_not_normalised_or_too_few_are_refused(store: Store) -> None:
    class Doubled(LetterEmbedder):
        def embed_passages(self, texts: Sequence[str]) -> Vectors:
            return 2 * super().embed_passages(texts)

    class Forgetful(LetterEmbedder):
        def embed_passages(self, texts: Sequence[str]) -> Vectors:
            return super().embed_passages(texts)[:-1]

    with pytest.raises(ValueError, match="not L2-normalised"):
        put(store, "a", embedder=Doubled())
    with pytest.raises(ValueError, match="3 rows"):
        put(store, "a", embedder=Forgetful())
    assert store.version() == ""


def test_a_writer_killed_at_any_moment_leaves_the_old_state_or_the_new(store: Store) -> None:
    """The writer's n-th edition has `EDITION + n` chunks; it says when one is stored."""
    moments = random.Random(1)
    last_put = 0.1
    for confirmed in (0, 1, 2, 1, 2, 1, 3, 1):
        put(store, "a", TEXTS)
        with subprocess.Popen([sys.executable, __file__, str(store.root)], stdout=subprocess.PIPE) as writer:
            assert writer.stdout is not None
            writer.stdout.readline()  # it is about to write
            for _ in range(confirmed):
                start = time.monotonic()
                writer.stdout.readline()
                last_put = time.monotonic() - start
            time.sleep(moments.random() * last_put)
            writer.send_signal(signal.SIGKILL)
            extra = writer.stdout.read().count(b"\n")  # stored between the last line read and the kill
        library = Library.load(store, LETTERS)
        assert not library.damaged
        old = EDITION + confirmed + extra if confirmed + extra else len(TEXTS)
        assert len(library.chunks()) in {old, EDITION + confirmed + extra + 1}
    put(store, "b")
    live = {entry.directory for entry in store.manifest().shards}
    assert {path.name for path in (store.root / "shards").iterdir()} == live
    assert {path.name for path in store.root.iterdir()} == {".lock", "manifest.json", "shards"}


def test_two_writers_and_a_reader_do_not_disturb_each_other(store: Store) -> None:
    put(store, "a")
    failures: list[BaseException] = []

    def write(book_id: str) -> None:
        try:
            for _ in range(8):
                put(Store(store.root), book_id)
        except BaseException as exc:
            failures.append(exc)

    writers = [threading.Thread(target=write, args=(book_id,)) for book_id in ("b", "c")]
    for writer in writers:
        writer.start()
    while any(writer.is_alive() for writer in writers):
        library = Library.load(store, LETTERS)
        assert not library.damaged
        assert "a" in library.books
    for writer in writers:
        writer.join()
    assert not failures
    assert set(Library.load(store, LETTERS).books) == {"a", "b", "c"}


def test_a_grade_of_the_manifest_without_chunks_is_logged(
    store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    put(store, "a", ["Текст."], grades=(9,))
    library = Library.load(store, LETTERS)
    assert library.search("текст", library.embed("текст"), Filter(grades=frozenset({10}))) == []
    assert "Book a is for grade 10, but none of its chunks is" in caplog.text


if __name__ == "__main__":  # the writer that is killed
    target = Store(Path(sys.argv[1]))
    print("ready", flush=True)
    for edition in itertools.count(1):
        put(target, "a", [f"Новое издание, абзац {i}." for i in range(EDITION + edition)])
        print("stored", flush=True)
