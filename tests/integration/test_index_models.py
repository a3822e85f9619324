"""A real sentence-transformers model, made on the spot and loaded from a directory."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from index.embedders import SentenceTransformerEmbedder, load_embedder
from index.lemmas import words

pytestmark = pytest.mark.models

SENTENCES = ("Что такое общество?", "Общество — часть мира.", "Труд кормит человека.")


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny random BERT with mean pooling, whose configuration brings prompts of its own."""
    pytest.importorskip("sentence_transformers", reason="needs the extra gpu: pip install 'paragraf[gpu]'")
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer
    from transformers import BertConfig, BertModel, BertTokenizer

    root = tmp_path_factory.mktemp("e5")
    vocabulary = dict.fromkeys(
        ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "query", "passage", ":", "?", ".", "—"]
        + [word for sentence in SENTENCES for word in words(sentence)]
    )
    (root / "vocab.txt").write_text("\n".join(vocabulary))
    tokenizer = BertTokenizer(vocab=str(root / "vocab.txt"), model_max_length=32)
    config = BertConfig(
        vocab_size=len(vocabulary), hidden_size=16, num_hidden_layers=1, num_attention_heads=2,
        intermediate_size=16, max_position_embeddings=32,
    )  # fmt: skip
    BertModel(config).save_pretrained(root / "bert")
    tokenizer.save_pretrained(root / "bert")
    transformer = Transformer(str(root / "bert"))
    model = SentenceTransformer(modules=[transformer, Pooling(16, pooling_mode="mean")])
    saved = root / "крошечная e5"
    model.save(str(saved))
    settings = saved / "config_sentence_transformers.json"
    content = json.loads(settings.read_text())
    content["prompts"] = {"query": "query: ", "document": "passage: "}
    content["default_prompt_name"] = "query"
    settings.write_text(json.dumps(content))
    return saved


def test_the_prefix_reaches_the_model_exactly_once(directory: Path) -> None:
    from sentence_transformers import SentenceTransformer

    embedder = load_embedder(str(directory))
    plain = SentenceTransformer(str(directory))
    expected = plain.encode(
        ["query: " + SENTENCES[0], "passage: " + SENTENCES[1]], prompt="", normalize_embeddings=True
    )
    assert embedder.embed_query(SENTENCES[0]) == pytest.approx(expected[0], abs=1e-5)
    passages = embedder.embed_passages(SENTENCES[1:])
    assert passages[0] == pytest.approx(expected[1], abs=1e-5)
    assert passages.dtype == np.float32
    assert passages.shape == (2, embedder.dimension)
    assert np.linalg.norm(passages, axis=1) == pytest.approx(1, abs=1e-5)


def test_tokens_are_counted_with_prefix_and_beyond_the_limit(directory: Path) -> None:
    embedder = SentenceTransformerEmbedder(str(directory))
    assert embedder.max_tokens == 32
    assert embedder.count_tokens("общество") == 5  # [CLS] passage : общество [SEP]
    assert embedder.count_tokens("общество " * 100) == 104


def test_the_id_is_that_of_the_directory_and_its_weights(directory: Path) -> None:
    embedder = SentenceTransformerEmbedder(str(directory))
    assert embedder.id.startswith("sentence-transformers/крошечная e5@")
    assert embedder.id == SentenceTransformerEmbedder(str(directory)).id
