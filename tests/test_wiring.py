"""Which parts the settings lead to, made once, and how many cores they may use."""

import os
from threading import Event, Thread
from time import sleep
from types import SimpleNamespace

import pytest
from at_once import at_once
from gguf_files import gguf
from library import NOBODY, quiet_settings

from rag.adapters.edge_store import EdgeStore
from rag.adapters.qdrant_store import QdrantStore
from rag.errors import ConfigurationError
from rag.process.cores import cores
from rag.process.deferred import made_once
from rag.settings import DECIDING, Settings, load_settings, settings_fingerprint, unread_names
from rag.wiring import Wiring


@pytest.fixture
def wiring(tmp_path):
    wiring = Wiring(quiet_settings(tmp_path / "data"))
    yield wiring
    wiring.close()


def test_the_catalogue_of_an_embedded_index_stays_beside_it_and_that_of_a_server_goes_to_the_database(tmp_path):
    shared = f"sqlite:///{tmp_path / 'shared.db'}"
    own = Wiring(quiet_settings(tmp_path / "own", database_url=shared))
    assert not (tmp_path / "own").exists()  # nothing is made before it is needed
    remote = Wiring(quiet_settings(tmp_path / "remote", database_url=shared, qdrant_url=NOBODY))
    assert (type(own.store), type(remote.store)) == (EdgeStore, QdrantStore)
    for wiring in (own, remote):
        assert wiring.catalogue.chunk_count() == 0
        assert (tmp_path / "own" / "catalogue.db").is_file()
        assert (tmp_path / "shared.db").is_file() is (wiring is remote)
        wiring.close()


def test_threads_that_ask_for_a_part_at_once_get_the_one_that_is_made():
    class Owner:
        tried = 0

        @made_once
        def part(self):
            self.tried += 1
            sleep(0.05)
            return 1 / (self.tried - 1)

    owner, parts = Owner(), []
    with pytest.raises(ZeroDivisionError):
        owner.part  # noqa: B018 - what could not be made is tried again
    at_once(*[lambda: parts.append(owner.part)] * 8)
    assert (len(parts), len(set(map(id, parts))), owner.tried) == (8, 1, 2)
    owner.__dict__["part"] = "another"
    assert owner.part == "another"


def test_settings_put_in_force_while_the_pipeline_is_made_are_those_that_are_asked_with(wiring, monkeypatch):
    begun, later = Event(), wiring.settings.model_copy(update={"top_k": 7})

    def slow():
        begun.set()
        sleep(0.3)

    monkeypatch.setattr("rag.wiring.MeanSimilarity", slow)
    maker = Thread(target=lambda: wiring.pipeline)
    maker.start()
    assert begun.wait(30)
    wiring.put_in_force(later)
    maker.join()
    assert wiring.pipeline.defaults["top_k"] == 7


def test_closing_ends_the_workers_of_an_embedder_and_lets_go_of_every_part(wiring):
    ended = []
    wiring.__dict__["embedder"] = SimpleNamespace(dimension=3, close=lambda: ended.append(1))
    assert wiring.generator is wiring.generator
    wiring.close()
    wiring.close()
    assert ended == [1]
    assert not {"embedder", "generator", "encoder"} & set(wiring.__dict__)


def test_the_pipeline_has_the_settings_of_the_operator(tmp_path):
    chosen = {
        "top_k": 7, "estimator": "mean_similarity", "confidence_threshold": 0.4, "unsure_threshold": 0.3, "windows": 9,
        "dense_weight": 0.3, "on_model_failure": "error",
    }  # fmt: skip
    wiring = Wiring(quiet_settings(tmp_path / "data", **chosen))
    made = wiring.pipeline
    assert chosen == {
        "top_k": made.query("What is firn?").top_k, "estimator": made.default_estimator,
        "confidence_threshold": made.threshold, "unsure_threshold": made.unsure_threshold, "windows": made.windows,
        "dense_weight": made.rules.dense_weight, "on_model_failure": made.on_model_failure,
    }  # fmt: skip
    assert made.reader is wiring.reader
    assert set(made.estimators) == {"mean_similarity", "max_similarity", "calibrated"}
    wiring.close()


CHANGED = {
    "top_k": 6, "similarity_threshold": 0.1, "dense_weight": 0.5, "candidates": 60, "chapter_bonus": 0.2,
    "language": "german", "estimator": "max_similarity", "confidence_threshold": 0.2, "unsure_threshold": 0.1,
    "windows": 8, "max_tokens": 100, "temperature": 0.5, "max_context": 4096, "ollama_host": "http://127.0.0.1:10",
    "ollama_model": "smollm2", "openai_base_url": "http://127.0.0.1:10/v1", "openai_model": "smollm2",
    "openai_context": 4096, "gguf": "model.gguf", "connect_timeout_s": 1.0, "token_timeout_s": 1.0,
    "generation_timeout_s": 1.0, "on_model_failure": "error", "seed": 5, "grounding_model": "one",
    "grounding_threshold": 0.6, "reader_model": "two",
}  # fmt: skip


def test_the_settings_fingerprint_changes_with_what_decides_an_answer_and_with_nothing_else(tmp_path):
    plain = settings_fingerprint(quiet_settings(tmp_path))
    changed = {name: settings_fingerprint(quiet_settings(tmp_path, **{name: CHANGED[name]})) for name in DECIDING}
    assert set(DECIDING) == set(CHANGED)
    assert len({plain, *changed.values()}) == 1 + len(CHANGED)
    assert settings_fingerprint(quiet_settings(tmp_path / "other", port=9000)) == plain


@pytest.mark.parametrize(
    ("named", "chosen"),
    [
        (("CANDOR_OPENAI_BASE_URL", "CANDOR_OLLAMA_MODEL", "CANDOR_GGUF"), "openai"),
        (("CANDOR_OLLAMA_MODEL", "CANDOR_GGUF"), "ollama"),
        (("CANDOR_GGUF",), "gguf"),
        ((), "ollama"),
    ],
)
def test_of_several_models_openais_protocol_comes_first_then_ollama_then_a_file(tmp_path, monkeypatch, named, chosen):
    monkeypatch.chdir(tmp_path)
    for name in named:
        monkeypatch.setenv(name, str(gguf(tmp_path / "m.gguf")) if name == "CANDOR_GGUF" else NOBODY)
    assert Wiring(load_settings(data_dir=tmp_path / "data")).generator.name == chosen


def test_the_own_reader_reads_unless_another_is_named_or_none_where_the_gate_goes_by_none(wiring, tmp_path):
    named = Wiring(quiet_settings(tmp_path / "named", reader_model="some/reader"))
    off = Wiring(quiet_settings(tmp_path / "off", reader_model="none", estimator="max_similarity"))
    assert wiring.reader_name == wiring.reader.name
    assert wiring.reader_name.startswith("mpnet-reader@")
    assert named.reader_name == "cross-encoder:reader"
    assert (off.reader, off.reader_name, off.pipeline.reader) == (None, "none", None)
    with pytest.raises(ConfigurationError, match=r"'calibrated' needs the reader.*CANDOR_ESTIMATOR"):
        Wiring(quiet_settings(tmp_path, reader_model="none")).reader  # noqa: B018


@pytest.mark.parametrize(
    ("part", "setting"), [("embedder", "embedding_model"), ("reader", "reader_model"), ("check", "grounding_model")]
)
@pytest.mark.parametrize("name", ["/nosuch", "no/such/model"])
def test_a_model_that_is_no_folder_is_the_same_mistake_whatever_it_is_for(tmp_path, part, setting, name):
    wiring = Wiring(quiet_settings(tmp_path, **{setting: name}))
    told = rf"'{name}' does not exist: there is no such folder. Correct CANDOR_{setting.upper()}, or unset it"
    with pytest.raises(ConfigurationError, match=told):
        getattr(wiring, part)


@pytest.mark.parametrize(
    "name", [name for name in Settings.model_fields if name.endswith("_timeout_s")] + ["retention_days"]
)
@pytest.mark.parametrize("value", ["inf", "99999999999"])
def test_a_time_limit_beyond_what_clocks_can_count_is_refused_and_not_left_unkept(monkeypatch, name, value):
    variable = f"CANDOR_{name.upper()}"
    monkeypatch.setenv(variable, value)
    with pytest.raises(ConfigurationError, match=rf"{variable}='{value}' is not valid: it must be"):
        load_settings()


@pytest.mark.parametrize(
    ("variable", "env_file", "told"),
    [
        ("CANDOR_CONFIDENCE_TRESHOLD", b"", r"CONFIDENCE_TRESHOLD.*Did you mean CANDOR_CONFIDENCE_THRESHOLD"),
        ("CANDOR_ANYTHING_ELSE", b"", None),  # like no setting: nobody's slip
        (
            "CANDOR_ANYTHING_ELSE",
            "CANDOR_LANGUAGE=français\n".encode("latin-1"),
            r"/\.env' cannot be read as UTF-8 .*Save",
        ),
        ("CANDOR_ANYTHING_ELSE", b"# ours\ncandor_topk=9\n", r"CANDOR_TOPK \(it is '9' in \.env\).*CANDOR_TOP_K"),
    ],
)
def test_a_misspelt_setting_is_refused_also_in_the_env_file(monkeypatch, tmp_path, variable, env_file, told):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(variable, "0.9")
    (tmp_path / ".env").write_bytes(env_file)
    if told:
        with pytest.raises(ConfigurationError, match=told):
            load_settings()
    else:
        assert load_settings().top_k == 5
        assert variable in unread_names()


def test_who_gets_documents_and_is_not_this_machine_is_named(tmp_path):
    given = {"ollama_host": "http://127.0.0.1:11434", "openai_base_url": "https://me:secret@llm.example/v1"}
    away = {**given, "allow_remote_model": True, "qdrant_url": "http://vectors.example:6333"}
    assert Wiring(quiet_settings(tmp_path, **given)).sends_to == ()  # it may not be asked
    assert Wiring(quiet_settings(tmp_path, qdrant_url="http://localhost:6333")).sends_to == ()
    assert Wiring(quiet_settings(tmp_path, **away)).sends_to == (
        "a Qdrant server at vectors.example",
        "a language model at llm.example",
    )


@pytest.mark.parametrize(("counted", "usable", "told"), [(64, {3, 4}, 2), (64, None, 64), (None, None, 1)])
def test_only_the_cores_that_this_process_may_use_are_counted(monkeypatch, counted, usable, told):
    monkeypatch.setattr(os, "cpu_count", lambda: counted)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: usable, raising=False)
    if usable is None:  # a system that limits no process
        monkeypatch.delattr(os, "sched_getaffinity")
    assert cores() == told
