"""The answer inside a JSON object that is still being written."""

from __future__ import annotations

import json
import re

_START = re.compile(r'"answer"\s*:\s*"')
_END = re.compile(r'(?<!\\)(?:\\\\)*"')
_HALF_ESCAPE = re.compile(r"(?<!\\)((?:\\\\)*)\\(?:u[0-9a-fA-F]{0,3})?$")
_HALF_PAIR = re.compile(r"(?<!\\)((?:\\\\)*)\\u[dD][89abAB][0-9a-fA-F]{2}$")


def partial_answer(text: str) -> str:
    """Value of `answer` as far as `text` holds it, "" before it begins; never half a letter or an escape."""
    start = _START.search(text)
    if start is None:
        return ""
    body = text[start.end() :]
    end = _END.search(body)
    body = body[: end.end() - 1] if end else body
    body = _HALF_PAIR.sub(r"\1", _HALF_ESCAPE.sub(r"\1", body))
    try:
        value = json.loads(f'"{body}"', strict=False)
    except ValueError:
        return ""
    return str(value).rstrip("\ufffd")
