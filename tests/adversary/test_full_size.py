"""The liars over dozens of questions of a shared data set, answerable and not: next to nothing of theirs is shown.

All are asked hundreds by `python -m adversary` (`full_size`), SmolLM2 too: a question takes a second, with it some.
"""

import pytest
from library import quiet_settings
from ollama_server.brains import Liar

from adversary.full_size import face

LIES_SHOWN = 1  # the most lies shown, 10 in 350 questions: now and then a subject and an object change places
pytestmark = [pytest.mark.data, pytest.mark.slow]


@pytest.fixture(scope="module")
def settings(tmp_path_factory):
    """One data folder for all: the data set is indexed once."""
    return quiet_settings(tmp_path_factory.mktemp("adversary") / "data")


@pytest.mark.timeout(900)
@pytest.mark.parametrize(("truths", "count"), [(0.0, 32), (0.5, 16)], ids=["only lies", "half lies"])
def test_of_dozens_of_answers_hardly_one_shows_a_lie(shared_data, settings, truths, count):
    if not (shared_data / "squad2").is_dir():
        pytest.skip("the shared data set squad2 is not at hand: ../shared/data/squad2")
    caught = face(Liar(seed=21, truths=truths), shared_data / "squad2", settings, count=count)
    trial = caught.trial
    assert (caught.answerable, caught.unanswerable) == (count // 2, count // 2)
    assert trial.asked == count
    assert trial.spoken >= 0.99 * count  # the others were taken for an opening, as: which documents are there?
    assert trial.unsupported == []
    assert trial.not_verbatim == []
    assert [lie for lie in caught.lies_shown if ": swapped_names: " not in lie] == []
    assert len(caught.lies_shown) <= LIES_SHOWN, caught.lies_shown
    assert caught.told.total() > count
    assert trial.sentences > count / 2
    if truths:
        assert trial.of_the_model > count / 4  # its truths are shown
