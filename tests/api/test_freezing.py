"""What an API keeps out of the garbage collector's rounds: as long as it serves, and no longer."""

import gc
import weakref
from pathlib import Path
from time import monotonic, sleep

import pytest
from api_samples import settings_of
from fastapi.testclient import TestClient

from api.app import create_api
from rag.candor import Candor


@pytest.fixture(autouse=True)
def nothing_frozen() -> None:
    """Nothing is kept that another test's API has loaded."""
    gc.unfreeze()


def frozen_within(seconds: float) -> int:
    """Return how many objects are frozen, once there are any."""
    deadline = monotonic() + seconds
    while not gc.get_freeze_count() and monotonic() < deadline:
        sleep(0.02)
    return gc.get_freeze_count()


def test_what_the_start_has_loaded_stays_out_of_the_rounds_until_the_server_ends(candor: Candor) -> None:
    with TestClient(create_api(lambda: candor, candor.settings)) as client:
        assert frozen_within(60) > 10_000
        for _ in range(3):
            assert client.get("/api/v1/documents").status_code == 200
        gc.collect()
        assert gc.get_freeze_count() > 10_000
    assert gc.get_freeze_count() == 0


def test_a_candor_whose_api_has_ended_is_not_kept(tmp_path: Path) -> None:
    seen = []
    for number in range(2):
        with Candor.open(settings_of(tmp_path / str(number))) as opened:
            seen.append(weakref.ref(opened))
            with TestClient(create_api(lambda kept=opened: kept, opened.settings)):  # type: ignore[misc]
                assert frozen_within(60)
        del opened
    gc.collect()
    assert [found() for found in seen] == [None, None]
