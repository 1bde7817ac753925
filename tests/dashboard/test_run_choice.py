"""The choice of a run: what is shown stands in the URL, and what a link names and is not here is said."""

from streamlit.testing.v1 import AppTest


def page() -> None:
    """Draw a page with the choice of a run and nothing else."""
    from dashboard import links, state

    state.put("shown", links.choose_run("Run", ["new", "old"], key="run", default="new"))
    links.draw_missing("run")


def opened(**parameters: str) -> AppTest:
    """Return the page as a link with these parameters opens it."""
    test = AppTest.from_function(page, default_timeout=120)
    for name, value in parameters.items():
        test.query_params[name] = value
    test.run()
    assert not test.exception
    return test


def shown(test: AppTest) -> tuple[str, str]:
    """Return the run that is shown and the one in the URL."""
    found = test.query_params.get("run", "")
    return test.session_state["shown"], found if isinstance(found, str) else "".join(found)


def test_the_run_that_is_shown_stands_in_the_url_without_anybody_choosing_it() -> None:
    assert shown(opened()) == ("new", "new")


def test_a_link_shows_its_run_and_says_nothing() -> None:
    for name in ("old", "new"):
        test = opened(run=name)
        assert shown(test) == (name, name)
        assert not test.warning
        assert shown(test.run()) == (name, name)


def test_a_run_that_is_not_here_is_named_with_what_is_shown_instead() -> None:
    test = opened(run="nope")
    (warning,) = test.warning
    assert "nope" in str(warning.proto)
    assert "is not here" in str(warning.proto)
    assert "**new**" in warning.value
    assert shown(test.run()) == ("new", "new")
    assert len(test.warning) == 1  # still so after a click somewhere else
    test.selectbox(key="run").set_value("old").run()
    assert shown(test)[0] == "old"
    assert not test.warning


def test_a_run_that_is_chosen_takes_the_place_of_the_one_in_the_url() -> None:
    test = opened(run="old")
    test.selectbox(key="run").set_value(None).run()
    assert shown(test) == ("new", "new")
    test.selectbox(key="run").set_value("old").run()
    assert shown(test) == ("old", "old")
    test.selectbox(key="run").set_value("new").run()
    assert shown(test) == ("new", "new")
