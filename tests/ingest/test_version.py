"""The version of the ingestion: what changes it. What an index that an older one made is told: test_indexer.py."""

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
    ("before", "after", "is_same"),
    [
        ("# twice", "# two times", True),
        ('"""Return the limit."""', '"""Return twice the pieces."""', True),
        ("pieces * 2", "(pieces\n            * 2)", True),
        ("* 2", "* 3", False),
        ("limit(", "bound(", False),
        ("return pieces", "return 'a' and pieces", False),
    ],
)
def test_what_is_done_changes_the_version_and_comments_and_layout_do_not(before, after, is_same):
    assert (digest([PROGRAM.replace(before, after)]) == digest([PROGRAM])) is is_same


def test_another_version_of_a_library_that_reads_files_changes_the_version_and_each_is_installed():
    assert digest([PROGRAM], ["pypdfium2==5.0"]) != digest([PROGRAM], ["pypdfium2==5.1"])
    assert "none" not in {version._version(name) for name in LIBRARIES}
    assert re.fullmatch("[0-9a-f]{12}", ingestion_version())


def test_what_the_counted_modules_use_of_the_package_is_counted_too_but_for_values_and_errors():
    assert all(list(PACKAGE.glob(pattern)) for pattern in MODULES)
    counted = {path.relative_to(PACKAGE).as_posix() for pattern in MODULES for path in PACKAGE.glob(pattern)}
    used = {name for path in counted for name in re.findall(r"from rag\.([\w.]+) import", (PACKAGE / path).read_text())}
    run_networks = {"adapters.openvino_graphs", "adapters.precision"}  # not which, nor what of it is made
    needed = used - {"errors", "models", "protocols", "ingest.loaders"} - run_networks
    assert {f"{name.replace('.', '/')}.py" for name in needed} <= counted
