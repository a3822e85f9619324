"""The text layer of the whole book: which fault its letters have, which pages must be read as pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import median

from index.mojibake import REPAIRS, foreign_letters, repair
from ingest.lines import Line, RawPage
from ingest.quality import assess, known_share, known_words, russian_words
from ingest.repair import mixed_words, russian_for_latin, section_sign

_MIN_FOREIGN = 0.3  # of a page's letters; French and German have 0.03, Czech 0.15
_SAMPLE = 400  # words
_MIN_KNOWN = 0.6
_MIN_WORDS = 8
_BETTER = 1.2
_BETTER_THAN_A_LAYER = 1.05  # both are recognised, so what holds more words has missed less
_NO_LESS = 0.98
_SAMPLED = 6
_UNEVEN = 0.12  # what two measures of one type differ by in short lines
_FEW_MIXED, _MIXED = 5, 0.05  # of the Russian words of a page; a typist's slips are one in hundreds


def decode(pages: Sequence[RawPage]) -> list[RawPage]:
    """Repairs mojibake: one fault for the whole book, as one program made it, and only if words prove it.

    In text that another program recognised the signs of § are put right, too.
    """
    fault = _fault(pages)
    decoded = pages if fault is None else [_decoded(page, fault) for page in pages]
    return [_in_russian(_with_signs(page) if page.layered else page) for page in decoded]


def _in_russian(page: RawPage) -> RawPage:
    """With Russian letters where the file has Latin look-alikes, if it is seen to have them."""
    words = len(russian_words(page.text))
    mixed = mixed_words(page.text)
    if len(mixed) < max(_FEW_MIXED, _MIXED * words):
        return page
    lines = tuple(replace(line, text=russian_for_latin(line.text, mixed)) for line in page.lines)
    return replace(page, lines=lines)


def _with_signs(page: RawPage) -> RawPage:
    body = median([line.size for line in page.lines for _ in line.text] or [0.0])
    lines = (
        replace(line, text=section_sign(line.text, line.bold or line.size > 1.15 * body))
        for line in page.lines
    )
    return replace(page, lines=tuple(lines))


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


def to_sample(pages: Sequence[RawPage]) -> list[int]:
    """Some scans whose text layer passes for sound. Whether it is whole, only their pictures can tell."""
    sound = [page.file_page for page in _layered(pages)]
    step = max(1, -(-len(sound) // _SAMPLED))
    return sound[step // 2 :: step]


def behind(pages: Sequence[RawPage], recognised: Mapping[int, RawPage]) -> list[int]:
    """All other scans with a text layer, where the sample shows that much is missing from it."""
    layered = {page.file_page: page for page in _layered(pages)}
    sampled = [(layered[number], seen) for number, seen in recognised.items() if number in layered]
    worse = any(seen.failure is None and _is_better(seen, own) for own, seen in sampled)
    return [number for number in layered if number not in recognised] if worse else []


def _layered(pages: Sequence[RawPage]) -> list[RawPage]:
    verdicts = ((page, assess(page)) for page in pages if page.layered and page.failure is None)
    return [page for page, verdict in verdicts if verdict.reason is None and not verdict.doubtful]


def _holds_more(seen: RawPage, own: RawPage) -> bool:
    """Does the recognised page hold more Russian than the page's own text, beyond chance?"""
    factor = _BETTER_THAN_A_LAYER if own.layered else _BETTER
    return known_words(seen.text) > factor * known_words(own.text) + 3


def _is_better(seen: RawPage, own: RawPage) -> bool:
    """More text, or no less of it with headings that a layer of one plain type does not tell."""
    if _holds_more(seen, own):
        return True
    if not own.layered or any(line.bold for line in own.lines) or not any(line.bold for line in seen.lines):
        return False
    return known_words(seen.text) >= _NO_LESS * known_words(own.text)


def choose(pages: Sequence[RawPage], recognised: Mapping[int, RawPage]) -> list[RawPage]:
    """Takes the recognised page where it holds more Russian than the page's own text."""
    found = dict(zip(recognised, level_sizes(list(recognised.values()), pages), strict=True))
    return [_better(page, found[page.file_page]) if page.file_page in found else page for page in pages]


def _better(own: RawPage, seen: RawPage) -> RawPage:
    reason = assess(own).reason
    if seen.failure is not None:
        if reason is None:
            return own
        # That a scan has no text of its own explains nothing once it was looked at.
        return replace(own, failure=f"{reason}; {seen.failure}" if own.text.strip() else seen.failure)
    if own.text.strip():
        if reason is None and not _is_better(seen, own):
            return own
        if reason is not None and not known_words(seen.text):
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

    def steps(ratio: float) -> float:
        return 1.0 if 0.86 <= ratio <= 1.14 else max(round(ratio * 8) / 8, 0.125)

    def level(page: RawPage) -> RawPage:
        out: list[Line] = []
        for i, line in enumerate(page.lines):
            ratio, above = line.size / body, page.lines[i - 1] if i else None
            if above is not None and ratio > 1.14 and _goes_on(above, line):
                size = out[-1].size
            else:
                size = round(steps(ratio) * target, 1)
            out.append(replace(line, size=size))
        return replace(page, lines=tuple(out))

    return [level(page) for page in recognised]


def _goes_on(above: Line, line: Line) -> bool:
    """Is it the next line of a heading in nearly the same type?"""
    near = 0 < line.base - above.base < 1.6 * above.size and above.x0 < line.x1 and line.x0 < above.x1
    return near and above.bold == line.bold and abs(line.size - above.size) < _UNEVEN * above.size
