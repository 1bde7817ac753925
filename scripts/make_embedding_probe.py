"""Write rag/weights/embedding_probe.npy: what torch computes for the probes, in float32, with the packaged weights."""

from pathlib import Path

import numpy as np

from rag.adapters.bert_encoder import PROBES
from rag.adapters.packaged_model import packaged_model
from rag.adapters.published import SentenceTransformersEmbedder

if __name__ == "__main__":
    vectors = SentenceTransformersEmbedder(str(packaged_model()), local_files_only=True).embed(PROBES)
    np.save(Path(__file__).parents[1] / "rag" / "weights" / "embedding_probe.npy", vectors, allow_pickle=False)
