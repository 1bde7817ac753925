"""Links to runs that are not here, and questions that were asked again: what Evaluate and Tune say of them."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from seen import ROOT, Open, text_of

from dashboard import running
from dashboard.running import RunOptions
from rag.candor import Candor


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
    assert "".join(open_page("evaluate").query_params["run"]) == run  # without anybody choosing it
    compared = text_of(open_page("evaluate", run=run))
    assert "hit@5 100.0% (2 of 2; " in compared
    assert re.search(r"Gold in answer \d+\.\d% \(\d of 2; ", compared)
