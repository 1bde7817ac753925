"""A published NLI cross-encoder beside the built-in check, by hub name or local path; loaded on first use."""

import math
from functools import cached_property
from typing import Any

from rag.adapters.named_model import first_line, require_model
from rag.errors import ConfigurationError
from rag.grounding.claims import missing_terms
from rag.grounding.evidence import EvidenceCheck

SUPPORTED = 0.5
BELOW = 0.49


class NliCheck:
    """Implements `GroundingCheck`: words, numbers and direction as built in, and a model's reading of the meaning.

    Both must agree: a claim is supported where the built-in check carries it and the model reads that the evidence
    entails it. A quotation needs no model. Of claims that are not supported, the model's reading orders those in which
    no number or name is missing and nothing is twisted.

    Args:
        model: Hub name or folder of a sentence-transformers cross-encoder with the labels `entailment` and
            `contradiction`, as `cross-encoder/nli-deberta-v3-small`.
        local_files_only: Never look at the hub.
        own: The built-in check.

    Raises:
        ConfigurationError: The name is a path at which there is no folder.
    """

    def __init__(self, model: str, *, local_files_only: bool = False, own: EvidenceCheck | None = None) -> None:
        require_model(model, kind="grounding model", setting="CANDOR_GROUNDING_MODEL")
        self._model_name, self._local_files_only = model, local_files_only
        self._own = own or EvidenceCheck()

    @property
    def name(self) -> str:
        """Name of the model and version of the built-in check."""
        return f"{self._own.name}+{self._model_name}"

    def support(self, claim: str, evidence: str) -> float:
        """Return how strongly the evidence carries the claim: 0..1, supported from 0.5.

        Raises:
            ConfigurationError: The model cannot be loaded, or has no label `entailment`.
        """
        own = self._own.support(claim, evidence)
        if own == 1.0 or not claim.strip() or not evidence.strip():
            return own
        entails, contradicts = self.read(claim, evidence)
        if own >= SUPPORTED:
            return own if entails >= SUPPORTED else BELOW
        if contradicts > entails or missing_terms(claim, evidence) or self._own.examine(claim, evidence).twists:
            return own
        return min(max(own, entails), BELOW)

    def read(self, claim: str, evidence: str) -> tuple[float, float]:
        """Return the model's probabilities that the evidence entails and that it contradicts the claim."""
        logits = self._encoder.predict([(evidence, claim)], show_progress_bar=False)[0]
        weights = [math.exp(float(value) - float(max(logits))) for value in logits]
        entailment, contradiction = self._labels
        return weights[entailment] / sum(weights), weights[contradiction] / sum(weights) if contradiction >= 0 else 0.0

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
