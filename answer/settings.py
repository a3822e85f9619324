"""Settings of the answering package; read by entry points, never at import."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field

from index.base_settings import Settings


class AnswerSettings(Settings):
    """`.env` or the environment."""

    evidence_model: Path | None = Field(
        default=None,
        description="Coefficients of the evidence decision, as written by `python -m evaluation.fit`; "
        "empty = the ones shipped with the package.",
    )
    evidence_threshold: float | None = Field(
        default=None,
        gt=0,
        lt=1,
        description="Least probability that counts as enough evidence; empty = the fitted one, at about 5 % "
        "false refusals. What others buy is under `thresholds` in answer/evidence.json.",
    )
    books_registry: Path | None = Field(
        default=None,
        description="Particulars of books and acts: a `books.json` or its directory; "
        "empty = the one in the store.",
    )
