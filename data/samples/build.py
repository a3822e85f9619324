"""Sets the sample textbooks: `python data/samples/build.py [BOOK_DIR…] [--out DIR] [--gold DIR]`."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
if str(HERE) not in sys.path:  # as a script this holds already; imported from elsewhere it does not
    sys.path.insert(0, str(HERE))

from typesetting.book import set_book  # noqa: E402
from typesetting.fonts import MissingGlyph  # noqa: E402
from typesetting.gold import GoldError, add_pages  # noqa: E402
from typesetting.markdown import SourceError, read_book  # noqa: E402
from typesetting.model import Book  # noqa: E402
from typesetting.truth import truth  # noqa: E402


def build_book(source: Path, out: Path) -> None:
    """Sets the book of folder `source` as the PDF `out`, with `<out>.truth.json` beside it."""
    typeset(read_book(source), out)


def typeset(book: Book, out: Path) -> None:
    """The same for a book that did not come from a folder."""
    out.parent.mkdir(parents=True, exist_ok=True)
    facts = truth(book, set_book(book, out))
    out.with_suffix(".truth.json").write_text(
        json.dumps(facts, ensure_ascii=False, indent=1) + "\n", encoding="utf-8"
    )


def locate_gold(cases: Path, pdf: Path) -> int:
    """Adds pages to the gold questions of a set book; returns how many have an answer."""
    facts = json.loads(pdf.with_suffix(".truth.json").read_text(encoding="utf-8"))
    return add_pages(cases, pdf, facts)


def main() -> int:
    """Exit 0, or 1 with one line on stderr that names what is wrong in the sources."""
    parser = argparse.ArgumentParser(description="Sets sample textbooks as PDFs.")
    parser.add_argument("books", nargs="*", type=Path, help="folders with a book.toml (default: all here)")
    parser.add_argument("--out", type=Path, default=HERE / "build", help="where the PDFs go")
    parser.add_argument(
        "--gold", type=Path, help="folder of gold questions BOOK.jsonl to add page numbers to"
    )
    options = parser.parse_args()
    books = options.books or sorted(path.parent for path in HERE.glob("*/book.toml"))
    try:
        for folder in books:
            out = options.out / f"{folder.resolve().name}.pdf"
            build_book(folder, out)
            print(out)
            if options.gold and (cases := options.gold / f"{out.stem}.jsonl").exists():
                print(f"{cases}: {locate_gold(cases, out)} answers located")
    except (SourceError, MissingGlyph, GoldError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
