"""Sentence borders in a chunk."""

from __future__ import annotations

import re

from razdel import sentenize

CELL_GAP = "\u2003"
"""Stands between the cells of a table row: white space, so that the row stays a literal quote."""

# razdel knows «т. е.» and «г. Москва», but not every shortening of a schoolbook.
_SHORT = re.compile(
    r"(?:^|[\s(«„\"—–-])(?:"
    r"г|гг|в|вв|н|э|т|д|п|е|см|ср|рис|табл|гл|стр|с|св|им|ул|пер|пл|обл|р|оз|о|ст|разд|пп|напр|тыс|"
    r"млн|млрд|руб|коп|проф|акад|доц|чел|экз|изд|ред|сост|авт|соч|кн|вып|илл|прим|англ|лат|греч|нем|"
    r"франц|фр|итал|др|пр|прог|ок|род|ум|сокр|букв|гр|тов"
    r")\.$",
    re.IGNORECASE,
)
_INITIAL = re.compile(r"(?:^|[\s(«—–-])[А-ЯЁA-Z]\.$")
_ITEM = re.compile(r"^\(?(?:\d{1,2}|[а-яa-z]|[IVX]{1,4})[.)]$", re.IGNORECASE)
_NUMBER = re.compile(r"(\d+\.)\s+(?=[«„(]?[А-ЯЁA-Z])")
# After «в 1799 г.» a capital may begin a name («Александр II») or a sentence. With these words it is a
# sentence. Single letters count only behind a date: «рис. А», «группа В» name things.
_RESTART = re.compile(
    r"(?<=\.)\s+(?=(?:Он|Она|Оно|Они|Его|Её|Ее|Их|Это|Этот|Эта|Эти|Этого|Такой|Такая|Такие|Тот|Те|Там|Здесь|"
    r"Тогда|Так|Также|Затем|Потом|Поэтому|Однако|Но|На|По|При|Для|Из|За|От|До|После|Через|Между|Кроме|Если|Когда|"
    r"Хотя|Чтобы|Где|Как|Что|Кто|Все|Всё|Каждый|Многие|Другие|Значит|Следовательно)\s)"
    r"|(?<=[\d\s]г\.)\s+(?=[ВСКИА]\s)|(?<=[IVX\s]в\.)\s+(?=[ВСКИА]\s)"
)


def split_sentences(text: str) -> list[tuple[int, int]]:
    """Spans `[start, end)` of the sentences of `text`, in order, without blanks at their ends.

    A line break ends a sentence (paragraphs and list items of a chunk stand on lines of their own).
    Never cut after a shortening («г.», «т. е.», «рис.») or initials, unless a word follows that can only
    begin a sentence; never between a list item and its number; never inside a table row (CELL_GAP).
    """
    spans: list[tuple[int, int]] = []
    offset = 0
    for line in text.split("\n"):
        if CELL_GAP in line.strip():
            start = len(line) - len(line.lstrip())
            spans.append((offset + start, offset + len(line.rstrip())))
        else:
            for start, end in _line(line):
                spans.extend((offset + a, offset + b) for a, b in _restarts(line, start, end))
        offset += len(line) + 1
    return spans


def _line(line: str) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    for piece in sentenize(line):
        start, end = int(piece.start), int(piece.stop)
        if start == end:
            continue
        if not spans or not _unfinished(line[spans[-1][0] : spans[-1][1]]):
            spans.append((start, end))
        elif number := _NUMBER.match(line, start, end):  # «табл.» + «2. Дальше» is «табл. 2.» + «Дальше»
            spans[-1] = (spans[-1][0], number.end(1))
            spans.append((number.end(), end))
        else:
            spans[-1] = (spans[-1][0], end)
    return spans


def _unfinished(left: str) -> bool:
    return bool(_ITEM.match(left) or _INITIAL.search(left) or _SHORT.search(left))


def _restarts(line: str, start: int, end: int) -> list[tuple[int, int]]:
    """Cuts `line[start:end]` where a new sentence surely begins."""
    spans: list[tuple[int, int]] = []
    for cut in _RESTART.finditer(line, start, end):
        if _ITEM.match(line[start : cut.start()]):
            continue
        spans.append((start, cut.start()))
        start = cut.end()
    spans.append((start, end))
    return spans
