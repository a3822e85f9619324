"""Writes docs/commands.md, the help of every command; with --check says whether it is up to date.

python docs/tools/commands.py [--check]
"""

from __future__ import annotations

import sys
from pathlib import Path

import click
from click.testing import CliRunner

from bot.cli import main as paragraf
from evaluation.__main__ import main as evaluate
from ingest.command import main as ingest

PAGE = Path(__file__).resolve().parents[1] / "commands.md"
HEAD = """# Commands

Written by `python docs/tools/commands.py`; `make check` compares it with the programs.
`python -m bot`, `python -m ingest` and `python -m evaluation` are the same commands.
"""
# These two are started as child processes: their help is their own program's.
OWN_PROGRAM = {"ingest": ingest, "evaluate": evaluate}


def page() -> str:
    """The whole document."""
    return "\n".join([HEAD, *_sections(paragraf, "paragraf")])


def _sections(command: click.Command, name: str) -> list[str]:
    shown = OWN_PROGRAM.get(name.removeprefix("paragraf "), command)
    help_text = CliRunner().invoke(shown, ["--help"], prog_name=name, terminal_width=100).output.rstrip()
    sections = [f"## {name}\n\n```\n{help_text}\n```\n"]
    if isinstance(shown, click.Group):
        context = click.Context(shown, info_name=name)
        for child in shown.list_commands(context):
            found = shown.get_command(context, child)
            if found is not None and not found.hidden:
                sections += _sections(found, f"{name} {child}")
    return sections


def main() -> None:
    """Entry point."""
    if sys.argv[1:] == ["--check"]:
        if not PAGE.exists() or PAGE.read_text(encoding="utf-8") != page():
            sys.exit("docs/commands.md is out of date: run python docs/tools/commands.py")
    else:
        PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
