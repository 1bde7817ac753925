"""The version of the ingestion: what changes it, and what an index that an older one made is told."""

import re
from pathlib import Path

import pytest

import rag
from rag.ingest import version
from rag.ingest.version import LIBRARIES, MODULES, digest, ingestion_version

PACKAGE = Path(rag.__file__).parent
PROGRAM = '''"""What it is for."""

def limit(pieces: int) -> int:
    """Return the limit."""
    return pieces * 2  # twice
'''


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("# twice", "# two times"),
        ('"""Return the limit."""', '"""Return twice the pieces."""'),
        ('"""What it is for."""', '"""Something else."""'),
        ("pieces * 2", "(pieces\n            * 2)"),
    ],
)
def test_comments_docstrings_and_layout_do_not_change_the_version(before: str, after: str) -> None:
    assert digest([PROGRAM.replace(before, after)]) == digest([PROGRAM])


@pytest.mark.parametrize(
    ("before", "after"),
    [("* 2", "* 3"), ("limit(", "bound("), (": int", ": float"), ("return pieces", "return -pieces")],
)
def test_what_is_done_changes_the_version(before: str, after: str) -> None:
    assert digest([PROGRAM.replace(before, after)]) != digest([PROGRAM])


def test_another_version_of_a_library_that_reads_files_changes_the_version() -> None:
    assert digest([PROGRAM], ["pypdfium2==5.0"]) != digest([PROGRAM], ["pypdfium2==5.1"])


def test_a_text_that_is_no_docstring_counts() -> None:
    assert digest(["names = ['a']"]) != digest(["names = ['b']"])
    assert digest(["'a'; x = 1"]) == digest(["'b'; x = 1"])


def test_the_version_is_twelve_digits_and_every_library_it_names_is_installed() -> None:
    assert len(ingestion_version()) == 12
    int(ingestion_version(), 16)
    assert "none" not in {version._version(name) for name in LIBRARIES}


def test_every_module_that_is_named_exists() -> None:
    assert all(list(PACKAGE.glob(pattern)) for pattern in MODULES)


def test_what_the_counted_modules_use_of_the_package_is_counted_too_but_for_values_and_errors() -> None:
    counted = {path.relative_to(PACKAGE).as_posix() for pattern in MODULES for path in PACKAGE.glob(pattern)}
    used = {name for path in counted for name in re.findall(r"from rag\.([\w.]+) import", (PACKAGE / path).read_text())}
    run_networks = {"adapters.openvino_graphs", "adapters.precision"}  # not which, nor what of it is made
    needed = used - {"errors", "models", "protocols", "ingest.loaders"} - run_networks
    assert {f"{name.replace('.', '/')}.py" for name in needed} <= counted
