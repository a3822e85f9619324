"""Writes docs/licences.md: what `pip install paragraf` brings, with every distribution's licence.

    python docs/tools/licences.py [--check]

Read from the metadata of what is installed here, along the base requirements alone: the extras bring torch
and friends, which come under their own terms. With `--check` nothing is written; the exit code says whether
the page names other distributions or licences than are installed.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "licences.md"
HEAD = """# Licences of the dependencies

What `pip install paragraf` brings on Linux, as the distributions' own metadata says it. Written by
`python docs/tools/licences.py`. Paragraf itself is under AGPL-3.0-or-later, which PyMuPDF's licence decides;
the texts of the licences come with the distributions (`*.dist-info/licenses`).

| distribution | licence | brought by |
|---|---|---|
"""
# Distributions whose metadata leave the licence out or bury it in prose; read in the files that they install.
KNOWN = {
    "pymupdf-layout": "empty, its code is in pymupdf",
    "pymupdf4llm": "empty, its code is in pymupdf",
}
_CLASSIFIER = "License :: "


def closure(requirements: list[str], by: str) -> dict[str, tuple[Distribution, set[str]]]:
    """Canonical name → distribution and the names of those that require it, without extras' requirements."""
    found: dict[str, tuple[Distribution, set[str]]] = {}
    todo = [(Requirement(text), by) for text in requirements]
    seen: set[tuple[str, frozenset[str]]] = set()
    while todo:
        requirement, parent = todo.pop()
        key, extras = canonicalize_name(requirement.name), frozenset(requirement.extras)
        try:
            dist = distribution(requirement.name)
        except PackageNotFoundError:
            raise SystemExit(f"{key}, which {parent} requires, is not installed here.") from None
        found.setdefault(key, (dist, set()))[1].add(parent)
        if (key, extras) not in seen:
            seen.add((key, extras))
            further = [Requirement(text) for text in dist.requires or ()]
            todo += [(one, key) for one in further if _holds(one, extras)]
    return found


def _holds(requirement: Requirement, extras: frozenset[str]) -> bool:
    marker = requirement.marker
    return marker is None or any(marker.evaluate({"extra": extra}) for extra in extras or {""})


def licence(dist: Distribution) -> str:
    """SPDX expression, else the classifiers, else the first line of the free text; «?» without any."""
    meta = dist.metadata
    if expression := meta.get("License-Expression"):
        return expression
    classifiers = [
        c.rpartition(" :: ")[2] for c in meta.get_all("Classifier") or () if c.startswith(_CLASSIFIER)
    ]
    classifiers = [c for c in classifiers if c != "OSI Approved"]
    if classifiers:
        return " / ".join(sorted(set(classifiers)))
    text = (meta.get("License") or "").strip().splitlines()
    return KNOWN.get(canonicalize_name(meta["Name"]), text[0].strip() if text else "?")


def rows() -> Iterator[str]:
    """Lines of the table, sorted; versions are left out, they change daily."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for key, (dist, parents) in sorted(closure(project["dependencies"], "Paragraf").items()):
        yield f"| {key} | {licence(dist).replace('|', '/')} | {', '.join(sorted(parents))} |\n"


def main() -> None:
    """Writes the page, or checks it."""
    page = HEAD + "".join(rows())
    if "--check" in sys.argv[1:]:
        if PAGE.read_text(encoding="utf-8") != page:
            raise SystemExit(f"{PAGE.name} is out of step; run: python docs/tools/licences.py")
        return
    PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
