"""Click in Russian: its own messages, headings and names of values.

It stands here because the commands of all packages need it, and no other package is below every one of them.
"""

from __future__ import annotations

from typing import Any

import click
import click.core
import click.decorators
import click.exceptions
import click.formatting
import click.parser
import click.types

MESSAGES = {
    "Usage:": "Вызов:",
    "Options": "Ключи",
    "Commands": "Команды",
    "Positional arguments": "Аргументы",
    "Aborted!": "Прервано.",
    "Error: {message}": "Ошибка: {message}",
    "Try '{command} {option}' for help.": "Справка: {command} {option}",
    "Show this message and exit.": "Показать эту справку.",
    "Show the version and exit.": "Показать версию.",
    "default: {default}": "по умолчанию: {default}",
    "required": "обязательно",
    "Missing command.": "Не указана команда.",
    "No such command {name!r}.": "Нет команды {name!r}.",
    "No such option {name!r}.": "Нет ключа {name!r}.",
    "Did you mean {possibility}?": "Может быть, {possibility}?",
    "(Did you mean one of: {possibilities}?)": "(Может быть, одно из: {possibilities}?)",
    "Missing argument": "Не указан аргумент",
    "Missing option": "Не указан ключ",
    "Missing parameter": "Не указано значение",
    "Got unexpected extra argument ({args})": "Лишний аргумент: {args}",
    "Got unexpected extra arguments ({args})": "Лишние аргументы: {args}",
    "Invalid value: {message}": "Неверное значение: {message}",
    "Invalid value for {param_hint}: {message}": "Неверное значение {param_hint}: {message}",
    "Option {name!r} does not take a value.": "Ключ {name!r} пишется без значения.",
    "Option {name!r} requires an argument.": "Ключу {name!r} нужно значение.",
    "Choose from:\n\t{choices}": "Выберите из:\n\t{choices}",
    "{value!r} is not {choice}.": "{value!r} не подходит: возможно только {choice}.",
    "{value!r} is not one of {choices}.": "{value!r} не подходит: возможны {choices}.",
    "{value!r} is not a valid {number_type}.": "{value!r} не подходит: нужно число.",
    "{value} is not in the range {range}.": "{value} не подходит: нужно {range}.",
    "{name} {filename!r} does not exist.": "{name} {filename!r} не существует.",
    "{name} {filename!r} is a file.": "{filename!r} — файл, а нужен каталог.",
    "{name} {filename!r} is a directory.": "{filename!r} — каталог, а нужен файл.",
    "{name} {filename!r} is not readable.": "{name} {filename!r} не читается: нет прав.",
    "{name} {filename!r} is not writable.": "{name} {filename!r} не записать: нет прав.",
}
_NAMES = {
    "text": "ТЕКСТ",
    "integer": "ЧИСЛО",
    "integer range": "ЧИСЛО",
    "file": "ФАЙЛ",
    "directory": "КАТАЛОГ",
    "path": "ПУТЬ",
}
_MODULES = (click.core, click.decorators, click.exceptions, click.formatting, click.parser, click.types)


def speak_russian() -> None:
    """Puts the translations in place of the functions that click's modules take from gettext.

    Click offers no other way that works whatever the machine's locale says.
    """
    for module in _MODULES:
        names = vars(module)
        if "_" in names:
            names["_"] = _translate
        if "ngettext" in names:
            names["ngettext"] = _plural


def _translate(message: str) -> str:
    return MESSAGES.get(message, message)


def _plural(one: str, several: str, n: int) -> str:
    return _translate(one if n == 1 else several)


class RussianCommand(click.Command):
    """A command whose usage, help and errors are Russian."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs.setdefault("options_metavar", "[КЛЮЧИ]")
        super().__init__(*args, **kwargs)
        for param in self.params:
            if isinstance(param.type, click.Path):
                param.type.name = _NAMES.get(param.type.name, param.type.name).lower()
            elif param.metavar is None and param.type.name in _NAMES and not _is_flag(param):
                param.metavar = _NAMES[param.type.name]

    def main(self, *args: Any, **kwargs: Any) -> Any:
        speak_russian()
        return super().main(*args, **kwargs)


class RussianGroup(RussianCommand, click.Group):
    """A group of such commands."""

    command_class = RussianCommand

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs.setdefault("subcommand_metavar", "КОМАНДА [АРГУМЕНТЫ]…")
        super().__init__(*args, **kwargs)


def _is_flag(param: click.Parameter) -> bool:
    return isinstance(param, click.Option) and (param.is_flag or param.count)
