"""Candor: cited answers over your own documents, and reasoned refusals. Public names in the order of the pipeline."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rag.candor import Candor as Candor
    from rag.errors import CandorError as CandorError
    from rag.errors import ErrorCode as ErrorCode
    from rag.models import Answer as Answer
    from rag.models import Citation as Citation
    from rag.models import Filters as Filters
    from rag.models import GateDecision as GateDecision
    from rag.models import Mode as Mode
    from rag.models import Query as Query
    from rag.models import RetrievedChunk as RetrievedChunk
    from rag.settings import Settings as Settings

_HOMES = {
    "Candor": "rag.candor",
    "Settings": "rag.settings",
    "Query": "rag.models",
    "Mode": "rag.models",
    "Filters": "rag.models",
    "RetrievedChunk": "rag.models",
    "GateDecision": "rag.models",
    "Citation": "rag.models",
    "Answer": "rag.models",
    "CandorError": "rag.errors",
    "ErrorCode": "rag.errors",
}
__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that `import rag` costs nothing."""
    if name not in _HOMES:
        raise AttributeError(f"module 'rag' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
