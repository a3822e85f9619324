"""Prompt files: Russian text, a directory per version. A change of wording is a new version."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from string import Template

from answer.generating.errors import Fault
from answer.generating.generator import Prompt

CURRENT = "v1"


@dataclass(frozen=True, slots=True)
class PromptSet:
    """The texts of one version."""

    version: str
    system: str
    user: Template
    retry: Template
    faults: dict[str, str]

    @classmethod
    def load(cls, version: str = CURRENT) -> PromptSet:
        """Raises FileNotFoundError for a version that is not shipped."""
        folder = files("answer.generating").joinpath("prompts", version)

        def read(name: str) -> str:
            return folder.joinpath(name).read_text(encoding="utf-8")

        return cls(
            version,
            read("system.txt").strip(),
            Template(read("user.txt")),
            Template(read("retry.txt")),
            json.loads(read("faults.json")),
        )

    def build(
        self,
        question: str,
        fragments: Sequence[tuple[str, str]],
        documents: Sequence[str],
        max_answer: int,
        fault: Fault | None = None,
    ) -> Prompt:
        """`fragments`: (id, text with its header), made harmless; `fault`: what the last draft had wrong.

        Fragments and question are written as JSON, so nothing in them can end the list or begin another one.
        """
        lines = [json.dumps({"id": key, "text": text}, ensure_ascii=False) for key, text in fragments]
        user = self.user.substitute(
            documents="\n".join(f"- {name}" for name in documents) or "- ничего",
            fragments="[\n" + ",\n".join(lines) + "\n]",
            question=json.dumps(question, ensure_ascii=False),
        ).rstrip()
        if fault is not None:
            user += "\n" + self.retry.substitute(fault=self.faults[fault]).rstrip()
        return Prompt(self.system, user, tuple(key for key, _ in fragments), max_answer)
