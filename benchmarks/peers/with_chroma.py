# mypy: disable-error-code="import-not-found"
"""Chroma as its getting-started page does it: add documents to a collection, query it by text."""

from pathlib import Path

from benchmarks.peers.worker import TOP, Contestant


def contestant(model: str) -> Contestant:
    """Return Chroma; it has no splitter, so every paragraph (cut at blank lines) is one document.

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

    def search(question: str) -> list[tuple[str, str]]:
        found = collection.query(query_texts=[question], n_results=TOP)
        pairs = zip(found["metadatas"][0], found["documents"][0], strict=True)
        return [(str(about["source"]), text) for about, text in pairs]

    return Contestant(
        ingest, texts, search, int(function._model.max_seq_length), ("chromadb",), "in memory; chunks are paragraphs"
    )
