"""What all settings have in common: where they come from, and faults said in Russian.

It stands here because the settings of all packages need it, and no other package is below every one of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails
from pydantic_settings import BaseSettings, SettingsConfigDict

from index.errors import SettingsInvalid

FIX = "Исправьте .env или переменные окружения; все настройки с пояснениями — в .env.example."

_MESSAGES = {
    "int_parsing": "нужно целое число",
    "int_from_float": "нужно целое число",
    "float_parsing": "нужно число",
    "bool_parsing": "нужно true или false",
    "greater_than": "нужно больше {gt}",
    "greater_than_equal": "нужно не меньше {ge}",
    "less_than": "нужно меньше {lt}",
    "less_than_equal": "нужно не больше {le}",
    "literal_error": "возможно только {expected}",
    "value_error": "{error}",
}


class Settings(BaseSettings):
    """`.env` or the environment. Raises SettingsInvalid, which names every wrong setting, never a value."""

    model_config = SettingsConfigDict(env_file=".env", extra="ignore", hide_input_in_errors=True)

    def __init__(self, **values: Any) -> None:
        try:
            super().__init__(**values)
        except ValidationError as error:
            prefix = self.model_config.get("env_prefix", "")
            wrong = [f"{(prefix + str(fault['loc'][0])).upper()}: {_said(fault)}" for fault in error.errors()]
            # The cause holds the values, and some are secrets.
            raise SettingsInvalid(f"Настройки не читаются. {'; '.join(wrong)}. {FIX}") from None
        except UnicodeDecodeError:
            raise SettingsInvalid("Файл .env не читается: сохраните его в кодировке UTF-8.") from None


def _said(fault: ErrorDetails) -> str:
    context: Mapping[str, Any] = fault.get("ctx", {})
    if "expected" in context:
        context = {"expected": str(context["expected"]).replace(" or ", ", ").replace("'", "")}
    return _MESSAGES.get(fault["type"], "значение не подходит").format(**context)
