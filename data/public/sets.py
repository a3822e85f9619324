"""Reads the public question sets into books for the typesetter and questions on them."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from index.lemmas import lemmas
from index.sentences import split_sentences
from typesetting.markdown import read_runs
from typesetting.model import (
    Block,
    Book,
    Chapter,
    Layout,
    Listing,
    Paragraph,
    Prose,
    Run,
    Subheading,
    Table,
    texts,
)

TITLES = {
    "Super_Bowl_50": "Супербоул 50",
    "Warsaw": "Варшава",
    "Normans": "Нормандцы",
    "Nikola_Tesla": "Никола Тесла",
    "Teacher": "Учитель",
    "Martin_Luther": "Мартин Лютер",
    "Oxygen": "Кислород",
    "Black_Death": "Чёрная смерть",
    "Geology": "Геология",
    "Private_school": "Частные школы",
    "Kenya": "Кения",
    "Imperialism": "Империализм",
}
WINDOW = 30
"""Characters beside a short answer that tell its place from others."""
LONG = 60
"""An answer of so many characters stands in no other place by chance."""


@dataclass(slots=True)
class Question:
    """A row of a case file in the making; `passage` is where the answer stands, from `start` on."""

    id: str
    text: str
    kind: str
    grade: int
    book_id: str | None = None
    paragraph: str | None = None
    passage: str | None = None
    start: int = 0
    answer: str | None = None
    """None: nothing is quoted from the passage, only found; or, without a passage, unanswerable."""
    contexts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reader:
    """A book with its questions."""

    book_id: str
    grade: int
    subject: str
    book: Book
    questions: list[Question] = field(default_factory=list)


# XQuAD: articles become §§


def read_xquad(path: Path, articles: Sequence[str], absent: Sequence[str], left_out: int) -> Reader:
    """A book of `articles` without the paragraph number `left_out` of each; `absent` give far questions."""
    data = {
        entry["title"]: entry["paragraphs"] for entry in json.loads(path.read_text(encoding="utf-8"))["data"]
    }
    grade, book_id = 8, "xquad"
    questions: list[Question] = []
    paragraphs = []
    for number, title in enumerate(articles, 1):
        blocks: list[Block] = []
        for place, paragraph in enumerate(data[title]):
            context, shift = _clean(paragraph["context"])
            stays = place != left_out
            if stays:
                blocks.append(Prose((Run(context),)))
            for qa in paragraph["qas"]:
                if not stays:
                    questions.append(Question(f"xquad-{qa['id']}", qa["question"].strip(), "near", grade))
                    continue
                answer = qa["answers"][0]
                start = answer["answer_start"] - shift
                text = answer["text"].strip()
                start += len(answer["text"]) - len(answer["text"].lstrip())
                questions.append(
                    Question(
                        f"xquad-{qa['id']}",
                        qa["question"].strip(),
                        "fact",
                        grade,
                        book_id,
                        str(number),
                        context,
                        start,
                        text,
                        _contexts(context, start, text),
                    )
                )
        paragraphs.append(Paragraph(str(number), TITLES[title], tuple(blocks)))
    far = [(qa["id"], qa["question"].strip()) for title in absent for p in data[title] for qa in p["qas"]]
    questions += [Question(f"xquad-{key}", text, "far", grade) for key, text in _sample(far, 60)]
    book = _book("Хрестоматия", "хрестоматия", grade, paragraphs, 2, "CC BY-SA 4.0")
    return Reader(book_id, grade, "хрестоматия", book, [*questions, *_scoped(questions, grade)])


def _scoped(questions: Sequence[Question], grade: int) -> Iterator[Question]:
    """Every answerable question with its § and grade, once as options and once in its words."""
    for question in questions:
        if question.answer is None or question.paragraph is None:
            continue
        rest = {name: getattr(question, name) for name in ("passage", "start", "answer", "contexts")}
        yield Question(
            f"{question.id}-options",
            question.text,
            "scoped_options",
            grade,
            question.book_id,
            question.paragraph,
            **rest,
        )
        yield Question(
            f"{question.id}-words",
            f"§ {question.paragraph}, {grade} класс: {question.text}",
            "scoped_words",
            grade,
            question.book_id,
            question.paragraph,
            **rest,
        )


def _contexts(passage: str, start: int, answer: str) -> tuple[str, ...]:
    """The answer with the words left and right of it in its sentence."""
    if len(answer) >= LONG:
        return ()
    end = start + len(answer)
    spans = [(a, b) for a, b in split_sentences(passage) if a < end and b > start]
    first, last = (spans[0][0], spans[-1][1]) if spans else (start, end)
    left = passage[max(first, start - WINDOW) : end]
    right = passage[start : min(last, end + WINDOW)]
    # A bare answer at the edge of its sentence says nothing of its place; the other side does.
    return tuple(sorted({text for text in (left, right) if len(text) > len(answer)})) or (answer,)


def _clean(text: str) -> tuple[str, int]:
    """Text without the byte-order mark in front, and how many characters went."""
    cleaned = text.lstrip("\ufeff \n")
    return cleaned.rstrip(), len(text) - len(cleaned)


# DaNetQA: passages become paragraphs


def read_danetqa(path: Path, split: str) -> Reader:
    """A book of passages; each question asks for its passages. Others of the split stand in no book."""
    grade, book_id = 10, "danetqa"
    passages: dict[str, list[str]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        passages.setdefault(row["question"].strip(), []).append(_clean(" ".join(row["passage"].split()))[0])
    mine = [(q, found) for q, found in passages.items() if (_digest(q) % 2 == 0) == (split == "train")]
    chosen = _sample([(question, found) for question, found in mine], 80)
    names = {question for question, _ in chosen}
    texts = list(dict.fromkeys(text for _, found in chosen for text in found))
    paragraphs = [
        Paragraph(str(number), f"Чтение {number}", tuple(Prose((Run(text),)) for text in group))
        for number, group in enumerate(_groups(texts, 6), 1)
    ]
    home = {text: str(number) for number, group in enumerate(_groups(texts, 6), 1) for text in group}
    questions = []
    for question, found in chosen:
        # § and pages are told only where all passages of the question stand in one §.
        one = {home[text] for text in found}
        questions.append(
            Question(
                f"danetqa-{_digest(question):08x}",
                question,
                "reading",
                grade,
                book_id,
                one.pop() if len(one) == 1 else None,
                found[0],
                contexts=tuple(s for text in found for s in _long_sentences(text)),
            )
        )
    others = _sample([(question, found) for question, found in mine if question not in names], 60)
    questions += [Question(f"danetqa-{_digest(q):08x}", q, "far_yes_no", 8) for q, _ in others]
    book = _book("Книга для чтения", "чтение", grade, paragraphs, 4, "CC0-1.0")
    return Reader(book_id, grade, "чтение", book, questions)


def _long_sentences(text: str) -> Iterator[str]:
    found = [text[a:b].strip() for a, b in split_sentences(text)]
    long = [sentence for sentence in found if len(sentence) >= 40]
    yield from long or [text]


# Notes on social studies: a note becomes a §


def read_notes(folder: Path, names: Sequence[str], absent: Sequence[str]) -> Reader:
    """A book of notes; their definitions give the questions, those of `absent` notes unanswerable ones."""
    grade, book_id = 11, "notes"
    paragraphs, questions = [], []
    for number, name in enumerate(names, 1):
        title, blocks = _mdx((folder / name).read_text(encoding="utf-8"))
        paragraphs.append(Paragraph(str(number), title, blocks))
        for term, text in _definitions(folder / name):
            # The first sentence defines; those after it explain.
            answer = text[slice(*split_sentences(text)[0])].strip()
            key = f"notes-{_digest(term + text):08x}"
            questions.append(
                Question(key, _what_is(term), "definition", grade, book_id, str(number), text, 0, answer)
            )
    book = _book("Обществознание: конспекты", "обществознание", grade, paragraphs, 3, "MIT")
    # A term of which a sentence of this book holds every word may well be explained there.
    sentences = [frozenset(lemmas(text[a:b])) for text in texts(book) for a, b in split_sentences(text)]
    for name in absent:
        for term, text in _definitions(folder / name):
            words = frozenset(lemmas(term.split(" (")[0]))
            if not any(words <= sentence for sentence in sentences):
                key = f"notes-{_digest(term + text):08x}"
                questions.append(Question(key, _what_is(term), "near_definition", grade))
    return Reader(book_id, grade, "обществознание", book, questions)


_DEFINITION = re.compile(r'<Definition term="([^"]+)">\s*(.+?)\s*</Definition>', re.DOTALL)
_TABLE = re.compile(
    r'<CompareTable\s+caption="(?P<caption>[^"]*)"\s+columns=\{(?P<columns>\[.*?\])\}\s+rows=\{(?P<rows>\[.*?\])\}\s*/>',
    re.DOTALL,
)
_TAG = re.compile(r'</?[A-Z][A-Za-z]*(?:\s+title="(?P<title>[^"]*)")?[^>]*>')


def _definitions(path: Path) -> list[tuple[str, str]]:
    text = path.read_text(encoding="utf-8")
    return [(term.strip(), _lower(" ".join(body.split()))) for term, body in _DEFINITION.findall(text)]


def _mdx(text: str) -> tuple[str, tuple[Block, ...]]:
    head, _, body = text.lstrip("\ufeff").partition("\n")
    body = _DEFINITION.sub(lambda m: f"\n\n**{m[1].strip()}** — {_lower(' '.join(m[2].split()))}\n\n", body)
    blocks: list[Block] = []
    at = 0
    for match in _TABLE.finditer(body):
        blocks += _prose(body[at : match.start()])
        rows = [_strings(match["columns"]), *_rows(match["rows"])]
        blocks.append(
            Table(read_runs(match["caption"]), tuple(tuple(read_runs(cell) for cell in row) for row in rows))
        )
        at = match.end()
    return head.lstrip("# ").strip(), (*blocks, *_prose(body[at:]))


def _prose(text: str) -> Iterator[Block]:
    text = _TAG.sub(lambda m: f"\n\n**{m['title']}.**\n\n" if m["title"] else "\n\n", text)
    for part in re.split(r"\n\s*\n", text):
        lines = [line.strip() for line in part.strip().splitlines() if line.strip()]
        if not lines:
            continue
        if lines[0].startswith("#"):
            yield Subheading(lines[0].lstrip("# "))
            lines = lines[1:]
        if lines and re.match(r"(?:\d+\.|[-*]) ", lines[0]):
            joined = re.split(r"\n(?=(?:\d+\.|[-*]) )", "\n".join(lines))
            items = [re.sub(r"^(?:\d+\.|[-*]) +", "", " ".join(item.split())) for item in joined]
            yield Listing(tuple(read_runs(item) for item in items), 1 if lines[0][0].isdigit() else None)
        elif lines:
            yield Prose(read_runs(" ".join(lines).replace("`", "")))


def _strings(text: str) -> list[str]:
    return re.findall(r'"((?:[^"\\]|\\.)*)"', text)


def _rows(text: str) -> list[list[str]]:
    return [_strings(row) for row in re.findall(r"\[([^\[\]]+)\]", text)]


def _what_is(term: str) -> str:
    return f"Что такое {_lower(term)}?"


def _lower(text: str) -> str:
    """First letter small, unless the word is an abbreviation («НДС»)."""
    return text if text[1:2].isupper() or text[1:2] == "." else text[:1].lower() + text[1:]


# All sets


def _book(
    title: str, subject: str, grade: int, paragraphs: Sequence[Paragraph], group: int, licence: str
) -> Book:
    chapters = tuple(
        Chapter(str(number), f"Часть {number}", tuple(some))
        for number, some in enumerate(_groups(paragraphs, group), 1)
    )
    return Book(title, chapters, subject, grade, licence=licence, layout=Layout(even_front=True))


def _groups(items: Sequence[Any], size: int) -> list[Sequence[Any]]:
    return [items[at : at + size] for at in range(0, len(items), size)]


def _digest(text: str) -> int:
    return int(hashlib.sha256(text.encode()).hexdigest()[:8], 16)


def _sample(items: Sequence[Any], n: int) -> list[Any]:
    """`n` items that do not depend on the order of the file."""
    return sorted(items, key=lambda item: _digest(str(item[0])))[:n]
