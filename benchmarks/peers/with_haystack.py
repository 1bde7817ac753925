# mypy: disable-error-code="import-not-found"
"""Haystack as its preprocessing tutorial does it: a pipeline of converter, splitter, embedder, writer; all defaults."""

from pathlib import Path

from benchmarks.peers.worker import TOP, Contestant


def contestant(model: str) -> Contestant:
    """Return Haystack with the default splitter: 200 words, no overlap."""
    from haystack import Pipeline
    from haystack.components.converters import TextFileToDocument
    from haystack.components.preprocessors import DocumentSplitter
    from haystack.components.retrievers.in_memory import InMemoryEmbeddingRetriever
    from haystack.components.writers import DocumentWriter
    from haystack.document_stores.in_memory import InMemoryDocumentStore
    from haystack_integrations.components.embedders.sentence_transformers import (
        SentenceTransformersDocumentEmbedder,
        SentenceTransformersTextEmbedder,
    )

    store = InMemoryDocumentStore()
    embedder = SentenceTransformersDocumentEmbedder(model=model, progress_bar=False)
    indexing = Pipeline()
    indexing.add_component("converter", TextFileToDocument())
    indexing.add_component("splitter", DocumentSplitter())
    indexing.add_component("embedder", embedder)
    indexing.add_component("writer", DocumentWriter(store))
    indexing.connect("converter", "splitter")
    indexing.connect("splitter", "embedder")
    indexing.connect("embedder", "writer")
    asking = Pipeline()
    asking.add_component("embedder", SentenceTransformersTextEmbedder(model=model, progress_bar=False))
    asking.add_component("retriever", InMemoryEmbeddingRetriever(store, top_k=TOP))
    asking.connect("embedder.embedding", "retriever.query_embedding")
    indexing.warm_up()
    asking.warm_up()
    embedder.embedding_backend.embed(["warm"])

    def ingest(folder: Path) -> None:
        indexing.run({"converter": {"sources": sorted(folder.iterdir())}})

    def texts() -> list[str]:
        return [item.content or "" for item in store.filter_documents()]

    def search(question: str) -> list[tuple[str, str]]:
        found = asking.run({"embedder": {"text": question}})["retriever"]["documents"]
        return [(Path(item.meta["file_path"]).name, item.content) for item in found]

    return Contestant(
        ingest,
        texts,
        search,
        int(embedder.embedding_backend.model.max_seq_length),
        ("haystack-ai", "sentence-transformers-haystack"),
        "in memory; chunks of 200 words",
    )
