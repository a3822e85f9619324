"""Drafts with planted errors, and how many of them the checks of a generated answer catch.

`python -m evaluation.drafts [--qa xquad_ru_dev.json] [--half test] [--json]`
"""

# ruff: noqa: E501 - a table of Russian wordings reads best one case a line

from __future__ import annotations

import argparse
import json
import random
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

from answer.checking.allowed import AllowedReferences
from answer.checking.closed_world import close_world
from answer.checking.drafts import Draft, Fragment
from answer.checking.references import find_references
from answer.checking.support import check_support
from evaluation import planting
from index.sentences import split_sentences

Half = Literal["tune", "test"]
HONEST = ("honest: paraphrase", "honest: verbatim", "honest: moved")
GOALS = {
    "number": 0.98, "date": 0.98, "name": 0.98, "reference": 0.98, "negation": 0.85, "condition": 0.85, "swap": 0.85,
    "written: negation": 0.85, "written: condition": 0.85, "written: swap": 0.85,
    "honest: paraphrase": 0.05, "honest: verbatim": 0.05, "honest: moved": 0.05,
}  # fmt: skip
_PER_KIND = 150
_PER_PASSAGE = 3


@dataclass(frozen=True, slots=True)
class Case:
    """A draft of one sentence."""

    kind: str
    half: Half
    text: str
    fragments: tuple[Fragment, ...]
    source: str
    cited: str = "f1"


@dataclass(frozen=True, slots=True)
class Row:
    """A kind of draft and what became of its cases."""

    kind: str
    cases: int
    caught: int
    """Removed, or for references stripped; for honest drafts the false alarms."""
    low: float
    high: float
    """95 % Wilson interval of the share."""

    @property
    def share(self) -> float:
        return self.caught / self.cases if self.cases else 0.0


class Passage(NamedTuple):
    """A few paragraphs of one § or article, as the generator would be shown them."""

    text: str
    half: Half
    origin: str


def run_drafts(
    data: Path, samples: Path, qa: Path | None = None, *, half: Half = "test", seed: int = 7
) -> tuple[list[Row], list[Case]]:
    """Rows per kind, and the cases that went wrong. `data` holds paraphrases.jsonl and errors.jsonl.

    The same seed gives the same cases. Without `qa` only the sample books are used.
    """
    totals: Counter[str] = Counter()
    caught: Counter[str] = Counter()
    wrong: list[Case] = []
    for case in corpus(data, samples, qa, seed=seed):
        if case.half != half:
            continue
        totals[case.kind] += 1
        hit = flagged(case)
        caught[case.kind] += hit
        if hit == (case.kind in HONEST):
            wrong.append(case)
    rows = [
        Row(kind, totals[kind], caught[kind], *_wilson(caught[kind], totals[kind])) for kind in _order(totals)
    ]
    return rows, wrong


def flagged(case: Case) -> bool:
    """Whether the checks stop the draft: its sentence is removed, or every foreign reference is taken out.

    A «moved» control cites a fragment that does not hold it, though another does.
    """
    if case.kind == "reference":
        allowed = AllowedReferences.of(case.fragments)
        left = close_world(case.text, allowed).text
        return not foreign_references(left, allowed)
    checked = check_support(Draft(case.text, (case.cited,)), case.fragments)
    if case.kind == "honest: moved":
        return any(s.verdict == "removed" for s in checked.sentences)
    if case.kind in HONEST:
        return any(sentence.verdict == "removed" for sentence in checked.sentences)
    return all(sentence.verdict == "removed" for sentence in checked.sentences)


def foreign_references(text: str, allowed: AllowedReferences) -> list[str]:
    """References of `text` that are not allowed, read by a coarse rule of its own beside the finder's."""
    found = [text[r.start : r.end] for r in find_references(text) if r.numbers and not all(
        allowed.allows_number(r, n.low) for n in r.numbers)]  # fmt: skip
    coarse = re.findall(
        r"§\s*\d+|\b(?:ст|стр|гл)\.\s*\d+|\d+-ФЗ|№\s*\d+|(?:стать|страниц|параграф)\w*\s+\d+|\d+-[йм]\s+параграф",
        text,
    )
    return found + [raw for raw in coarse if (number := re.search(r"\d+", raw)) and int(number.group()) >= 60]


def corpus(data: Path, samples: Path, qa: Path | None, *, seed: int) -> Iterator[Case]:
    """All cases: written by hand, then planted ones."""
    passages = [*_of_samples(samples), *(_of_qa(qa) if qa else ())]
    yield from _written(data, passages)
    yield from _planted(passages, random.Random(seed))


def _written(data: Path, passages: Sequence[Passage]) -> Iterator[Case]:
    plants = _plants(passages)
    for file, kind, field in (
        ("paraphrases.jsonl", "honest: paraphrase", "paraphrase"),
        ("errors.jsonl", "written", "error"),
    ):
        for line in (data / file).read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            passage = next((p for p in passages if p.origin == row["from"] and row["source"] in p.text), None)
            if passage is None:
                continue  # of a question set that is not here
            fragments = _fragments(passage, passages)
            name = kind if kind in HONEST else f"{kind}: {row['kind']}"
            yield Case(name, row["half"], row[field], fragments, row["source"])
            if kind in HONEST:
                others = (Fragment("f1", fragments[1].text), Fragment("f2", passage.text))
                yield Case("honest: moved", row["half"], row[field], others, row["source"])
                for planted_kind, plant in plants.items():
                    if planted_kind not in ("number", "date", "name", "reference"):
                        continue
                    planted = plant(row[field], passage.text, random.Random(row[field]))
                    if planted:
                        yield Case(planted_kind, row["half"], planted, fragments, row["source"])


def _planted(passages: Sequence[Passage], rng: random.Random) -> Iterator[Case]:
    plants = _plants(passages)
    order = list(passages)
    rng.shuffle(order)
    made: Counter[tuple[str, str]] = Counter()
    used: set[tuple[str, str]] = set()
    for passage in order:
        sentences = [passage.text[a:z] for a, z in split_sentences(passage.text)]
        sentences = [s for s in sentences if 40 < len(s) < 320 and s[0].isupper() and s.rstrip()[-1] in ".!"]
        fragments = _fragments(passage, passages)
        for kind, plant in plants.items():
            rng.shuffle(sentences)
            here = 0
            for sentence in sentences:
                if made[kind, passage.half] >= _PER_KIND:
                    break
                if (kind, sentence) in used:
                    continue
                draft = plant(sentence, passage.text, rng)
                if draft and draft != sentence and draft.rstrip(".") not in passage.text:
                    made[kind, passage.half] += 1
                    used.add((kind, sentence))
                    yield Case(kind, passage.half, draft, fragments, sentence)
                    here += 1
                    if here == _PER_PASSAGE:
                        break
        if sentences and made["honest: verbatim", passage.half] < _PER_KIND:
            made["honest: verbatim", passage.half] += 1
            yield Case("honest: verbatim", passage.half, sentences[0], fragments, sentences[0])
            foreign = tuple(Fragment(f"f{i}", f.text) for i, f in enumerate(_others(passage, passages), 1))
            if foreign:
                yield Case("other fragment", passage.half, sentences[0], foreign, sentences[0])


def _plants(passages: Sequence[Passage]) -> dict[str, planting.Plant]:
    names = sorted(
        {w for p in passages for w in re.findall(r"\b[А-ЯЁ][а-яё]{3,}", p.text) if planting.is_name(w)}
    )
    return {
        "number": planting.number,
        "date": planting.date,
        "name": lambda sentence, passage, rng: planting.name(sentence, passage, rng, names),
        "negation": planting.negation,
        "condition": planting.condition,
        "swap": planting.swap,
        "reference": planting.reference,
    }


def _fragments(passage: Passage, passages: Sequence[Passage]) -> tuple[Fragment, ...]:
    """The passage and two others of the same half, as retrieval would bring them."""
    others = _others(passage, passages)
    texts = [passage.text, *(other.text for other in others)]
    return tuple(
        Fragment(f"f{i}", text, header=f"[§ {10 + i} | стр. {20 + i}]") for i, text in enumerate(texts, 1)
    )


def _others(passage: Passage, passages: Sequence[Passage]) -> list[Passage]:
    index = passages.index(passage)
    rest = [
        p
        for p in (*passages[index + 5 :], *passages[: max(0, index - 5)])
        if p.half == passage.half and p.text not in passage.text
    ]
    return [p for p in rest if passage.text not in p.text][:2]


def _of_samples(samples: Path) -> Iterator[Passage]:
    for number, file in enumerate(sorted(samples.glob("*/[0-9]*.md"))):
        body = re.sub(
            r"\*|(?m:^:::.*$)", "", file.read_text(encoding="utf-8").split("## Вопросы и задания")[0]
        )
        paragraphs = [p for p in body.split("\n\n") if p.strip() and not p.startswith(("#", "|", ":::"))]
        half: Half = "tune" if number % 2 == 0 else "test"
        origin = file.relative_to(samples).as_posix()
        for start in range(len(paragraphs)):
            yield Passage(
                "\n".join(re.sub(r"(?m)^(?:-|\d+\.)\s+", "", p) for p in paragraphs[start : start + 3]),
                half,
                origin,
            )


def _of_qa(qa: Path) -> Iterator[Passage]:
    for number, article in enumerate(json.loads(qa.read_text(encoding="utf-8"))["data"]):
        half: Half = "tune" if number % 2 == 0 else "test"
        for paragraph in article["paragraphs"]:
            yield Passage(paragraph["context"].lstrip("\ufeff"), half, qa.name)


def _order(totals: Counter[str]) -> list[str]:
    known = [*GOALS, "other fragment"]
    return sorted(totals, key=lambda kind: (known.index(kind) if kind in known else len(known), kind))


def _wilson(hits: int, cases: int, z: float = 1.96) -> tuple[float, float]:
    if not cases:
        return 0.0, 1.0
    share = hits / cases
    centre = (share + z * z / (2 * cases)) / (1 + z * z / cases)
    half = z / (1 + z * z / cases) * (share * (1 - share) / cases + z * z / (4 * cases * cases)) ** 0.5
    return max(0.0, centre - half), min(1.0, centre + half)


def table(rows: Sequence[Row]) -> str:
    """The rows as text, each with its goal."""
    lines = [f"{'kind':22} {'cases':>5} {'caught':>6} {'share':>7}  {'95 %':>13}  goal"]
    for row in rows:
        honest = row.kind in HONEST
        goal = GOALS.get(row.kind)
        met = (
            ""
            if goal is None
            else ("ok" if (row.share <= goal if honest else row.share >= goal) else "missed")
        )
        sign = "<=" if honest else ">="
        wanted = f"{sign} {goal:.0%} {met}" if goal is not None else ""
        lines.append(
            f"{row.kind:22} {row.cases:5} {row.caught:6} {row.share:7.1%}  {row.low:5.1%}–{row.high:6.1%}  {wanted}"
        )
    return "\n".join(lines)


def main(argv: Sequence[str] | None = None) -> int:
    root = Path(__file__).resolve().parents[1]
    parser = argparse.ArgumentParser(prog="evaluation.drafts", description=__doc__)
    parser.add_argument("--data", type=Path, default=root / "data" / "drafts")
    parser.add_argument("--samples", type=Path, default=root / "data" / "samples")
    parser.add_argument("--qa", type=Path, help="a SQuAD-like set; without it only the sample books are used")
    parser.add_argument("--half", choices=("tune", "test"), default="test")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--wrong", action="store_true", help="also print the cases that went wrong")
    options = parser.parse_args(argv)
    rows, wrong = run_drafts(options.data, options.samples, options.qa, half=options.half, seed=options.seed)
    if options.json:
        fields = [
            {"kind": r.kind, "cases": r.cases, "caught": r.caught, "low": r.low, "high": r.high} for r in rows
        ]
        json.dump(fields, sys.stdout, ensure_ascii=False, indent=1)
        return 0
    print(table(rows))
    if options.wrong:
        for case in wrong:
            print(f"\n{case.kind}\n  source: {case.source}\n  draft:  {case.text}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
