"""A Candor as a whole: its names, its health, and that what another process promotes or fits is in force here."""

import gc
import json
import logging
import shutil
import weakref
from pathlib import Path

import pytest
from library import quiet_settings

import rag
from rag import Candor
from rag.confidence.calibrated import FILE_NAME, SHIPPED
from rag.errors import IndexNotReady, StoreUnavailable
from rag.settings import Settings
from rag.workspace import in_force as inforce
from rag.workspace.in_force import follow, put_in_force


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


@pytest.fixture
def candor(tmp_path):
    """A Candor without documents; its estimators are made of files alone, and no model is loaded for them."""
    with Candor.open(Settings(data_dir=tmp_path, ollama_host="http://127.0.0.1:9")) as opened:
        put_in_force(opened)
        yield opened


def threshold(candor: Candor) -> float:
    return candor.wiring.estimators["calibrated"].threshold


def fitted(folder: Path, threshold: float) -> Path:
    """Write the shipped fit with another threshold where `candor calibrate` would, and return the file."""
    fit = json.loads(SHIPPED.read_text(encoding="utf-8"))
    new = folder / "new.json"
    new.write_text(json.dumps({**fit, "threshold": threshold, "unsure_threshold": 0.1}), encoding="utf-8")
    shutil.move(new, folder / FILE_NAME)
    return folder / FILE_NAME


def test_a_gate_that_another_process_fits_or_deletes_decides_from_the_next_look_on(candor, tmp_path):
    shipped, made = threshold(candor), candor.wiring.estimators
    follow(candor)
    assert candor.wiring.estimators is made  # nothing is made anew where nothing changed
    chosen = {"confidence_threshold": 0.9, "chosen_for": made["calibrated"].fingerprint}
    candor.wiring.sessions.promotions.promote(chosen, note="stricter", by="Ada")
    follow(candor)
    assert (threshold(candor), candor.settings.confidence_threshold, candor.set_aside) == (shipped, 0.9, "")
    own = fitted(tmp_path, 0.123)
    assert threshold(candor) == shipped
    follow(candor, every_s=60)  # files are looked at always
    assert (threshold(candor), candor.settings.confidence_threshold) == (0.123, None)
    assert candor.set_aside  # a promoted threshold belongs to its gate
    own.unlink()
    follow(candor, every_s=60)
    assert (threshold(candor), candor.settings.confidence_threshold, candor.set_aside) == (shipped, 0.9, "")


def test_a_gate_that_cannot_be_used_leaves_the_one_in_force_and_is_told_once(candor, tmp_path, caplog):
    fitted(tmp_path, 0.123)
    follow(candor)
    assert threshold(candor) == 0.123
    (tmp_path / FILE_NAME).write_text("{half", encoding="utf-8")
    with caplog.at_level(logging.WARNING, logger=inforce.__name__):
        follow(candor)
        follow(candor)
    assert threshold(candor) == 0.123
    assert [record.getMessage().count(str(tmp_path / FILE_NAME)) for record in caplog.records] == [1]


def test_promotions_are_looked_up_at_intervals_and_a_database_that_does_not_answer_changes_nothing(candor, monkeypatch):
    promotions = candor.wiring.sessions.promotions

    def dead():
        raise StoreUnavailable("The database does not answer.")

    assert promotions.history() == []  # makes the database
    follow(candor, every_s=3600)
    promotions.promote({"top_k": 3}, note="elsewhere", by="Ada")
    follow(candor, every_s=3600)
    assert candor.settings.top_k == 5
    follow(candor)
    assert candor.settings.top_k == 3
    promotions.undo(by="Ada")
    monkeypatch.setattr(promotions, "current", dead)
    follow(candor)
    monkeypatch.undo()
    follow(candor, every_s=1)  # not asked again at once
    assert candor.settings.top_k == 3
    follow(candor)
    assert candor.settings.top_k == 5


@pytest.mark.parametrize(("chosen_for", "named"), [("calibrated/0123456789ab", "0123456789ab"), (None, "earlier")])
def test_thresholds_that_were_chosen_for_another_gate_are_set_aside_and_it_says_so(candor, caplog, chosen_for, named):
    promoted = {"confidence_threshold": 0.9, "unsure_threshold": 0.3, "top_k": 3}
    promoted |= {"chosen_for": chosen_for} if chosen_for else {}
    candor.wiring.sessions.promotions.promote(promoted, note="of before", by="Ada")
    with caplog.at_level(logging.WARNING):
        promotion = candor.put_in_force()
        candor.put_in_force()
    assert (candor.settings.confidence_threshold, candor.settings.unsure_threshold) == (None, None)
    assert candor.settings.top_k == 3  # what belongs to no gate stays in force
    assert promotion.settings == {"top_k": 3}
    assert "confidence threshold 0.9 and unsure threshold 0.3" in candor.set_aside
    assert named in candor.set_aside
    assert [record.getMessage() for record in caplog.records] == [candor.set_aside]  # told once
