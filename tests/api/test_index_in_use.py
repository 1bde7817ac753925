"""`candor health` beside a process that has the index open: what that one says of itself, or that it is in use."""

import os
import shutil
from pathlib import Path

import httpx
import pytest
from library import candor, quiet_settings
from live import live

from rag import Candor
from rag.commands.holder import holder_of

pytestmark = pytest.mark.skipif(not Path("/proc/locks").exists(), reason="/proc/locks is needed to know who holds it")


@pytest.fixture
def held(library_home, tmp_path):
    folder = tmp_path / "data"
    shutil.copytree(library_home, folder)
    return folder


def test_health_beside_a_running_server_is_what_the_server_says_and_names_its_process(held):
    settings = quiet_settings(held)
    with Candor.open(settings) as opened, live(lambda: opened, settings) as url:  # one, however often health is asked
        said = httpx.get(f"{url}/api/v1/health", timeout=60).json()
        ran = candor("health", "--json", data_dir=held)

    assert said["status"] == "degraded"
    assert (ran.code, ran.json["status"]) == (1, "degraded"), ran.out
    assert ran.json["services"]["qdrant"]["state"] == "connected"
    assert f"in use by the running process {os.getpid()}, which answers at {url}" in ran.out


def test_health_beside_a_process_that_cannot_be_asked_is_degraded_and_names_it(held):
    with Candor.open(quiet_settings(held)) as holder:
        holder.wiring.store.check()
        ran = candor("health", data_dir=held)

        assert holder_of(held / "index") == os.getpid()
    assert (ran.code, ran.out.splitlines()[0]) == (1, "degraded")
    assert f"in use by the running process {os.getpid()}, which does not serve requests" in ran.out
    assert holder_of(held / "index") is None
