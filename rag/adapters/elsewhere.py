"""What is on other machines: the Qdrant server that the settings name, and whoever gets passages of documents."""

from urllib.parse import urlsplit

from rag.adapters.qdrant_cluster import Cluster
from rag.adapters.qdrant_store import QdrantStore
from rag.adapters.server_trouble import is_this_machine
from rag.adapters.vector_layout import quantization_of
from rag.settings import Settings


def server_store(settings: Settings, url: str, *, dimension: int) -> QdrantStore:
    """Return the collection on a server; the server is asked when the store is first used.

    Args:
        settings: Name the collection and say how it is laid out.
        url: Address of the server.
        dimension: Of the vectors.

    Raises:
        ConfigurationError: More copies must acknowledge a write than there are.
    """
    key = settings.qdrant_api_key
    return QdrantStore.connect(
        url,
        api_key=key.get_secret_value() if key else None,
        timeout_s=settings.qdrant_timeout_s,
        collection=settings.collection,
        dimension=dimension,
        cluster=Cluster(
            shards=settings.qdrant_shards,
            replicas=settings.qdrant_replicas,
            write_consistency=settings.qdrant_write_consistency,
            quantization=quantization_of(settings.quantization, graphs=True),
        ),
    )


def sends_to(settings: Settings) -> tuple[str, ...]:
    """Return who gets documents, or passages of them, and is not on this machine: in words, with the host."""
    models = (settings.openai_base_url, settings.ollama_host) if settings.allow_remote_model else ()
    named = [
        ("a Qdrant server", settings.qdrant_url),
        ("Ray workers", settings.ray_address if settings.embedding_workers else None),
        ("a collector of traces", settings.otlp_endpoint if settings.log_questions else None),
        *(("a language model", one) for one in models),
    ]
    places = [(what, one if "://" in one else f"tcp://{one}") for what, one in named if one]
    return tuple(f"{what} at {urlsplit(one).hostname}" for what, one in places if not is_this_machine(one))
