"""`manifest.json`: what a store holds. It alone decides which book versions exist."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

SCHEMA_VERSION = 1
CHUNKER = "paragraf-4"
"""Name and version of the whole way from page to chunk: another one makes other chunks of the same file."""

# Names of one path component: a manifest can never point outside its store.
_Name = Annotated[str, Field(pattern=r"^[^./\\\x00][^/\\\x00]*$", max_length=200)]
_Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class ShardEntry(_Model):
    """One version of one book, in a directory of its own under `shards/`."""

    book_id: _Name
    directory: _Name
    files: dict[_Name, _Sha256]
    title: str
    subject: str
    grades: list[int]
    page_offset: int | None
    pdf_sha256: _Sha256
    chunks: int
    chunker: str
    """Version of the splitting rules that made the chunks."""


class Manifest(_Model):
    """The whole store. Books are in the order in which they were first added."""

    schema_version: int
    embedder: str
    dimension: int
    shards: list[ShardEntry]

    def entry(self, book_id: str) -> ShardEntry | None:
        return next((shard for shard in self.shards if shard.book_id == book_id), None)
