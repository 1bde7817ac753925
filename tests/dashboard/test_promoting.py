"""Promoting from Tune: a threshold goes with its estimator, what is shown is what is stored, nobody is overruled."""

import pytest
from seen import KNOWN, ROOT, button, fill, move, offers, sample_library, says, text_of

from dashboard import running
from dashboard.running import RunOptions
from rag.evaluation.runs import load_run, write_run
from rag.workspace.in_force import CHOSEN_FOR

PROMOTE = "Put it into production"


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    """A library of this file's own: what is asked here under other settings would stand in that of the other pages."""
    with sample_library(tmp_path_factory.mktemp("promoted")) as candor:
        yield candor


@pytest.fixture(scope="module")
def mean_run(library):
    """A run over three sample questions that the written rule decided: mean similarity, 0.5."""
    put_in_force(library, estimator="mean_similarity")
    options = RunOptions("mean", limit=3)
    running.run_dataset(library, ROOT / "samples", options=options, job=running.Job("evaluate", "samples"))
    library.wiring.sessions.promotions.undo(by="Ada")
    library.put_in_force()
    return library.settings.data_dir / "runs" / "mean.jsonl"


@pytest.fixture
def promotions(library):
    """Promotions of the library, all taken back afterwards."""
    kept = library.wiring.sessions.promotions
    yield kept
    while kept.current():
        kept.undo(by="Ada")
    library.put_in_force()


def chosen(library, **settings):
    """Settings to promote, thresholds with the gate that they are about."""
    name = settings.get("estimator", library.settings.estimator)
    return {**settings, CHOSEN_FOR: library.wiring.estimators[name].fingerprint}


def put_in_force(library, **settings):
    library.wiring.sessions.promotions.promote(chosen(library, **settings), note="before")
    library.put_in_force()


def current(promotions):
    """The settings in force, without the gate that they were chosen for."""
    return {name: value for name, value in promotions.current().settings.items() if name != CHOSEN_FOR}


def threshold_of(test):
    return float(test.select_slider(key="t_careful").value)


def send(test, note="tried", by="Ada"):
    fill(test, promote_note=note, promote_by=by)
    for box in [one for one in test.checkbox if one.key == "promote_confirm"]:
        box.set_value(True)
    return button(test, PROMOTE).click().run()


def test_a_threshold_chosen_on_a_run_is_promoted_with_its_estimator(open_page, library, mean_run, promotions):
    put_in_force(library, estimator="calibrated", top_k=4)
    test = open_page("tune", run="mean", t_confidence="0.52")
    assert "estimator Calibrated → Mean similarity" in text_of(test)
    send(test)
    moved = {"confidence_threshold": 0.52, "unsure_threshold": None, CHOSEN_FOR: "mean_similarity/2"}
    assert promotions.current().settings == {"estimator": "mean_similarity", "top_k": 4, **moved}
    assert "Chosen on run mean (3 questions): threshold 0.52: answered " in promotions.current().note
    gate = library.ask(KNOWN).gate
    assert (gate.estimator, gate.threshold) == ("mean_similarity", 0.52)


@pytest.mark.parametrize(
    ("part", "value", "told"),
    [
        ("gate", "calibrated/0123456789ab",
         "Another fit of the gate decided this run (calibrated/0123456789ab; calibrated/"),
        ("embedding", "another-model/mean/256", "used the embedding another-model/mean/256"),
    ],
)  # fmt: skip
def test_nothing_is_promoted_from_a_run_of_another_gate_or_embedding(
    open_page, library, mean_run, promotions, part, value, told
):
    put_in_force(library, estimator="calibrated")
    run, kept, whole = load_run(mean_run), mean_run.with_suffix(".answers.jsonl.gz"), mean_run.with_name("whole")
    write_run(run.model_copy(update={"fingerprints": run.fingerprints.model_copy(update={part: value})}), mean_run)
    kept.rename(whole)  # its lines alone: they name no estimator
    test = open_page("tune", run="mean", t_confidence="0.52")
    assert not offers(test, PROMOTE)
    says(text_of(test), told, "Run the data set again on **Evaluate**")
    assert offers(open_page("tune"), PROMOTE)  # recorded requests are those of what is in force
    whole.rename(kept)
    write_run(run, mean_run)


def test_the_slider_stands_at_the_exact_threshold_in_force_and_the_next_step_is_another(open_page, library, promotions):
    put_in_force(library, estimator="mean_similarity", confidence_threshold=0.7019)
    test = open_page("tune")
    assert threshold_of(test) == 0.7019
    assert "there is nothing to promote" in text_of(test)
    send(test)
    assert "the slider is at the settings in force" in text_of(test)
    assert promotions.current().note == "before"
    move(test, "t_confidence", 0.71)
    assert "Promoting changes: **confidence threshold 0.7019 → 0.71**" in text_of(test)


def test_only_a_laxer_confidence_threshold_that_is_not_proven_needs_to_be_confirmed(open_page, library, promotions):
    put_in_force(library, estimator="mean_similarity", confidence_threshold=0.7)
    assert not open_page("tune", t_confidence="0.8").checkbox
    test = open_page("tune", t_confidence="0.6")
    assert "No rate of false answers is proven for the threshold 0.60" in text_of(test)
    fill(test, promote_note="tried", promote_by="Ada")
    button(test, PROMOTE).click().run()
    assert "Nothing was changed. Tick “Put the threshold 0.60 in force without a guarantee”" in text_of(test)
    assert promotions.current().note == "before"

    put_in_force(library, estimator="calibrated", confidence_threshold=None)
    own = library.wiring.estimators["calibrated"]
    test = open_page("tune", t_unsure="0.1")
    assert f"{own.unsure_threshold:.2f} (the estimator's own) → 0.10" in text_of(test)
    assert not test.checkbox
    send(test)
    assert promotions.current().settings[CHOSEN_FOR] == own.fingerprint
    assert (library.settings.unsure_threshold, library.settings.confidence_threshold) == (0.1, None)


def test_what_another_person_promotes_or_takes_back_meanwhile_is_told_and_asked_about_again(
    open_page, library, promotions
):
    put_in_force(library, estimator="calibrated", confidence_threshold=0.71)
    test = open_page("tune", t_unsure="0.1")
    promotions.promote(chosen(library, estimator="calibrated", confidence_threshold=0.9), note="stricter", by="Eva")
    library.put_in_force()
    send(test, "only unsure", "Ion")
    says(text_of(test), "Promoting changes: **unsure threshold ",
         "(Eva: stricter) came into force after this page was loaded: confidence threshold 0.71 → 0.90")  # fmt: skip
    assert (promotions.current().note, threshold_of(test)) == ("stricter", 0.9)
    assert test.text_input(key="promote_note").value == "only unsure"
    button(test, PROMOTE).click().run()
    wanted = {"estimator": "calibrated", "confidence_threshold": 0.9, "unsure_threshold": 0.1}
    assert current(promotions) == wanted

    test = open_page("tune", t_unsure="0.2")
    promotions.undo(by="Eva")
    library.put_in_force()
    send(test)
    assert "was undone after this page was loaded: unsure threshold 0.10 → the environment's" in text_of(test)
    button(test, PROMOTE).click().run()
    assert current(promotions) == {**wanted, "unsure_threshold": 0.2}
