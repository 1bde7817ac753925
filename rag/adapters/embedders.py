"""The embedding model that the settings name, made by functions that a worker on another machine can call too."""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

from rag.adapters.bert_encoder import BertEncoder
from rag.adapters.packaged_model import packaged_model
from rag.errors import ConfigurationError
from rag.protocols import Embedder
from rag.settings import Settings

_SHARED: WeakValueDictionary[tuple[str, int | None, Path | None], BertEncoder] = WeakValueDictionary()


def packaged_encoder(*, precision: str, threads: int | None, cache: Path | None) -> BertEncoder:
    """Return the packaged model, loaded when first used; all that run it alike share one, until the last is closed."""
    alike = precision, threads, cache
    found = _SHARED.get(alike)
    if found is None:
        found = _SHARED[alike] = BertEncoder(packaged_model(), precision=precision, threads=threads, cache=cache)
    return found


def embedder_of(settings: Settings, encoder: Callable[[], BertEncoder], running: Mapping[str, Any]) -> Embedder:
    """Return the embedding model that the settings name, in this process or on Ray workers.

    `encoder` makes the packaged one for this process; `running` is how models are run: precision, threads, cache.
    """
    named = settings.embedding_model, settings.embedding_backend
    local = made_embedder(*named, encoder, threads=settings.threads)
    if not settings.embedding_workers:
        return local
    threads = settings.threads or 1  # a worker takes one core, and may not be alone on its machine
    make = partial(made_embedder, *named, partial(packaged_encoder, **{**running, "threads": threads}), threads=threads)
    from rag.adapters.ray_embedding import RayEmbedder

    return RayEmbedder(make, local, workers=settings.embedding_workers, address=settings.ray_address)


def made_embedder(
    model: str | None, backend: str, encoder: Callable[[], BertEncoder], *, threads: int | None = None
) -> Embedder:
    """Return the embedding model of a name or folder; None: the packaged one, which `encoder` makes.

    Args:
        backend: `auto`, `openvino` or `torch`.
        threads: Threads of one inference with torch; None: all cores.

    Raises:
        ConfigurationError: OpenVINO is forced upon a model that it cannot run.
    """
    from rag.adapters.published import SentenceTransformersEmbedder

    if model is None and backend != "torch":
        return encoder()
    if backend == "openvino":
        raise ConfigurationError(
            f"CANDOR_EMBEDDING_BACKEND=openvino runs the packaged model only, and CANDOR_EMBEDDING_MODEL names "
            f"{model!r}. Set CANDOR_EMBEDDING_BACKEND to auto or torch for that model."
        )
    return SentenceTransformersEmbedder(model or str(packaged_model()), threads=threads)
