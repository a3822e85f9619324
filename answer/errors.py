"""Errors of the answering package.

AnswerError
├── RegistryDamaged        books.json cannot be read
└── EvidenceModelDamaged   the coefficients of the evidence decision cannot be read
"""

from __future__ import annotations


class AnswerError(Exception):
    """Base. `str(error)` is Russian, for whoever runs the program; it names the object and the fix."""


class EvidenceModelDamaged(AnswerError):
    """The file of coefficients is missing, unreadable, or of other features than this version measures."""


class RegistryDamaged(AnswerError):
    """`books.json` is unreadable or has a wrong entry."""
