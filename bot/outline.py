"""A book's chapters and §§ as a tree, for walking through them. Pure functions of the stored book."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from index.book import Book, Section

ROOT = 0
"""Index of the book itself."""


@dataclass(slots=True)
class Node:
    """A chapter, a § or (with `section` None) the book; its children in reading order."""

    index: int
    """ROOT, or one more than the place in `Book.sections`."""
    section: Section | None
    parent: Node | None = field(default=None, repr=False)
    children: list[Node] = field(default_factory=list)

    @property
    def is_paragraph(self) -> bool:
        """Whether it is what students name: a §."""
        return self.section is not None and self.section.kind == "paragraph"

    @property
    def name(self) -> str:
        """«§ 5. Политика и власть», «Глава I. Человек», «Углы» (inside its chapter); empty for the book."""
        if self.section is None:
            return ""
        if self.is_paragraph:
            return f"{self.section.label}. {self.section.title}" if self.section.title else self.section.label
        whole = self.section.chapter or self.section.title or self.section.label
        above = self.parent.section.chapter if self.parent and self.parent.section else None
        return whole.removeprefix(f"{above}. ") if above else whole

    def walk(self) -> Iterator[Node]:
        """This node and all beneath it, in reading order."""
        yield self
        for child in self.children:
            yield from child.walk()


def outline(book: Book) -> Node:
    """The tree of chapters and §§; subheadings inside a § are left out."""
    root = Node(ROOT, None)
    path = [root]
    for index, section in enumerate(book.sections, start=1):
        if section.kind == "subsection":
            continue
        while len(path) > 1 and not _holds(path[-1].section, section):
            path.pop()
        node = Node(index, section, path[-1])
        path[-1].children.append(node)
        if section.kind == "chapter":
            path.append(node)
    return root


def find(root: Node, index: int) -> Node | None:
    """The node of that index."""
    return next((node for node in root.walk() if node.index == index), None)


def book_tag(book: Book) -> str:
    """Eight characters for callback data: this book with these sections, and no other state of it."""
    parts = [book.book_id, book.sha256]
    parts += [f"{s.kind} {s.label} {s.title} {s.chapter} {s.file_page}" for s in book.sections]
    return _short("\n".join(parts))


def id_tag(book_id: str) -> str:
    """Eight characters for callback data: the book of this id, in whatever state."""
    return _short(book_id)


def tagged(books: Iterable[Book], tag: str) -> Book | None:
    """The book in the state that the tag stands for."""
    return next((book for book in books if book_tag(book) == tag), None)


def _short(text: str) -> str:
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=6).digest()
    return base64.urlsafe_b64encode(digest).decode()


def _holds(outer: Section | None, inner: Section) -> bool:
    """Whether a chapter is the one (or around the one) that a later section stands in."""
    if outer is None:
        return True
    if outer.unit == "часть":
        return inner.unit != "часть"
    own, other = outer.chapter or "", inner.chapter or ""
    if inner.kind == "paragraph":
        return other == own or other.startswith(f"{own}. ")
    return inner.unit != outer.unit and other.startswith(f"{own}. ")
