"""The version of the ingestion: what changes it. What an index that an older one made is told: test_indexer.py."""

import re
from pathlib import Path

import rag
from rag.ingest import version
from rag.ingest.version import LIBRARIES, MODULES, digest, ingestion_version

PACKAGE = Path(rag.__file__).parent


def test_what_is_done_and_a_librarys_version_change_the_version_and_docstrings_and_layout_do_not():
    done = 'def limit(pieces: int) -> int:\n    """Return it."""\n    return pieces * 2  # twice\n'
    for before, after in (("Return it", "Two"), ("* 2  #", "\\\n * 2  # or")):
        assert digest([done.replace(before, after)]) == digest([done])
    assert digest([done.replace("limit", "bound")]) != digest([done])
    assert digest([done], ["pypdfium2==5.0"]) != digest([done], ["pypdfium2==5.1"])
    assert "none" not in {version._version(name) for name in LIBRARIES}
    assert re.fullmatch("[0-9a-f]{12}", ingestion_version())


def test_what_the_counted_modules_use_of_the_package_is_counted_too_but_for_values_and_errors():
    assert all(list(PACKAGE.glob(pattern)) for pattern in MODULES)
    counted = {path.relative_to(PACKAGE).as_posix() for pattern in MODULES for path in PACKAGE.glob(pattern)}
    used = {name for path in counted for name in re.findall(r"from rag\.([\w.]+) import", (PACKAGE / path).read_text())}
    run_networks = {"adapters.openvino_graphs", "adapters.precision"}  # not which, nor what of it is made
    needed = used - {"errors", "models", "protocols", "ingest.loaders"} - run_networks
    assert {f"{name.replace('.', '/')}.py" for name in needed} <= counted
