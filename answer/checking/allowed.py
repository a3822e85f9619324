"""The closed list: what a generated answer may refer to."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from answer.checking.contacts import contact_key, find_contacts
from answer.checking.drafts import Fragment
from answer.checking.references import ActParts, Reference, act_key, act_number_key, find_references
from answer.registry import ActRecord, BookRecord, title_key
from index.lemmas import lemmas

_QUOTED = re.compile(r"[«\"„“]([^«»\"„“”]{2,200})[»\"”“]")
_SMALL_WORDS = frozenset(["и", "о", "об", "в", "на", "с", "от", "для", "по", "из", "к", "а"])


@dataclass(frozen=True, slots=True)
class AllowedReferences:
    """Everything not in here is stripped from an answer.

    §§ and pages come from the fragments' headers only: a cross-reference in the text («см. § 7») does
    not make § 7 a source. Articles, chapters, acts, works and people that a fragment itself
    speaks of are allowed.
    """

    paragraphs: frozenset[str] = frozenset()
    pages: frozenset[str] = frozenset()
    chapters: frozenset[str] = frozenset()
    articles: frozenset[tuple[str, str]] = frozenset()
    """(key of the act or "", number)."""
    acts: tuple[ActParts, ...] = ()
    titles: frozenset[str] = frozenset()
    """As `title_key` gives them."""
    wording: frozenset[str] = frozenset()
    """Lemmas of names that may be used with works: authors, and the words of the fragments."""
    contacts: frozenset[str] = frozenset()
    """Addresses that stand in the fragments, as `contact_key` gives them."""

    @classmethod
    def of(
        cls,
        fragments: Iterable[Fragment] = (),
        books: Iterable[BookRecord] = (),
        acts: Iterable[ActRecord] = (),
        *,
        paragraphs: Iterable[str] = (),
        pages: Iterable[str] = (),
        chapters: Iterable[str] = (),
    ) -> AllowedReferences:
        """The list for these fragments, with the particulars of their books and of the acts in the
        registry.
        """
        numbers: dict[str, set[str]] = {
            "paragraph": set(paragraphs), "page": set(pages), "chapter": set(chapters)
        }  # fmt: skip
        articles: set[tuple[str, str]] = set()
        known_acts = [act_parts(act) for act in acts]
        titles: set[str] = set()
        wording: set[str] = set()
        contacts: set[str] = set()
        for book in books:
            titles |= {title_key(name) for name in (book.title, *book.aliases)}
            wording |= set(lemmas(" ".join((*book.authors, book.publisher or ""))))
        for fragment in fragments:
            wording |= set(lemmas(fragment.text)) | set(lemmas(fragment.header))
            contacts |= {contact_key(fragment.text[a:z]) for a, z in find_contacts(fragment.text)}
            titles |= {title_key(quoted) for quoted in _QUOTED.findall(fragment.text)}
            for reference in find_references(fragment.header):
                if reference.kind in numbers:
                    numbers[reference.kind] |= _values(reference)
            for reference in find_references(fragment.text):
                if reference.kind == "article":
                    articles |= {
                        (reference.act.name if reference.act else "", value) for value in _values(reference)
                    }
                if reference.kind == "chapter":
                    numbers["chapter"] |= _values(reference)
                if reference.kind == "title":
                    titles.add(title_key(reference.title))
                if reference.act:
                    known_acts.append(reference.act)
            if "конституция" in wording:
                known_acts.append(ActParts(name="конституция"))
        return cls(
            frozenset(numbers["paragraph"]), frozenset(numbers["page"]), frozenset(numbers["chapter"]),
            frozenset(articles), tuple(known_acts), frozenset(titles), frozenset(wording),
            frozenset(contacts),
        )  # fmt: skip

    def allows_number(self, reference: Reference, value: str) -> bool:
        """Whether the §, page, chapter or article `value` may be named."""
        if reference.kind == "paragraph":
            return value in self.paragraphs
        if reference.kind == "page":
            return value in self.pages
        if reference.kind == "chapter":
            return value in self.chapters
        named = reference.act.name if reference.act else ""
        bare = not named or self.act_faults(ActParts(name=named)) is not None
        return any(
            number == value and (act == named if act and named else bare) for act, number in self.articles
        )

    def act_faults(self, act: ActParts) -> frozenset[str] | None:
        """Parts of a mentioned act that no allowed act bears out; None where the act itself is not
        allowed.
        """
        best: frozenset[str] | None = None
        for known in self.acts:
            faults = self._faults(act, known)
            if faults is not None and (best is None or len(faults) < len(best)):
                best = faults
        if (
            best is None
            and act.topic
            and not (act.number or act.title or act.name)
            and self._in_wording((*act.topic, *([act.kind] if act.kind else [])))
        ):
            return frozenset({"date"} if act.date else ())
        return best

    def allows_title(self, title: str) -> bool:
        key = title_key(title)
        said = lemmas(title)  # «в „Левиафане“»
        return any(
            key == known or known.startswith(key + " ") or (said and said == lemmas(known))
            for known in self.titles
        )

    def allows_names(self, names: str) -> bool:
        """Whether every surname of `names` is an author of an allowed book or stands in a fragment."""
        found = [lemma for lemma in lemmas(names) if len(lemma) > 2 and lemma != "др"]
        return bool(found) and all(
            lemma in self.wording or any(_one_surname(lemma, other) for other in self.wording)
            for lemma in found
        )

    def _faults(self, act: ActParts, known: ActParts) -> frozenset[str] | None:
        """None unless `act` is surely meant to be `known`: same number, same name, or same title."""
        known_title = set(lemmas(known.title)) | set(known.topic) | set(known.name.split())
        title = set(lemmas(act.title)) - _SMALL_WORDS
        topic = set(act.topic) - _SMALL_WORDS
        agrees = {
            "number": bool(act.number) and act.number == known.number,
            "name": bool(act.name)
            and (act.name == known.name or set(act.name.split()) <= set(lemmas(known.title))),
            "title": bool(title) and title <= known_title,
            "topic": bool(topic) and topic <= known_title,
            "date": bool(act.date)
            and (act.date == known.date or (len(act.date) == 4 and known.date.startswith(act.date))),
        }
        identified = agrees["number"] or agrees["name"] or agrees["title"] or agrees["topic"]
        if not identified and not (agrees["date"] and not (act.number or act.title or act.topic or act.name)):
            return None
        said = {"number": act.number, "title": act.title, "topic": act.topic, "date": act.date}
        if act.name and not agrees["name"]:
            return None
        return frozenset(part for part, value in said.items() if value and not agrees[part])

    def _in_wording(self, topic: tuple[str, ...]) -> bool:
        return all(lemma in self.wording for lemma in topic if lemma not in _SMALL_WORDS)


_CASE = re.compile(r"(?<=\w{3})(?:ого|ому|ыми|ым|ых|ой|ою|ом|ем|ей|ий|ый|ая|ую|ам|ах|а|у|е|и|ы|ю|я|о)$")


def _one_surname(first: str, second: str) -> bool:
    """«гоббсом», «гоббс»; «боголюбов», «боголюб»: the dictionary lacks most surnames and guesses a lemma for
    each case.
    """
    short, long = sorted((_CASE.sub("", first), _CASE.sub("", second)), key=len)
    return short == long or (
        len(short) >= 5 and long.startswith(short) and long[len(short) :] in ("ов", "ев", "ин")
    )


def act_parts(act: ActRecord) -> ActParts:
    """An act of the registry as mentions are compared with it."""
    return ActParts(
        name=act_key(act.title) if not act.kind else "",
        number=act_number_key(act.number) if act.number else "",
        date=act.date.isoformat() if act.date else "",
        title=" ".join((act.kind, act.title, *act.aliases)),
    )


def _values(reference: Reference) -> set[str]:
    values: set[str] = set()
    for number in reference.numbers:
        values |= set(expand(number.low, number.high))
    return values


def expand(low: str, high: str) -> tuple[str, ...]:
    """Members of a range: («13», «15») → («13», «14», «15»); anything but small whole ranges gives
    its ends.
    """
    if low.isdigit() and high.isdigit() and int(low) < int(high) <= int(low) + 200:
        return tuple(str(value) for value in range(int(low), int(high) + 1))
    return (low,) if low == high else (low, high)
