"""The examples in docstrings say what is true."""

import doctest
import importlib
import pkgutil

import pytest

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
