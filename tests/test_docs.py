"""The examples in docstrings, and the names in the description of the whole, say what is true."""

import doctest
import importlib
import pkgutil
import re

import pytest
from library import ROOT

import api
import dashboard
import rag

LEFT_OUT = ("rag.adapters.migrations",)
"""Run by alembic, not by importing."""
MODULES = sorted(
    found.name
    for package in (rag, api, dashboard)
    for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}.", onerror=lambda name: None)
    if not found.name.startswith(LEFT_OUT)
)


@pytest.mark.parametrize("name", MODULES)
def test_every_example_in_a_docstring_runs(name):
    module = importlib.import_module(name)
    result = doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE)

    assert result.failed == 0


def test_there_are_examples():
    finder = doctest.DocTestFinder(exclude_empty=True)
    modules = [importlib.import_module(name) for name in MODULES]

    having = [module.__name__ for module in modules for test in finder.find(module) if test.examples]
    assert len(having) >= 20
    assert {name.partition(".")[0] for name in having} == {"rag", "api", "dashboard"}


def test_what_the_architecture_names_is_there():
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    named = {name.partition("(")[0] for name in re.findall(r"`([^` ]+)`", text)}
    own = {name for name in named if not name.startswith("/") and "NAME" not in name and "rtf" not in name}
    paths = {name for name in own if "/" in name or name.endswith((".py", ".toml"))}
    sources = [path for folder in ("rag", "api", "dashboard", "tests") for path in (ROOT / folder).rglob("*.py")]
    words = {*re.findall(r"\w+", " ".join(path.read_text(encoding="utf-8") for path in [ROOT / "app.py", *sources]))}

    assert len(paths) > 50
    assert {name for name in paths if not (ROOT / name).exists()} == set()
    assert len(own - paths) > 50
    assert {name for name in own - paths if not words >= {*name.split(".")}} == set()
