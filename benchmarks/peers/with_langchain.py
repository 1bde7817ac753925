# mypy: disable-error-code="import-not-found"
"""LangChain as its retrieval tutorial does it: load, split recursively at 1,000 characters, index in memory."""

from pathlib import Path

from benchmarks.peers.worker import TOP, Contestant


def contestant(model: str) -> Contestant:
    """Return LangChain with the tutorial's splitter: 1,000 characters, 200 of overlap."""
    from langchain_community.document_loaders import DirectoryLoader, TextLoader
    from langchain_core.vectorstores import InMemoryVectorStore
    from langchain_huggingface import HuggingFaceEmbeddings
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    embeddings = HuggingFaceEmbeddings(model_name=model)
    embeddings.embed_query("warm")
    store = InMemoryVectorStore(embeddings)

    def ingest(folder: Path) -> None:
        loader = DirectoryLoader(
            str(folder), glob="*.*", loader_cls=TextLoader, loader_kwargs={"encoding": "utf-8"}, silent_errors=False
        )
        splitter = RecursiveCharacterTextSplitter(chunk_size=1000, chunk_overlap=200, add_start_index=True)
        splits = splitter.split_documents(loader.load())
        store.add_documents(documents=splits)

    def texts() -> list[str]:
        return [item["text"] for item in store.store.values()]

    def search(question: str) -> list[tuple[str, str]]:
        found = store.similarity_search(question, k=TOP)
        return [(Path(item.metadata["source"]).name, item.page_content) for item in found]

    return Contestant(
        ingest,
        texts,
        search,
        int(embeddings._client.max_seq_length),
        ("langchain-core", "langchain-text-splitters", "langchain-huggingface"),
        "in memory; chunks of 1,000 characters, overlap 200",
    )
