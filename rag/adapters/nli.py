"""A published NLI cross-encoder, by hub name or path, in the place of the shipped entailment; loaded on first use."""

import math
from collections.abc import Sequence
from functools import cached_property
from typing import Any

from rag.adapters.named_model import first_line, require_model
from rag.errors import ConfigurationError
from rag.protocols import Verdict


class NliEntailment:
    """Implements `Entailment`.

    Args:
        model: Hub name or folder of a sentence-transformers cross-encoder with the labels `entailment` and
            `contradiction`, as `cross-encoder/nli-deberta-v3-small`.
        local_files_only: Never look at the hub.

    Raises:
        ConfigurationError: The name is a path at which there is no folder.
    """

    def __init__(self, model: str, *, local_files_only: bool = False) -> None:
        require_model(model, kind="grounding model", setting="CANDOR_GROUNDING_MODEL")
        self._model_name, self._local_files_only = model, local_files_only

    @property
    def name(self) -> str:
        """Name of the model."""
        return self._model_name

    def judge(self, pairs: Sequence[tuple[str, str]]) -> list[Verdict]:
        """Return one verdict for each claim and text, in the order given.

        Raises:
            ConfigurationError: The model cannot be loaded, or has no label `entailment`.
        """
        logits = self._encoder.predict([(text, claim) for claim, text in pairs], show_progress_bar=False)
        return [self._verdict([float(value) for value in row]) for row in logits]

    def _verdict(self, logits: Sequence[float]) -> Verdict:
        """Return the softmax of the logits of one pair."""
        weights = [math.exp(value - max(logits)) for value in logits]
        entailment, contradiction = self._labels
        against = weights[contradiction] if contradiction >= 0 else 0.0
        return Verdict(weights[entailment] / sum(weights), against / sum(weights))

    @cached_property
    def _encoder(self) -> Any:
        from sentence_transformers import CrossEncoder
        from torch.nn import Identity

        try:
            return CrossEncoder(
                self._model_name, activation_fn=Identity(), local_files_only=self._local_files_only, device="cpu"
            )
        except Exception as error:
            raise ConfigurationError(
                f"The grounding model {self._model_name!r} cannot be loaded: {first_line(error)}. Set "
                f"CANDOR_GROUNDING_MODEL to a hub name or folder of an NLI cross-encoder, or remove it."
            ) from error

    @cached_property
    def _labels(self) -> tuple[int, int]:
        """The places of `entailment` and `contradiction` (-1: none) among the model's labels."""
        labels = {str(name).casefold(): int(index) for index, name in self._encoder.config.id2label.items()}
        if "entailment" not in labels:
            raise ConfigurationError(
                f"The grounding model {self._model_name!r} has the labels {sorted(labels)}, none is 'entailment'; "
                f"name an NLI cross-encoder in CANDOR_GROUNDING_MODEL."
            )
        return labels["entailment"], labels.get("contradiction", -1)
