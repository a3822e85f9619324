"""New editions, killed runs and a program that answers meanwhile: always the old book or the new one."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from time import monotonic, sleep

import numpy as np
import pymupdf

from answer.assistant import CHECK_EVERY, Assistant
from index.embedder import Vectors
from index.embedders import load_embedder
from index.store import Store
from ingest.pipeline import file_sha256, ingest
from ingest.report import IngestReport

ROOT = Path(__file__).resolve().parents[2]
KILLS = 30


class Counting:
    """Vectors by letters; keeps what it was asked to embed."""

    id, dimension, max_tokens = "counting/1", 16, 512

    def __init__(self) -> None:
        self.asked: list[str] = []

    def count_tokens(self, text: str) -> int:
        return len(text) // 3

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        self.asked += texts
        rows = np.ones((len(texts), self.dimension), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            for ch in text:
                row[ord(ch) % self.dimension] += 1
            row /= np.linalg.norm(row)
        return rows

    def embed_query(self, text: str) -> Vectors:
        return self.embed_passages([text])[0]


def textbook(path: Path, *facts: str) -> Path:
    """A § for each fact."""
    document = pymupdf.open()
    for number, fact in enumerate(facts, start=1):
        page = document.new_page(width=420, height=595)
        page.insert_htmlbox(pymupdf.Rect(50, 50, 370, 540), f"<h2>§ {number}. Тема</h2><p>{fact}</p>")
    document.save(path)
    document.close()
    return path


POWER = "Власть есть способность влиять на людей. Она бывает законной и незаконной."
LAW = "Право есть система норм. Его охраняет государство."
TAX = "Налоги собирает государство. Их платят граждане и предприятия."


def load(pdf: Path, store: Store, embedder: object) -> IngestReport:
    return ingest(
        pdf, grades=[10], subject="обществознание", title="Книга", store=store, embedder=embedder  # type: ignore[arg-type]
    )  # fmt: skip


def test_only_changed_texts_are_embedded_again(tmp_path: Path) -> None:
    store, embedder = Store(tmp_path / "store"), Counting()
    first = load(textbook(tmp_path / "а.pdf", POWER, LAW), store, embedder)
    assert (first.status, first.reused, first.texts) == ("ok", 0, 6)
    before = store.read_book("kniga-10", embedder)
    embedder.asked.clear()
    second = load(textbook(tmp_path / "б.pdf", POWER, TAX), store, embedder)
    assert (second.status, second.reused, second.texts) == ("ok", 3, 6)
    assert sorted(embedder.asked) == sorted(["Тема\n" + TAX, *(s + "." for s in TAX[:-1].split(". "))])
    after = store.read_book("kniga-10", embedder)
    assert before is not None
    assert after is not None
    assert np.array_equal(before.vectors[0], after.vectors[0])
    fresh = Counting().embed_passages([chunk.search_text for chunk in after.chunks])
    assert np.allclose(after.vectors, fresh)
    sentences = [after.chunks[s.chunk].text[s.start : s.end] for s in after.sentences]
    assert np.allclose(after.sentence_vectors, Counting().embed_passages(sentences))


def test_vectors_of_a_damaged_edition_are_not_reused(tmp_path: Path) -> None:
    store, embedder = Store(tmp_path / "store"), Counting()
    load(textbook(tmp_path / "а.pdf", POWER, LAW), store, embedder)
    (file,) = (tmp_path / "store" / "shards").glob("*/vectors.npy")
    file.write_bytes(file.read_bytes()[:-4] + b"\0\0\0\1")
    again = load(textbook(tmp_path / "б.pdf", POWER, TAX), store, embedder)
    assert (again.status, again.reused) == ("ok", 0)


def test_same_file_does_nothing_but_an_unread_page_is_tried_again(tmp_path: Path) -> None:
    store, embedder = Store(tmp_path / "store"), Counting()
    book = textbook(tmp_path / "а.pdf", POWER, LAW)
    load(book, store, embedder)
    version = store.version()
    assert load(book, store, embedder).status == "unchanged"
    assert store.version() == version
    document = pymupdf.open(book)
    page = document.new_page(width=420, height=595)
    page.insert_text((50, 50), "\u00c0\u00c1 " * 30)  # letters of no language
    document.save(tmp_path / "б.pdf")
    partial = load(tmp_path / "б.pdf", store, embedder)
    assert partial.status == "partial"
    assert load(tmp_path / "б.pdf", store, embedder).status == "partial"


PART_1 = [
    f"Правило номер {word} учит складывать дроби с общим знаменателем." for word in ("один", "два", "три")
]
PART_2 = [
    f"Теорема {name} говорит о сторонах треугольника и его углах."
    for name in ("Фалеса", "синусов", "косинусов")
]


def titled(path: Path, sections: dict[str, str]) -> Path:
    """§§ with titles of their own, each with its text and twenty sentences that no other has."""
    document = pymupdf.open()
    for number, (title, fact) in enumerate(sections.items(), start=1):
        page = document.new_page(width=420, height=595)
        more = " ".join(f"{fact[:-1]}, как показано в примере {title} {i}." for i in range(9))
        page.insert_htmlbox(
            pymupdf.Rect(50, 50, 370, 540), f"<h2>§ {number}. {title}</h2><p>{fact} {more}</p>"
        )
    document.save(path)
    document.close()
    return path


def test_another_book_of_the_same_title_does_not_replace_the_first(tmp_path: Path) -> None:
    store, embedder = Store(tmp_path / "store"), Counting()
    names = ("Сложение", "Вычитание", "Деление")
    first = titled(tmp_path / "часть 1.pdf", dict(zip(names, PART_1, strict=True)))
    second = titled(tmp_path / "часть 2.pdf", dict(zip(("Подобие", "Синус", "Косинус"), PART_2, strict=True)))
    common = {"grades": [9], "subject": "алгебра", "title": "Алгебра", "store": store, "embedder": embedder}
    assert ingest(first, **common, replace_any=False).status == "ok"  # type: ignore[arg-type]
    refused = ingest(second, **common, replace_any=False)  # type: ignore[arg-type]
    assert (refused.status, refused.stored) == ("failed", False)
    assert "--book-id algebra-9-2" in refused.warnings[0]
    kept = store.read_book("algebra-9", embedder)
    assert kept is not None
    assert kept.book.sha256 == file_sha256(first)
    # A new edition: one § is rewritten, the numbers are others.
    edition = titled(
        tmp_path / "издание.pdf", dict(zip((*names[:2], "Дроби"), (*PART_1[:2], PART_2[0]), strict=True))
    )
    replaced = ingest(edition, **common, replace_any=False)  # type: ignore[arg-type]
    assert replaced.status == "ok"
    assert any("заменена" in warning for warning in replaced.warnings), "it is said, too"
    chosen = ingest(second, **common, book_id="algebra-9")  # type: ignore[arg-type]
    assert chosen.status == "ok"
    assert any("заменена" in warning for warning in chosen.warnings)


def command(pdf: Path, store: Path) -> subprocess.Popen[bytes]:
    arguments = ["--grade", "10", "--subject", "обществознание", "--title", "Книга", "--store", str(store)]
    return subprocess.Popen(
        [sys.executable, "-m", "ingest", str(pdf), *arguments],
        cwd=pdf.parent,
        env={"PYTHONPATH": str(ROOT), "PATH": os.environ["PATH"], "OMP_NUM_THREADS": "1"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


WARM = """
import os, sys
sys.path[:0] = [{tests!r}, {root!r}]
from pathlib import Path
from index.lemmas import lemmas
from index.store import Store
from ingest.repair import is_russian_word
from test_ingest_incremental import Counting, load
lemmas("право"), is_russian_word("право")  # the dictionaries
print("ready", flush=True)
for line in sys.stdin:
    pdf, store = line.rstrip().split("|")
    child = os.fork()
    if child == 0:
        load(Path(pdf), Store(Path(store)), Counting())
        os._exit(0)
    print(child, flush=True)
    os.waitpid(child, 0)
    print("over", flush=True)
"""


def test_killed_at_any_moment_the_store_holds_the_old_or_the_new_book(tmp_path: Path) -> None:
    """`kill -9` at random moments of a load, two editions in turn; forked from a process that is warm."""
    editions = [textbook(tmp_path / f"{name}.pdf", fact) for name, fact in (("а", POWER), ("б", LAW))]
    root, embedder = tmp_path / "store", Counting()
    script = WARM.format(tests=str(Path(__file__).parent), root=str(ROOT))
    server = subprocess.Popen(
        [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert server.stdin is not None
    assert server.stdout is not None
    with server, server.stdin, server.stdout:
        assert server.stdout.readline() == "ready\n"

        def run(edition: int, kill_after: float | None) -> float:
            assert server.stdin is not None
            assert server.stdout is not None
            server.stdin.write(f"{editions[edition]}|{root}\n")
            server.stdin.flush()
            child = int(server.stdout.readline())
            started = monotonic()
            if kill_after is not None:
                sleep(kill_after)
                with contextlib.suppress(ProcessLookupError):  # it was quicker
                    os.kill(child, signal.SIGKILL)
            assert server.stdout.readline() == "over\n"
            return monotonic() - started

        whole = run(0, None)
        dice = random.Random(20)
        seen = []
        for i in range(KILLS):
            # Often enough near the end, where the files are written and the manifest is switched.
            run(1 - i % 2, whole * (dice.uniform(0.0, 0.7) if i % 3 == 0 else dice.uniform(0.7, 1.1)))
            parts, damaged = Store(root).read(embedder)
            assert not damaged
            (book,) = parts
            assert [chunk.text for chunk in book.chunks] in ([POWER], [LAW])
            seen.append(book.chunks[0].text)
        assert set(seen) == {POWER, LAW}
        # Twice, as loading the edition that the last kill may have left complete would do nothing.
        run(0, None)
        run(1, None)
    (last,), _ = Store(root).read(embedder)
    assert last.chunks[0].text == LAW
    assert len(list((root / "shards").iterdir())) == 1, "what killed runs left is removed"
    assert not list(root.glob(".*.new"))


def test_killed_command_leaves_the_old_or_the_new_book(tmp_path: Path) -> None:
    embedder = load_embedder("bundled")
    editions = [textbook(tmp_path / f"{name}.pdf", fact) for name, fact in (("а", POWER), ("б", LAW))]
    root = tmp_path / "store"
    started = monotonic()
    assert command(editions[0], root).wait() == 0
    whole = monotonic() - started
    for share in (0.6, 0.85, 0.95):
        process = command(editions[1], root)
        sleep(whole * share)
        process.send_signal(signal.SIGKILL)
        process.wait()
        (book,), damaged = Store(root).read(embedder)
        assert not damaged
        assert [chunk.text for chunk in book.chunks] in ([POWER], [LAW])


def test_a_running_assistant_serves_through_a_rebuild(tmp_path: Path) -> None:
    store, embedder = Store(tmp_path / "store"), load_embedder("bundled")
    editions = [
        textbook(tmp_path / "а.pdf", POWER, "Налог есть обязательный платёж, который платят в 1991 году."),
        textbook(tmp_path / "б.pdf", POWER, "Налог есть обязательный платёж, который платят в 2024 году."),
    ]
    load(editions[0], store, embedder)
    assistant = Assistant.open(tmp_path / "store")
    done = threading.Event()
    failures: list[BaseException] = []

    def rebuild() -> None:
        try:
            for i in range(1, 6):
                load(editions[i % 2], store, embedder)
        except BaseException as exc:
            failures.append(exc)
        finally:
            done.set()

    worker = threading.Thread(target=rebuild)
    worker.start()
    answers = []
    while not done.is_set():
        answers.append(assistant.ask("10 класс: что такое налог?").answer)
    worker.join()
    assert not failures
    sleep(1.5 * CHECK_EVERY)
    answers.append(assistant.ask("10 класс: что такое налог?").answer)
    assert len(answers) >= 3
    for answer in answers:
        assert answer.status == "supported"
        assert ("1991" in answer.answer) != ("2024" in answer.answer)
        quotes = " ".join(source.quote for source in answer.sources)
        assert ("1991" in quotes) == ("1991" in answer.answer)
    assert "2024" in answers[-1].answer
