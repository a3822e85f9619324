"""Errors of evaluation.

EvaluationError
└── CaseInvalid  a row of a case file cannot be read
"""

from __future__ import annotations


class EvaluationError(Exception):
    """Base. `str(error)` names the file and the fix."""


class CaseInvalid(EvaluationError):
    """A row of a case file cannot be read."""
