"""Links to runs that are not here, and questions that were asked again: what Evaluate and Tune say of them."""

import re

from seen import text_of


def test_a_link_to_a_run_that_is_not_here_says_so_and_what_is_shown_instead(open_page, run_of_three):
    run = run_of_three
    for page, instead in (("evaluate", f"**{run}**"), ("tune", "the recorded requests")):
        test = open_page(page, run="nope")
        assert f"Shown instead: {instead}." in text_of(test)
        assert "The run nope is not here" in str([one.proto for one in test.warning])
        assert "Shown instead" in text_of(test.run())
        assert "Shown instead" not in text_of(open_page(page, run=run))
    assert "".join(open_page("evaluate").query_params["run"]) == run  # without anybody choosing it
    compared = text_of(open_page("evaluate", run=run))
    assert "hit@5 100.0% (3 of 3; " in compared
    assert re.search(r"Gold in answer \d+\.\d% \(\d of 3; ", compared)
