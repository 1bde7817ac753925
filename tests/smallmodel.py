"""A real sentence-transformers model, small and untrained: another length of vectors than the packaged one."""

import warnings
from pathlib import Path

DIMENSION = 64


def save_small_model(folder: Path) -> Path:
    """Save a BERT of one layer and 64 dimensions with random weights (fixed seed) and return its folder."""
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer import modules
    from transformers import BertConfig, BertModel, BertTokenizerFast

    from rag.adapters.packaged_model import packaged_model

    torch.manual_seed(7)
    inner = folder / "bert"
    tokenizer = BertTokenizerFast.from_pretrained(str(packaged_model()), local_files_only=True)
    sizes = {"hidden_size": DIMENSION, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": DIMENSION}
    config = BertConfig(vocab_size=len(tokenizer), max_position_embeddings=256, **sizes)
    BertModel(config).save_pretrained(inner)
    tokenizer.save_pretrained(inner)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        words = modules.Transformer(str(inner), max_seq_length=256)
        SentenceTransformer(modules=[words, modules.Pooling(DIMENSION)], device="cpu").save(str(folder / "model"))
    return folder / "model"
