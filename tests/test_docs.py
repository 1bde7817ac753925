"""The examples in docstrings run, and the pages name what is there, in as few words as they may have."""

import doctest
import importlib
import pkgutil
import re
from pathlib import Path
from typing import get_args

import pytest
from library import ROOT

import api
import dashboard
import rag
from rag.confidence.signals import SIGNALS
from rag.models import Outcome

LEFT_OUT = ("rag.adapters.migrations",)  # run by alembic, not by importing
MODULES = sorted(
    found.name
    for package in (rag, api, dashboard)
    for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}.", onerror=lambda name: None)
    if not found.name.startswith(LEFT_OUT)
)

PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md"))]
PLACE = re.compile(r"`((?:rag|api|dashboard|pages|tests|benchmarks|training|scripts|docs|samples)/[\w./-]*)`")
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
MADE_UP = ("NAME", "rtf")  # what examples of things to add are called
DECISION_WORDS = 1200  # A decision page is one page
ALL_WORDS = 20_000  # README and all pages below docs together


@pytest.mark.parametrize("name", MODULES)
def test_every_example_in_a_docstring_runs(name):
    module = importlib.import_module(name)
    result = doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert result.failed == 0


def test_what_architecture_and_development_name_is_there():
    pages = ("architecture.md", "development.md")
    text = "\n".join((ROOT / "docs" / page).read_text(encoding="utf-8") for page in pages)
    named = {name.partition("(")[0] for name in re.findall(r"`([^` ]+)`", text)}
    own = {name for name in named if not name.startswith("/") and "NAME" not in name and "rtf" not in name}
    paths = {name for name in own if "/" in name or name.endswith((".py", ".toml"))}
    sources = [path for folder in ("rag", "api", "dashboard", "tests") for path in (ROOT / folder).rglob("*.py")]
    words = {*re.findall(r"\w+", " ".join(path.read_text(encoding="utf-8") for path in [ROOT / "app.py", *sources]))}
    assert len(paths) > 50
    assert {name for name in paths if not (ROOT / name).exists()} == set()
    assert len(own - paths) > 50
    assert {name for name in own - paths if not words >= {*name.split(".")}} == set()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_names_only_files_that_are_there_and_leaves_nothing_open(page):
    text = page.read_text(encoding="utf-8")
    assert "TODO" not in text
    named = {name for name in PLACE.findall(text) if not any(word in name for word in MADE_UP)}
    linked = {name for name in LINK.findall(text) if not name.startswith(("http:", "https:"))}
    assert {name for name in named if not (ROOT / name).exists()} == set()
    assert {name for name in linked if not (page.parent / name).exists()} == set()


def test_the_readme_names_only_commands_that_exist():
    from typer.main import get_command

    from rag.commands.line import app

    known = get_command(app).commands
    named = {*re.findall(r"\bcandor ([a-z]+)\b", "\n".join(_code(ROOT / "README.md")))}
    assert len(named) > 10
    assert named - {*known} == set()
    assert {*known} - named == set()


def test_the_glossary_knows_every_outcome_and_signal_and_the_page_of_the_gate_every_signal():
    glossary, gate = ((ROOT / "docs" / name).read_text() for name in ("glossary.md", "decisions/0014-gate.md"))
    told = {*(f"*{name.capitalize()}*" for name in get_args(Outcome)), *(f"`{name}`" for name in SIGNALS)}
    assert {name for name in told if name not in glossary} == set()
    assert {*re.findall(r"^\| `(\w+)` \|", gate, re.MULTILINE)} == {*SIGNALS}


def test_a_decision_is_one_page_and_all_pages_together_are_few():
    pages = [*(ROOT / "docs").rglob("*.md")]
    lengths = {page.name: len(page.read_text(encoding="utf-8").split()) for page in pages}
    decisions = {page.name: lengths[page.name] for page in pages if page.parent.name == "decisions"}
    assert len(decisions) > 15
    assert {name: length for name, length in decisions.items() if length > DECISION_WORDS} == {}
    readme = len((ROOT / "README.md").read_text(encoding="utf-8").split())
    assert sum(lengths.values()) + readme <= ALL_WORDS


def _code(page: Path) -> list[str]:
    """Return the parts of a page that stand in backticks, and its indented lines."""
    text = page.read_text(encoding="utf-8")
    return [*re.findall(r"`([^`\n]+)`", text), *re.findall(r"^    (.+)$", text, re.MULTILINE)]
