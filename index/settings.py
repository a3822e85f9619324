"""Settings of the index; read by entry points, never at import."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field

from index.base_settings import Settings


class IndexSettings(Settings):
    """`.env` or the environment."""

    store_dir: Path = Field(default=Path("data/store"), description="Directory of the loaded textbooks.")
    embedder: str = Field(
        default="bundled",
        description="`bundled` (multilingual-e5-small, no download), a directory or hub id of an e5 model.",
    )
    reranker: str | None = Field(
        default=None, description="Cross-encoder: a directory or a hub id; empty = off."
    )
