"""The evidence decision can be fitted anew: a small question set on the bundled embedder."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from answer.evidence import FEATURES, EvidenceModel
from evaluation.conditions import cases, without
from evaluation.fit import Sets, cross_validated, write
from evaluation.reading_sets import PIECE, Article, Asked, Passage, YesNo, pieces, read_articles, read_yes_no
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
            "Погода",
            (
                ("Грозу приносят кучевые облака.", "Какие облака приносят грозу?", "кучевые"),
                ("Барометр измеряет давление воздуха.", "Что измеряет барометр?", "давление"),
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


YES_NO = [
    YesNo("Есть ли у рек притоки?", ("Притоки есть почти у всех рек. Они несут воду в главную реку.",)),
    YesNo("Платят ли пенсионеры земельный налог?", ("Пенсионеры платят земельный налог не везде.",)),
    YesNo("Живут ли киты в озёрах?", ("Киты живут в морях и океанах. В озёрах их нет.",)),
]


def test_fitting_separates_and_writes_a_readable_model(tmp_path: Path) -> None:
    embedder = load_embedder("bundled")
    all_cases = list(cases(ARTICLES, YES_NO, embedder))
    of_kind = Counter(case.kind for case in all_cases if case.form == "written")
    assert of_kind["whole"] == of_kind["near"] == of_kind["far_small"] == of_kind["other_section"] == 12
    assert of_kind["reading"] == of_kind["reading_far"] == len(YES_NO)
    probability = cross_validated(all_cases)
    answerable = np.array([case.answerable for case in all_cases])
    far = np.array([case.kind == "far" for case in all_cases])
    assert np.median(probability[answerable]) > np.quantile(probability[far], 0.9)

    out = tmp_path / "evidence.json"
    sets = Sets(tuple(ARTICLES[:3]), tuple(YES_NO)), Sets(tuple(ARTICLES[3:]))
    write(*sets, embedder, out, lambda line: None)
    stored = json.loads(out.read_text("utf-8"))
    assert stored["features"] == list(FEATURES)
    training = stored["training"]
    assert training["embedder"] == embedder.id
    assert not set(training["articles"]) & set(training["test_articles"])
    assert set(training["refused"]) == {"train_cross_validated", "test"}
    model = EvidenceModel.load(out)
    assert 0 < model.threshold < 1


def test_a_case_is_the_same_whenever_it_is_made() -> None:
    embedder = load_embedder("bundled")
    assert list(cases(ARTICLES[:3], YES_NO[:1], embedder)) == list(cases(ARTICLES[:3], YES_NO[:1], embedder))


def test_the_sentence_with_the_answer_is_cut_out_of_its_paragraph() -> None:
    text = "Волга течёт на юг. Её длина 3530 км. На ней стоит Казань."
    passage = Passage(text, (Asked("Какова длина Волги?", ("3530",)),))
    kept = without(passage, ["3530"])
    assert kept is not None
    assert kept.text == "Волга течёт на юг. На ней стоит Казань."
    assert without(passage, ["Обь"]) is None, "nothing is cut where the answer is not there"
    assert without(Passage("Длина 3530 км. Так.", ()), ["3530"]) is None, "one sentence is no paragraph"


def test_long_paragraphs_come_in_pieces_of_whole_sentences() -> None:
    text = " ".join(f"Предложение номер {n} говорит о реках и озёрах нашей страны." for n in range(60))
    parts = list(pieces(text))
    assert " ".join(parts) == text
    assert len(parts) > 1
    assert all(len(part) <= PIECE and part.endswith(".") for part in parts)
    assert list(pieces("Короткий текст.")) == ["Короткий текст."]


def test_the_halves_of_the_yes_no_questions_are_apart() -> None:
    path = Path(__file__).resolve().parents[2].parent / "shared/data/qa/danetqa_train.jsonl"
    if not path.is_file():
        pytest.skip(f"{path} is absent")
    train, test = (read_yes_no(path, part) for part in (True, False))
    assert len(train) + len(test) == 715
    assert not {question.text for question in train} & {question.text for question in test}
    assert all(question.passages for question in train + test)


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
