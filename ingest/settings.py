"""Settings of ingestion; read by the entry point, never at import."""

from __future__ import annotations

from pydantic import Field
from pydantic_settings import SettingsConfigDict

from index.base_settings import Settings


class IngestSettings(Settings):
    """`.env` or the environment."""

    model_config = SettingsConfigDict(env_prefix="INGEST_")

    max_file_mb: int = Field(default=2048, gt=0, description="Largest PDF file, megabytes.")
    max_pages: int = Field(default=3000, gt=0, description="Most pages of one PDF.")
    max_page_mb: int = Field(
        default=64, gt=0, description="Most megabytes that the drawing commands of one page may unpack to."
    )
    max_image_mpx: int = Field(
        default=200, gt=0, description="Largest picture on a page that is recognised, millions of pixels."
    )
    page_seconds: float = Field(default=20.0, gt=0, description="Longest time one page may take.")
    book_seconds: float = Field(
        default=7200.0, gt=0, description="Longest time for all pages; the rest is reported as not read."
    )
    memory_mb: int = Field(default=2048, gt=0, description="Memory limit of a reading process, megabytes.")
    workers: int = Field(
        default=0, ge=0, description="Reading processes; 0 = one per core, as far as it pays."
    )
    ocr: bool = Field(default=True, description="Recognise scans and pages whose text layer is unreadable.")
    ocr_seconds: float = Field(default=120.0, gt=0, description="Longest time recognising one page may take.")
    tesseract: str = Field(default="tesseract", description="Name or path of the Tesseract program.")
