"""From the labels of people to a gate with its bound, into production and back."""

import shutil

import pytest
from seen import button, text_of

from dashboard import calibrating, queries
from dashboard.calibrating import Wanted
from dashboard.jobs import Job
from rag.errors import ConfigurationError

DOCUMENTS = ("textbook.md", "safety_manual.pdf")


def questions(candor, *, count):
    """Questions in the words of two documents, and as many about football, which neither answers."""
    asked = []
    for document in DOCUMENTS:
        for chunk in queries.chunks(candor, document)[:count]:
            words = " ".join(chunk.content.split()[:12])
            asked.append(
                {"question": f"What is said of {words}?", "answerable": True, "gold": [{"document": document}]}
            )
        for year in range(count):
            text = f"Who scored in match {year} of the world cup in {document}?"
            asked.append({"question": text, "answerable": False, "gold": [{"document": document}]})
    return [{"qid": f"q{number}", **line} for number, line in enumerate(asked)]


def wanted(lines, *, most):
    """A gate on labelled questions that answers wrongly at most so often."""
    return Wanted(lines, [], most=most, most_refused=0.1, horizon=None)


@pytest.fixture
def fitting(open_page, library):
    """Fits a gate on 24 questions of each kind that answers wrongly at most so often; all is as before afterwards."""
    lines = questions(library, count=12)
    yield lambda most: calibrating.fit_gate(library, wanted(lines, most=most), Job("calibrate", "test"))
    while library.wiring.sessions.promotions.current():
        library.wiring.sessions.promotions.undo()
    library.put_in_force()
    shutil.rmtree(calibrating.gates_folder(library))


@pytest.fixture
def gate(fitting):
    """A gate with a guarantee."""
    return fitting(0.2)


def test_a_gate_is_promoted_with_a_reason_and_taken_back(gate, library, open_page):
    library.wiring.sessions.promotions.promote({"top_k": 3}, note="before")
    test = open_page("evaluate", view="Calibrate")
    assert gate.calibration.control.reason.replace("%", "") in text_of(test).replace("%", "")
    test.text_input(key="gate_note").set_value("fitted on our own questions")
    test.text_input(key="gate_by").set_value("Ada")
    button(test, "Put this gate into production").click().run()
    estimator = library.wiring.estimators["calibrated"]
    assert estimator.fit.fingerprint == gate.fit.fingerprint
    assert library.settings.top_k == 3  # what else was promoted stays in force
    answer = library.ask("Who scored in match 3 of the world cup?")
    assert (answer.gate.threshold, answer.gate.unsure_threshold) == (gate.fit.threshold, gate.fit.unsure_threshold)
    assert "This gate is in force" in text_of(test)
    number = library.wiring.sessions.promotions.current().number
    button(test, f"Undo promotion {number}").click().run()
    test.text_input(key="gates-undo-by").set_value("Ada")
    button(test, "Undo it").click().run()
    assert library.wiring.estimators["calibrated"].fit.fingerprint != gate.fit.fingerprint


def test_too_few_labels_are_said_with_the_number_that_is_missing(open_page, library):
    lines = questions(library, count=1)
    with pytest.raises(ConfigurationError, match=r"Label 18 more answerable and 18 more unanswerable"):
        calibrating.fit_gate(library, wanted(lines, most=0.05), Job("calibrate", "test"))


def test_a_gate_without_a_guarantee_is_promoted_only_by_who_confirms_it(open_page, library, fitting):
    gate, estimator = fitting(0.05), library.wiring.estimators["calibrated"]
    test = open_page("evaluate", view="Calibrate")
    # 24 unanswerable questions are labelled, 59 are enough: log .05 / log .95
    assert "Label at least 35 more unanswerable questions" in text_of(test)
    for is_ticked in (False, True):
        test.text_input(key="gate_note").set_value("let us see")
        test.text_input(key="gate_by").set_value("Ada")
        test.checkbox(key="gate_confirm").set_value(is_ticked)
        button(test, "Put this gate into production").click().run()
        assert ("Nothing was changed" in text_of(test)) != is_ticked
        assert (library.wiring.estimators["calibrated"] is estimator) != is_ticked
    assert library.wiring.estimators["calibrated"].fit.fingerprint == gate.fit.fingerprint
    assert "This gate is in force, without a guarantee" in text_of(test)
