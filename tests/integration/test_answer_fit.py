"""The evidence decision can be fitted anew: a small question set on the bundled embedder."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from answer.evidence import FEATURES, EvidenceModel
from evaluation.fit import cases, cross_validated, write
from evaluation.reading_sets import Article, Asked, Passage, read_articles
from index.embedders import load_embedder

ARTICLES = [
    Article(
        title,
        tuple(Passage(text, (Asked(question, (answer,)),)) for text, question, answer in passages),
    )
    for title, passages in (
        (
            "Реки",
            (
                (
                    "Волга впадает в Каспийское море. Её длина 3530 км.",
                    "Куда впадает Волга?",
                    "Каспийское море",
                ),
                (
                    "Байкал — самое глубокое озеро. Из него вытекает Ангара.",
                    "Что вытекает из Байкала?",
                    "Ангара",
                ),
            ),
        ),
        (
            "Налоги",
            (
                (
                    "Подоходный налог платят работники. Его ставка 13 %.",
                    "Кто платит подоходный налог?",
                    "работники",
                ),
                ("Земельный налог — местный. Его получает город.", "Кто получает земельный налог?", "город"),
            ),
        ),
        (
            "Клетка",
            (
                ("Ядро хранит наследственную информацию клетки.", "Что хранит ядро клетки?", "информацию"),
                (
                    "Хлоропласты участвуют в фотосинтезе растений.",
                    "Что участвует в фотосинтезе?",
                    "Хлоропласты",
                ),
            ),
        ),
        (
            "Музыка",
            (
                ("Скрипка имеет четыре струны. На ней играют смычком.", "Сколько струн у скрипки?", "четыре"),
                (
                    "Орган — духовой инструмент с трубами и клавишами.",
                    "Какой инструмент имеет трубы?",
                    "Орган",
                ),
            ),
        ),
        (
            "Космос",
            (
                ("Юрий Гагарин полетел в космос в 1961 г.", "Когда полетел Юрий Гагарин?", "1961"),
                ("Луна обращается вокруг Земли за 27 суток.", "Вокруг чего обращается Луна?", "Земли"),
            ),
        ),
    )
]


def test_fitting_separates_and_writes_a_readable_model(tmp_path: Path) -> None:
    embedder = load_embedder("bundled")
    all_cases = list(cases(ARTICLES, embedder))
    assert len(all_cases) == 10 * 2 * 8
    probability = cross_validated(all_cases)
    answerable = np.array([case.answerable for case in all_cases])
    far = np.array([case.kind == "far" for case in all_cases])
    assert np.median(probability[answerable]) > np.quantile(probability[far], 0.9)

    out = tmp_path / "evidence.json"
    write(ARTICLES, embedder, "small.json", out, lambda line: None)
    stored = json.loads(out.read_text("utf-8"))
    assert stored["features"] == list(FEATURES)
    assert stored["training"]["cases"] == len(all_cases)
    assert stored["training"]["embedder"] == embedder.id
    model = EvidenceModel.load(out)
    assert 0 < model.threshold < 1


def test_articles_are_read_from_the_squad_format() -> None:
    path = Path(__file__).resolve().parents[2].parent / "shared/data/qa/xquad_ru_dev.json"
    if not path.is_file():
        pytest.skip(f"{path} is absent")
    articles = read_articles(path)
    assert len(articles) == 12
    assert sum(len(passage.questions) for article in articles for passage in article.passages) == 318
    passage = articles[0].passages[0]
    assert not passage.text.startswith("\ufeff")
    assert all(answer in passage.text for asked in passage.questions for answer in asked.answers)
