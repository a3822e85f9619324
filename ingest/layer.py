"""The text layer of the whole book: which fault its letters have, which pages must be read as pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import median

from index.mojibake import REPAIRS, foreign_letters, repair
from ingest.lines import Line, RawPage
from ingest.quality import assess, known_share, known_words, russian_words

_MIN_FOREIGN = 0.3  # of a page's letters; French and German have 0.03, Czech 0.15
_SAMPLE = 400  # words
_MIN_KNOWN = 0.6
_MIN_WORDS = 8
_BETTER = 1.2


def decode(pages: Sequence[RawPage]) -> list[RawPage]:
    """Repairs mojibake: one fault for the whole book, as one program made it, and only if words prove it."""
    fault = _fault(pages)
    if fault is None:
        return list(pages)
    return [_decoded(page, fault) for page in pages]


def _fault(pages: Sequence[RawPage]) -> str | None:
    """The repair that makes Russian of the suspicious pages; None where none does."""
    sample = "\n".join(page.text for page in pages if _suspicious(page.text))[: 40 * _SAMPLE]
    best: tuple[float, str] | None = None
    for name in REPAIRS if sample else ():
        text = repair(sample, name)
        words = russian_words(text)[:_SAMPLE]
        if len(words) < _MIN_WORDS or (known := known_share(words)) < _MIN_KNOWN:
            continue
        # Two encodings may agree on the letters: the one that explains the other signs too is right.
        signs = [ch for ch in text if not ch.isspace()]
        strange = sum(ord(ch) < 0x20 or 0x7F <= ord(ch) < 0xA0 for ch in signs) / len(signs)
        if best is None or known - strange > best[0]:
            best = known - strange, name
    return best[1] if best else None


def _suspicious(text: str) -> bool:
    letters = sum(ch.isalpha() for ch in text)
    return foreign_letters(text) > _MIN_FOREIGN * max(letters, 1)


def _decoded(page: RawPage, fault: str) -> RawPage:
    if foreign_letters(page.text) == 0:
        return page
    lines = tuple(replace(line, text=repair(line.text, fault)) for line in page.lines)
    return replace(page, text=repair(page.text, fault), lines=lines, repair=fault)


def to_recognise(pages: Sequence[RawPage]) -> list[int]:
    """Sheets whose picture has to be read: no text, unreadable text, or text that a scan may beat."""
    out = []
    for page in pages:
        verdict = assess(page)
        if page.failure is None and (verdict.reason is not None or verdict.doubtful):
            out.append(page.file_page)
    return out


def choose(pages: Sequence[RawPage], recognised: Mapping[int, RawPage]) -> list[RawPage]:
    """Takes the recognised page where it holds more Russian than the page's own text."""
    found = dict(zip(recognised, level_sizes(list(recognised.values()), pages), strict=True))
    return [_better(page, found[page.file_page]) if page.file_page in found else page for page in pages]


def _better(own: RawPage, seen: RawPage) -> RawPage:
    reason = assess(own).reason
    if seen.failure is not None:
        return own if reason is None else replace(own, failure=f"{reason}; {seen.failure}")
    if own.text.strip():
        mine, other = known_words(own.text), known_words(seen.text)
        if reason is None and other <= _BETTER * mine + 3:
            return own
        if reason is not None and not other:
            return replace(own, failure=f"{reason}; распознавание русских слов не нашло")
    judged = assess(seen)
    if judged.reason is not None:
        return replace(seen, failure=f"{reason or 'скан'}; распознанный текст не похож на русский", lines=())
    return replace(seen, label=own.label)


def level_sizes(recognised: Sequence[RawPage], pages: Sequence[RawPage]) -> list[RawPage]:
    """Makes equal what measuring the type in a picture made a little unequal, through the whole book."""
    sizes = [line.size for page in recognised for line in page.lines for _ in line.text]
    if not sizes:
        return list(recognised)
    body = median(sizes)
    own = [line.size for page in pages if not page.ocr for line in page.lines for _ in line.text]
    target = median(own) if own and abs(median(own) - body) < 0.2 * body else body

    def level(line: Line) -> Line:
        ratio = line.size / body
        steps = 1.0 if 0.86 <= ratio <= 1.14 else round(ratio * 8) / 8
        return replace(line, size=round(max(steps, 0.125) * target, 1))

    return [replace(page, lines=tuple(level(line) for line in page.lines)) for page in recognised]
