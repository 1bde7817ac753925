"""Chunks for the tests of stores: small, made by hand, every metadata field used."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path
from uuid import NAMESPACE_URL, uuid5

import numpy as np

from rag.models import Chunk, DocumentMetadata
from rag.protocols import IndexedChunk, Matrix, SearchScope, SparseVector, Vector

ALL = SearchScope()
DIMENSION = 4
OLD, NEW = "0" * 64, "1" * 64


def unit(*numbers: float) -> Vector:
    """A vector of length 1 in the direction given."""
    vector = np.asarray(numbers, dtype=np.float32)
    return np.asarray(vector / np.linalg.norm(vector), dtype=np.float32)


def terms(**weights: float) -> SparseVector:
    """A sparse vector; `t7=2.0` is term 7 with weight 2."""
    pairs = sorted((int(name[1:]), weight) for name, weight in weights.items())
    return SparseVector(tuple(term for term, _ in pairs), tuple(weight for _, weight in pairs))


def id_of(name: str) -> str:
    """A chunk id: a UUID v5 of the name."""
    return str(uuid5(NAMESPACE_URL, name))


def indexed(
    name: str,
    vector: Vector | Matrix | None = None,
    sparse: SparseVector = SparseVector((), ()),
    *,
    document: str = "manual.pdf",
    version: str = OLD,
    module: str | None = None,
    **fields: object,
) -> IndexedChunk:
    """A chunk named `name`, with whatever fields of `Chunk` matter to the test; one vector is that of one window."""
    text = f"Text of {name}."
    given = {"content": text, "chunk_index": 0, "start": 0, "end": len(text), **fields}
    return IndexedChunk(
        chunk=Chunk(
            chunk_id=id_of(name),
            document=document,
            document_hash=version,
            metadata=DocumentMetadata(module=module),
            **given,  # type: ignore[arg-type]
        ),
        vectors=np.atleast_2d(unit(1, 0, 0, 0) if vector is None else vector),
        sparse=sparse,
    )


def start(script: str, path: Path) -> subprocess.Popen[str]:
    """Run a script in another process that can import these samples; its argument is the path of an index."""
    found = os.pathsep.join([str(Path(__file__).parents[2]), str(Path(__file__).parent)])
    command, own = [sys.executable, "-u", "-c", textwrap.dedent(script), str(path)], {"PYTHONPATH": found}
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, env={**os.environ, **own})
