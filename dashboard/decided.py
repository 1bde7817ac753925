"""What decided the questions that Tune tries settings on, against what is in force: a threshold belongs to one gate."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import numpy as np
import streamlit as st

from dashboard import queries, resources, state
from dashboard.words import estimator, md, several
from rag.models import EstimatorName
from rag.whatif.arrays import recorded_threshold
from rag.whatif.cases import Cases, Floats
from rag.whatif.history import ESTIMATORS

if TYPE_CHECKING:
    from rag.candor import Candor

RECORDED = "Recorded requests"
"""What stands for them among the runs."""
_AGAIN = "Run the data set again on **Evaluate** with what is in force, and choose that run here."


@dataclass(frozen=True, slots=True)
class DecidedBy:
    """The gate that decided the questions of a run; for recorded requests, that people asked each in its own way, none.

    Fingerprints are empty where the run does not hold them.
    """

    run: str = ""
    gate: str = ""
    embedding: str = ""
    estimator: EstimatorName | None = None
    threshold: float | None = None
    """What its questions were held against; None where that was not one number, or is not known."""
    unsure: float | None = None
    """From where on they were unsure; the same."""


def decided_by(cases: Cases) -> DecidedBy:
    """Return what decided the questions that were chosen."""
    name = st.session_state.get(state.RUN)
    if name in (None, RECORDED):
        return DecidedBy()
    run = queries.runs(resources.runs_folder()).get(str(name))
    known = run.fingerprints if run else None
    gate, embedding = (known.gate, known.embedding) if known else ("", "")
    called = {gate.partition("/")[0], *cases.estimators} & {*ESTIMATORS}
    only = cast("EstimatorName", called.pop()) if len(called) == 1 else None
    return DecidedBy(str(name), gate, embedding, only, _threshold(cases), _one_of(cases, cases.unsure_thresholds))


def _threshold(cases: Cases) -> float | None:
    """Return the one threshold that questions were held against; where lines do not hold it, one that decides alike."""
    if not np.isnan(cases.thresholds).all():
        return _one_of(cases, cases.thresholds)
    found = recorded_threshold(cases)
    return None if found is None else int(found * 10_000) / 10_000


def _one_of(cases: Cases, thresholds: Floats) -> float | None:
    """Return the one threshold of all questions that named none themselves; None where there is none, or several."""
    held = np.unique(thresholds[~np.isnan(thresholds) & ~cases.named])
    return float(held[0]) if len(held) == 1 else None


def is_in_force(candor: "Candor", by: DecidedBy) -> bool:
    """Return whether what decided the questions decides now: estimator, fit and embedding."""
    if not by.run:
        return True
    name = resources.settings_in_force().estimator
    return by.estimator == name and by.gate == candor.wiring.estimators[name].fingerprint and _same_vectors(candor, by)


def _same_vectors(candor: "Candor", by: DecidedBy) -> bool:
    return by.embedding == candor.wiring.embedder.fingerprint


def hindrance(candor: "Candor", by: DecidedBy, wanted: EstimatorName | None) -> str:
    """Return why nothing that is chosen on these questions can be promoted, and what to do; empty where it can.

    Args:
        candor: What is in force.
        by: What decided the questions.
        wanted: The estimator that is tried; None: as recorded.
    """
    name = wanted or by.estimator
    if not by.run:
        return ""
    if name is None or not by.gate:
        return f"The run does not hold which gate decided its questions, so that no threshold belongs to them. {_AGAIN}"
    if not _same_vectors(candor, by):
        now = candor.wiring.embedder.fingerprint
        return (
            f"The run was made with the embedding {md(by.embedding)}, and this is {md(now)}: its confidences are those "
            f"of other vectors. {_AGAIN}"
        )
    now = candor.wiring.estimators[name].fingerprint
    if name != "calibrated" or by.gate == now:
        return ""
    if by.estimator != "calibrated":
        return (
            f"**{estimator(by.estimator)}** decided this run, and it does not hold which fit the confidences of "
            f"**{estimator(name)}** come from. {_AGAIN}"
        )
    return (
        f"Another fit of the gate decided this run ({md(by.gate)}, and this is {md(now)}): a threshold of the one "
        f"means nothing for the other. {_AGAIN} Or put that gate into production first: fitted gates stand on "
        "**Evaluate** under **Calibrate**."
    )


# --- recorded requests -------------------------------------------------------------------------------------------


def of_another_gate(cases: Cases, name: EstimatorName, gate: str) -> int:
    """Return how many questions an estimator decided with another fit than one; older records do not say with which.

    Args:
        cases: The recorded requests.
        name: The estimator.
        gate: Fingerprint of its fit.
    """
    decided = zip(cases.estimators, cases.gates, strict=True)
    return sum(one == name and fit != gate for one, fit in decided)


def draw_of_another_gate(candor: "Candor", cases: Cases, by: DecidedBy) -> int:
    """Say that recorded requests are of another fit of the gate, and return how many; of a run, which holds its, none.

    Args:
        candor: What is in force.
        cases: The recorded requests.
        by: What decided them.
    """
    name = resources.settings_in_force().estimator
    count = 0 if by.run else of_another_gate(cases, name, candor.wiring.estimators[name].fingerprint)
    if count:
        st.warning(
            "They were decided by another fit of the gate, by another reader, or by a version that did not record "
            "which. A threshold chosen on confidences of another fit means nothing for this one: choose a run that was "
            "made with what is in force, or ask them again.",
            title=f"Another gate decided {count} of {several(len(cases), 'request')}",
            icon=":material/difference:",
        )
    return count
