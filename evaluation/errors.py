"""Errors of evaluation.

EvaluationError
├── CaseInvalid      a row of a case file cannot be read
├── ExtraMissing     a library that only an extra brings is not installed
└── BaselineMissing  the published pipeline cannot be run on this store
"""

from __future__ import annotations


class EvaluationError(Exception):
    """Base. `str(error)` names the file and the fix."""


class CaseInvalid(EvaluationError):
    """A row of a case file cannot be read."""


class ExtraMissing(EvaluationError):
    """A library that only an extra brings is not installed."""


class BaselineMissing(EvaluationError):
    """The published pipeline cannot be run on this store."""
