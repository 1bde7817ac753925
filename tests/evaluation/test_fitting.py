"""`candor calibrate` from the files to the gate that decides, with the real parts."""

import json
import shutil

import pytest
from library import NOBODY, SAMPLES, quiet_settings
from readers import ScriptedReader

from rag import Candor, cli
from rag.commands.present import calibration_text
from rag.confidence.calibrated import FILE_NAME, SHIPPED, UNPROVEN, GateFit
from rag.errors import ConfigurationError
from rag.evaluation.fitting import fit_gate
from rag.evaluation.intervals import bounded_rate
from rag.evaluation.risk import threshold_for
from rag.models import Mode
from rag.wiring import Wiring
from rag.workspace.in_force import CHOSEN_FOR

from .made import data_set

PLACES = ("Mongolia", "Peru", "Chad", "Malta", "Fiji", "Laos", "Oman", "Togo", "Cuba", "Iran")
PROVABLE = 0.2  # A rate for which 20 unanswerable questions are enough: 14 are, log(0.05) / log(0.8)


def shared(question, text):
    """The share of a question's longer words that stand in a text."""
    words = [word for word in question.casefold().rstrip("?").split() if len(word) > 3]
    return sum(word in text.casefold() for word in words) / max(len(words), 1)


@pytest.fixture(scope="module", autouse=True)
def read_by_words():
    """Passages are read by shared words: a fit asks hundreds of questions, and what the reader knows is no matter."""
    reader = ScriptedReader(shared, lambda question, text: shared(question, text) > 0.5)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Wiring, "reader", property(lambda self: reader))
        yield


def fit_in(path):
    """The fit that a file holds."""
    return GateFit.model_validate_json(path.read_text(encoding="utf-8"))


def fit(home, *folders, rate=PROVABLE, **options):
    return fit_gate(folders, quiet_settings(home), max_false_answer_rate=rate, **options)


@pytest.fixture(scope="module")
def questions(samples):
    """Twenty questions of each kind about the sample documents."""
    known = [json.loads(line) for line in (samples / "questions.jsonl").read_text(encoding="utf-8").splitlines()]
    texts = [f"{what} of {place}?" for place in PLACES for what in ("What is the capital", "Who is the president")]
    no = [{"qid": f"n{number}", "question": text, "answerable": False} for number, text in enumerate(texts)]
    return [*[question for question in known if question["answerable"]][-20:], *no]


@pytest.fixture(scope="module")
def labelled(tmp_path_factory, samples, questions):
    """A data set of these questions."""
    documents = {name: (samples / name).read_bytes() for name in SAMPLES}
    return data_set(tmp_path_factory.mktemp("sets") / "labelled", *questions, documents=documents).folder


@pytest.fixture(scope="module")
def proven(labelled, tmp_path_factory):
    """A data folder with a proven gate and the data set's own index, and what the fit told."""
    home = tmp_path_factory.mktemp("proven") / "data"
    return home, fit(home, labelled)


@pytest.fixture
def home(proven, tmp_path):
    """A data folder with the data set's own index and the gate that came with Candor."""
    folder = shutil.copytree(proven[0], tmp_path / "data")
    (folder / FILE_NAME).unlink()
    return folder


def test_a_proven_gate_is_written_where_the_pipeline_reads_it(proven):
    home, found = proven
    kept = fit_in(home / FILE_NAME)
    assert (found.in_force, found.path, found.fit) == (True, home / FILE_NAME, kept)
    assert found.control.bound <= PROVABLE
    assert kept.fitted_on == ("labelled: 20 answerable, 20 unanswerable",)
    assert (kept.embedding.startswith("all-MiniLM-L6-v2@"), bool(kept.reader)) == (True, True)
    assert found.refused.numerator <= 2  # at most a tenth of 20
    assert found.auroc["labelled"] > 0.9


def test_without_a_guarantee_the_fit_is_kept_beside_unless_it_is_forced(labelled, home, proven, monkeypatch, capsys):
    own = home / FILE_NAME
    shutil.copy(proven[0] / FILE_NAME, own)
    monkeypatch.setenv("CANDOR_DATA_DIR", str(home))
    monkeypatch.setenv("OLLAMA_HOST", NOBODY)
    with pytest.raises(SystemExit, match="1"):
        cli.main(["calibrate", str(labelled)])
    out = capsys.readouterr().out
    for told in (
        "60 more needed for 5.0%; a promise in the long run takes 39 more.",
        "  labelled: AUROC ",
        f"NOT put in force; what decides stays: {own}, threshold 0.",
        "Label 60 more unanswerable questions",
        f"This fit is kept in {home / UNPROVEN}; --without-guarantee puts such a fit in force.",
    ):
        assert told in out
    assert own.read_bytes() == (proven[0] / FILE_NAME).read_bytes()
    forced = fit(home, labelled, rate=0.05, without_guarantee=True)
    assert (forced.in_force, forced.path, forced.control.threshold, forced.fit) == (True, own, None, fit_in(own))
    sure = {"control": threshold_for([1.0, 1.0], target=0.05), "deciding": bounded_rate(2, 30)}
    told = calibration_text(forced.model_copy(update=sure))
    assert "answers 2 of 30, 6.7% (1.8% to 21.3%), more than the 5.0% asked for" in told


def test_a_proven_gate_that_answers_nothing_is_not_put_in_force(labelled, home, questions):
    rows = [{"qid": row["qid"], "question": row["question"], "answerable": not row["answerable"]} for row in questions]
    exchanged = data_set(shutil.copytree(labelled, home.parent / "exchanged"), *rows, documents={})
    found = fit(home, exchanged.folder, without_guarantee=True)
    assert (found.counted["exchanged"].coverage.numerator, found.in_force) == (0, False)
    assert found.notes[0].startswith("NOT put in force; what decides stays: the gate that came with Candor")
    assert "answers none of the 20 answerable questions: such a gate is not put in force." in found.next_steps[0]
    assert ((home / FILE_NAME).exists(), (home / UNPROVEN).exists()) == (False, True)


def test_a_gate_that_was_promoted_in_the_dashboard_goes_before_and_that_is_said(labelled, home):
    promoted = home / "gates" / "one"
    promoted.mkdir(parents=True)
    shutil.copy(SHIPPED, promoted / FILE_NAME)
    with Candor.open(quiet_settings(home)) as candor:
        chosen_for = f"calibrated/{fit_in(SHIPPED).fingerprint}"
        settings = {"gate_dir": str(promoted), "confidence_threshold": 0.4, CHOSEN_FOR: chosen_for}
        candor.wiring.sessions.promotions.promote(settings, note="test")
    found = fit(home, labelled)
    assert (found.in_force, (home / FILE_NAME).exists(), str(promoted) in found.gate) == (False, True, True)
    assert "promoted in the dashboard" in found.next_steps[0]
    assert "the confidence threshold is set to 0.4" in " ".join(found.notes)


def test_an_index_of_other_documents_is_told_at_once_and_its_change_in_every_answer(labelled, home, samples):
    other = home.parent / "rules.md"
    other.write_text("# Boats\n\nA boat of the club is booked a day ahead. A vest is worn on it.\n", encoding="utf-8")
    with Candor.open(quiet_settings(home)) as candor:
        candor.ingest([other])
        now = candor.wiring.catalogue.fingerprint(), candor.wiring.catalogue.chunk_count()
    found = fit(home, labelled)
    assert (found.fit.indexes[0].fingerprint, found.fit.indexes[0].chunks) == now
    assert ([state.documents for state in found.fit.indexes], found.shared_documents) == ([1, 4], 0.0)
    assert "Of the documents of your index 0% are among those that it was fitted on" in found.notes[1]
    with Candor.open(quiet_settings(home)) as candor:
        assert candor.ask("When is a boat booked?").gate.warnings == ()
        candor.forget("rules.md")
        candor.ingest([samples / "textbook.md"])
        (warning,) = candor.ask("What is firn?").gate.warnings
        selected = candor.ask("What is firn?", mode=Mode.SELECTED_TEXT_ONLY, context="Firn is old snow. It is dense.")
    assert (warning.startswith("The index has drifted"), selected.gate.warnings) == (True, ())


def test_names_rates_and_labels_are_checked_before_anything_is_read(questions, tmp_path):
    few, data = data_set(tmp_path / "few", *questions[:30]).folder, tmp_path / "data"
    for said, wrong in (
        ("'other'", {"threshold_on": ["other"]}),
        ("above 0 and below 1", {"rate": 1.0}),
        (r"--max-refused-rate is 1\.5", {"max_refused_rate": 1.5}),
        ("Too few labels", {}),
    ):
        with pytest.raises(ConfigurationError, match=said):
            fit(data, few, **wrong)
    assert not data.exists()


def test_a_copy_of_a_data_set_or_the_same_folder_again_proves_nothing_more(labelled, home, tmp_path):
    copied = shutil.copytree(labelled, tmp_path / "copied")
    thrice = fit(home, labelled, copied, labelled, rate=0.1, horizon=None)
    assert (thrice.control.threshold, thrice.control.needed) == (None, 9)  # 29 in the long run: log .05 / log .9
    assert any(note.startswith("80 questions with the words and the label of one") for note in thrice.notes)
