"""What the calibrated estimator says of fewer or more passages, against asking the same with that setting."""

import pytest
from library import quiet_settings

from rag.candor import Candor
from rag.evaluation.depths import depths_of

QUESTIONS = (
    "Between which values must the face velocity of a fume hood in use lie?",
    "Who won the football world cup in 1998?",
)


@pytest.fixture(scope="module")
def candor(samples, tmp_path_factory):
    with Candor.open(quiet_settings(tmp_path_factory.mktemp("depths"))) as opened:
        opened.ingest([samples / name for name in ("safety_manual.pdf", "faq.html")])
        yield opened


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("estimator", ["calibrated", "max_similarity"])
def test_each_depth_is_what_the_gate_says_when_asked_with_that_many_passages(candor, question, estimator):
    found = depths_of(candor.wiring)(candor.ask(question, estimator=estimator))
    assert len(found) == 10
    for depth in (1, 3, 5, 10):
        asked = candor.ask(question, estimator="calibrated", top_k=depth)
        assert found[depth - 1] == pytest.approx(asked.confidence, abs=2e-3)


def test_an_answer_without_passages_has_no_depths(candor):
    whole = candor.ask(QUESTIONS[1])
    assert depths_of(candor.wiring)(whole.model_copy(update={"retrieved": ()})) == ()
