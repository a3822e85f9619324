"""Takes words out of a message and gives what remains as clean text."""

from __future__ import annotations

import re
from collections.abc import Sequence

from answer.tokens import Token

_SEPARATORS = frozenset([",", ";", ":", "-", "(", "[", "/", "|", "•", "#"])
_AFTER = frozenset([",", ";", ":", ".", "-", ")", "]", "/"])
_JOINERS = frozenset(["и", "или", "да", "&", "+"])
_EMPTY_PAIRS = re.compile(r"\(\s*[,;.]*\s*\)|\[\s*\]|«\s*»|\"\s*\"|“\s*”")
_SPACE_BEFORE = re.compile(r"\s+([,.;:!?…)\]»])")
_LEADING = " ,;:.-–—/)]!?•|>*=_…"
_TRAILING = " ,;:-–—/([•|<*=_"


class Cut:
    """A message's tokens, some of which are taken out."""

    def __init__(self, text: str, tokens: Sequence[Token]) -> None:
        self._text = text
        self.tokens = tokens
        self._kept = [True] * len(tokens)

    def remove(self, start: int, end: int) -> None:
        """Take out the tokens `[start, end)`."""
        self._kept[start:end] = [False] * (end - start)

    def rest(self) -> list[int]:
        """Indices of the words and numbers that remain."""
        return [i for i, token in enumerate(self.tokens) if self._kept[i] and token.kind != "sign"]

    def is_kept(self, i: int) -> bool:
        """Whether token `i` remains."""
        return self._kept[i]

    def close_gaps(self) -> None:
        """Take out joining words and signs that are left between two removed places or beside one."""
        tokens = self.tokens
        for start, end in self._runs():
            inner = start > 0 and end < len(tokens)
            if inner and all(
                t.key in _JOINERS or t.key in _SEPARATORS or t.key in _AFTER for t in tokens[start:end]
            ):
                self.remove(start, end)
        runs = self._runs()
        for place, (start, end) in enumerate(runs):
            if place > 0:
                self._close_gap(runs[place - 1], (start, end))
            elif start > 0:
                self._strip_signs(start, end, from_left=True)
                first = self._runs()[0][0] if self.rest() else len(tokens)
                if first < len(tokens) and tokens[first].key in ("и", "или"):
                    self.remove(first, first + 1)
        if runs and runs[-1][1] < len(tokens):
            self._strip_signs(*runs[-1], from_left=False)

    def _close_gap(self, left: tuple[int, int], right: tuple[int, int]) -> None:
        """Keep at most one comma or colon where words were taken out of the middle."""
        before = self._strip_signs(*left, from_left=False)
        after = self._strip_signs(*right, from_left=True)
        words_before = any(self._kept[i] and self.tokens[i].kind != "sign" for i in range(left[1]))
        comma = next((i for i in (*before, *after) if self.tokens[i].key in (",", ":")), None)
        if comma is not None and words_before:
            self._kept[comma] = True

    def _strip_signs(self, start: int, end: int, *, from_left: bool) -> list[int]:
        """Take out the separating signs at one end of a run; gives their indices, the outermost first."""
        removed = []
        while start < end:
            i = start if from_left else end - 1
            if self.tokens[i].key not in (_AFTER if from_left else _SEPARATORS):
                break
            self._kept[i] = False
            removed.append(i)
            start, end = (start + 1, end) if from_left else (start, end - 1)
        return removed

    def _runs(self) -> list[tuple[int, int]]:
        runs = []
        i = 0
        while i < len(self._kept):
            j = i
            while j < len(self._kept) and self._kept[j]:
                j += 1
            if j > i:
                runs.append((i, j))
            i = j + 1
        return runs

    def text(self) -> str:
        """What remains, with its own spacing and punctuation; empty when no word or number remains."""
        if not self.rest():
            return ""
        if all(self._kept):
            return self._text
        pieces = [
            self._text[self.tokens[start].start : self.tokens[end - 1].end] for start, end in self._runs()
        ]
        text = _SPACE_BEFORE.sub(r"\1", " ".join(pieces))
        text = _EMPTY_PAIRS.sub(" ", text)
        for opening, closing in ("()", "[]"):
            if text.count(opening) != text.count(closing):
                text = text.replace(opening, " ").replace(closing, " ")
        text = _SPACE_BEFORE.sub(r"\1", " ".join(text.split()))
        return text.lstrip(_LEADING).rstrip(_TRAILING)
