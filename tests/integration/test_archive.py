"""`paragraf export` and `import` on books loaded here: round trip, hostile archives, kill, exit codes."""

from __future__ import annotations

import hashlib
import io
import json
import re
import signal
import stat
import struct
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pymupdf
import pytest

from answer.assistant import Assistant
from answer.registry import BookRecord, Registry
from bot.archive_command import import_store
from index.archive import check_space, write_archive
from index.embedder import Embedder, Vectors
from index.embedders import load_embedder
from index.errors import (
    ArchiveDamaged,
    ArchiveMismatch,
    ArchiveTooLarge,
    DiskFull,
    EmbedderMismatch,
    IndexStoreError,
)
from index.lemmas import lemmatiser_id
from index.library import Library
from index.store import Store
from index.unpack import Archive, ArchiveLimits

Members = dict[str, bytes]
LAW = "Право — это система норм, которую охраняет государство. Нормы права обязательны для всех граждан."
POWER = "Власть — это способность влиять на людей и на их поступки. Государство собирает налоги."


def paragraf(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-P", "-m", "bot", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def load(store: Path, folder: Path, title: str, text: str) -> None:
    document = pymupdf.open()
    page = document.new_page(width=420, height=595)
    page.insert_htmlbox(pymupdf.Rect(50, 50, 370, 540), f"<h2>§ 1. {title}</h2><p>{text}</p>")
    pdf = folder / f"{title}.pdf"
    document.save(pdf)
    document.close()
    done = paragraf("ingest", pdf, "--grade", 8, "--subject", "право", "--title", title, "--store", store)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    return load_embedder("bundled")


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of two small books and a registry; Cyrillic path with blanks."""
    folder = tmp_path_factory.mktemp("учебники 8 класса")
    load(folder / "мой склад", folder, "Право", LAW)
    load(folder / "мой склад", folder, "Власть", POWER)
    Registry((BookRecord(title="Право", book_id="pravo-8", aliases=("Правоведение",)),)).save(
        folder / "мой склад"
    )
    return folder / "мой склад"


@pytest.fixture(scope="module")
def archive(source: Path) -> Path:
    target = source.parent / "Школа № 1.paragraf"
    assert paragraf("export", target, "--store", source).returncode == 0
    return target


@pytest.fixture
def store(source: Path, tmp_path: Path, embedder: Embedder) -> Store:
    """Another store, with one book of its own."""
    store = Store(tmp_path / "школа")
    parts = Store(source).read_book("vlast-8", embedder)
    assert parts is not None
    put_renamed(store, parts, "svoya-kniga", embedder)
    return store


def put_renamed(store: Store, parts: object, book_id: str, embedder: Embedder) -> None:
    from dataclasses import replace

    from index.shard import BookParts

    assert isinstance(parts, BookParts)
    store.put(
        replace(parts.book, book_id=book_id),
        [replace(chunk, book_id=book_id) for chunk in parts.chunks],
        parts.vectors,
        parts.sentences,
        parts.sentence_vectors,
        parts.pdf,
        embedder,
    )


def members(archive: Path) -> Members:
    with zipfile.ZipFile(archive) as file:
        return {info.filename: file.read(info) for info in file.infolist()}


def pack(target: Path, content: Members, compression: int = zipfile.ZIP_STORED) -> Path:
    with zipfile.ZipFile(target, "w", compression) as file:
        for name, data in content.items():
            file.writestr(zipfile.ZipInfo(name), data, compression)
    return target


def sealed(content: Members) -> Members:
    """The same with the digests in its header made right again."""
    header = json.loads(content["archive.json"])
    header["files"] = {name: hashlib.sha256(content[name]).hexdigest() for name in header["files"]}
    return {**content, "archive.json": json.dumps(header).encode()}


def state(store: Store) -> dict[str, bytes]:
    return {
        str(path.relative_to(store.root)): path.read_bytes()
        for path in store.root.rglob("*")
        if path.is_file()
    }


def test_round_trip_keeps_everything_and_equal_stores_give_equal_bytes(
    archive: Path, source: Path, tmp_path: Path, embedder: Embedder
) -> None:
    done = paragraf("import", archive, "--store", tmp_path / "новый склад")
    assert done.returncode == 0, done.stderr
    assert "Добавлено учебников: 2, заменено: 0" in done.stdout
    assert done.stderr == ""
    first, second = Store(source), Store(tmp_path / "новый склад")
    (one, no_damage), (two, _) = first.read(embedder), second.read(embedder)
    assert not no_damage
    assert [parts.book for parts in two] == [parts.book for parts in one]
    assert [parts.chunks for parts in two] == [parts.chunks for parts in one]
    assert all(np.array_equal(a.vectors, b.vectors) for a, b in zip(one, two, strict=True))
    assert Registry.load(second.root) == Registry.load(first.root)
    write_archive(second, tmp_path / "снова.paragraf")
    assert (tmp_path / "снова.paragraf").read_bytes() == archive.read_bytes()
    assert Library.load(second, embedder).pdf("pravo-8").read_bytes()[:5] == b"%PDF-"


def test_other_books_stay_and_the_registry_is_merged(archive: Path, store: Store, embedder: Embedder) -> None:
    mine = BookRecord(title="Своя книга", book_id="svoya-kniga", authors=("И. Иванов",))
    old = BookRecord(title="Старое имя", book_id="pravo-8")
    Registry((mine, old)).save(store.root)
    told = import_store(archive, store, embedder, 1)
    assert "Добавлено учебников: 2" in told
    assert [entry.book_id for entry in store.manifest().shards] == ["svoya-kniga", "pravo-8", "vlast-8"]
    registry = Registry.load(store.root)
    assert registry.of_book("svoya-kniga") == mine
    assert registry.of_book("pravo-8").aliases == ("Правоведение",)
    assert "заменено: 2" in import_store(archive, store, embedder, 1)
    assert not store.read(embedder)[1]
    assert len(list((store.root / "shards").iterdir())) == 3


def test_a_damaged_book_is_mended_by_importing_again(archive: Path, store: Store, embedder: Embedder) -> None:
    import_store(archive, store, embedder, 1)
    entry = store.manifest().entry("pravo-8")
    assert entry is not None
    (store.directory(entry) / "chunks.json").write_bytes(b"[]")
    assert set(store.read(embedder)[1]) == {"pravo-8"}
    import_store(archive, store, embedder, 1)
    assert not store.read(embedder)[1]


def _link(path: Path, content: Members) -> None:
    with zipfile.ZipFile(path, "w") as file:
        for name, data in content.items():
            info = zipfile.ZipInfo(name)
            if name.endswith("book.pdf"):
                info.external_attr = (stat.S_IFLNK | 0o777) << 16
                data = b"/etc/passwd"
            file.writestr(info, data)


def _twice(path: Path, content: Members) -> None:
    pack(path, content)
    with zipfile.ZipFile(path, "a") as file, pytest.warns(UserWarning, match="Duplicate name"):
        file.writestr("manifest.json", content["manifest.json"])


def _encrypted(path: Path, content: Members) -> None:
    pack(path, content)
    data = bytearray(path.read_bytes())
    data[data.index(b"PK\1\2") + 8] |= 1
    path.write_bytes(data)


def _overlap(path: Path, content: Members) -> None:
    """Every PDF's entry in the table points at the first one, which is as large as the whole file."""
    pack(path, {**content, "archive.json": content["archive.json"]})
    with zipfile.ZipFile(path, "a") as file:
        info = file.getinfo("shards/pravo-8/book.pdf")
        for number in range(50):
            copy = zipfile.ZipInfo(f"copy-{number}")
            copy.header_offset, copy.CRC = info.header_offset, info.CRC
            copy.file_size = copy.compress_size = info.file_size
            file.filelist.append(copy)
        file._didModify = True


def _truncated(path: Path, content: Members) -> None:
    data = pack(path, content).read_bytes()
    path.write_bytes(data[: len(data) // 2])


def _bit(path: Path, content: Members) -> None:
    """One bit of the PDF turned where it lies, its CRC left as it was."""
    data = bytearray(pack(path, content).read_bytes())
    data[data.index(b"%PDF-") + 900] ^= 1
    path.write_bytes(data)


def _long_table(path: Path, content: Members) -> None:
    """A table of contents that would need gigabytes once it is read."""
    with path.open("wb") as file:
        file.write(b"PK\3\4")
        file.truncate(100 << 20)
        file.seek(0, 2)
        file.write(struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 65535, 65535, (100 << 20) - 4, 4, 0))


def with_file(name: str, data: bytes = b"x") -> Callable[[Path, Members], None]:
    return lambda path, content: (pack(path, {**content, name: data}), None)[1]


def with_manifest(**fields: object) -> Callable[[Path, Members], None]:
    def make(path: Path, content: Members) -> None:
        manifest = json.loads(content["manifest.json"])
        for name, value in fields.items():
            (manifest if name in manifest else manifest["shards"][0])[name] = value
        pack(path, sealed({**content, "manifest.json": json.dumps(manifest, ensure_ascii=False).encode()}))

    return make


def with_content(name: str, data: bytes) -> Callable[[Path, Members], None]:
    """A file of the first book that no export would write, with all digests right."""

    def make(path: Path, content: Members) -> None:
        manifest = json.loads(content["manifest.json"])
        manifest["shards"][0]["files"][name] = hashlib.sha256(data).hexdigest()
        changed = {f"shards/pravo-8/{name}": data, "manifest.json": json.dumps(manifest).encode()}
        pack(path, sealed({**content, **changed}))

    return make


def _unnormalised(path: Path, content: Members) -> None:
    """Vectors that no embedder gives."""
    vectors: Vectors = np.load(io.BytesIO(content["shards/pravo-8/vectors.npy"]))
    with_content("vectors.npy", npy(vectors * 9))(path, content)


def npy(array: Any) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array)
    return buffer.getvalue()


def huge_npy() -> bytes:
    """Some bytes that say they were a petabyte."""
    buffer = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        buffer, {"descr": "<f4", "fortran_order": False, "shape": (1 << 48, 1)}
    )
    return buffer.getvalue()


def _nested(path: Path, content: Members) -> None:
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("bomb", bytes(50 << 20))
    pack(path, {**content, "shards/pravo-8/inner.zip": inner.getvalue()})


def _bomb(path: Path, content: Members) -> None:
    pack(path, {**content, "shards/pravo-8/book.pdf": bytes(50 << 20)}, zipfile.ZIP_DEFLATED)
    assert path.stat().st_size < (50 << 20) / 100


def _many(path: Path, content: Members) -> None:
    pack(path, {**content, **{f"{number}.pdf": b"" for number in range(20_000)}})


HOSTILE: dict[str, tuple[Callable[[Path, Members], object], type[IndexStoreError], str]] = {
    "parent": (with_file("../x.pdf"), ArchiveDamaged, "за пределы"),
    "parent, backslash": (with_file("shards\\..\\..\\x.pdf"), ArchiveDamaged, "за пределы"),
    "absolute": (with_file("/etc/cron.d/x"), ArchiveDamaged, "за пределы"),
    "drive": (with_file("C:\\x.pdf"), ArchiveDamaged, "за пределы"),
    "control characters": (with_file("a\x1b]0;x\x07"), ArchiveDamaged, r"лишний файл a\?\]0;x\?"),
    "link": (_link, ArchiveDamaged, "ссылка"),
    "twice": (_twice, ArchiveDamaged, "дважды"),
    "encrypted": (_encrypted, ArchiveDamaged, "паролем"),
    "overlap": (_overlap, ArchiveDamaged, "накладываются|лишний файл"),
    "ratio over 100": (_bomb, ArchiveDamaged, "сжат"),
    "nested zip": (_nested, ArchiveDamaged, "лишний файл .*inner.zip"),
    "20,000 entries": (_many, ArchiveTooLarge, "20017"),
    "long table": (_long_table, ArchiveTooLarge, "оглавление"),
    "truncated": (_truncated, ArchiveDamaged, "обрезан или повреждён"),
    "one bit": (_bit, ArchiveDamaged, "повреждён"),
    "another file under its name": (
        with_file("shards/pravo-8/book.pdf", b"%PDF-1.4 other"),
        ArchiveDamaged,
        "book.pdf изменён",
    ),
    "registry changed": (with_file("books.json", b"{}"), ArchiveDamaged, "books.json изменён"),
    "foreign zip": (lambda path, _: pack(path, {"фото.jpg": b"x"}), ArchiveDamaged, "не архив Параграфа"),
    "no zip": (lambda path, _: path.write_bytes(b"%PDF-1.7 x"), ArchiveDamaged, "не архив Параграфа"),
    "empty": (lambda path, _: path.write_bytes(b""), ArchiveDamaged, "не архив Параграфа"),
    "file missing": (
        lambda path, content: pack(path, {n: d for n, d in content.items() if "vlast-8/book.pdf" not in n}),
        ArchiveDamaged,
        "нет файла .*vlast-8/book.pdf",
    ),
    "future header": (
        with_file("archive.json", b'{"format": "paragraf-archive-2"}'), ArchiveMismatch, "другой версии",
    ),
    "another schema": (with_manifest(schema_version=2), ArchiveMismatch, "версия схемы 2"),
    "another chunker": (with_manifest(chunker="paragraf-1+offset=2"), ArchiveMismatch, "paragraf ingest"),
    "another embedder": (
        with_manifest(embedder="sentence-transformers/intfloat/multilingual-e5-large@abc/1024/e5-prefix/l2"),
        EmbedderMismatch,
        r"EMBEDDER=intfloat/multilingual-e5-large .*\n.*zipfile(?s:.)*paragraf ingest .*pravo-8/book.pdf",
    ),
    "id with a slash": (with_manifest(book_id="../../x"), ArchiveDamaged, "manifest.json не читается"),
    "files with a slash": (
        with_manifest(files={"../x": "0" * 64}), ArchiveDamaged, "manifest.json не читается",
    ),
    "fewer files": (with_manifest(files={"book.pdf": "0" * 64}), ArchiveDamaged, "не те файлы"),
    "title of another book": (with_manifest(title="Химия"), ArchiveDamaged, "не то, что её файлы"),
    "nested JSON": (with_content("lemmas.json", b"[" * 200_000), ArchiveDamaged, "не сходится"),
    "lemmas that are none": (
        with_content("lemmas.json", json.dumps({"lemmatiser": lemmatiser_id(), "chunks": [1]}).encode()),
        ArchiveDamaged, "не сходится",
    ),
    "array of a petabyte": (with_content("vectors.npy", huge_npy()), ArchiveDamaged, "не сходится"),
    "sentences at half letters": (
        with_content("sentences.npy", npy(np.array([[0, 0.5, 9]]))), ArchiveDamaged, "float64, а нужны int32",
    ),
    "vectors of no embedder": (_unnormalised, ArchiveDamaged, "not L2-normalised"),
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_archive_is_refused_and_nothing_changes(
    name: str, archive: Path, store: Store, tmp_path: Path, embedder: Embedder
) -> None:
    make, error, said = HOSTILE[name]
    bad = tmp_path / "архив.paragraf"
    make(bad, members(archive))
    before, around = state(store), sorted(tmp_path.iterdir())
    with pytest.raises(error, match=said) as caught:
        import_store(bad, store, embedder, 1)
    assert str(bad) in str(caught.value) or name == "long table"
    assert re.search("[а-я]", str(caught.value))
    assert state(store) == before
    assert sorted(tmp_path.iterdir()) == around


def test_limits_count_the_bytes_really_read(archive: Path, store: Store, embedder: Embedder) -> None:
    size = archive.stat().st_size
    with (
        pytest.raises(ArchiveTooLarge, match="--max-gb"),
        Archive.open(archive, ArchiveLimits(total=size // 2)),
    ):
        pass
    with (
        pytest.raises(ArchiveTooLarge, match=r"archive\.json больше"),
        Archive.open(archive, ArchiveLimits(text=200)),
    ):
        pass
    with pytest.raises(ArchiveTooLarge, match="файлов"), Archive.open(archive, ArchiveLimits(books=1)):
        pass
    before = state(store)
    largest = max(len(data) for name, data in members(archive).items() if name.endswith(".json"))
    with (
        pytest.raises(ArchiveTooLarge, match="больше"),
        Archive.open(archive, ArchiveLimits(text=largest - 1)) as opened,
    ):
        opened.install(store, embedder)
    assert state(store) == before


def test_a_store_of_another_embedder_takes_no_archive(
    archive: Path, store: Store, embedder: Embedder
) -> None:
    path = store.root / "manifest.json"
    path.write_text(path.read_text("utf-8").replace("multilingual-e5-small-q4", "other"), encoding="utf-8")
    before = state(store)
    with pytest.raises(EmbedderMismatch, match="Верните прежний EMBEDDER"):
        import_store(archive, store, embedder, 1)
    assert state(store) == before


def test_full_disk_is_told_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(DiskFull, match=r"Нужно 1073741824,0 ГиБ, а в .* свободно"):
        check_space(tmp_path / "ещё нет" / "склада", 1 << 60)


def test_damaged_store_is_not_packed(archive: Path, store: Store, embedder: Embedder, tmp_path: Path) -> None:
    import_store(archive, store, embedder, 1)
    entry = store.manifest().entry("vlast-8")
    assert entry is not None
    pdf = store.directory(entry) / "book.pdf"
    pdf.write_bytes(pdf.read_bytes() + b" ")
    with pytest.raises(ArchiveDamaged, match=r"book\.pdf повреждён.*paragraf remove"):
        write_archive(store, tmp_path / "архив.paragraf")
    pdf.unlink()
    with pytest.raises(ArchiveDamaged, match=r"Нет файла .*book\.pdf"):
        write_archive(store, tmp_path / "архив.paragraf")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["школа"]


def test_a_book_replaced_while_it_is_packed_is_packed_anew(
    archive: Path, store: Store, embedder: Embedder, tmp_path: Path
) -> None:
    import_store(archive, store, embedder, 1)
    replaced = []

    def replace_once(done: int, total: int) -> None:
        if not replaced:
            replaced.append(import_store(archive, store, embedder, 1))

    target = tmp_path / "архив.paragraf"
    manifest = write_archive(store, target, replace_once)
    assert replaced
    assert manifest == store.manifest()
    with Archive.open(target) as opened:
        assert len(opened.manifest.shards) == 3


def test_killed_import_leaves_the_old_state(
    archive: Path, store: Store, embedder: Embedder, tmp_path: Path
) -> None:
    script = (
        "import os, signal, sys; from pathlib import Path\n"
        "from index.embedders import load_embedder; from index.store import Store\n"
        "from index.unpack import Archive\n"
        "def progress(done, total):\n"
        "    if done > total * float(sys.argv[3]): os.kill(os.getpid(), signal.SIGKILL)\n"
        "with Archive.open(Path(sys.argv[1])) as archive:\n"
        "    archive.install(Store(Path(sys.argv[2])), load_embedder('bundled'), progress)\n"
    )
    manifest = store.root / "manifest.json"
    before = manifest.read_bytes()
    for share in ("0.1", "0.9"):
        command = [sys.executable, "-c", script, str(archive), str(store.root), share]
        assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
        assert manifest.read_bytes() == before
        assert [parts.book.book_id for parts in store.read(embedder)[0]] == ["svoya-kniga"]
    assert len(list((store.root / "shards").iterdir())) > 1
    import_store(archive, store, embedder, 1)
    assert len(store.read(embedder)[0]) == 3
    assert len(list((store.root / "shards").iterdir())) == 3


def test_running_assistant_takes_up_what_is_imported(archive: Path, store: Store) -> None:
    assistant = Assistant.open(store.root)
    assert set(assistant.library.books) == {"svoya-kniga"}
    assert paragraf("import", archive, "--store", store.root).returncode == 0
    time.sleep(1.1)
    answer = assistant.ask("Что такое право? 8 класс").answer
    assert answer.status == "supported"
    assert answer.sources[0].book_id == "pravo-8"


def test_exit_codes_and_one_line_messages(archive: Path, source: Path, tmp_path: Path) -> None:
    bad = tmp_path / "плохой.paragraf"
    bad.write_bytes(b"x")
    for code, arguments in (
        (1, ["import", bad, "--store", tmp_path / "s"]),
        (1, ["export", tmp_path / "нет" / "a.paragraf", "--store", source]),
        (1, ["export", tmp_path / "a.paragraf", "--store", tmp_path / "нет"]),
        (2, ["import", tmp_path / "нет.paragraf"]),
        (2, ["import", tmp_path]),
        (2, ["export"]),
    ):
        done = paragraf(*arguments)
        assert done.returncode == code, done.stderr
        assert done.stdout == ""
        assert "Ошибка: " in done.stderr
        assert "Traceback" not in done.stderr
        assert code == 2 or len(done.stderr.splitlines()) == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["плохой.paragraf"]
