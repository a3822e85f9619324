"""Can the text layer of a page be read? A page that cannot gives no chunk: it would be quoted wrong."""

from __future__ import annotations

import re

from ingest.lines import RawPage
from ingest.repair import is_russian_word

_LOST = re.compile("[\ufffd\ue000-\uf8ff\u0080-\u009f]")
_CYRILLIC_WORD = re.compile(r"(?<![^\W_])[а-яё]{3,}(?![^\W_])")
_MAX_LOST = 0.03
_MIN_PLAUSIBLE = 0.7
_MIN_KNOWN = 0.35  # of running Russian words; a page of names or terms holds 0.6 and more
_WORDS_TO_JUDGE = 40


def assess(page: RawPage) -> tuple[float, str | None]:
    """Quality 0..1 and, where the page is unreadable, the reason in Russian."""
    if page.failure is not None:
        return 0.0, page.failure
    ink = [ch for ch in page.text if not ch.isspace()]
    if not ink:
        if page.image_share >= 0.5:
            return 0.0, "на странице только картинка (скан), текста в файле нет"
        return 1.0, None
    lost = len(_LOST.findall(page.text)) / len(ink)
    if lost > _MAX_LOST:
        return 1 - lost, f"{round(100 * lost)} % знаков не прочитаны: в шрифте нет таблицы букв"
    letters = [ch for ch in ink if ch.isalpha()]
    if not letters:
        return 1.0, None
    plausible = sum(_plausible(ch) for ch in letters) / len(letters)
    if len(letters) >= 20 and plausible < _MIN_PLAUSIBLE:
        return plausible, "вместо русских букв в файле записаны другие знаки (неверная кодировка)"
    words = _CYRILLIC_WORD.findall(page.text)
    if len(words) >= _WORDS_TO_JUDGE:
        known = sum(is_russian_word(word) for word in words) / len(words)
        if known < _MIN_KNOWN:
            return known, "текстовый слой не похож на русский текст (буквы перепутаны)"
    return min(plausible, 1 - lost), None


def _plausible(ch: str) -> bool:
    code = ord(ch)
    return code < 0x80 or 0x370 <= code <= 0x52F or 0x1E00 <= code <= 0x1FFF or code >= 0x2000
