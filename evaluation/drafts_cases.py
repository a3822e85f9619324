"""Drafts of one sentence with a planted error, a written slip or no error, and the fragments they are judged by."""

# ruff: noqa: E501 - a table of Russian wordings reads best one case a line

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Literal, NamedTuple

from answer.checking.drafts import Fragment
from evaluation import planting
from evaluation.errors import CaseInvalid
from index.sentences import split_sentences

Half = Literal["tune", "test"]
HONEST = (
    "honest: paraphrase",
    "honest: fresh, fit",
    "honest: fresh, validation",
    "honest: verbatim",
    "honest: moved",
)
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


class Passage(NamedTuple):
    """A few paragraphs of one § or article, as the generator would be shown them."""

    text: str
    half: Half
    origin: str
    """File that it is from."""
    section: str
    """The § or the article."""


def corpus(data: Path, samples: Path, qa: Path | None, *, seed: int) -> Iterator[Case]:
    """All cases: written by hand, then planted ones. Raises CaseInvalid where a file is missing or broken."""
    for needed in (data / "paraphrases.jsonl", data / "paraphrases_b.jsonl", data / "errors.jsonl", samples):
        if not needed.exists():
            raise CaseInvalid(f"{needed}: нет такого файла; запустите команду в каталоге с исходным кодом.")
    passages = [*_of_samples(samples), *(_of_qa(qa) if qa else ())]
    yield from _written(data, passages)
    yield from _fresh(data, passages)
    yield from _planted(passages, random.Random(seed))
    yield from _unheld(passages, random.Random(seed))


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


def _fresh(data: Path, passages: Sequence[Passage]) -> Iterator[Case]:
    """Paraphrases of a second pen. Their fit part may be read while rules are made, the rest is only counted."""
    for line in (data / "paraphrases_b.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        passage = next((p for p in passages if p.origin == row["from"] and row["source"] in p.text), None)
        if passage is not None:
            part = "fit" if sha256(row["id"].encode()).digest()[0] % 2 else "validation"
            fragments = _fragments(passage, passages)
            yield Case(f"honest: fresh, {part}", passage.half, row["paraphrase"], fragments, row["source"])


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
                origin,
            )


def _of_qa(qa: Path) -> Iterator[Passage]:
    try:
        articles = [
            [str(paragraph["context"]).lstrip("\ufeff") for paragraph in article["paragraphs"]]
            for article in json.loads(qa.read_text(encoding="utf-8"))["data"]
        ]
    except (OSError, ValueError, KeyError, TypeError) as exc:
        raise CaseInvalid(f"{qa}: это не набор в формате SQuAD ({type(exc).__name__}).") from exc
    for number, contexts in enumerate(articles):
        half: Half = "tune" if number % 2 == 0 else "test"
        for context in contexts:
            yield Passage(context, half, qa.name, f"{qa.name}#{number}")


def _unheld(passages: Sequence[Passage], rng: random.Random) -> Iterator[Case]:
    """True sentences of the same § that none of the fragments holds: what a model knows, not what it was shown."""
    made: Counter[str] = Counter()
    order = list(passages)
    rng.shuffle(order)
    for passage in order:
        if made[passage.half] >= _PER_KIND:
            continue
        fragments = _fragments(passage, passages)
        shown = "\n".join(fragment.text for fragment in fragments)
        others = [p for p in passages if p.section == passage.section and not _overlap(p, passage)]
        sentences = [p.text[a:z] for p in others for a, z in split_sentences(p.text)]
        sentences = [s for s in dict.fromkeys(sentences) if 60 < len(s) < 250 and s not in shown]
        for sentence in rng.sample(sentences, min(2, len(sentences))):
            made[passage.half] += 1
            yield Case("unheld", passage.half, sentence, fragments, sentence)


def _overlap(first: Passage, second: Passage) -> bool:
    return any(paragraph in second.text for paragraph in first.text.split("\n"))
