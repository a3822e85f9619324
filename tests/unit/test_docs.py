"""Documents: links lead somewhere, both READMEs have the same parts, settings are all explained."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pydantic_settings import BaseSettings

from answer.generating.settings import GenerationSettings
from answer.settings import AnswerSettings
from bot.settings import BotSettings
from index.settings import IndexSettings
from ingest.settings import IngestSettings

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
SETTINGS: list[type[BaseSettings]] = [
    AnswerSettings,
    BotSettings,
    GenerationSettings,
    IndexSettings,
    IngestSettings,
]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_to_files(page: Path) -> None:
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text):
        if "://" not in target:
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_both_readmes_say_the_same() -> None:
    def shape(name: str) -> list[str]:
        text = (ROOT / name).read_text(encoding="utf-8")
        links = re.findall(r"\]\(((?:docs|notebooks|data)/[^)]+|[A-Z.][\w.]*)\)", text)
        other = {"README.md", "README.ru.md", "docs/operator.md", "docs/operator.ru.md"}
        commands = re.findall(r"^\.venv/bin/\S+ \w+", text, re.MULTILINE)
        return [
            "## " * len(re.findall(r"^## ", text, re.MULTILINE)),
            *commands,
            *[x for x in links if x not in other],
        ]

    assert shape("README.md") == shape("README.ru.md")


def test_every_setting_is_explained_once_in_the_example() -> None:
    text = (ROOT / ".env.example").read_text(encoding="utf-8")
    explained = re.findall(r"^#?([A-Z][A-Z_]+)=", text, re.MULTILINE)
    names = {
        (kind.model_config.get("env_prefix", "") + name).upper()
        for kind in SETTINGS
        for name in kind.model_fields
    }
    assert sorted(explained) == sorted(names)
