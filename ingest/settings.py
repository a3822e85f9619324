"""Settings of ingestion; read by the entry point, never at import."""

from __future__ import annotations

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict


class IngestSettings(BaseSettings):
    """`.env` or the environment."""

    model_config = SettingsConfigDict(env_file=".env", extra="ignore", env_prefix="INGEST_")

    max_file_mb: int = Field(default=2048, gt=0, description="Largest PDF file, megabytes.")
    max_pages: int = Field(default=3000, gt=0, description="Most pages of one PDF.")
    page_seconds: float = Field(default=20.0, gt=0, description="Longest time one page may take.")
    memory_mb: int = Field(default=2048, gt=0, description="Memory limit of a reading process, megabytes.")
    workers: int = Field(
        default=0, ge=0, description="Reading processes; 0 = one per core, as far as it pays."
    )
