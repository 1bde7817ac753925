"""A reader's network of random weights, small enough to be made in a test, and what is exported of it."""

from pathlib import Path

import torch
import transformers

from training.export import export, trained_network

LAYERS, HEADS, HIDDEN = 3, 2, 32
WORDS = 30527  # of MPNet's vocabulary, as the packaged tokenizer cuts texts


def tiny_base(folder: Path, *, layers: int = LAYERS) -> Path:
    """Save a small MPNet as a base that can be trained and exported; its numbers are far apart, so that each counts."""
    torch.manual_seed(7)
    sizes = {"hidden_size": HIDDEN, "num_hidden_layers": layers, "num_attention_heads": HEADS, "intermediate_size": 64}
    config = transformers.MPNetConfig(vocab_size=WORDS, max_position_embeddings=200, **sizes)
    model = transformers.MPNetModel(config, add_pooling_layer=False)
    with torch.no_grad():
        for name, one in model.named_parameters():
            if name.endswith("relative_attention_bias.weight"):
                one.normal_(0, 1)
            elif "LayerNorm" in name:
                one.add_(torch.randn_like(one) / 10)
            else:
                one.normal_(0, 0.2)
    model.save_pretrained(folder)
    return folder


def exported(base: Path, folder: Path, *, seed: int = 3) -> Path:
    """Write the weights of a base whose upper layers and heads have random numbers, as `training.export` does."""
    torch.manual_seed(seed)
    from training.network import HEADS as NETWORK_HEADS
    from training.network import PairReader, trained

    masters = {name: one.detach() for name, one in trained(PairReader(base)).items()}
    masters |= {name: torch.randn_like(one) / 2 for name, one in masters.items() if name.startswith(NETWORK_HEADS)}
    export(trained_network(masters, base), folder, {"temperature": 1.0})
    return folder
