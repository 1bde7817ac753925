"""With the packaged model nothing outside is asked, so no variable has to forbid it; a model by hub name may load."""

import subprocess
import sys
from pathlib import Path

import pytest
from library import ROOT, clean_environment

WATCHED = """
import sys

asked = []

def watch(event, arguments):
    if event == "socket.getaddrinfo":
        asked.append(str(arguments[0]))
    if event == "socket.connect":
        asked.append(str(arguments[1][0]))

sys.addaudithook(watch)
from rag import Candor

with Candor.open(embedding_backend=sys.argv[1]) as candor:
    assert not candor.ingest([sys.argv[2]]).failed
    candor.ask("How long must eyes be rinsed after a splash?")
    assert candor.health().services["embedding"].state == "connected"
print(sorted(set(asked)))
"""
"""Ingests, asks and probes, and prints every host that a socket was opened to or whose address was looked up."""


@pytest.mark.parametrize("backend", ["auto", "torch"])
def test_the_packaged_model_asks_no_host_even_where_it_might(backend: str, samples: Path, tmp_path: Path) -> None:
    environment = {**clean_environment(tmp_path / "data"), "PYTHONPATH": str(ROOT)}
    del environment["HF_HUB_OFFLINE"]
    done = subprocess.run(
        [sys.executable, "-c", WATCHED, backend, str(samples / "faq.html")],
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "['127.0.0.1']"  # the model server that is not there
