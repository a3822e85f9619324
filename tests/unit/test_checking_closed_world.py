"""References outside the closed list; the table is tests/truth/closed_world.tsv: text, what stays,
what was counted.
"""

# ruff: noqa: E501 - a table of Russian wordings reads best one case a line

import datetime as dt
from pathlib import Path

import pytest

from answer.checking.allowed import AllowedReferences
from answer.checking.closed_world import close_world
from answer.checking.drafts import Fragment
from answer.checking.references import find_references
from answer.registry import ActRecord, BookRecord

TABLE = Path(__file__).resolve().parents[1] / "truth" / "closed_world.tsv"
ALLOWED = AllowedReferences.of(
    [
        Fragment(
            "f1",
            "Статья 37 Конституции провозглашает, что труд свободен (см. § 45). Трудовой кодекс принят 30 декабря "
            "2001 г. Гоббс в книге «Левиафан» (1651) писал о договоре.",
            "[10 класс | § 13 «Труд» | стр. 57]",
        )
    ],
    [BookRecord(title="Обществознание. 10 класс", authors=("Л. Н. Боголюбов",))],
    [
        ActRecord(
            kind="Федеральный закон",
            title="Об образовании в Российской Федерации",
            number="273-ФЗ",
            date=dt.date(2012, 12, 29),
        )
    ],
    paragraphs=["14"],
    pages=["58"],
)
CASES = [line.split("\t") for line in TABLE.read_text(encoding="utf-8").splitlines()]


def test_the_table_is_large_and_holds_both_sorts() -> None:
    assert len(CASES) >= 120
    assert sum(text == expected for text, expected, _ in CASES) >= 30


@pytest.mark.parametrize(("text", "expected", "counted"), CASES)
def test_table(text: str, expected: str, counted: str) -> None:
    stripped = close_world(text, ALLOWED)
    assert stripped.text == expected
    assert " ".join(f"{kind}={count}" for kind, count in sorted(stripped.removed.items())) == counted


@pytest.mark.parametrize("text", [expected for _, expected, _ in CASES])
def test_what_was_stripped_stays_as_it_is(text: str) -> None:
    assert close_world(text, ALLOWED).text == text


def test_a_cross_reference_in_a_fragment_is_no_source() -> None:
    assert "45" not in ALLOWED.paragraphs
    assert ALLOWED.paragraphs == {"13", "14"}
    assert ALLOWED.pages == {"57", "58"}


def test_line_breaks_and_lists_stay() -> None:
    text = "Признаки (§ 45):\n1. целостность;\n2. открытость (§ 13)."
    assert close_world(text, ALLOWED).text == "Признаки:\n1. целостность;\n2. открытость (§ 13)."


def test_nothing_is_allowed_by_default() -> None:
    assert (
        close_world("Согласно § 13 и ст. 37 Конституции РФ, труд свободен.", AllowedReferences()).text
        == "Труд свободен."
    )


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("в § 13, 14 и 15", ["paragraph"]),
        ("на стр. 57 учебника и в главе IV", ["page", "chapter"]),
        ("п. 2 ч. 1 ст. 37 ТК РФ", ["article"]),
        ("137 статей, 300 страниц, 9 глав, 20 параграфов", []),
        ("закон сохранения энергии и закон о", []),
    ],
)
def test_finder(text: str, kinds: list[str]) -> None:
    assert [reference.kind for reference in find_references(text)] == kinds
