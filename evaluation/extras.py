"""Libraries that only an extra brings, loaded where they are used."""

from __future__ import annotations

import importlib
import warnings
from typing import Any

from evaluation.errors import ExtraMissing


def load(module: str, extra: str = "evaluation") -> Any:
    """The module. Raises ExtraMissing that names the extra."""
    try:
        with warnings.catch_warnings():
            # langchain-community announces its own sunset at import; nothing of ours can mend that.
            warnings.simplefilter("ignore")
            return importlib.import_module(module)
    except ImportError as error:
        raise ExtraMissing(f"{module} is not installed; run: pip install 'paragraf[{extra}]'") from error
