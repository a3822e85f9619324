"""What a raw draft must be to go on to the checks."""

from __future__ import annotations

import json

import pytest
from modelserver.server import draft

from answer.generating.contract import MAX_ANSWER, read_draft
from answer.generating.errors import ContractBroken
from answer.generating.generator import Prompt, RawDraft

TEXTS = {
    "f1": "Фотосинтез — образование органических веществ на свету. Исаак Ньютон (Newton) изучал свет.",
    "f2": "Столица Китая — Пекин (北京). Воду обозначают H2O. Сила тока — I, сопротивление — ω.",
}
PROMPT = Prompt("система", "вопрос", ("f1", "f2"), 900)
GOOD = "Фотосинтез — это образование органических веществ на свету."
SENTENCE = "Растения образуют органические вещества на свету. "


def fault(text: str, *, complete: bool = True, prompt: Prompt = PROMPT) -> str | None:
    try:
        read_draft(RawDraft(text, complete), prompt, TEXTS)
    except ContractBroken as error:
        return error.fault
    return None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{}\n\n\n", "not_schema"),
        ('{"answer":"Закон О', "not_json"),
        ("", "not_json"),
        ("\n\n\n", "not_json"),
        ("[" * 90_000, "not_json"),
        ("null", "not_schema"),
        ("[]", "not_schema"),
        ('"текст"', "not_schema"),
        (GOOD, "not_json"),
        (draft("", "f1"), "empty"),
        (draft(" \n**  ** ", "f1"), "empty"),
        ('{"answer":"","citations":[1]}', "not_schema"),
        (json.dumps({"answer": GOOD, "citations": "f1"}), "not_schema"),
        (json.dumps({"answer": GOOD, "citations": [1]}), "not_schema"),
        (json.dumps({"answer": [GOOD], "citations": ["f1"]}), "not_schema"),
        (json.dumps({"answer": GOOD, "citations": {"f1": 1}}), "not_schema"),
        (json.dumps({"answer": GOOD}), "not_schema"),
        (json.dumps({"citations": ["f1"]}), "not_schema"),
        (json.dumps({"answer": GOOD, "citations": ["f1"], "page": 57}), "not_schema"),
        (draft(GOOD), "citations_empty"),
        (draft(GOOD, "f3"), "citations_unknown"),
        (draft(GOOD, "f1", "s1"), "citations_unknown"),
        (draft(GOOD + " [f7]", "f1"), "citations_unknown"),
        (draft("Слово за словом. " * 200, "f1"), "too_long"),
        (draft(SENTENCE * 30, "f1"), "repeated"),
        (draft("свет и тень и " * 20, "f1"), "repeated"),
        (draft("Ответ: ааааааааааааааааааааа", "f1"), "repeated"),
        (draft("Фотосинтез — это 光合作用 в листьях.", "f1"), "foreign_script"),
        (draft("Столица Китая — Пекин (北京).", "f1"), "foreign_script"),
        (draft("Фотосинтез — це утворення речовин, їх є багато.", "f1"), "foreign_script"),
        (draft("Фотосинтез ज्ञान.", "f1"), "foreign_script"),
        (draft("Photosynthesis is the formation of organic matter in the light.", "f1"), "latin"),
        (draft("Фотосинтез is the formation of organic matter in the light.", "f1"), "latin"),
        (draft("Organic matter.", "f1"), "latin"),
        (draft("<think>Ученик спрашивает про фотосинтез.</think> " + GOOD, "f1"), "thinking"),
        (draft(GOOD + "<|im_end|>", "f1"), "thinking"),
        ("<think>Надо подумать о том, что", "thinking"),
    ],
)
def test_a_draft_that_breaks_the_contract_is_named_by_its_fault(text: str, expected: str) -> None:
    assert fault(text) == expected


def test_a_draft_that_the_output_limit_cut_is_refused_even_where_it_parses() -> None:
    assert fault(draft(GOOD, "f1"), complete=False) == "cut"


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        (draft(GOOD, "f1"), GOOD),
        (draft(GOOD, "f1") + "\n\n\n", GOOD),
        ("```json\n" + draft(GOOD, "f1") + "\n```", GOOD),
        ("```\n" + draft(GOOD, "f1") + "```\n", GOOD),
        ("<think>Надо найти определение.</think>\n" + draft(GOOD, "f1"), GOOD),
        (json.dumps({"answer": GOOD, "citations": ["f1"]}), GOOD),
        (
            '{"citations": ["f1"], "answer": "Первая строка.\nВторая строка."}',
            "Первая строка.\nВторая строка.",
        ),
        (draft("Столица Китая — Пекин (北京).", "f2"), "Столица Китая — Пекин (北京)."),
        (draft("Свет изучал Newton.", "f1"), "Свет изучал Newton."),
        (
            draft("Newton изучал свет, а воду обозначают H2O.", "f1"),
            "Newton изучал свет, а воду обозначают H2O.",
        ),
        (draft("Сопротивление обозначают ω, а число — π.", "f2"), "Сопротивление обозначают ω, а число — π."),
        (draft("**Фотосинтез** — это `образование` веществ.", "f1"), "Фотосинтез — это образование веществ."),
        (draft("В 1703 году.", "f1"), "В 1703 году."),
        (draft(GOOD + " " + GOOD, "f1"), GOOD),
        (draft("Свет [f1]. Вода [f2].", "f1"), "Свет [f1]. Вода [f2]."),
    ],
)
def test_a_draft_that_keeps_the_contract_becomes_plain_text(text: str, answer: str) -> None:
    assert read_draft(RawDraft(text), PROMPT, TEXTS).answer == answer


def test_citations_are_kept_once_and_in_order() -> None:
    assert read_draft(RawDraft(draft(GOOD, "f2", "f1", "f2")), PROMPT, TEXTS).citations == ("f2", "f1")


def test_an_answer_that_the_length_limit_stopped_in_mid_sentence_loses_that_sentence() -> None:
    whole = "Растения образуют вещества на свету."
    cut = f"{whole} Животные питаются гото"
    prompt = Prompt("с", "в", ("f1",), len(cut))
    assert read_draft(RawDraft(draft(cut, "f1")), prompt, TEXTS).answer == whole


def test_an_answer_without_one_whole_sentence_is_cut() -> None:
    text = "Растения образуют органические вещества на све"
    assert fault(draft(text, "f1"), prompt=Prompt("с", "в", ("f1",), len(text))) == "cut"


def test_the_longest_answer_is_three_thousand_characters() -> None:
    words = " ".join(f"слово{i}." for i in range(600))
    prompt = Prompt("с", "в", ("f1",), 10_000)
    assert fault(draft(words[: MAX_ANSWER - 1] + ".", "f1"), prompt=prompt) is None
    assert fault(draft(words[:MAX_ANSWER] + ".", "f1"), prompt=prompt) == "too_long"
