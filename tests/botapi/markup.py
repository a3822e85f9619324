"""Reads message HTML as the Bot API does, and refuses what it refuses, in its words."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass, field

_ALIASES = {"strong": "b", "em": "i", "ins": "u", "strike": "s", "del": "s", "tg-spoiler": "spoiler"}
_TAGS = {"b", "i", "u", "s", "spoiler", "span", "a", "code", "pre", "blockquote", "tg-emoji"}
_ENTITY = re.compile(r"&(?:(lt|gt|amp|quot)|#(\d+)|#x([0-9a-fA-F]+));")
_TAG = re.compile(r"<(/?)([^\s<>/]*)([^<>]*)>")


class BadMarkup(Exception):
    """Not parsable; `str(error)` is what follows «can't parse entities: »."""


@dataclass(slots=True)
class Parsed:
    """Text without tags, and the entities as the Bot API returns them (offsets in UTF-16 units)."""

    text: str
    entities: list[dict[str, object]] = field(default_factory=list)


def utf16(text: str) -> int:
    """Length in UTF-16 units. Raises UnicodeEncodeError for a lone surrogate."""
    return len(text.encode("utf-16-le")) // 2


def parse_html(source: str) -> Parsed:
    """Raises BadMarkup."""
    out: list[str] = []
    open_tags: list[tuple[str, str, int, int]] = []  # name as written, kind, offset in out, byte offset
    entities: list[dict[str, object]] = []
    length = position = 0
    while position < len(source):
        char = source[position]
        if char == "&":
            match = _ENTITY.match(source, position)
            text = html.unescape(match.group()) if match else "&"
            position = match.end() if match else position + 1
        elif char == "<":
            match = _TAG.match(source, position)
            at = len(source[:position].encode())
            if match is None:
                raise BadMarkup(f"Unclosed start tag at byte offset {at}")
            closing, name, rest = match.groups()
            position = match.end()
            if closing:
                _close(name, at, open_tags, entities, length)
            else:
                _open(name, rest, at, open_tags, length)
            continue
        else:
            text = char
            position += 1
        out.append(text)
        length += utf16(text)
    if open_tags:
        name, _, _, at = open_tags[-1]
        raise BadMarkup(f'Can\'t find end tag corresponding to start tag "{name}"')
    return Parsed("".join(out), sorted(entities, key=lambda e: (e["offset"], -int(str(e["length"])))))


def _open(name: str, rest: str, at: int, open_tags: list[tuple[str, str, int, int]], length: int) -> None:
    lower = name.lower()
    kind = _ALIASES.get(lower, lower)
    if kind not in _TAGS:
        raise BadMarkup(f'Unsupported start tag "{lower}{rest.rstrip()}" at byte offset {at}')
    attributes = rest.strip()
    if kind == "blockquote":
        if attributes not in ("", "expandable"):
            raise BadMarkup(f'Unsupported start tag "{lower}" at byte offset {at}')
        kind = "expandable_blockquote" if attributes else kind
        if any("blockquote" in entry[1] for entry in open_tags):
            raise BadMarkup(f"Nested blockquote at byte offset {at}")
    elif attributes and kind not in ("a", "span", "tg-emoji", "code"):
        raise BadMarkup(f'Unsupported attributes in start tag "{lower}" at byte offset {at}')
    open_tags.append((lower, kind, length, at))


def _close(
    name: str,
    at: int,
    open_tags: list[tuple[str, str, int, int]],
    entities: list[dict[str, object]],
    length: int,
) -> None:
    if not open_tags:
        raise BadMarkup(f"Unexpected end tag at byte offset {at}")
    expected, kind, start, _ = open_tags.pop()
    if name.lower() != expected:
        raise BadMarkup(
            f'Unmatched end tag at byte offset {at}, expected "</{expected}>", found "</{name.lower()}>"'
        )
    if length > start:
        names = {"b": "bold", "i": "italic", "u": "underline", "s": "strikethrough"}
        entities.append({"type": names.get(kind, kind), "offset": start, "length": length - start})
