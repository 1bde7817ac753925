import gc
import json
import shutil
import weakref

import pytest
from library import quiet_settings

import rag
from rag import Candor
from rag.confidence.calibrated import FILE_NAME, SHIPPED
from rag.errors import IndexNotReady


def test_the_public_names_can_all_be_imported():
    assert rag.__all__ == sorted(rag.__all__)
    for name in rag.__all__:
        assert getattr(rag, name).__name__ == name
    with pytest.raises(AttributeError, match="no attribute 'Candour'"):
        _ = rag.Candour


def test_a_closed_candor_gives_its_model_back_at_once_and_not_when_circles_of_references_are_looked_for(tmp_path):
    gc.disable()
    try:
        alone = quiet_settings(tmp_path / "data", cache_dir=tmp_path / "cache")  # nobody else runs the model like that
        with Candor.open(alone) as candor:
            (tmp_path / "gate.md").write_text("# Gate\n\nThe gate opens at nine in the morning.\n", encoding="utf-8")
            candor.ingest(tmp_path / "gate.md")
            candor.ask("When does the gate open?")  # the model server is asked first, and does not answer
            encoder = weakref.ref(candor.wiring.encoder)
            assert encoder() is not None
        assert encoder() is None
    finally:
        gc.enable()


def test_a_gate_of_ones_own_is_a_service_of_health_and_one_of_another_version_is_set_aside(tmp_path):
    gate = json.loads(SHIPPED.read_text(encoding="utf-8"))
    told = []
    with Candor.open(quiet_settings(tmp_path)) as candor:
        assert "gate" not in candor.health().services  # the shipped one
        for change in ({"threshold": 0.9375}, {"version": 1}):
            (tmp_path / FILE_NAME).write_text(json.dumps({**gate, **change}), encoding="utf-8")
            told.append(candor.health().services["gate"])

    assert [one.state for one in told] == ["connected", "connected"]
    assert told[0].detail.startswith("fitted here (gate.json), thresholds 0.9375 and ")
    assert told[1].detail.startswith("shipped; ")
    assert "is not used: it has version 1" in told[1].detail
    assert "Run 'candor calibrate' again, or remove that file" in told[1].detail


def test_a_lost_index_is_told_by_health_and_by_every_question_until_it_is_rebuilt(library_home, tmp_path):
    shutil.copytree(library_home, tmp_path / "data", ignore=shutil.ignore_patterns("index"))
    with Candor.open(quiet_settings(tmp_path / "data")) as candor:
        health = candor.health()
        assert (health.status, health.services["qdrant"].state) == ("unavailable", "disconnected")
        assert "the store is empty" in health.services["qdrant"].detail
        assert not candor.is_ready()
        with pytest.raises(IndexNotReady, match=r"holds 0 chunks.*candor ingest --rebuild"):
            candor.ask("Which gloves are worn with acids?")
        with pytest.raises(IndexNotReady, match="holds 0 chunks"):
            candor.ingest_bytes("yeti.md", b"# Yeti\n\nThe yeti of Larkfield is called Bartholomew.\n")
