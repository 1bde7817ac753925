"""When the store is optimised: after a large ingest, and whenever the store itself has an index to build."""

import logging
from functools import partial
from typing import Final

from rag.errors import CandorError
from rag.ingest.stopping import Check
from rag.protocols import VectorStore

_log = logging.getLogger(__name__)

OPTIMIZE_FROM: Final = 2_000
"""Chunks written by one ingest from which the store is optimised afterwards, due or not: many may have been deleted."""


def optimize_if_due(store: VectorStore, written: int, check: Check | None = None) -> None:
    """Optimise a store after an ingest that wrote so many chunks; most ingests are small and nothing happens.

    Where it fails, what was ingested is in the index and found, only slower: that is logged, and the next ingest tries
    again. So it is where `check` raises meanwhile: it breaks off the optimising, but the ingest has succeeded.
    """
    try:
        if written >= OPTIMIZE_FROM or store.due():
            store.optimize(is_wanted=partial(_passes, check) if check else None)
    except CandorError as error:
        _log.warning("All is indexed, but the index was not optimised. A later ingest tries again. %s", error.message)


def _passes(check: Check) -> bool:
    """Return whether a check raises nothing, be it an `Exception` or one that no handler is to swallow on its way."""
    try:
        check()
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException:
        return False
    return True
