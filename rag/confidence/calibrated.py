"""The calibrated estimator: from the reader's judgements to the probability that the documents answer the question.

    confidence = 1 / (1 + exp(-(b + sum over signals of w * (x - mean) / scale)))

A logistic regression over `rag.confidence.signals`. The shipped fit was made on questions as people ask them; one that
`candor calibrate` makes of the user's own labels takes its place. A fit is worth something with the reader that it was
made with, and with no other.
"""

import hashlib
import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Self

from pydantic import AwareDatetime, Field, ValidationError, model_validator

from rag.confidence.drift import IndexState, drift_of, index_state
from rag.confidence.signals import SIGNALS, signals
from rag.errors import ConfigurationError
from rag.gate import Estimate
from rag.models import EstimatorName, Mode, Query, Retrieval, Score, Value
from rag.protocols import Catalogue

SHIPPED = Path(__file__).parents[1] / "weights" / "gate.json"
FILE_NAME = "gate.json"  # where `candor calibrate` writes the user's own fit, in the data folder
UNPROVEN = "gate_without_guarantee.json"
"""Where it writes a fit whose threshold nothing is proven of; nobody reads that file unless it is asked for."""
VERSION = 3  # of the signals: a fit of another version weighs what this one does not compute
_TAUGHT = re.compile(r"\+[0-9a-f]{8}$")  # how the name of a reader ends that `candor train` taught something


class GateFit(Value):
    """A fitted gate: everything that turns signals into a confidence, and what it was fitted on."""

    version: int = Field(VERSION, description="Version of the signals.")
    signals: tuple[str, ...] = Field(description="Names, in the order of the weights; those without weight are absent.")
    means: tuple[float, ...] = Field(description="Mean of each signal when it was fitted.")
    scales: tuple[float, ...] = Field(description="Standard deviation of each signal when it was fitted.")
    weights: tuple[float, ...] = Field(description="Weight of each standardised signal.")
    intercept: float = Field(description="Log-odds before any signal counts.")
    threshold: Score = Field(description="Answer from this confidence on.")
    unsure_threshold: Score = Field(description="Show passages from this confidence on, and refuse below it.")
    max_false_answer_rate: float = Field(description="The rate of false answers that the threshold was chosen for.")
    max_refused_rate: float = Field(0.1, description="The share of answerable questions that may be refused.")
    guarantee: str = Field("", description="What is guaranteed of the threshold, in words.")
    fitted_on: tuple[str, ...] = Field((), description="Data sets and their sizes.")
    fitted_at: AwareDatetime | None = Field(None, description="When it was fitted (UTC).")
    embedding: str = Field("", description="Fingerprint of the embedding it was fitted with.")
    reader: str = Field("", description="Name and version of the reader it was fitted with; empty: not known.")
    indexes: tuple[IndexState, ...] = Field((), description="The index of then and its data sets' own; none: for any.")

    @model_validator(mode="after")
    def _is_complete(self) -> Self:
        lengths = {len(self.signals), len(self.means), len(self.scales), len(self.weights)}
        if len(lengths) > 1 or not all(scale > 0 for scale in self.scales):
            raise ValueError("each signal needs a mean, a scale above 0 and a weight")
        if not all(map(math.isfinite, (*self.means, *self.scales, *self.weights, self.intercept))):
            raise ValueError("a number of the fit is not finite")
        if unknown := sorted({*self.signals} - {*SIGNALS}):
            raise ValueError(f"nothing computes the signals {unknown}")
        if self.unsure_threshold > self.threshold:
            raise ValueError("unsure_threshold is above threshold")
        return self

    def confidence(self, values: Mapping[str, float]) -> float:
        """Return the probability, 0..1, for the signals of one question."""
        odds = self.intercept
        for name, mean, scale, weight in zip(self.signals, self.means, self.scales, self.weights, strict=True):
            odds += weight * (values[name] - mean) / scale
        return 1 / (1 + math.exp(-min(max(odds, -50.0), 50.0)))

    def text(self) -> str:
        """Return the fit as it is written to a file: JSON, one field a line."""
        fields = self.model_dump(mode="json").items()
        return "{\n" + ",\n".join(f" {json.dumps(name)}: {json.dumps(value)}" for name, value in fields) + "\n}\n"

    @cached_property
    def fingerprint(self) -> str:
        """First 12 hexadecimal digits of the SHA-256 over all fields."""
        return hashlib.sha256(self.model_dump_json().encode()).hexdigest()[:12]


@dataclass(frozen=True, slots=True)
class FitInUse:
    """The fit that decides."""

    fit: GateFit
    is_own: bool  # whether it was made here; False: it came with Candor
    set_aside: str = ""  # why a fit that was made here does not decide, and what to do; empty where none was set aside


def load_fit(folder: Path, *, reader: str, decides: bool = True) -> FitInUse:
    """Return the user's own fit where there is one that can be used, else the shipped one.

    A fit of another version, or one made with another reader, is set aside: its numbers say nothing here.

    Args:
        folder: Where `candor calibrate` writes.
        reader: Name and version of the reader in use.
        decides: The fit's own threshold decides; False: another estimator or a threshold that was set does.

    Raises:
        ConfigurationError: The file is damaged; or the shipped thresholds would decide, and were fitted on another
            reader.
    """
    own, set_aside = folder / FILE_NAME, ""
    if own.is_file():
        found = _read(own)
        if isinstance(found, GateFit):
            if not _is_of_another(found, reader):
                return FitInUse(found, is_own=True)
            found = f"it was made with the reader {found.reader!r}, and this is {reader!r}"
        set_aside = (
            f"The gate's fit {str(own)!r} is not used: {found}. The gate that came with Candor is used instead. Run "
            "'candor calibrate' again, or remove that file; where the gate was promoted, undo its promotion."
        )
    shipped = _read(SHIPPED)
    if not isinstance(shipped, GateFit):
        raise ConfigurationError(f"The shipped gate {str(SHIPPED)!r} cannot be used: {shipped}. Reinstall Candor.")
    if decides and _is_of_another(shipped, reader):
        raise ConfigurationError(
            f"The gate's thresholds were fitted on another reader: {shipped.reader!r}, and this is {reader!r}. Run "
            "'candor calibrate' on labelled questions, or set CANDOR_CONFIDENCE_THRESHOLD, or unset "
            f"CANDOR_READER_MODEL. {set_aside}".rstrip()
        )
    return FitInUse(shipped, is_own=False, set_aside=set_aside)


def _is_of_another(fit: GateFit, reader: str) -> bool:
    """Return whether a fit was made with another reader; what `candor train` taught one changes it a little only."""
    return bool(fit.reader) and _untaught(fit.reader) != _untaught(reader)


def _untaught(reader: str) -> str:
    """Return the name of a reader without that of what it was taught here.

    >>> _untaught("mpnet-reader@0123456789ab+01234567"), _untaught("mpnet-reader@0123456789ab")
    ('mpnet-reader@0123456789ab', 'mpnet-reader@0123456789ab')
    """
    return _TAUGHT.sub("", reader)


def _read(path: Path) -> GateFit | str:
    """Return a fit, or why it is not one of this version; raise `ConfigurationError` where it is damaged."""
    try:
        text = path.read_text(encoding="utf-8")
        fields = json.loads(text)
        version = fields.get("version") if isinstance(fields, dict) else VERSION
        if version != VERSION:
            return f"it has version {version}, but this Candor reads version {VERSION}"
        return GateFit.model_validate_json(text)
    except (OSError, ValueError) as error:
        why = error.errors()[0]["msg"] if isinstance(error, ValidationError) else str(error)
        raise ConfigurationError(
            f"The gate's fit {str(path)!r} cannot be read: {why}. Remove it, or run 'candor calibrate' again."
        ) from error


class Calibrated:
    """Turns a retrieval that was read into the probability that it answers the question.

    Args:
        fit: The fitted weights and thresholds.
        catalogue: To notice drift.
        embedding: Fingerprint of the embedding in use.
        reader_name: Name and version of the reader in use.
        set_aside: Why another fit does not decide; empty where none was set aside.
    """

    name: EstimatorName = "calibrated"

    def __init__(
        self, fit: GateFit, *, catalogue: Catalogue, embedding: str, reader_name: str, set_aside: str = ""
    ) -> None:
        self.fit, self._catalogue, self._embedding = fit, catalogue, embedding
        self._reader_name, self._set_aside = reader_name, set_aside
        self._drift: tuple[str, str] | None = None

    @property
    def threshold(self) -> float:
        """Answer from this confidence on, unless the person sets another."""
        return self.fit.threshold

    @property
    def unsure_threshold(self) -> float:
        """Show passages from this confidence on, unless the person sets another; refuse below it."""
        return self.fit.unsure_threshold

    @property
    def fingerprint(self) -> str:
        """Name and digest of the fit."""
        return f"calibrated/{self.fit.fingerprint}"

    def estimate(self, query: Query, retrieval: Retrieval) -> Estimate:
        """Return the probability that the hits answer the question; 0 where there are none."""
        values = signals(retrieval.hits, has_absent_code=bool(retrieval.absent))
        confidence = self.fit.confidence(values) if retrieval.hits else 0.0
        selected = query.mode is Mode.SELECTED_TEXT_ONLY
        return Estimate(confidence, values, self.mismatches() if selected else self.warnings())

    def warnings(self) -> tuple[str, ...]:
        """Return in words what makes a confidence over the index mean less."""
        return (*self.mismatches(), *([drift] if (drift := self.drift()) else ()))

    def mismatches(self) -> tuple[str, ...]:
        """Return in words where embedding or reader are not those of the fit, and which fit was set aside."""
        found = [self._set_aside] if self._set_aside else []
        for what, then, now in (
            ("embedding", self.fit.embedding, self._embedding),
            ("reader", self.fit.reader, self._reader_name),
        ):
            if then and then != now and then != _untaught(now):  # `candor train` looks whether the gate still holds
                found.append(
                    f"The gate was fitted with the {what} {then!r}, this is {now!r}: its confidence means little. "
                    "Run 'candor calibrate'."
                )
        return tuple(found)

    def drift(self) -> str:
        """Return in words how the index has drifted away from what the gate was fitted on; empty where it has not."""
        fingerprint, known = self._catalogue.fingerprint(), self.fit.indexes
        if self._drift is None or self._drift[0] != fingerprint:  # read again only where a document came or went
            is_known = not known or fingerprint in {state.fingerprint for state in known}
            self._drift = fingerprint, "" if is_known else drift_of(index_state(self._catalogue), known)
        return self._drift[1]
