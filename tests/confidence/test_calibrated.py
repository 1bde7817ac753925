import hashlib
import json
from math import exp
from pathlib import Path

import pytest
from passages import hit
from pydantic import ValidationError

from rag.adapters.bert_encoder import BertEncoder
from rag.adapters.packaged_model import packaged_model
from rag.adapters.reader import MiniLmReader
from rag.confidence.calibrated import FILE_NAME, Calibrated, GateFit, load_fit
from rag.confidence.drift import IndexState, index_state, sketch_of
from rag.confidence.forest import Forest
from rag.confidence.signals import READING, SIGNALS
from rag.errors import ConfigurationError
from rag.models import Query, Retrieval
from rag.validate import validate


def fit(**changes):
    values = {
        "signals": ("best_similarity", "unknown_words"),
        "means": (0.5, 0.2),
        "scales": (0.1, 0.4),
        "weights": (2.0, -1.0),
        "intercept": 0.5,
        "threshold": 0.6,
        "max_false_answer_rate": 0.05,
    }
    return GateFit(**{**values, **changes})


class FixedReader:
    """Gives every passage the same probability."""

    name = "fixed@1"

    def __init__(self, chance):
        self.chance, self.asked = chance, []

    def read(self, question, passages):
        self.asked.append((question, list(passages)))
        return [self.chance for _ in passages]


def estimator(library, read_by=None, **changes):
    return Calibrated(
        fit(**changes),
        reader=read_by,
        catalogue=library.wiring.catalogue,
        language="english",
        embedding=library.wiring.embedder.fingerprint,
    )


def test_confidence_is_the_logistic_of_the_standardised_signals():
    # 0.5 + 2 * (0.6 - 0.5) / 0.1 - 1 * (0.6 - 0.2) / 0.4 = 0.5 + 2 - 1 = 1.5
    assert fit().confidence({"best_similarity": 0.6, "unknown_words": 0.6}) == pytest.approx(1 / (1 + exp(-1.5)))


def test_extreme_odds_stay_probabilities():
    assert 0 < fit(intercept=-1e9).confidence({"best_similarity": 0.0, "unknown_words": 0.0}) < 1e-20
    assert fit(intercept=1e9).confidence({"best_similarity": 0.0, "unknown_words": 0.0}) <= 1


@pytest.mark.parametrize(("reads", "names"), [(True, (*SIGNALS, READING)), (False, SIGNALS)])
def test_a_fit_is_shipped_for_those_who_read_and_for_those_who_do_not(tmp_path, reads, names):
    shipped = load_fit(tmp_path, reads=reads)

    assert shipped.signals == names
    assert bool(shipped.reader) is reads
    assert shipped.index is None
    assert 0 < shipped.threshold < 1


def test_the_shipped_fit_was_made_with_the_shipped_reader(tmp_path):
    assert load_fit(tmp_path).reader == MiniLmReader(BertEncoder(packaged_model())).name


def test_a_fit_that_reads_cannot_be_used_without_a_reader(tmp_path):
    reading = fit(signals=("best_similarity", READING), reader="small@1")
    (tmp_path / FILE_NAME).write_text(reading.model_dump_json(), encoding="utf-8")

    assert load_fit(tmp_path, reads=True).reader == "small@1"
    with pytest.raises(ConfigurationError, match=r"small@1.*candor calibrate"):
        load_fit(tmp_path, reads=False)


def test_the_users_own_fit_takes_the_place_of_the_shipped_one(tmp_path):
    (tmp_path / FILE_NAME).write_text(fit(threshold=0.123).model_dump_json(), encoding="utf-8")

    assert load_fit(tmp_path).threshold == 0.123


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("{", "Invalid JSON"),
        ("{}", "Field required"),
        (fit().model_dump_json().replace("0.6", "6.0"), "less than or equal to 1"),
        (json.dumps({**fit().model_dump(mode="json"), "weights": [1.0]}), "each signal needs"),
        (json.dumps({**fit().model_dump(mode="json"), "scales": [0.1, 0.0]}), "each signal needs"),
        (json.dumps({**fit().model_dump(mode="json"), "intercept": float("inf")}), "finite"),
        ("\ud800".encode("utf-8", "surrogatepass"), "utf-8"),
    ],
)
def test_a_damaged_fit_is_a_configuration_error_in_one_line(tmp_path, text, complaint):
    (tmp_path / FILE_NAME).write_bytes(text if isinstance(text, bytes) else text.encode())

    with pytest.raises(ConfigurationError, match=complaint) as caught:
        load_fit(tmp_path)
    assert FILE_NAME in caught.value.message
    assert "\n" not in caught.value.message


@pytest.mark.parametrize("version", [0, 1, 99])
def test_a_fit_of_another_version_is_refused_and_one_of_this_is_not(tmp_path, version):
    values = fit().model_dump(mode="json")
    (tmp_path / FILE_NAME).write_text(json.dumps({**values, "version": version}), encoding="utf-8")

    with pytest.raises(ConfigurationError, match=rf"is of version {version}, and this Candor reads version 2"):
        load_fit(tmp_path)
    (tmp_path / FILE_NAME).write_text(json.dumps({**values, "version": 2}), encoding="utf-8")
    assert load_fit(tmp_path).version == 2


def test_a_fit_without_a_version_is_of_the_first_one(tmp_path):
    values = fit().model_dump(mode="json")
    del values["version"]
    (tmp_path / FILE_NAME).write_text(json.dumps(values), encoding="utf-8")

    with pytest.raises(ConfigurationError, match="is of version 1, and this Candor reads version 2"):
        load_fit(tmp_path)


def test_a_fit_with_signals_of_another_version_is_a_configuration_error(tmp_path):
    (tmp_path / FILE_NAME).write_text(
        fit(signals=("best_similarity", "moon_phase")).model_dump_json(), encoding="utf-8"
    )

    with pytest.raises(ConfigurationError, match="moon_phase"):
        load_fit(tmp_path)


def test_another_fit_has_another_fingerprint():
    assert fit().fingerprint == fit().fingerprint
    assert fit().fingerprint != fit(threshold=0.61).fingerprint


def test_without_hits_the_confidence_is_0(library):
    assert estimator(library).estimate(Query(question="What is firn?"), Retrieval()).confidence == 0.0


def test_the_inputs_name_every_signal_and_the_other_estimates(library):
    inputs = estimator(library).estimate(Query(question="What is firn?"), Retrieval(hits=(hit("Firn."),))).inputs

    assert set(SIGNALS) <= set(inputs)
    assert inputs["max_similarity"] == inputs["best_similarity"] == 0.5
    assert 0 <= inputs["calibrated"] <= 1


def test_a_selected_text_is_judged_by_its_own_words_whatever_is_indexed(library):
    hits = Retrieval(hits=(hit("Firn is snow that survives one summer."), hit("Ice is denser.", rank=2)))
    selected = validate("What is quixotic firn?", mode="selected-text-only", context="Firn.")
    inputs = estimator(library).estimate(selected, hits).inputs

    # "quixot" stands in neither of two passages, "firn" in one: ln(6) against ln(2)
    assert inputs["unknown_words"] == pytest.approx(1.791759 / (1.791759 + 0.693147), abs=1e-6)


def test_a_fit_of_another_embedding_warns(library):
    (warning,) = estimator(library, embedding="other@1").estimate(Query(question="What is firn?"), Retrieval()).warnings

    assert "other@1" in warning


def test_an_index_that_grew_by_more_than_a_fifth_warns_and_one_that_did_not_does_not(library):
    chunks = library.wiring.catalogue.chunk_count()
    query = Query(question="What is firn?")

    (warning,) = estimator(library, chunks=chunks // 2, index="old").estimate(query, Retrieval()).warnings
    assert f"fitted on {chunks // 2} chunks, now there are {chunks}" in warning
    assert estimator(library, chunks=chunks - 1, index="old").estimate(query, Retrieval()).warnings == ()


def test_what_the_reader_makes_of_the_best_passage_is_an_input_and_counts(library):
    reader = FixedReader(0.8)
    judge = estimator(library, reader, signals=("reading",), means=(0.0,), scales=(1.0,), weights=(1.0,), intercept=0.0)
    found = judge.estimate(Query(question="What is firn?"), Retrieval(hits=(hit("Firn is old snow."),)))

    assert found.inputs[READING] == 0.8
    assert found.confidence == pytest.approx(1 / (1 + exp(-0.8)))
    assert reader.asked == [("What is firn?", ["Firn is old snow."])]


def test_another_reader_than_the_fit_was_made_with_warns(library):
    query = Query(question="What is firn?")
    changes = {"signals": ("best_similarity", "reading"), "reader": "other@2"}

    (warning,) = estimator(library, FixedReader(0.5), **changes).estimate(query, Retrieval()).warnings
    assert "other@2" in warning
    assert "fixed@1" in warning
    assert (
        estimator(library, FixedReader(0.5), **{**changes, "reader": "fixed@1"}).estimate(query, Retrieval()).warnings
        == ()
    )


def test_an_index_of_other_documents_warns_however_many_chunks_it_has(library):
    now = index_state(library.wiring.catalogue)
    other = now.model_copy(update={"fingerprint": "other", "sketch": sketch_of([("other.md", "1")]), "documents": 4})
    query = Query(question="What is firn?")

    (warning,) = estimator(library, indexes=(other,)).estimate(query, Retrieval()).warnings
    assert "0% of its documents are as they were" in warning
    assert estimator(library, indexes=(other, now)).estimate(query, Retrieval()).warnings == ()


def test_a_fit_of_an_older_version_keeps_its_fingerprint():
    # over the same JSON as before `indexes` and `trees` were fields: a promoted gate is kept in a folder of that name
    older = fit().model_dump_json(exclude={"indexes", "trees"})

    assert fit().fingerprint == hashlib.sha256(older.encode()).hexdigest()[:12]
    assert fit(indexes=(IndexState(fingerprint="x", chunks=1),)).fingerprint != fit().fingerprint


def test_trees_add_their_leaves_to_the_log_odds():
    # best_similarity at most .5: -1, else 2; weights as before give 1.5 at (.6, .6)
    trees = Forest(signals=(0, 0, 0), cuts=(0.5, 0, 0), left=(1, 1, 2), right=(2, 1, 2), values=(0, -1, 2), roots=(0,))
    values = {"best_similarity": 0.6, "unknown_words": 0.6}

    assert fit(trees=trees).confidence(values) == pytest.approx(1 / (1 + exp(-3.5)))
    # at its mean of .5 the first signal would give 0 and -1 in place of 2 and 2; the second is in no tree
    assert fit(trees=trees).parts(values) == pytest.approx({"best_similarity": 5.0, "unknown_words": -1.0})


def test_a_tree_over_a_signal_that_the_fit_does_not_name_is_refused():
    trees = Forest(signals=(2, 0, 0), cuts=(0.5, 0, 0), left=(1, 1, 2), right=(2, 1, 2), values=(0, 0, 0), roots=(0,))

    with pytest.raises(ValidationError, match="does not name"):
        fit(trees=trees)


def test_a_fit_is_read_back_from_its_own_text():
    shipped = load_fit(Path("nowhere"))

    assert shipped.trees is not None
    assert GateFit.model_validate_json(shipped.text()) == shipped
