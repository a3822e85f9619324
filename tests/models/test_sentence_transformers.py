"""The embedder of the GPU extra, on a real (tiny, untrained) sentence-transformers model made here."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from index.embedders import SentenceTransformerEmbedder
from index.errors import EmbedderUnavailable

WORDS = [
    "query",
    ":",
    "passage",
    "общество",
    "это",
    "люди",
    "природа",
    "право",
    "труд",
    "закон",
    "что",
    "такое",
]
PASSAGES = ["общество это люди", "право это закон", "труд", "природа " * 100]


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A two-layer BERT over a dozen words, 64 tokens long."""
    import torch
    from sentence_transformers import SentenceTransformer
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

    torch.manual_seed(0)
    root = tmp_path_factory.mktemp("tiny")
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    tokenizer = Tokenizer(models.WordLevel({word: i for i, word in enumerate([*special, *WORDS])}, "[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        "[CLS] $A [SEP]", None, [("[CLS]", 2), ("[SEP]", 3)]
    )
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token="[PAD]",
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        mask_token="[MASK]",
        model_max_length=64,
    ).save_pretrained(root / "bert")
    config = BertConfig(
        vocab_size=len(special) + len(WORDS),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=64,
    )
    BertModel(config).save_pretrained(root / "bert")
    # A bare encoder is pooled by mean, as e5 is.
    SentenceTransformer(str(root / "bert"), device="cpu").save(str(root / "model"))
    return root / "model"


@pytest.fixture(scope="module")
def embedder(tiny: Path) -> SentenceTransformerEmbedder:
    return SentenceTransformerEmbedder(str(tiny))


def test_vectors_are_unit_rows_of_the_models_dimension(embedder: SentenceTransformerEmbedder) -> None:
    vectors = embedder.embed_passages(PASSAGES)
    assert vectors.shape == (4, embedder.dimension) == (4, 32)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert embedder.embed_passages([]).shape == (0, 32)
    assert embedder.embed_query("что такое общество").shape == (32,)


def test_the_prefix_comes_exactly_once(embedder: SentenceTransformerEmbedder, tiny: Path) -> None:
    from sentence_transformers import SentenceTransformer

    plain = SentenceTransformer(str(tiny), device="cpu")
    for text, vector, prefix in (
        ("что такое право", embedder.embed_query("что такое право"), "query: "),
        ("право это закон", embedder.embed_passages(["право это закон"])[0], "passage: "),
    ):
        assert np.allclose(vector, plain.encode(prefix + text, normalize_embeddings=True), atol=1e-5)
        assert not np.allclose(vector, plain.encode(text, normalize_embeddings=True), atol=1e-3)


def test_prompts_of_the_models_own_configuration_add_nothing(
    tiny: Path, embedder: SentenceTransformerEmbedder, tmp_path: Path
) -> None:
    import shutil

    copied = shutil.copytree(tiny, tmp_path / "prompted")
    path = copied / "config_sentence_transformers.json"
    config = json.loads(path.read_text(encoding="utf-8"))
    config["prompts"] = {"query": "query: ", "document": "passage: "}
    config["default_prompt_name"] = "query"
    path.write_text(json.dumps(config), encoding="utf-8")
    prompted = SentenceTransformerEmbedder(str(copied))
    assert np.allclose(
        prompted.embed_query("что такое право"), embedder.embed_query("что такое право"), atol=1e-5
    )


def test_tokens_are_counted_beyond_the_models_length(embedder: SentenceTransformerEmbedder) -> None:
    assert embedder.max_tokens == 64
    assert embedder.count_tokens("природа " * 100) > 100
    assert embedder.count_tokens("право") == len(["[CLS]", "passage", ":", "право", "[SEP]"])


def test_the_id_changes_with_the_weights(tiny: Path, tmp_path: Path) -> None:
    import shutil

    other = shutil.copytree(tiny, tmp_path / "model")
    same = SentenceTransformerEmbedder(str(other)).id
    assert same == SentenceTransformerEmbedder(str(tiny)).id
    weights = next(other.rglob("*.safetensors"))
    data = bytearray(weights.read_bytes())
    data[-1] ^= 1
    weights.write_bytes(bytes(data))
    assert SentenceTransformerEmbedder(str(other)).id != same


def test_a_directory_without_a_model_is_named(tmp_path: Path) -> None:
    with pytest.raises(EmbedderUnavailable, match="EMBEDDER"):
        SentenceTransformerEmbedder(str(tmp_path / "nowhere"))
