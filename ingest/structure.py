"""Paragraphs → the book's sections: chapters, the units that students name, subheadings, kinds of text.

A heading is believed when its wording (number pattern) and its type (size, weight, place) agree; the type
alone never makes a §, and a number alone does only where it goes on counting. State runs through the book,
so a § lasts until the next one, whatever pages lie between.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from ingest.contents import Entry
from ingest.headings import APPENDIX_STATUS, UNITS, Heading, Scheme, heading_of, is_heading_type, unit_scheme
from ingest.lines import OutlineEntry
from ingest.numbers import ordinal
from ingest.outline import Bookmarks
from ingest.paragraphs import Habits, Para
from ingest.repair import Joiner
from ingest.run_in import RunIn, find_run_in
from ingest.walker import Outline, Walker


def structure(
    paras: Sequence[Para],
    book: Habits,
    bookmarks: Sequence[OutlineEntry],
    printed_contents: Sequence[Entry],
    joiner: Joiner,
    printed: Sequence[str | None] = (),
) -> Outline:
    """Sections of the book. `printed_contents`: §§ named by the contents pages; `printed`: page numbers."""
    found = _headings(paras, book, Bookmarks(bookmarks), printed_contents, joiner)
    scheme = unit_scheme([heading for heading in found if heading is not None])
    if scheme is None or scheme.name not in ("§", "урок", "тема", "лекция", "занятие"):
        run_in = find_run_in(paras, book, joiner)
        for at, opened in run_in.items():
            found[at] = _run_in_heading(paras[at], opened)
        if run_in:
            scheme = Scheme("§", UNITS["§"], 1, False, run_in=True)
    walker = Walker(book, scheme, joiner)
    i = 0
    while i < len(paras):
        heading = found[i]
        if heading is None:
            walker.text(paras[i])
        elif heading.run_in:
            walker.run_in(heading, paras[i])
        else:
            used = _title_rows(paras, found, i, heading, book)
            walker.heading(heading, paras[i : i + used])
            i += used - 1
        i += 1
    walker.finish()
    _check(walker.out, printed_contents, scheme)
    _doubts(walker.out, printed_contents, printed)
    return walker.out


def _run_in_heading(para: Para, opened: RunIn) -> Heading:
    style = (round(para.size, 1), para.bold)
    return Heading(
        scheme="§",
        numbers=(opened.number,),
        marker=f"§ {opened.number}",
        title=opened.title,
        typed=True,
        style=style,
        confirmed=False,
        size=para.size,
        depth=1,
        run_in=True,
    )


def _headings(
    paras: Sequence[Para], book: Habits, bookmarks: Bookmarks, contents: Sequence[Entry], joiner: Joiner
) -> list[Heading | None]:
    """For each paragraph, the heading it is, or None."""
    named = {number: entry.title for entry in contents for number in entry.numbers}
    found: list[Heading | None] = []
    for i, para in enumerate(paras):
        mid_sentence = i > 0 and paras[i - 1].flow == "main" and _unfinished(paras[i - 1])
        if i + 1 < len(paras) and paras[i + 1].raw[:1].islower() and paras[i + 1].flow == para.flow:
            mid_sentence = True
        found.append(heading_of(para, book, bookmarks, named, mid_sentence, joiner))
    return _believed(found)


def _unfinished(para: Para) -> bool:
    return para.raw[-1:].isalpha() and not para.bold and len(para.raw) > 60


def _believed(found: list[Heading | None]) -> list[Heading | None]:
    """Keeps, of the § headings, those of the usual type, and plain ones only where the count goes on."""
    for scheme in ("§", "тема", "урок", "занятие", "статья", "single"):
        of_scheme = [h for h in found if h is not None and h.scheme == scheme]
        typed = [h for h in of_scheme if h.typed]
        if not of_scheme:
            continue
        styles = Counter(h.style for h in typed)
        usual = styles.most_common(1)[0] if styles else None
        last = 0
        for i, heading in enumerate(found):
            if heading is None or heading.scheme != scheme:
                continue
            number = ordinal(heading.numbers[0])
            goes_on = number == last + 1 or (number == last and not heading.numbers[0].isdecimal())
            good = (
                heading.confirmed
                or goes_on
                or (heading.typed and (usual is None or heading.style == usual[0]))
            )
            if heading.typed and not good:
                good = styles[heading.style] >= 2 and number > last
            if not heading.typed and not heading.confirmed and not (goes_on or (not typed and number > last)):
                good = False
            if good:
                last = ordinal(heading.numbers[-1])
            else:
                found[i] = None
    return found


def _title_rows(
    paras: Sequence[Para], found: Sequence[Heading | None], i: int, heading: Heading, book: Habits
) -> int:
    """How many paragraphs make up the heading at `i`: a marker («Глава 1») may have its title below it."""
    used = 1
    while i + used < len(paras) and used < 4:
        following, other = paras[i + used], found[i + used]
        numbered = other is not None and other.scheme != "plain"
        if numbered or following.flow not in ("main", "box") or following.page > paras[i].page:
            break
        same = (
            abs(following.size - paras[i + used - 1].size) < 0.3
            and following.bold == paras[i + used - 1].bold
        )
        bare = not heading.title and used == 1
        if heading.scheme == "приложение" and bare and APPENDIX_STATUS.match(following.raw):
            used += 1
            continue
        bare = bare or (not heading.title and APPENDIX_STATUS.match(paras[i + used - 1].raw) is not None)
        if not is_heading_type(following, book) or not (bare or (same and _open_ended(paras[i + used - 1]))):
            break
        used += 1
    return used


def _open_ended(para: Para) -> bool:
    """A heading that surely goes on in the next line."""
    return para.raw[-1:] in ",-—–" or bool(re.search(r"\s(?:и|в|на|с|о|об|по|или|для|как|из|к)$", para.raw))


def _check(out: Outline, contents: Sequence[Entry], scheme: Scheme | None) -> None:
    """Says which §§ seem to be missing: named by the contents, or left out of the count."""
    if scheme is None:
        return
    have = [number for mark in out.marks if mark.kind == "paragraph" for number in mark.numbers]
    if scheme.name == "§":
        lost = [n for entry in contents for n in entry.numbers if n not in have]
        if lost:
            out.warnings.append(
                f"В оглавлении есть, а в тексте не найдены: § {', '.join(dict.fromkeys(lost))}."
            )
    counted = [int(n) for n in have if n.isdecimal()]
    if len(counted) >= 3 and counted == sorted(counted):
        gaps = sorted(set(range(counted[0], counted[-1] + 1)) - set(counted))
        if gaps and len(gaps) <= len(counted):
            named = ", ".join(str(gap) for gap in gaps[:20])
            out.warnings.append(f"В нумерации ({scheme.unit}) пропущены номера: {named}.")


def _doubts(out: Outline, contents: Sequence[Entry], printed: Sequence[str | None]) -> None:
    """Says where the reading is unsure: §§ on other pages than the contents tell, §§ without text."""
    told = {number: entry.page for entry in contents for number in entry.numbers}
    units = [mark for mark in out.marks if mark.kind == "paragraph"]
    moved: list[str] = []
    for mark in units:
        page = printed[mark.page - 1] if mark.page <= len(printed) else None
        said = told.get(mark.numbers[0]) if mark.unit == "§" else None
        if said is not None and page is not None and said != page:
            moved.append(f"§ {mark.numbers[0]} — стр. {said} по оглавлению, найден на стр. {page}")
    if moved:
        more = f" и ещё {len(moved) - 5}" if len(moved) > 5 else ""
        out.warnings.append(f"Страницы не сходятся с оглавлением: {'; '.join(moved[:5])}{more}.")
    filled = {number for part in out.parts for number in part.numbers if part.paras}
    empty = [mark.numbers[0] for mark in units if mark.unit == "§" and not filled.intersection(mark.numbers)]
    if empty:
        out.warnings.append(f"§ {', '.join(empty[:20])}: заголовок найден, текста под ним нет.")
