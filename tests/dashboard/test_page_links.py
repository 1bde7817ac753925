"""Links to runs that are not here, and questions that were asked again: what Evaluate and Tune say of them."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from seen import KNOWN, ROOT, UNKNOWN, Open, advanced, table_with, text_of

from dashboard import running
from dashboard.running import RunOptions
from rag.candor import Candor
from rag.stored.values import Label


@pytest.fixture
def run(library: Candor) -> Iterator[str]:
    """The name of a run over the first two sample questions."""
    folder = library.settings.data_dir / "runs"
    before = set(folder.glob("*"))
    running.run_dataset(library, ROOT / "samples", options=RunOptions(limit=2), job=running.Job("evaluate", "samples"))
    made: list[Path] = sorted(set(folder.glob("*.json*")) - before)
    yield next(path.stem for path in made if path.name.endswith(".jsonl"))
    for path in made:
        path.unlink()


def test_a_link_to_a_run_that_is_not_here_says_so_and_what_is_shown_instead(open_page: Open, run: str) -> None:
    for page, instead in (("evaluate", f"**{run}**"), ("tune", "the recorded requests")):
        test = open_page(page, run="nope")
        assert f"Shown instead: {instead}." in text_of(test)
        assert "The run nope is not here" in str([one.proto for one in test.warning])
        assert "Shown instead" in text_of(test.run())
        assert "Shown instead" not in text_of(open_page(page, run=run))
    compared = text_of(open_page("evaluate", run=run))
    assert "hit@5 100.0% (2 of 2; " in compared
    assert re.search(r"Gold in answer \d+\.\d% \(\d of 2; ", compared)


def test_the_same_question_labelled_again_and_again_is_one_question_on_tune_and_for_a_fit(
    open_page: Open, library: Candor
) -> None:
    labels = library.wiring.sessions.labels
    for label in labels.list():
        labels.remove(label)
    again = [library.ask(words).request_id for words in (UNKNOWN, UNKNOWN.upper(), UNKNOWN)]
    kept = [*((one, "no") for one in again), (library.ask(KNOWN).request_id, "yes")]
    for target, verdict in kept:
        labels.put(Label(target=target, aspect="answerable", labeller="ada", verdict=verdict))
    tune = advanced(open_page("tune"))
    assert "With a label: 4 requests, 2 questions." in text_of(tune)
    promises = table_with(tune, "reading").set_index("reading")
    assert promises["unanswerable"].to_list() == [1, 1, 1]
    assert promises.loc["On these questions", ["answered", "answerable"]].to_list() == [1, 1]
    assert promises.loc["In the long run", "needed"] == 58
    evaluate = open_page("evaluate", view="Calibrate")
    (fit_on,) = [one for one in evaluate.multiselect if one.key == "fit_on"]
    assert "Labels of people: 1 answerable, 1 unanswerable (4 requests, 2 questions)" in fit_on.options
    for target, _ in kept:
        for label in labels.list(target=target):
            labels.remove(label)
