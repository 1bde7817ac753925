"""The reader that the settings name: the one that comes with Candor, a published one, or none."""

import logging
from pathlib import Path
from typing import Any

from rag.adapters import mpnet_pairs
from rag.errors import ConfigurationError
from rag.process.data_folder import has_file
from rag.protocols import Reader
from rag.reader.head import Head, load_head
from rag.settings import NO_READER, Settings

_log = logging.getLogger(__name__)


def made_reader(settings: Settings, **running: Any) -> Reader | None:
    """Return what reads the best windows; nothing is loaded yet.

    Args:
        settings: Name the reader and the folder of what it was taught.
        **running: How models are run: precision, threads, cache.

    Raises:
        ConfigurationError: There is to be none, and the estimator goes by what a reader says.
    """
    if settings.reader_model is None:
        from rag.adapters.reader import MpnetReader

        pairs = mpnet_pairs.shipped_pairs(**running)
        return MpnetReader(pairs, _head_for(pairs.described.name, settings.head_file))
    if settings.reader_model != NO_READER:
        from rag.adapters.published import CrossEncoderReader

        return CrossEncoderReader(settings.reader_model)
    if settings.estimator == "calibrated":
        raise ConfigurationError(
            "The estimator 'calibrated' needs the reader, but CANDOR_READER_MODEL is 'none'. Unset it, or set "
            "CANDOR_ESTIMATOR to mean_similarity or max_similarity."
        )
    return None


def _head_for(reader: str, path: Path) -> Head | None:
    """Return what the reader was taught by `candor train`; what another reader was taught is set aside."""
    head = load_head(path) if has_file(path) else None
    if head is not None and head.reader != reader:
        _log.warning("%s was made for the reader %s, not %s: set aside. Run `candor train`.", path, head.reader, reader)
        return None
    return head
