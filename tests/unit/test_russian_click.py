"""The command line speaks Russian: help, usage and errors of every command."""

from __future__ import annotations

import inspect
import re

import click
import pytest
from click.testing import CliRunner

from bot.cli import main as paragraf
from evaluation.__main__ import main as evaluate
from index.russian_click import _MODULES, MESSAGES, RussianCommand, RussianGroup
from ingest.command import main as ingest

COMMANDS = {**paragraf.commands, "paragraf": paragraf, "ingest": ingest, "evaluate": evaluate}
# Click's own words, and the names that it gives to values.
ENGLISH = re.compile(
    r"\b(?:Usage|Options|Commands|Error|Try|Show|Missing|Invalid|No such|Got|default|required|OPTIONS|COMMAND"
    r"|ARGS|FILES?|TEXT|INTEGER|RANGE|PATH|DIRECTORY|does not|not one of|is not)\b"
)


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_help_is_russian(name: str) -> None:
    command = COMMANDS[name]
    assert isinstance(command, RussianCommand)
    done = CliRunner().invoke(command, ["--help"])
    assert done.exit_code == 0
    assert done.output.startswith("Вызов: ")
    assert ENGLISH.findall(done.output) == []


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("paragraf", ["nope"], "Нет команды 'nope'."),
        ("paragraf", ["ask", "x", "y"], "Лишний аргумент: y"),
        ("paragraf", ["ask", "--nope"], "Нет ключа '--nope'."),
        ("paragraf", ["ask", "x", "--grade", "семь"], "'--grade': 'семь' не подходит: нужно число."),
        ("paragraf", ["ask", "x", "--grade", "12"], "12 не подходит: нужно 1<=x<=11."),
        ("paragraf", ["ask", "x", "--grade"], "Ключу '--grade' нужно значение."),
        ("paragraf", ["ask", "x", "--json=1"], "Ключ '--json' пишется без значения."),
        ("paragraf", ["import", "/нет"], "Файл '/нет' не существует."),
        ("paragraf", ["import", "/"], "'/' — каталог, а нужен файл."),
        ("paragraf", ["import"], "Не указан аргумент 'ФАЙЛ.paragraf'."),
        ("ingest", ["x.pdf"], "Не указан ключ '--grade'."),
        ("evaluate", ["--system", "x"], "'x' не подходит: возможны 'paragraf', 'original'."),
    ],
)  # fmt: skip
def test_usage_errors_are_russian(name: str, arguments: list[str], said: str) -> None:
    done = CliRunner().invoke(COMMANDS[name], arguments)
    assert done.exit_code == 2
    assert said in done.output
    assert ENGLISH.findall(done.output) == []


def test_every_translated_message_still_is_one_of_clicks() -> None:
    source = "".join(inspect.getsource(module) for module in _MODULES)
    strings = "".join(re.sub(r'"\s*\n\s*"', "", source))
    missing = [
        message for message in MESSAGES if message.replace("\n", "\\n").replace("\t", "\\t") not in strings
    ]
    assert missing == []


def test_new_commands_are_russian_by_themselves() -> None:
    group = RussianGroup("g")

    @group.command()
    @click.option("--number", type=int)
    def sub(number: int) -> None: ...

    assert "--number ЧИСЛО" in CliRunner().invoke(group, ["sub", "--help"]).output
