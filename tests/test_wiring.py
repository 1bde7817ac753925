from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from threading import Barrier, Event, Thread
from time import sleep

import pytest
from gguf_files import gguf
from library import NOBODY, quiet_settings

from rag.adapters.edge_store import EdgeStore
from rag.adapters.qdrant_store import QdrantStore
from rag.errors import ConfigurationError, IndexNotReady
from rag.ingest.loaders import load_bytes
from rag.models import Mode
from rag.process.deferred import made_once
from rag.protocols import SearchScope
from rag.settings import DECIDING, Settings, load_settings, settings_fingerprint, unread_names
from rag.wiring import Wiring


@pytest.fixture
def wiring(tmp_path):
    wiring = Wiring(quiet_settings(tmp_path / "data"))
    yield wiring
    wiring.close()


def test_nothing_is_made_before_it_is_needed(tmp_path):
    Wiring(quiet_settings(tmp_path / "data")).close()

    assert not (tmp_path / "data").exists()


def test_the_catalogue_of_an_embedded_index_stays_beside_it_and_that_of_a_server_goes_to_the_database(tmp_path):
    shared = f"sqlite:///{tmp_path / 'shared.db'}"
    own = Wiring(quiet_settings(tmp_path / "own", database_url=shared))
    remote = Wiring(quiet_settings(tmp_path / "remote", database_url=shared, qdrant_url=NOBODY))

    own.store.set_index_id("0a1b")
    own.close()
    assert (tmp_path / "own" / "catalogue.db").is_file()
    assert Wiring(own.settings).catalogue_url.endswith("own/catalogue.db")
    assert remote.catalogue_url == shared


def test_a_catalogue_that_an_earlier_candor_put_into_the_database_is_found_there(tmp_path):
    shared = f"sqlite:///{tmp_path / 'shared.db'}"
    (tmp_path / "data" / "index").mkdir(parents=True)

    assert Wiring(quiet_settings(tmp_path / "data", database_url=shared)).catalogue_url == shared
    assert Wiring(quiet_settings(tmp_path / "data")).catalogue_url.endswith("data/catalogue.db")


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


def in_threads(call: Callable[[], object], *, threads: int = 8) -> list[object]:
    """Return what several threads get that call at the same moment."""
    start = Barrier(threads)

    def begin(_: int) -> object:
        start.wait()
        return call()

    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(begin, range(threads)))


def test_threads_that_ask_for_a_part_at_once_get_the_one_that_is_made():
    class Owner:
        made = 0

        @made_once
        def part(self) -> object:
            self.made += 1
            sleep(0.05)
            return object()

    owner, other = Owner(), Owner()

    assert len(set(map(id, in_threads(lambda: owner.part)))) == 1
    assert (owner.made, other.part is owner.part) == (1, False)
    owner.__dict__["part"] = "another"
    assert owner.part == "another"


def test_a_part_that_could_not_be_made_is_tried_again():
    class Owner:
        tried = 0

        @made_once
        def part(self) -> str:
            self.tried += 1
            if self.tried == 1:
                raise IndexNotReady("Not yet.")
            return "made"

    owner = Owner()
    with pytest.raises(IndexNotReady):
        owner.part  # noqa: B018 - asking is the test
    assert owner.part == "made"


def test_threads_open_one_index_without_the_lock_that_a_cached_property_had_before_python_3_12(wiring):
    assert not [name for name, part in vars(Wiring).items() if isinstance(part, cached_property)]
    assert len(set(map(id, in_threads(lambda: wiring.store)))) == 1


def test_settings_put_in_force_while_the_pipeline_is_made_are_those_that_are_asked_with(wiring, monkeypatch):
    begun, later = Event(), wiring.settings.model_copy(update={"top_k": 7})

    class Slow:
        def __init__(self) -> None:
            begun.set()
            sleep(0.3)

    monkeypatch.setattr("rag.wiring.MeanSimilarity", Slow)
    maker = Thread(target=lambda: wiring.pipeline)
    maker.start()
    assert begun.wait(30)
    wiring.put_in_force(later)
    maker.join()

    assert wiring.pipeline.defaults["top_k"] == 7


def test_closing_ends_the_workers_of_an_embedder_and_lets_go_of_every_part(tmp_path):
    class Workers:
        dimension, ended = 3, 0

        def close(self) -> None:
            self.ended += 1

    wiring, workers = Wiring(quiet_settings(tmp_path / "data")), Workers()
    wiring.__dict__["embedder"] = workers
    assert wiring.generator is wiring.generator
    wiring.close()
    wiring.close()

    assert workers.ended == 1
    assert not {"embedder", "generator", "encoder"} & set(wiring.__dict__)


def test_the_pipeline_has_the_settings_of_the_operator(tmp_path):
    chosen = quiet_settings(
        tmp_path / "data",
        top_k=7,
        estimator="mean_similarity",
        confidence_threshold=0.4,
        unsure_threshold=0.3,
        windows=9,
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
    assert (pipeline.unsure_threshold, pipeline.windows, pipeline.on_model_failure) == (0.3, 9, "error")
    assert pipeline.reader is wiring.reader
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
    assert all(item.vectors.shape == (len(item.chunk.windows), 384) for item in passages)


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
        "unsure_threshold": 0.1,
        "windows": 8,
        "max_tokens": 100,
        "temperature": 0.5,
        "max_context": 4096,
        "ollama_host": "http://127.0.0.1:10",
        "ollama_model": "smollm2",
        "openai_base_url": "http://127.0.0.1:10/v1",
        "openai_model": "smollm2",
        "openai_context": 4096,
        "gguf": tmp_path / "model.gguf",
        "connect_timeout_s": 1.0,
        "token_timeout_s": 1.0,
        "generation_timeout_s": 1.0,
        "on_model_failure": "error",
        "seed": 5,
        "grounding_model": "one",
        "grounding_threshold": 0.6,
        "reader_model": "two",
    }

    assert set(DECIDING) == set(changed)
    for name in DECIDING:
        assert settings_fingerprint(plain) != settings_fingerprint(quiet_settings(tmp_path, **{name: changed[name]})), (
            name
        )
    assert settings_fingerprint(plain) == settings_fingerprint(quiet_settings(tmp_path / "other", port=9000))
    assert len(settings_fingerprint(plain)) == 12


@pytest.mark.parametrize(
    ("named", "chosen"),
    [
        (("CANDOR_OPENAI_BASE_URL", "CANDOR_OLLAMA_MODEL", "CANDOR_GGUF"), "openai"),
        (("CANDOR_OLLAMA_MODEL", "CANDOR_GGUF"), "ollama"),
        ((), "ollama"),
    ],
)
def test_of_several_models_openais_protocol_comes_first_then_ollama_then_a_file(tmp_path, monkeypatch, named, chosen):
    monkeypatch.chdir(tmp_path)
    for name in named:
        monkeypatch.setenv(name, "http://127.0.0.1:9")

    assert Wiring(load_settings(data_dir=tmp_path / "data")).generator.name == chosen


def test_where_ollama_is_for_other_programs_is_no_choice_of_a_model(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OLLAMA_HOST", "127.0.0.1:9")
    monkeypatch.setenv("CANDOR_OLLAMA_MODEL", "")
    monkeypatch.setenv("CANDOR_OPENAI_BASE_URL", "http://127.0.0.1:10/v1")
    wiring = Wiring(load_settings(data_dir=tmp_path / "data"))

    assert (wiring.generator.name, wiring.generator.server.address) == ("openai", "http://127.0.0.1:10/v1")


def test_a_model_can_be_named_whatever_it_speaks_through(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CANDOR_LLM_MODEL", "qwen")
    settings = load_settings()

    assert (settings.ollama_model, settings.openai_model) == ("qwen", "qwen")
    assert unread_names() == {}


def test_the_settings_choose_who_speaks_and_ollama_is_the_default(tmp_path):
    file = gguf(tmp_path / "m.gguf")
    chosen = {
        "ollama": quiet_settings(tmp_path),
        "openai": quiet_settings(tmp_path, openai_base_url="http://localhost:8080", openai_context=512),
        "gguf": quiet_settings(tmp_path, gguf=file),
    }

    assert {name: Wiring(settings).generator.name for name, settings in chosen.items()} == {one: one for one in chosen}


def test_a_server_elsewhere_needs_leave_and_is_named_with_what_it_writes(tmp_path):
    for setting, address in (("ollama_host", "http://box:11434"), ("openai_base_url", "https://llm.example/v1")):
        with pytest.raises(ConfigurationError, match="CANDOR_ALLOW_REMOTE_MODEL=true"):
            Wiring(quiet_settings(tmp_path, **{setting: address})).generator  # noqa: B018
        allowed = Wiring(quiet_settings(tmp_path, **{setting: address}, allow_remote_model=True))
        assert allowed.generator.away == address


def test_modes_are_those_that_the_command_line_names():
    from rag.commands.asking import EstimatorOption, ModeOption

    assert {mode.value for mode in ModeOption} == {mode.value for mode in Mode}
    assert {option.value for option in EstimatorOption} == {"mean_similarity", "max_similarity", "calibrated"}


def test_the_own_reader_reads_unless_another_is_named_or_none(wiring, tmp_path):
    named = Wiring(quiet_settings(tmp_path / "named", reader_model="some/reader"))
    off = Wiring(quiet_settings(tmp_path / "off", reader_model="none", estimator="max_similarity"))

    assert wiring.reader_name == wiring.reader.name
    assert wiring.reader_name.startswith("mpnet-reader@")
    assert named.reader_name == "cross-encoder:reader"
    assert (off.reader, off.reader_name, off.pipeline.reader) == (None, "none", None)


def test_without_a_reader_the_gate_that_goes_by_it_is_refused(tmp_path):
    wiring = Wiring(quiet_settings(tmp_path, reader_model="none"))
    with pytest.raises(ConfigurationError, match=r"'calibrated' goes by what the reader says.*CANDOR_ESTIMATOR"):
        wiring.reader  # noqa: B018


@pytest.mark.parametrize(
    ("part", "setting"), [("embedder", "embedding_model"), ("reader", "reader_model"), ("check", "grounding_model")]
)
@pytest.mark.parametrize("name", ["/nosuch", "./nosuch", "~/nosuch", "no/such/model"])
def test_a_model_that_is_no_folder_is_the_same_mistake_whatever_it_is_for(tmp_path, part, setting, name):
    wiring = Wiring(quiet_settings(tmp_path, **{setting: name}))
    told = rf"'{name}' is not there: no such folder. Correct CANDOR_{setting.upper()}, or unset it"
    with pytest.raises(ConfigurationError, match=told):
        getattr(wiring, part)


def test_openvino_is_refused_for_a_model_that_it_cannot_run(tmp_path):
    wiring = Wiring(quiet_settings(tmp_path, embedding_backend="openvino", embedding_model="some/model"))
    with pytest.raises(ConfigurationError, match=r"packaged model only.*'some/model'.*auto or torch"):
        wiring.embedder  # noqa: B018


def test_the_compiled_model_is_kept_in_the_data_folder_unless_another_is_named(tmp_path):
    for settings, kept in (({"cache_dir": None}, tmp_path / "cache"), ({"cache_dir": tmp_path / "x"}, tmp_path / "x")):
        Wiring(quiet_settings(tmp_path, **settings)).embedder.embed(["firn"])
        assert len(list(kept.glob("encoder-*.blob"))) == 1


@pytest.mark.parametrize(
    "name", [name for name in Settings.model_fields if name.endswith("_timeout_s")] + ["retention_days"]
)
@pytest.mark.parametrize("value", ["inf", "1e300", "99999999999"])
def test_a_time_limit_beyond_what_clocks_can_count_is_refused_and_not_left_unkept(monkeypatch, name, value):
    variable = f"CANDOR_{name.upper()}"
    monkeypatch.setenv(variable, value)
    with pytest.raises(ConfigurationError, match=rf"{variable}='{value}' is not valid: it must be"):
        load_settings()


@pytest.mark.parametrize(
    ("name", "meant"),
    [("CANDOR_TOPK", "CANDOR_TOP_K"), ("CANDOR_CONFIDENCE_TRESHOLD", "CANDOR_CONFIDENCE_THRESHOLD")],
)
def test_a_misspelt_setting_is_refused_and_not_ignored(monkeypatch, name, meant):
    monkeypatch.setenv(name, "0.9")

    with pytest.raises(ConfigurationError, match=f"no setting {name}.*Did you mean {meant}"):
        load_settings()


@pytest.mark.parametrize("name", ["CANDOR_TOPK", "candor_topk"])
def test_a_misspelt_setting_in_the_env_file_is_refused_as_one_of_the_environment_is(monkeypatch, tmp_path, name):
    (tmp_path / ".env").write_text(f"# ours\n{name}=9\n")
    monkeypatch.chdir(tmp_path)

    with pytest.raises(ConfigurationError, match=r"no setting CANDOR_TOPK \(it is '9' in \.env\).*CANDOR_TOP_K"):
        load_settings()


def test_an_env_file_that_is_no_utf_8_text_is_named_and_what_to_do(monkeypatch, tmp_path):
    (tmp_path / ".env").write_bytes("CANDOR_LANGUAGE=français\n".encode("latin-1"))
    monkeypatch.chdir(tmp_path)

    with pytest.raises(
        ConfigurationError, match=r"/\.env' cannot be read as UTF-8 text: .*0xe7.*Save the file as UTF-8"
    ):
        load_settings()


def test_a_name_in_the_env_file_that_no_setting_reads_is_told(monkeypatch, tmp_path):
    (tmp_path / ".env").write_text("CANDOR_ANYTHING_ELSE=1\nCANDOR_TOP_K=3\nOTHER=2\n")
    monkeypatch.chdir(tmp_path)

    assert load_settings().top_k == 3
    assert "CANDOR_ANYTHING_ELSE" in unread_names()
    assert not {"CANDOR_TOP_K", "OTHER"} & set(unread_names())


@pytest.mark.parametrize(
    ("name", "top_k"), [("CANDOR_CI", 5), ("CANDOR_SCREENSHOTS", 5), ("CANDOR_ANYTHING_ELSE", 5), ("CANDOR_TOP_K", 3)]
)
def test_a_name_that_is_like_no_setting_is_nobodys_slip(monkeypatch, name, top_k):
    monkeypatch.setenv(name, "3")

    assert load_settings().top_k == top_k


@pytest.mark.parametrize(
    ("own", "limit_mb", "refused"), [(100, 1, False), (2**21, 1, True), (100, 300, False)]
)  # `own` bytes are what the loaders take unless told otherwise: 200 MB, too many for a test
def test_the_largest_upload_is_that_of_the_settings(tmp_path, monkeypatch, own, limit_mb, refused):
    monkeypatch.setitem(load_bytes.__kwdefaults__, "max_bytes", own)
    text = b"Gloves of nitrile are worn with acids. "
    data = text * 8 + b" " * (2**20 if refused else 0)
    wiring = Wiring(quiet_settings(tmp_path / "data", max_upload_mb=limit_mb))

    outcome = wiring.indexer.ingest_bytes("gloves.txt", data)
    wiring.close()
    assert (outcome.outcome, "at most 1 MB" in (outcome.reason or "")) == (
        ("failed", True) if refused else ("added", False)
    )


def test_who_gets_documents_and_is_not_this_machine_is_named(tmp_path):
    given = {"ollama_host": "http://127.0.0.1:11434", "openai_base_url": "https://me:secret@llm.example/v1"}
    away = {**given, "allow_remote_model": True, "qdrant_url": "http://vectors.example:6333"}

    assert Wiring(quiet_settings(tmp_path, **given)).sends_to == ()  # it may not be asked
    assert Wiring(quiet_settings(tmp_path, qdrant_url="http://localhost:6333")).sends_to == ()
    assert Wiring(quiet_settings(tmp_path, **away)).sends_to == (
        "a Qdrant server at vectors.example",
        "a language model at llm.example",
    )
