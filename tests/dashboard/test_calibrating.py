"""From the labels of people to a gate with its bound, into production and back."""

import shutil

import pytest
from seen import button, fill, text_of

from dashboard import calibrating, queries
from dashboard.calibrating import Wanted
from dashboard.jobs import Job

DOCUMENTS = ("textbook.md", "safety_manual.pdf")


def questions(candor, *, count):
    """Questions in the words of two documents, and as many about football, which neither answers."""
    asked = []
    for document in DOCUMENTS:
        heads = [" ".join(chunk.content.split()[:12]) for chunk in queries.chunks(candor, document)[:count]]
        asked += [(f"What is said of {words}?", True, document) for words in heads]
        asked += [(f"Who scored in match {year} of the cup in {document}?", False, document) for year in range(count)]
    return [{"qid": f"q{number}", "question": question, "answerable": label, "gold": [{"document": document}]}
            for number, (question, label, document) in enumerate(asked)]  # fmt: skip


def fit(candor, lines, most):
    """Fit a gate on labelled questions that answers wrongly at most so often."""
    wanted = Wanted(lines, [], most=most, most_refused=0.1, horizon=None)
    return calibrating.fit_gate(candor, wanted, Job("calibrate", "test"))


@pytest.fixture
def fitting(open_page, library):
    """Fits a gate on 24 questions of each kind that answers wrongly at most so often; all is as before afterwards."""
    lines = questions(library, count=12)
    yield lambda most: fit(library, lines, most)
    while library.wiring.sessions.promotions.current():
        library.wiring.sessions.promotions.undo()
    library.put_in_force()
    shutil.rmtree(calibrating.gates_folder(library))


def test_a_gate_without_a_guarantee_comes_into_force_with_its_thresholds_once_somebody_confirms_it(
    open_page, library, fitting
):
    gate = fitting(0.05)
    library.wiring.sessions.promotions.promote({"top_k": 3}, note="before")
    test, estimator = open_page("evaluate", view="Calibrate"), library.wiring.estimators["calibrated"]
    # 24 unanswerable questions are labelled, 59 are enough: log .05 / log .95
    assert "Label at least 35 more unanswerable questions" in text_of(test)
    for is_ticked in (False, True):
        fill(test, gate_note="let us see", gate_by="Ada", gate_confirm=is_ticked)
        button(test, "Put this gate into production").click().run()
        assert ("Nothing was changed" in text_of(test)) != is_ticked
        assert (library.wiring.estimators["calibrated"] is estimator) != is_ticked
    assert library.wiring.estimators["calibrated"].fit.fingerprint == gate.fit.fingerprint
    assert library.settings.top_k == 3  # what else was promoted stays in force
    answer = library.ask("Who scored in match 3 of the world cup?")
    assert (answer.gate.threshold, answer.gate.unsure_threshold) == (gate.fit.threshold, gate.fit.unsure_threshold)
    assert "This gate is in force, without a guarantee" in text_of(test)
