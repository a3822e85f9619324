"""Reads a book from a folder: `book.toml`, `layout.toml` (optional) and one Markdown file for each §."""

from __future__ import annotations

import re
import tomllib
from dataclasses import fields
from pathlib import Path
from typing import Any

from typesetting.model import (
    Block,
    Book,
    Chapter,
    Columns,
    Dictionary,
    Document,
    Layout,
    Listing,
    Paragraph,
    Prose,
    Questions,
    Run,
    Runs,
    Subheading,
    Table,
)

_TITLE = re.compile(r"# § (\d+[а-я]?)\. (.+)")
_FACES = re.compile(r"\*\*(?P<bold>.+?)\*\*|\*(?P<italic>.+?)\*")
_NUMBERED = re.compile(r"(\d+)\. +(.+)")
_BULLET = re.compile(r"[-•] +(.+)")
_TABLE_RULE = re.compile(r"\|[\s:|-]+\|")
_CAPTION = re.compile(r"Таблица \d+\.")
_QUESTIONS = re.compile(r"Вопросы и задания", re.IGNORECASE)


class SourceError(ValueError):
    """A source file breaks the format; the message names the file and the line."""


def read_book(folder: Path) -> Book:
    """Book of `folder`. Raises `SourceError` where a file or a § is missing, doubled or malformed."""
    particulars = _read_toml(folder / "book.toml")
    layout = folder / "layout.toml"
    if lacking := {"title", "chapters"} - particulars.keys():
        raise SourceError(f"{folder}/book.toml: add {' and '.join(sorted(lacking))}")
    paragraphs: dict[str, Paragraph] = {}
    for path in sorted(folder.glob("[0-9]*.md")):
        paragraph = read_paragraph(path)
        if paragraph.number in paragraphs:
            raise SourceError(f"{path}: § {paragraph.number} is there twice; renumber one of the two files")
        paragraphs[paragraph.number] = paragraph
    chapters = []
    for chapter in particulars["chapters"]:
        numbers = [str(number) for number in chapter["paragraphs"]]
        if absent := [number for number in numbers if number not in paragraphs]:
            raise SourceError(
                f"{folder}: chapter {chapter['number']} names § {', '.join(absent)}, which no file holds"
            )
        chapters.append(
            Chapter(str(chapter["number"]), chapter["title"], tuple(paragraphs.pop(n) for n in numbers))
        )
    if paragraphs:
        raise SourceError(f"{folder}/book.toml: § {', '.join(paragraphs)} stands in no chapter")
    return Book(
        title=particulars["title"],
        chapters=tuple(chapters),
        subject=particulars.get("subject", ""),
        grade=particulars.get("grade"),
        authors=particulars.get("authors", ""),
        year=particulars.get("year"),
        licence=particulars.get("licence", ""),
        layout=_read_layout(layout) if layout.exists() else Layout(),
    )


def _read_layout(path: Path) -> Layout:
    chosen, known = _read_toml(path), {option.name for option in fields(Layout)}
    if unknown := chosen.keys() - known:
        raise SourceError(f"{path}: {', '.join(sorted(unknown))} is unknown; use {', '.join(sorted(known))}")
    return Layout(**chosen)


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as exc:
        raise SourceError(f"{path} is missing; a book's folder needs it") from exc
    except tomllib.TOMLDecodeError as exc:
        raise SourceError(f"{path}: {exc}") from exc


def read_paragraph(path: Path) -> Paragraph:
    """§ of one Markdown file."""
    head, _, body = path.read_text(encoding="utf-8").lstrip("\ufeff").partition("\n")
    if not (title := _TITLE.fullmatch(head.strip())):
        raise SourceError(f"{path}: line 1 must read «# § N. Title», found {head!r}")
    return Paragraph(title[1], title[2].strip(), _blocks(body.splitlines(), path))


def read_runs(text: str) -> Runs:
    """Runs of a text with `**bold**` and `*italic*`; the two do not nest."""
    runs: list[Run] = []
    at = 0
    for match in _FACES.finditer(text):
        if match.start() > at:
            runs.append(Run(text[at : match.start()]))
        bold, italic = match["bold"], match["italic"]
        runs.append(Run(bold, bold=True) if bold else Run(italic, italic=True))
        at = match.end()
    if at < len(text):
        runs.append(Run(text[at:]))
    return tuple(runs)


def _blocks(lines: list[str], path: Path) -> tuple[Block, ...]:
    blocks: list[Block] = []
    at = 0
    while at < len(lines):
        line = lines[at].strip()
        if not line:
            at += 1
        elif line.startswith(":::"):
            block, at = _fenced(lines, at, path)
            blocks.append(block)
        elif line.startswith("## "):
            title = line[3:].strip()
            at += 1
            if _QUESTIONS.match(title):
                end = next((i for i in range(at, len(lines)) if lines[i].startswith("## ")), len(lines))
                blocks.append(Questions(title, _blocks(lines[at:end], path)))
                at = end
            else:
                blocks.append(Subheading(title))
        else:
            end = next((i for i in range(at, len(lines)) if _ends_stretch(lines[i])), len(lines))
            blocks.extend(_stretch([text.strip() for text in lines[at:end]], blocks, path))
            at = end
    return tuple(blocks)


def _ends_stretch(line: str) -> bool:
    return not line.strip() or line.startswith((":::", "## "))


def _fenced(lines: list[str], at: int, path: Path) -> tuple[Block, int]:
    name = lines[at].strip(": ")
    end = next((i for i in range(at + 1, len(lines)) if lines[i].strip() == ":::"), None)
    if end is None:
        raise SourceError(f"{path}: «::: {name}» is not closed by a line «:::»")
    inner = lines[at + 1 : end]
    if name == "словарь":
        return Dictionary(tuple(read_runs(line.strip()) for line in inner if line.strip())), end + 1
    if name in ("документ", "колонки"):
        return (Document if name == "документ" else Columns)(_blocks(inner, path)), end + 1
    raise SourceError(f"{path}: «::: {name}» is unknown; use словарь, документ or колонки")


def _stretch(lines: list[str], before: list[Block], path: Path) -> list[Block]:
    """Blocks of neighbouring lines without a blank one between; a table takes its caption from `before`."""
    blocks: list[Block] = []
    text: list[str] = []
    items: list[Runs] = []
    start: int | None = None
    rows: list[str] = []

    def close() -> None:
        nonlocal start
        if text:
            blocks.append(Prose(read_runs(" ".join(text))))
        if items:
            blocks.append(Listing(tuple(items), start))
        if rows:
            blocks.append(_table(rows, blocks or before, path))
        start = None
        text.clear()
        items.clear()
        rows.clear()

    for line in lines:
        numbered, bullet = _NUMBERED.fullmatch(line), _BULLET.fullmatch(line)
        if line.startswith("|"):
            if not rows:
                close()
            rows.append(line)
        elif numbered or bullet:
            opens = int(numbered[1]) if numbered else None
            if not items or (numbered is None) != (start is None):
                close()
                start = opens
            items.append(read_runs(numbered[2] if numbered else line[1:].strip()))
        else:
            if items or rows:
                close()
            text.append(line)
    close()
    return blocks


def _table(rows: list[str], before: list[Block], path: Path) -> Table:
    caption: Runs = ()
    if (
        before
        and isinstance(last := before[-1], Prose)
        and _CAPTION.match("".join(r.text for r in last.runs))
    ):
        caption = last.runs
        before.pop()
    cells = [
        tuple(read_runs(cell.strip()) for cell in row.strip("| ").split("|"))
        for row in rows
        if not _TABLE_RULE.fullmatch(row)
    ]
    if len({len(row) for row in cells}) != 1:
        raise SourceError(f"{path}: rows of the table «{rows[0]}» differ in their number of cells")
    return Table(caption, tuple(cells))
