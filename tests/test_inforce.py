"""What another process promotes, fits or takes back is in force at the next look, and what cannot be read changes
nothing."""

import json
import logging
import shutil
from pathlib import Path

import pytest

from rag.candor import Candor
from rag.confidence.calibrated import FILE_NAME, SHIPPED
from rag.errors import StoreUnavailable
from rag.settings import Settings
from rag.workspace import in_force as inforce
from rag.workspace.in_force import follow, put_in_force


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
