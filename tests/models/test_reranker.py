"""A real cross-encoder, made on the spot and loaded from a directory, in front of a real library."""

from __future__ import annotations

from pathlib import Path

import pytest

from index.embedders import load_embedder
from index.errors import RerankerUnavailable
from index.lemmas import words
from index.library import Library
from index.reranker import CrossEncoderReranker, load_reranker

TEXTS = ("Общество — часть мира.", "Труд кормит человека.", "Налоги платят все.")


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny random BERT with one output."""
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizer

    folder = tmp_path_factory.mktemp("reranker") / "крошечная модель"
    folder.mkdir()
    vocabulary = dict.fromkeys(
        ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "?", ".", "—", "что", "такое"]
        + [word for text in TEXTS for word in words(text)]
    )
    (folder / "vocab.txt").write_text("\n".join(vocabulary))
    BertTokenizer(vocab=str(folder / "vocab.txt"), model_max_length=64).save_pretrained(folder)
    config = BertConfig(
        vocab_size=len(vocabulary), hidden_size=16, num_hidden_layers=1, num_attention_heads=2,
        intermediate_size=16, max_position_embeddings=64, num_labels=1,
    )  # fmt: skip
    BertForSequenceClassification(config).save_pretrained(folder)
    return folder


def test_scores_are_those_of_the_pairs(directory: Path) -> None:
    from sentence_transformers import CrossEncoder

    reranker = load_reranker(str(directory))
    assert isinstance(reranker, CrossEncoderReranker)
    expected = CrossEncoder(str(directory)).predict([("что такое общество", text) for text in TEXTS])
    assert reranker.scores("что такое общество", TEXTS) == pytest.approx(list(map(float, expected)), abs=1e-5)


def test_a_missing_directory_is_named() -> None:
    with pytest.raises(RerankerUnavailable, match="/нет/такого"):
        load_reranker("/нет/такого")


def test_the_library_puts_hits_in_the_order_of_the_cross_encoder(directory: Path) -> None:
    from evaluation.reading_sets import Article, Passage, make_book

    embedder = load_embedder("bundled")
    reranker = CrossEncoderReranker(str(directory))
    book = make_book("b", [Article("Всё", tuple(Passage(text, ()) for text in TEXTS))], embedder)
    library = Library([book], embedder, reranker=reranker)
    question = "что такое труд"
    hits = library.search(question, library.embed(question), k=3)
    scores = reranker.scores(question, [hit.chunk.search_text for hit in hits])
    assert list(scores) == sorted(scores, reverse=True)
    assert library.search(question, library.embed(question), k=1) == hits[:1]
