# mypy: disable-error-code="import-not-found"
"""LlamaIndex as its starter tutorial with local models does it: read a folder, index, retrieve; all defaults."""

from pathlib import Path

from benchmarks.peers.worker import TOP, Contestant


def contestant(model: str) -> Contestant:
    """Return LlamaIndex with the default splitter: sentences up to 1,024 tokens, 200 of overlap."""
    from llama_index.core import Settings, SimpleDirectoryReader, VectorStoreIndex
    from llama_index.core.schema import MetadataMode
    from llama_index.embeddings.huggingface import HuggingFaceEmbedding

    Settings.embed_model = HuggingFaceEmbedding(model_name=model)
    Settings.embed_model.get_text_embedding("warm")
    state = {}

    def ingest(folder: Path) -> None:
        documents = SimpleDirectoryReader(str(folder)).load_data()
        index = VectorStoreIndex.from_documents(documents)
        state["retriever"] = index.as_retriever(similarity_top_k=TOP)
        state["docs"] = index.docstore.docs

    def texts() -> list[str]:
        return [node.get_content(metadata_mode=MetadataMode.EMBED) for node in state["docs"].values()]

    def search(question: str) -> list[tuple[str, str]]:
        found = state["retriever"].retrieve(question)
        return [(item.node.metadata["file_name"], item.node.get_content()) for item in found]

    return Contestant(
        ingest,
        texts,
        search,
        Settings.embed_model.max_length,
        ("llama-index-core", "llama-index-embeddings-huggingface"),
        "in memory; chunks of 1,024 tokens, overlap 200",
    )
