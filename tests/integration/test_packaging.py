"""The wheel: what is in it, and that it works from there alone; version, changelog and licences in step."""

from __future__ import annotations

import email
import json
import os
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pymupdf
import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("answer", "bot", "evaluation", "index", "ingest")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
NEEDED = {
    "answer/evidence.json",
    "answer/generating/prompts/v1/system.txt",
    "answer/synonyms/common.toml",
    "bot/web/static/chat.css",
    "bot/web/templates/chat.html",
    "evaluation/templates/report.html",
    "ingest/templates/report.html",
}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built as an installer builds it, without network."""
    out = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(out)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (built,) = out.glob("*.whl")
    return built


def test_wheel_holds_the_packages_with_all_their_data_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as file:
        inside = {name for name in file.namelist() if ".dist-info/" not in name}
    tracked = {
        path.relative_to(ROOT).as_posix()
        for package in PACKAGES
        for path in (ROOT / package).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert inside == tracked
    assert inside >= NEEDED
    assert wheel.stat().st_size < 3 << 20


def test_metadata_name_version_licence_command_and_no_torch(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as file:
        info = next(name.partition("/")[0] for name in file.namelist() if ".dist-info/" in name)
        meta = email.message_from_bytes(file.read(f"{info}/METADATA"))
        command = file.read(f"{info}/entry_points.txt").decode()
        assert f"{info}/licenses/LICENSE" in file.namelist()
    assert meta["Version"] == PROJECT["version"]
    assert meta["License-Expression"] == "AGPL-3.0-or-later"
    assert "paragraf = bot.cli:main" in command
    base = [text for text in meta.get_all("Requires-Dist") if "extra ==" not in text]
    assert len(base) == len(PROJECT["dependencies"])
    assert not re.search("torch|transformers|langchain-community", " ".join(base))
    assert "ingest" in meta.get_payload()


def test_it_loads_and_answers_from_the_unpacked_wheel(wheel: Path, tmp_path: Path) -> None:
    """With the wheel's files alone, in another directory, the source tree is never touched."""
    site, away = tmp_path / "site", tmp_path / "другая папка"
    away.mkdir()
    with zipfile.ZipFile(wheel) as file:
        file.extractall(site)
    document = pymupdf.open()
    page = document.new_page(width=420, height=595)
    text = "<h2>§ 1. Наш город</h2><p>Ратуша стоит на Рыночной площади. Её построили в 1787 году.</p>"
    page.insert_htmlbox(pymupdf.Rect(50, 50, 370, 540), text)
    document.save(away / "город.pdf")
    document.close()

    def run(*arguments: str) -> str:
        done = subprocess.run(
            [sys.executable, "-P", *arguments],
            cwd=away,
            env={**os.environ, "PYTHONPATH": str(site), "OMP_NUM_THREADS": "1"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    places = run("-c", f"import {', '.join(PACKAGES)}; print(*[m.__path__ for m in ({', '.join(PACKAGES)})])")
    assert places.count(str(site)) == len(PACKAGES)
    particulars = ["--grade", "6", "--subject", "краеведение", "--title", "Краеведение", "--store", "склад"]
    run("-m", "bot", "ingest", "город.pdf", *particulars, "--report", "отчёт.html")
    assert "Наш город" in (away / "отчёт.html").read_text(encoding="utf-8")
    answer = json.loads(run("-m", "bot", "ask", "Где стоит ратуша?", "--store", "склад", "--json"))
    assert answer["status"] == "supported"
    assert "Рыночной площади" in answer["answer"]
    assert "Ключи:" in run("-m", "bot", "serve", "--help")
    assert "evaluation" in run("-c", "import evaluation.html as m; print(m.__file__)")


def test_the_version_is_written_once() -> None:
    """The notebook pins it besides, which its own test holds."""
    version = PROJECT["version"]
    sources = [path for package in PACKAGES for path in (ROOT / package).rglob("*.py")]
    sources += [ROOT / "Makefile", *(ROOT / "requirements").glob("*.txt")]
    assert [path for path in sources if f'"{version}"' in path.read_text(encoding="utf-8")] == []
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert "## [Unreleased]" in changes or f"## [{version}]" in changes


def test_every_dependency_has_its_licence_on_the_page() -> None:
    page = (ROOT / "docs" / "licences.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\S+) \| (.+?) \| (.+) \|$", page, re.MULTILINE)[1:]
    names = {name: licence for name, licence, _ in rows}
    direct = {re.split(r"[\[<>=~! ]", text, maxsplit=1)[0].lower() for text in PROJECT["dependencies"]}
    assert direct <= names.keys()
    assert {name for name, _, parents in rows if "Paragraf" in parents.split(", ")} == direct
    assert "?" not in names.values()


def test_the_page_of_licences_can_be_written_here() -> None:
    """Its content may differ from the page where other releases of the dependencies are installed."""
    code = "import licences; rows = list(licences.rows()); print(*rows, sep='')"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT / "docs" / "tools", capture_output=True, text=True, check=True
    )
    licences = re.findall(r"^\| \S+ \| (.+?) \|", done.stdout, re.MULTILINE)
    assert len(licences) > 30
    assert "?" not in licences
