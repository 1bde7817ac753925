"""Loaders: one file in, one `Document` out. `structure` turns headings into sections.

Nothing here touches the index. A file that is broken, protected, too large or without text raises `InvalidDocument` in
`load` and in each format's `load_...`: it names the file, the reason and what to do, and the caller goes on.
"""

from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path

from rag.errors import InvalidDocument
from rag.ingest.loaders.source import (
    FLATTER,
    KINDS,
    MAX_BYTES,
    TOO_DEEP,
    Source,
    check_content,
    check_size,
    read_source,
    refuse,
)
from rag.models import Document

__all__ = ["MAX_BYTES", "SUPPORTED_SUFFIXES", "load", "load_bytes"]

SUPPORTED_SUFFIXES = (*KINDS, ".zip")
"""Suffixes, lower case and with the dot, of the files that can be ingested: those with a loader, and archives."""
_SHARED = {"csv": "sheets", "ipynb": "json", "msg": "mail", "picture": "pdf", "xlsx": "sheets"}  # modules of several


def load(path: Path, *, max_bytes: int = MAX_BYTES) -> Document:
    """Return a file as a document: canonical text, pages, sections, breaks and metadata.

    Raises:
        InvalidDocument: The file is missing, empty, too large, broken, encrypted, scanned without text, or not what
            its suffix says.
    """
    return _parse(read_source(path, max_bytes=max_bytes))


def load_bytes(name: str, data: bytes, *, max_bytes: int = MAX_BYTES) -> Document:
    """Return an uploaded file as a document; `name` is its file name, a folder in it is dropped.

    Raises:
        InvalidDocument: As for `load`.
    """
    name = Path(name.replace("\\", "/")).name
    check_size(name, len(data), max_bytes)
    return _parse(Source(name, data))


def _parse(source: Source) -> Document:
    check_content(source)
    parse = _parser(source.kind)
    try:
        return parse(source)
    except InvalidDocument:
        raise
    except RecursionError as error:
        raise refuse(source.name, TOO_DEEP, FLATTER) from error
    except Exception as error:  # Parsers of foreign formats raise anything at all on broken input.
        reason = f"it is broken or not understood ({type(error).__name__}: {str(error)[:120]})"
        raise refuse(source.name, reason, "Open it in its own program and save or export it again") from error


def _parser(kind: str) -> Callable[[Source], Document]:
    """Return the loader of a format; its libraries are imported when it is first needed."""
    module = import_module(f"rag.ingest.loaders.{_SHARED.get(kind, kind)}")
    parse: Callable[..., Document] = getattr(module, f"load_{'mail' if kind == 'msg' else kind}")
    if kind != "pdf":
        return parse
    from rag.ingest.loaders.ocr import page_reader

    return partial(parse, page_reader=page_reader())
