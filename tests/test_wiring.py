import pytest
from library import NOBODY, quiet_settings

from rag.adapters.edge_store import EdgeStore
from rag.adapters.qdrant_store import QdrantStore
from rag.errors import ConfigurationError, IndexNotReady
from rag.models import Mode
from rag.protocols import SearchScope
from rag.settings import load_settings
from rag.wiring import DECIDING, Wiring, settings_fingerprint


@pytest.fixture
def wiring(tmp_path):
    wiring = Wiring(quiet_settings(tmp_path / "data"))
    yield wiring
    wiring.close()


def test_nothing_is_made_before_it_is_needed(tmp_path):
    Wiring(quiet_settings(tmp_path / "data")).close()

    assert not (tmp_path / "data").exists()


def test_the_embedded_engine_is_used_unless_a_server_is_named(wiring, tmp_path):
    remote = Wiring(quiet_settings(tmp_path / "remote", qdrant_url=NOBODY))

    assert isinstance(wiring.store, EdgeStore)
    assert isinstance(remote.store, QdrantStore)
    remote.close()


def test_each_part_is_made_once(wiring):
    assert wiring.pipeline is wiring.pipeline
    assert wiring.fitting_store is wiring.store
    assert wiring.pipeline.store.count(SearchScope()) == 0
    assert wiring.pipeline.catalogue is wiring.catalogue


def test_the_pipeline_has_the_settings_of_the_operator(tmp_path):
    chosen = quiet_settings(
        tmp_path / "data",
        top_k=7,
        estimator="mean_similarity",
        confidence_threshold=0.4,
        dense_weight=0.3,
        on_model_failure="error",
    )
    wiring = Wiring(chosen)
    pipeline = wiring.pipeline

    assert pipeline.query("What is firn?").top_k == 7
    assert (pipeline.default_estimator, pipeline.threshold, pipeline.rules.dense_weight) == (
        "mean_similarity",
        0.4,
        0.3,
    )
    assert pipeline.on_model_failure == "error"
    assert set(pipeline.estimators) == {"mean_similarity", "max_similarity", "calibrated"}
    wiring.close()


def test_a_closed_wiring_can_be_opened_again(wiring):
    first = wiring.pipeline
    wiring.close()
    again = wiring.pipeline

    assert again is not first
    assert again.estimators["calibrated"] is not first.estimators["calibrated"]
    assert again.catalogue.chunk_count() == 0


def test_one_process_has_the_index_and_a_second_opening_says_so(wiring, tmp_path):
    assert wiring.store.check().state == "connected"
    second = Wiring(quiet_settings(tmp_path / "data"))

    with pytest.raises(IndexNotReady, match="in use by another process"):
        _ = second.store


def test_a_language_without_stemmer_shows_before_anything_is_written(tmp_path):
    wiring = Wiring(quiet_settings(tmp_path / "data", language="klingon"))

    with pytest.raises(ConfigurationError, match="klingon"):
        _ = wiring.indexer
    wiring.close()


def test_a_selected_text_is_read_once_and_cut_like_a_document(wiring):
    text = "Firn is old snow.\n\n" * 60
    passages = wiring.read_selected(text)

    assert wiring.read_selected(text) is passages
    assert len(passages) > 1
    assert all(text[item.chunk.start : item.chunk.end] == item.chunk.content for item in passages)
    assert all(item.vector.shape == (384,) for item in passages)
    assert all(len(item.sentence_vectors) == len(item.chunk.sentences) for item in passages)


def test_the_settings_fingerprint_changes_with_what_decides_an_answer_and_with_nothing_else(tmp_path):
    plain = quiet_settings(tmp_path)
    changed = {
        "top_k": 6,
        "similarity_threshold": 0.1,
        "dense_weight": 0.5,
        "candidates": 60,
        "chapter_bonus": 0.2,
        "language": "german",
        "estimator": "max_similarity",
        "confidence_threshold": 0.2,
        "max_tokens": 100,
        "temperature": 0.5,
        "max_context": 4096,
        "ollama_host": "http://127.0.0.1:10",
        "ollama_model": "smollm2",
        "connect_timeout_s": 1.0,
        "token_timeout_s": 1.0,
        "generation_timeout_s": 1.0,
        "on_model_failure": "error",
        "seed": 5,
        "grounding_model": "one",
        "reader_model": "two",
    }

    assert set(DECIDING) == set(changed)
    for name in DECIDING:
        assert settings_fingerprint(plain) != settings_fingerprint(quiet_settings(tmp_path, **{name: changed[name]})), (
            name
        )
    assert settings_fingerprint(plain) == settings_fingerprint(quiet_settings(tmp_path / "other", port=9000))
    assert len(settings_fingerprint(plain)) == 12


def test_modes_are_those_that_the_command_line_names():
    from rag.commands.asking import EstimatorOption, ModeOption

    assert {mode.value for mode in ModeOption} == {mode.value for mode in Mode}
    assert {option.value for option in EstimatorOption} == {"mean_similarity", "max_similarity", "calibrated"}


def test_the_own_reader_reads_unless_another_is_named_or_none(wiring, tmp_path):
    named = Wiring(quiet_settings(tmp_path / "named", reader_model="some/reader"))
    off = Wiring(quiet_settings(tmp_path / "off", reader_model="none"))

    assert wiring.reader is not None
    assert wiring.reader.name.startswith("minilm-reader@")
    assert named.reader is not None
    assert named.reader.name == "cross-encoder:reader"
    assert off.reader is None
    assert "reading" not in off.estimators["calibrated"].fit.signals


def test_openvino_is_refused_for_a_model_that_it_cannot_run(tmp_path):
    wiring = Wiring(quiet_settings(tmp_path, embedding_backend="openvino", embedding_model="some/model"))
    with pytest.raises(ConfigurationError, match=r"packaged model only.*'some/model'.*auto or torch"):
        wiring.embedder  # noqa: B018


def test_the_compiled_model_is_kept_in_the_data_folder_unless_another_is_named(tmp_path):
    for settings, kept in (({"cache_dir": None}, tmp_path / "cache"), ({"cache_dir": tmp_path / "x"}, tmp_path / "x")):
        Wiring(quiet_settings(tmp_path, **settings)).embedder.embed(["firn"])
        assert [file.suffix for file in kept.iterdir()] == [".blob"]


@pytest.mark.parametrize(
    ("name", "meant"),
    [("CANDOR_TOPK", "CANDOR_TOP_K"), ("CANDOR_CONFIDENCE_TRESHOLD", "CANDOR_CONFIDENCE_THRESHOLD")],
)
def test_a_misspelt_setting_is_refused_and_not_ignored(monkeypatch, name, meant):
    monkeypatch.setenv(name, "0.9")

    with pytest.raises(ConfigurationError, match=f"no setting {name}.*Did you mean {meant}"):
        load_settings()


@pytest.mark.parametrize(
    ("name", "top_k"), [("CANDOR_CI", 5), ("CANDOR_SCREENSHOTS", 5), ("CANDOR_ANYTHING_ELSE", 5), ("CANDOR_TOP_K", 3)]
)
def test_a_name_that_is_like_no_setting_is_nobodys_slip(monkeypatch, name, top_k):
    monkeypatch.setenv(name, "3")

    assert load_settings().top_k == top_k
