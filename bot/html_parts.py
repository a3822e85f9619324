"""Cuts Telegram HTML into messages and turns it back into plain text."""

from __future__ import annotations

import html
import re

LIMIT = 4096
"""Telegram's limit for one message, in UTF-16 units after entities are parsed; raw HTML is never shorter."""

_TOKEN = re.compile(r"<[^<>]*>|&[#\w]+;|[^<&]|[<&]", re.S)
_TAG_NAME = re.compile(r"</?\s*([a-z]+)")
_EMPTY = re.compile(r"<(b|i|blockquote)(?: [a-z]+)?>\s*</\1>")
_SENTENCE_END = frozenset(".!?…;:")


def utf16_length(text: str) -> int:
    """Length as Telegram counts it: characters beyond the basic plane count twice."""
    return len(text) + sum(1 for c in text if ord(c) > 0xFFFF)


def split_html(text: str, limit: int = LIMIT) -> list[str]:
    """Parts of at most `limit` UTF-16 units each, every one balanced HTML; never empty ones.

    Cuts between paragraphs where it can, else between lines, sentences, words; never inside a tag, an entity
    or a character. Tags open at a cut are closed before it and opened again after it.
    """
    tokens = _TOKEN.findall(text)
    parts: list[str] = []
    start = 0
    opened: list[str] = []
    while start < len(tokens):
        end = _cut(tokens, start, opened, limit)
        after = _open_after(tokens[start:end], opened)
        body = "".join(opened) + "".join(tokens[start:end]).rstrip() + _closers(after)
        part = _without_empty(body.strip())
        if part and plain_text(part).strip():
            parts.append(part)
        start, opened = end, after
        while start < len(tokens) and tokens[start].isspace():
            start += 1
    return parts


def plain_text(text: str) -> str:
    """The same without tags, entities resolved: what is sent when Telegram refuses the HTML."""
    return html.unescape(re.sub(r"</?[a-z][^<>]*>", "", text))


def _cut(tokens: list[str], start: int, opened: list[str], limit: int) -> int:
    """Index after the last token of the part that begins at `start`."""
    used = sum(map(utf16_length, opened))
    stack = list(opened)
    best: dict[int, int] = {}  # rank of the border (greater is better) → index
    half = used + (limit - used) // 2
    for index in range(start, len(tokens)):
        token = tokens[index]
        used += utf16_length(token)
        stack = _open_after([token], stack)
        if used + len(_closers(stack)) > limit and index > start:
            return _best_border(best) or index
        rank = _border_rank(tokens, index, stack)
        if rank and used >= half:
            best[rank] = index + 1
    return len(tokens)


def _border_rank(tokens: list[str], index: int, stack: list[str]) -> int:
    """How good a place to cut lies after `tokens[index]`: 0 none, 5 between paragraphs outside all tags."""
    mark = tokens[index]
    if mark == "\n":
        paragraph = index > 0 and tokens[index - 1] == "\n"
        return (5 if not stack else 4) if paragraph else 3
    if mark.isspace():
        return 2 if index > 0 and tokens[index - 1] in _SENTENCE_END else 1
    return 0


def _best_border(best: dict[int, int]) -> int | None:
    return best[max(best)] if best else None


def _open_after(tokens: list[str], opened: list[str]) -> list[str]:
    stack = list(opened)
    for token in tokens:
        if len(token) < 3 or token[0] != "<":
            continue
        if token.startswith("</"):
            if stack:
                stack.pop()
        else:
            stack.append(token)
    return stack


def _closers(stack: list[str]) -> str:
    names = [match.group(1) for tag in reversed(stack) if (match := _TAG_NAME.match(tag))]
    return "".join(f"</{name}>" for name in names)


def _without_empty(text: str) -> str:
    while True:
        shorter = _EMPTY.sub("", text)
        if shorter == text:
            return text.strip()
        text = shorter
