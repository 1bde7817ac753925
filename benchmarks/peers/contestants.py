# mypy: disable-error-code="import-not-found"
"""Candor as shipped, and five libraries as their documented quick starts have them: a function for each.

Each takes the folder of the embedding's weights, and is run by `benchmarks.peers.worker` in an environment of its own.
"""

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

TOP = 5
"""Passages asked for: hit@5."""
Passages = list[tuple[str, str]]
"""Document and text of each."""


@dataclass
class Contestant:
    """One library, its model loaded.

    Attributes:
        ingest: Reads a folder and indexes it.
        texts: All texts exactly as they were given to the model.
        search: The `TOP` best passages for a question, best first.
        max_pieces: Word pieces of a text that the model really reads, special pieces included.
        versions: Packages whose versions are reported.
        note: What a reader of the table should know.
    """

    ingest: Callable[[Path], object]
    texts: Callable[[], list[str]]
    search: Callable[[str], Passages]
    max_pieces: int
    versions: tuple[str, ...]
    note: str


def candor(model: str) -> Contestant:
    """Return Candor, which takes this model by default: BM25 and vectors of windows; no gate, as no peer has one."""
    from rag import Candor
    from rag.embed import embed_question
    from rag.protocols import SearchScope
    from rag.retrieve import retrieve
    from rag.settings import Settings

    home = Path(tempfile.mkdtemp(prefix="candor-peers-"))
    own = Candor.open(Settings(data_dir=home, qdrant_url=None, database_url=None, record_answers=False))
    embedder, store = own.wiring.embedder, own.wiring.store
    embedder.embed(["warm"])

    def texts() -> list[str]:
        return [f"{item.context}\n{item.content}" for item in store.scroll(SearchScope())]

    def search(question: str) -> Passages:
        query = own.query(question, top_k=TOP)
        vector = embed_question(query, embedder=embedder)
        found = retrieve(query, vector, store=store, catalogue=own.wiring.catalogue)
        return [(hit.document, hit.content) for hit in found.hits]

    note = f"on disk, durable; dense and BM25, sentence vectors; {embedder.backend}"
    return Contestant(own.ingest, texts, search, embedder.max_pieces, ("openvino", "qdrant-edge-py"), note)


def chroma(model: str) -> Contestant:
    """Return Chroma as its getting-started page has it; it has no splitter, so every paragraph is one document.

    Its default embedding function downloads these weights in ONNX form from a host of its own; the documented function
    for sentence-transformers runs the same weights from a folder.
    """
    import chromadb
    from chromadb.utils.embedding_functions import SentenceTransformerEmbeddingFunction

    function = SentenceTransformerEmbeddingFunction(model_name=model)
    function(["warm"])
    client = chromadb.Client()
    collection = client.create_collection(name="documents", embedding_function=function)
    most = client.get_max_batch_size()

    def ingest(folder: Path) -> None:
        rows = [
            (file.name, text.strip())
            for file in sorted(folder.iterdir())
            for text in file.read_text(encoding="utf-8").split("\n\n")
            if text.strip()
        ]
        for start in range(0, len(rows), most):
            part = rows[start : start + most]
            collection.add(
                ids=[str(start + number) for number in range(len(part))],
                documents=[text for _, text in part],
                metadatas=[{"source": name} for name, _ in part],
            )

    def texts() -> list[str]:
        return list(collection.get()["documents"])

    def search(question: str) -> Passages:
        found = collection.query(query_texts=[question], n_results=TOP)
        pairs = zip(found["metadatas"][0], found["documents"][0], strict=True)
        return [(str(about["source"]), text) for about, text in pairs]

    pieces = int(function._model.max_seq_length)
    return Contestant(ingest, texts, search, pieces, ("chromadb",), "in memory; chunks are paragraphs")


def haystack(model: str) -> Contestant:
    """Return Haystack as its preprocessing tutorial has it, with the default splitter: 200 words, no overlap."""
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
    parts = {
        "converter": TextFileToDocument(),
        "splitter": DocumentSplitter(),
        "embedder": embedder,
        "writer": DocumentWriter(store),
    }
    for name, part in parts.items():
        indexing.add_component(name, part)
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

    def search(question: str) -> Passages:
        found = asking.run({"embedder": {"text": question}})["retriever"]["documents"]
        return [(Path(item.meta["file_path"]).name, item.content) for item in found]

    pieces = int(embedder.embedding_backend.model.max_seq_length)
    versions = ("haystack-ai", "sentence-transformers-haystack")
    return Contestant(ingest, texts, search, pieces, versions, "in memory; chunks of 200 words")


def langchain(model: str) -> Contestant:
    """Return LangChain with the splitter of its retrieval tutorial: 1,000 characters, 200 of overlap."""
    from langchain_community.document_loaders import DirectoryLoader, TextLoader
    from langchain_core.vectorstores import InMemoryVectorStore
    from langchain_huggingface import HuggingFaceEmbeddings
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    embeddings = HuggingFaceEmbeddings(model_name=model)
    embeddings.embed_query("warm")
    store = InMemoryVectorStore(embeddings)

    def ingest(folder: Path) -> None:
        how = {"encoding": "utf-8"}
        loader = DirectoryLoader(str(folder), glob="*.*", loader_cls=TextLoader, loader_kwargs=how, silent_errors=False)
        splitter = RecursiveCharacterTextSplitter(chunk_size=1000, chunk_overlap=200, add_start_index=True)
        store.add_documents(documents=splitter.split_documents(loader.load()))

    def texts() -> list[str]:
        return [item["text"] for item in store.store.values()]

    def search(question: str) -> Passages:
        found = store.similarity_search(question, k=TOP)
        return [(Path(item.metadata["source"]).name, item.page_content) for item in found]

    pieces = int(embeddings._client.max_seq_length)
    versions = ("langchain-core", "langchain-text-splitters", "langchain-huggingface")
    return Contestant(ingest, texts, search, pieces, versions, "in memory; chunks of 1,000 characters, overlap 200")


def llamaindex(model: str) -> Contestant:
    """Return LlamaIndex as its starter tutorial has it, all defaults: sentences up to 1,024 tokens, 200 of overlap."""
    from llama_index.core import Settings, SimpleDirectoryReader, VectorStoreIndex
    from llama_index.core.schema import MetadataMode
    from llama_index.embeddings.huggingface import HuggingFaceEmbedding

    Settings.embed_model = HuggingFaceEmbedding(model_name=model)
    Settings.embed_model.get_text_embedding("warm")
    state: dict[str, Any] = {}

    def ingest(folder: Path) -> None:
        index = VectorStoreIndex.from_documents(SimpleDirectoryReader(str(folder)).load_data())
        state["retriever"] = index.as_retriever(similarity_top_k=TOP)
        state["docs"] = index.docstore.docs

    def texts() -> list[str]:
        return [node.get_content(metadata_mode=MetadataMode.EMBED) for node in state["docs"].values()]

    def search(question: str) -> Passages:
        found = state["retriever"].retrieve(question)
        return [(item.node.metadata["file_name"], item.node.get_content()) for item in found]

    versions = ("llama-index-core", "llama-index-embeddings-huggingface")
    note = "in memory; chunks of 1,024 tokens, overlap 200"
    return Contestant(ingest, texts, search, Settings.embed_model.max_length, versions, note)


def txtai(model: str) -> Contestant:
    """Return txtai as its quick start has it; it has no default splitter, so its own pipeline cuts at blank lines."""
    from txtai import Embeddings
    from txtai.pipeline.data import Segmentation

    embeddings = Embeddings(path=model, content=True)
    embeddings.transform("warm")
    paragraphs = Segmentation(paragraphs=True)

    def ingest(folder: Path) -> None:
        embeddings.index(
            [
                (f"{file.name}#{number}", text)
                for file in sorted(folder.iterdir())
                for number, text in enumerate(paragraphs(file.read_text(encoding="utf-8")))
            ]
        )

    def texts() -> list[str]:
        return [row["text"] for row in embeddings.search("select text from txtai", embeddings.count())]

    def search(question: str) -> Passages:
        return [(item["id"].rpartition("#")[0], item["text"]) for item in embeddings.search(question, TOP)]

    pieces = int(embeddings.model.model.maxlength)
    return Contestant(ingest, texts, search, pieces, ("txtai", "faiss-cpu"), "in memory; chunks are paragraphs")


CONTESTANTS = {one.__name__: one for one in (candor, chroma, haystack, langchain, llamaindex, txtai)}
