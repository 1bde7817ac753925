# mypy: disable-error-code="import-not-found"
"""txtai as its quick start does it: an `Embeddings` with content, over the paragraphs of each file."""

from pathlib import Path

from benchmarks.peers.worker import TOP, Contestant


def contestant(model: str) -> Contestant:
    """Return txtai; it has no default splitter for files, so its own pipeline cuts at blank lines."""
    from txtai import Embeddings
    from txtai.pipeline.data import Segmentation

    embeddings = Embeddings(path=model, content=True)
    embeddings.transform("warm")
    paragraphs = Segmentation(paragraphs=True)

    def ingest(folder: Path) -> None:
        rows = [
            (f"{file.name}#{number}", text)
            for file in sorted(folder.iterdir())
            for number, text in enumerate(paragraphs(file.read_text(encoding="utf-8")))
        ]
        embeddings.index(rows)

    def texts() -> list[str]:
        return [row["text"] for row in embeddings.search("select text from txtai", embeddings.count())]

    def search(question: str) -> list[tuple[str, str]]:
        return [(item["id"].rpartition("#")[0], item["text"]) for item in embeddings.search(question, TOP)]

    return Contestant(
        ingest,
        texts,
        search,
        int(embeddings.model.model.maxlength),
        ("txtai", "faiss-cpu"),
        "in memory; chunks are paragraphs",
    )
