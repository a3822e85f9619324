"""Shared fixtures: the sample store, and unit tests that cannot reach the network."""

from __future__ import annotations

import hashlib
import socket
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(autouse=True)
def _no_network(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests under tests/unit may not open connections; loopback is for integration and end-to-end tests."""
    if "unit" in Path(request.node.path).relative_to(ROOT / "tests").parts:

        def refuse(*_args: object, **_kwargs: object) -> None:
            raise AssertionError("a unit test tried to open a connection")

        monkeypatch.setattr(socket.socket, "connect", refuse)


@pytest.fixture(scope="session")
def sample_pdfs(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Path]:
    """Grade → PDF of the sample textbook, typeset now from its source."""
    out = tmp_path_factory.mktemp("samples")
    subprocess.run([sys.executable, str(ROOT / "data/samples/build.py"), "--out", str(out)], check=True)
    return {grade: out / f"obshestvoznanie_{grade}.pdf" for grade in (9, 10)}


@pytest.fixture(scope="session")
def sample_store(sample_pdfs: dict[int, Path]) -> Path:
    """A store with both sample textbooks, loaded through the command line. Tests only read it.

    It is kept between runs, since embedding takes most of a minute, until the code that makes it changes.
    """
    sources = sorted(path for package in ("ingest", "index") for path in (ROOT / package).glob("*.py"))
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()[:12]
    store = ROOT / "build" / f"sample-store-{digest}"
    for grade, pdf in sample_pdfs.items():
        subprocess.run(
            [sys.executable, "-P", "-m", "bot", "ingest", str(pdf), "--grade", str(grade)]
            + ["--subject", "обществознание", "--title", "Обществознание", "--store", str(store)],
            check=True,
        )
    return store
