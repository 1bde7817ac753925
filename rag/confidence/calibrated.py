"""The calibrated estimator: from signals to the probability that the corpus answers the question.

    confidence = 1 / (1 + exp(-(b + sum over signals of w * (x - mean) / scale + sum over trees of the leaf reached)))

Over `rag.confidence.signals`: a logistic regression where labels are few, boosted trees where there are thousands
(`rag.evaluation.calibration`). The default was fitted on data sets of several subjects (`docs/decisions/0014-gate.md`);
one fitted by `candor calibrate` on the user's own labels takes its place.
"""

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import Self

import numpy as np
from pydantic import AwareDatetime, Field, ValidationError, model_validator

from rag.confidence.against import against
from rag.confidence.drift import IndexState, drift_of, index_state
from rag.confidence.forest import Floats, Forest
from rag.confidence.signals import READING, SIGNALS, reading, signals
from rag.confidence.windows import windows
from rag.errors import ConfigurationError
from rag.gate import Estimate
from rag.language.lexical import QuestionTerms, question_terms, selected_terms
from rag.models import EstimatorName, Mode, Query, Retrieval, RetrievedChunk, Value
from rag.protocols import Catalogue, Reader

SHIPPED = Path(__file__).parents[1] / "weights" / "gate.json"
SHIPPED_WITHOUT_READER = SHIPPED.with_name("gate_without_reader.json")
FILE_NAME = "gate.json"
"""Where `candor calibrate` writes the user's own fit, in the data folder."""
UNPROVEN = "gate_without_guarantee.json"
"""Where it writes a fit whose threshold nothing is proven of; nobody reads that file unless it is asked for."""
VERSION = 2
"""Of the signals: a fit of another version weighs what this one computes otherwise."""
_FIRST = 1
"""Of fits that name none."""
_LATER = ("indexes", "trees")
"""Fields that older fits have not: where they are empty, they do not count in the fingerprint."""


class GateFit(Value):
    """A fitted gate: everything that turns signals into a confidence, and what it was fitted on."""

    version: int = Field(VERSION, description="Version of the signals.")
    signals: tuple[str, ...] = Field(description="Names, in the order of the weights.")
    means: tuple[float, ...] = Field(description="Mean of each signal when it was fitted.")
    scales: tuple[float, ...] = Field(description="Standard deviation of each signal when it was fitted.")
    weights: tuple[float, ...] = Field(description="Weight of each standardised signal.")
    intercept: float = Field(description="Log-odds before any signal counts.")
    trees: Forest | None = Field(None, description="Boosted trees over the signals; null: a logistic regression.")
    threshold: float = Field(ge=0, le=1, description="Refuse below this confidence.")
    max_false_answer_rate: float = Field(description="The rate of false answers that the threshold was chosen for.")
    guarantee: str = Field("", description="What is guaranteed of the threshold, in words.")
    fitted_on: tuple[str, ...] = Field((), description="Data sets and their sizes.")
    fitted_at: AwareDatetime | None = Field(None, description="When it was fitted (UTC).")
    embedding: str = Field("", description="Fingerprint of the embedding it was fitted with.")
    reader: str = Field("", description="Name and version of the reader it was fitted with; empty without one.")
    index: str | None = Field(None, description="Fingerprint of the index it was fitted on; null for the shipped one.")
    chunks: int | None = Field(None, description="Chunks of that index.")
    indexes: tuple[IndexState, ...] = Field((), description="The index in use then, and those of its data sets.")

    @model_validator(mode="after")
    def _is_complete(self) -> Self:
        lengths = {len(self.signals), len(self.means), len(self.scales), len(self.weights)}
        if len(lengths) > 1 or not all(scale > 0 for scale in self.scales):
            raise ValueError("each signal needs a mean, a scale above 0 and a weight")
        if not all(map(math.isfinite, (*self.means, *self.scales, *self.weights, self.intercept))):
            raise ValueError("a number of the fit is not finite")
        if self.trees is not None and max(self.trees.signals, default=0) >= len(self.signals):
            raise ValueError("a tree asks for a signal that the fit does not name")
        return self

    def parts(self, values: Mapping[str, float]) -> dict[str, float]:
        """Return what each signal of one question adds to the log-odds; negative where it speaks against answering.

        The mean of two differences: how far the log-odds would move if this signal alone were at its mean, and how far
        it alone moves them where all others are at theirs. In a logistic regression both are exactly its term; trees
        that many signals push the same way would otherwise seem not to need any single one of them.
        """
        own, usual = np.array([values[name] for name in self.signals], dtype=np.float64), np.array(self.means)
        alone = np.eye(len(own), dtype=bool)
        here = self._odds(np.vstack([own, np.where(alone, usual, own)]))
        there = self._odds(np.vstack([usual, np.where(alone, own, usual)]))
        parts = ((here[0] - here[1:]) + (there[1:] - there[0])) / 2
        return {name: float(part) for name, part in zip(self.signals, parts, strict=True)}

    def confidence(self, values: Mapping[str, float]) -> float:
        """Return the probability, 0..1, for the signals of one question."""
        (odds,) = self._odds(np.array([[values[name] for name in self.signals]], dtype=np.float64))
        return 1 / (1 + math.exp(-min(max(float(odds), -50.0), 50.0)))

    def _odds(self, signals: Floats) -> Floats:
        """Return the log-odds of each row of signals: shape `(rows,)`."""
        standard = (signals - np.array(self.means)) / np.array(self.scales)
        found: Floats = self.intercept + standard @ np.array(self.weights)
        return found if self.trees is None else found + self.trees.odds(signals)

    def text(self) -> str:
        """Return the fit as it is written to a file: JSON, one field a line."""
        fields = self.model_dump(mode="json").items()
        return "{\n" + ",\n".join(f" {json.dumps(name)}: {json.dumps(value)}" for name, value in fields) + "\n}\n"

    @cached_property
    def fingerprint(self) -> str:
        """First 12 hexadecimal digits of the SHA-256 over all fields."""
        absent = {name for name in _LATER if not getattr(self, name)}
        return hashlib.sha256(self.model_dump_json(exclude=absent).encode()).hexdigest()[:12]

    def drift(self, catalogue: Catalogue) -> str:
        """Return in words how an index has drifted away from what this was fitted on; empty where it has not.

        A shipped fit is meant for any index. Of fits of older versions the number of chunks alone is known.
        """
        old = (IndexState(fingerprint=self.index, chunks=self.chunks),) if self.index and self.chunks else ()
        known = self.indexes or old
        if not known or catalogue.fingerprint() in {state.fingerprint for state in known}:
            return ""
        return drift_of(index_state(catalogue), known)


def load_fit(data_dir: Path, *, reads: bool = True) -> GateFit:
    """Return the user's own fit where there is one, else the shipped one.

    Args:
        data_dir: Where `candor calibrate` writes.
        reads: A reader is at hand.

    Raises:
        ConfigurationError: The file is damaged, it or its signals are of another version, or it needs a reader.
    """
    own = data_dir / FILE_NAME
    path = own if own.is_file() else SHIPPED if reads else SHIPPED_WITHOUT_READER
    try:
        fit = GateFit.model_validate_json(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, ValidationError) as error:
        why = error.errors()[0]["msg"] if isinstance(error, ValidationError) else str(error)
        raise ConfigurationError(
            f"The gate's fit {str(path)!r} cannot be read: {why}. Remove it, or run 'candor calibrate' again."
        ) from error
    version = fit.version if "version" in fit.model_fields_set else _FIRST
    if version != VERSION:
        raise ConfigurationError(
            f"The gate's fit {str(path)!r} is of version {version}, and this Candor reads version {VERSION}. "
            f"Run 'candor calibrate' again, or remove the file."
        )
    unknown = sorted(set(fit.signals) - {*SIGNALS, READING})
    if unknown:
        raise ConfigurationError(
            f"The gate's fit {str(path)!r} uses the signals {unknown}, which this version does not compute. "
            f"Run 'candor calibrate' again."
        )
    if READING in fit.signals and not reads:
        raise ConfigurationError(
            f"The gate's fit {str(path)!r} was made with the reader {fit.reader!r}, and CANDOR_READER_MODEL is 'none'. "
            f"Unset that, or run 'candor calibrate' again without a reader."
        )
    return fit


class Calibrated:
    """Turns a retrieval into the probability that it answers the question.

    Args:
        fit: The fitted weights.
        catalogue: For the idf of the question's words, and to notice drift.
        language: Snowball stemmer.
        embedding: Fingerprint of the embedding in use.
        reader: Reads the best passages; None: the fit does without.
    """

    name: EstimatorName = "calibrated"

    def __init__(
        self, fit: GateFit, *, catalogue: Catalogue, language: str, embedding: str, reader: Reader | None = None
    ) -> None:
        self.fit, self._catalogue, self._language, self._embedding = fit, catalogue, language, embedding
        self._reader = reader
        self._drift: tuple[str, str] | None = None

    @property
    def threshold(self) -> float:
        """Refuse below this, unless the person sets another."""
        return self.fit.threshold

    @property
    def fingerprint(self) -> str:
        """Name and digest of the fit."""
        return f"calibrated/{self.fit.fingerprint}"

    def estimate(self, query: Query, retrieval: Retrieval) -> Estimate:
        """Return the probability that the hits answer the question; 0 where there are none."""
        hits, terms = retrieval.hits, self._terms(query, retrieval)
        best = windows(query.question, hits, language=self._language)
        values = signals(query.question, retrieval, terms, best=best, language=self._language)
        if self._reader is not None:
            values[READING] = reading(query.question, best, reader=self._reader)
        confidence = self.fit.confidence(values) if hits else 0.0
        inputs = {**values, "max_similarity": values["best_similarity"], "calibrated": confidence}
        against = partial(self._against, query.question, hits, terms, values)
        return Estimate(confidence, inputs, self._warnings(query), against)

    def _against(
        self, question: str, hits: Sequence[RetrievedChunk], terms: QuestionTerms, values: Mapping[str, float]
    ) -> tuple[str, ...]:
        usual = dict(zip(self.fit.signals, self.fit.means, strict=True))
        taken = self.fit.parts(values)
        return against(question, hits, terms, values=values, usual=usual, taken=taken, language=self._language)

    def _terms(self, query: Query, retrieval: Retrieval) -> QuestionTerms:
        """Return the question's words, weighed by the index; by the selection alone where only it may answer."""
        if query.mode is Mode.SELECTED_TEXT_ONLY:
            passages = (*retrieval.hits, *retrieval.rest)
            return selected_terms(query.question, passages, language=self._language)
        return question_terms(query.question, catalogue=self._catalogue, language=self._language)

    def _warnings(self, query: Query) -> tuple[str, ...]:
        return self.mismatches() if query.mode is Mode.SELECTED_TEXT_ONLY else self.warnings()

    def warnings(self) -> tuple[str, ...]:
        """Return in words what makes a confidence over the index mean less: another embedding or reader, and drift."""
        return (*self.mismatches(), *([drift] if (drift := self.drift()) else ()))

    def mismatches(self) -> tuple[str, ...]:
        """Return in words where embedding or reader are not those that the gate was fitted with."""
        found = []
        if self.fit.embedding and self.fit.embedding != self._embedding:
            found.append(
                f"The gate was fitted with the embedding {self.fit.embedding!r}, this is {self._embedding!r}: "
                f"its confidence means little. Run 'candor calibrate'."
            )
        if self._reader is not None and self.fit.reader != self._reader.name:
            found.append(
                f"The gate was fitted with the reader {self.fit.reader or 'none'!r}, this is {self._reader.name!r}: "
                f"its confidence means little. Run 'candor calibrate'."
            )
        return tuple(found)

    def drift(self) -> str:
        """Return in words how the index has drifted away from what the gate was fitted on; empty where it has not."""
        seen = self._drift
        fingerprint = self._catalogue.fingerprint()
        if seen is None or seen[0] != fingerprint:  # read again only where a document came or went
            seen = self._drift = fingerprint, self.fit.drift(self._catalogue)
        return seen[1]
