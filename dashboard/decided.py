"""What decided the questions that Tune tries settings on, against what is in force: a threshold belongs to one gate."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import numpy as np
import streamlit as st

from dashboard import queries, resources, state
from dashboard.changing import in_digits
from dashboard.words import ESTIMATORS, estimator, md, several
from rag.models import EstimatorName
from rag.whatif.arrays import recorded_threshold
from rag.whatif.cases import Cases

if TYPE_CHECKING:
    from rag.candor import Candor

RECORDED = "Recorded requests"
"""What stands for them among the runs."""
_SAME = 0.000_05
"""How far two thresholds may lie apart and be one: records and pages round them to four decimals."""
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
    return DecidedBy(str(name), gate, embedding, only, _threshold(cases))


def _threshold(cases: Cases) -> float | None:
    """Return the one threshold that questions were held against; where lines do not hold it, one that decides alike."""
    held = np.unique(cases.thresholds[~np.isnan(cases.thresholds) & ~cases.named])
    if len(held):
        return float(held[0]) if len(held) == 1 else None
    found = recorded_threshold(cases)
    return None if found is None else int(found * 10_000) / 10_000


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


def _perhaps_of_another_gate(candor: "Candor", cases: Cases, by: DecidedBy) -> tuple[int, list[float]]:
    """Return how many recorded requests another fit of the gate decided, or may have, and what they were held against.

    Older records do not hold which fit decided. One that was held against a threshold that was never in force with the
    present fit, as far as is known here, was decided by another, or under another environment.

    Args:
        candor: What is in force.
        cases: The recorded requests.
        by: What decided them; of a run nothing is counted, since it holds its gate.
    """
    chosen = resources.settings_in_force()
    if by.run or chosen.estimator != "calibrated":
        return 0, []
    promoted = (one.settings.get("confidence_threshold") for one in resources.get_sessions().promotions.history())
    gate = candor.wiring.estimators[chosen.estimator]
    known = [gate.threshold, chosen.confidence_threshold, *promoted]
    thresholds = [float(one) for one in known if isinstance(one, int | float)]
    return strange(cases, chosen.estimator, thresholds, gate=gate.fingerprint)


def strange(cases: Cases, name: EstimatorName, known: Sequence[float], *, gate: str = "") -> tuple[int, list[float]]:
    """Return how many questions another fit of an estimator decided, or may have, and what they were held against.

    Where the record holds the fit, that tells. Where it does not, a threshold that is not known tells, and questions
    that named one themselves do not count.
    """
    own = np.array([one == name for one in cases.estimators], dtype=bool)
    is_told = np.array([bool(one) for one in cases.gates], dtype=bool)
    is_other = np.array([one != gate for one in cases.gates], dtype=bool)
    is_known = np.isclose(cases.thresholds[:, None], np.array(known)[None, :], rtol=0, atol=_SAME).any(axis=1)
    perhaps = ~cases.named & ~np.isnan(cases.thresholds) & ~is_known
    found = cases.thresholds[own & np.where(is_told, is_other, perhaps)]
    return len(found), sorted({round(float(one), 4) for one in found if not np.isnan(one)})


def draw_strange(candor: "Candor", cases: Cases, by: DecidedBy) -> int:
    """Say that recorded requests are of another fit of the gate, or may be, and return how many; 0: none may be.

    Args:
        candor: What is in force.
        cases: The recorded requests.
        by: What decided them.
    """
    count, held = _perhaps_of_another_gate(candor, cases, by)
    if not count:
        return 0
    thresholds = ", ".join(in_digits(one) for one in held[-3:])
    st.warning(
        f"They are recorded with another fit of the gate, or, where older records do not hold the fit, with a "
        f"threshold that the gate in force is not known to have had (held against {thresholds}). A threshold chosen on "
        "confidences of another fit means nothing for this one: choose a run that was made with what is in force, or "
        "ask them again.",
        title=f"Another gate decided, or may have decided, {count} of {several(len(cases), 'request')}",
        icon=":material/difference:",
    )
    return count
