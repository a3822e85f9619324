"""Errors of the index.

IndexStoreError
├── StoreMissing        nothing is there yet
├── StoreDamaged        manifest unreadable, or of a schema this version does not know
├── EmbedderMismatch    built with another embedder than the configured one
├── BookMissing         no such book id
├── ArchiveDamaged      no archive of ours, or one that was cut, altered or made to do harm
├── ArchiveTooLarge     beyond what an archive may hold
├── ArchiveMismatch     an archive of another version of the program
├── DiskFull            not enough room for what is to be written
├── EmbedderUnavailable the configured embedder cannot be loaded
├── RerankerUnavailable the configured reranker cannot be loaded
└── SettingsInvalid     a setting cannot be understood
"""

from __future__ import annotations


class IndexStoreError(Exception):
    """Base. `str(error)` is Russian, for whoever runs the program; it names the object and the fix."""


class StoreMissing(IndexStoreError):
    """No manifest in the store's directory."""


class StoreDamaged(IndexStoreError):
    """The manifest cannot be read."""


class EmbedderMismatch(IndexStoreError):
    """The store was built with another embedder."""


class BookMissing(IndexStoreError):
    """The store has no book with that id."""


class ArchiveDamaged(IndexStoreError):
    """A file that is no archive of ours, or one that was cut, altered or made to do harm."""


class ArchiveTooLarge(IndexStoreError):
    """An archive beyond the limits."""


class ArchiveMismatch(IndexStoreError):
    """An archive of another schema or of other splitting rules."""


class DiskFull(IndexStoreError):
    """Not enough room on the disk; seen before anything is written."""


class EmbedderUnavailable(IndexStoreError):
    """The configured embedder cannot be loaded."""


class RerankerUnavailable(IndexStoreError):
    """The configured reranker cannot be loaded."""


class SettingsInvalid(IndexStoreError):
    """A setting in `.env` or in the environment cannot be understood."""
