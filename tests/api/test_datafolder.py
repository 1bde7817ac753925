"""A data folder that cannot be written: one error, told the same on the command line and by the API."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from drills import api_process
from interfaces import V1
from library import candor, quiet_settings, read_only

from rag.candor import Candor
from rag.errors import FolderUnwritable
from rag.process.data_folder import require_writable, unwritable

QUESTION = "Which gloves are worn with acids?"


def test_a_folder_that_can_be_made_is_fine_and_one_that_cannot_is_named_with_the_reason(tmp_path):
    require_writable(tmp_path / "not" / "yet")
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to(tmp_path / "unmounted")
    with pytest.raises(FolderUnwritable, match=rf"{tmp_path}/file/data' cannot be written: '{tmp_path}/file' is not a"):
        require_writable(tmp_path / "file" / "data")
    with pytest.raises(FolderUnwritable, match=rf"'{tmp_path}/link' is a link to '{tmp_path}/unmounted', which does"):
        require_writable(tmp_path / "link")


@contextmanager
def other_user() -> Iterator[int]:
    """Run as somebody who owns nothing here; needs to be root before."""
    if os.geteuid() != 0:
        pytest.skip("only root can become another user")
    os.seteuid(65534)
    try:
        yield 65534
    finally:
        os.seteuid(0)


@pytest.mark.parametrize("part", ["", "index", "catalogue.db"])
def test_what_belongs_to_another_user_is_named_with_both_users(part):
    with tempfile.TemporaryDirectory() as name:  # tmp_path's parents are closed to others
        folder = Path(name)
        (folder / "index").mkdir()
        (folder / "catalogue.db").touch()
        for path in (folder, folder / "index", folder / "catalogue.db"):
            path.chmod(0o755 if path == folder / part else 0o777)
        with other_user() as user:
            error = unwritable(folder)
    assert error is not None
    assert f"{str(folder / part)!r} belongs to user 0, and user {user} may not write to it" in error.message
    assert error.details == {"folder": str(folder)}


@pytest.fixture(scope="module")
def mounted(library_home, tmp_path_factory):
    """The data folder of a library, mounted read-only."""
    home = tmp_path_factory.mktemp("mounted") / "data"
    shutil.copytree(library_home, home)
    with Candor.open(quiet_settings(home)) as opened:
        opened.wiring.sessions.check()  # as in every folder that was served once, there is a database of conversations
    with read_only(home):
        yield home


def told(home: Path) -> str:
    """Return how the message begins."""
    return f"The data folder {str(home)!r} cannot be written: {str(home)!r} is mounted read-only."


@pytest.mark.parametrize("command", [("ask", QUESTION), ("ingest", __file__), ("keys", "list"), ("serve",)])
def test_every_command_refuses_a_read_only_folder_in_the_same_words(mounted, command):
    ran = candor(*command, data_dir=mounted)
    assert (ran.code, "CANDOR_DATA_DIR" in ran.err) == (1, True)
    assert f"SERVICE_UNAVAILABLE: {told(mounted)}" in " ".join(ran.err.split())


def test_health_and_the_api_name_the_folder_with_the_same_message(mounted, tmp_path):
    with Candor.open(quiet_settings(mounted)) as opened:
        found = opened.health()
    assert found.status == "unavailable"
    assert all(str(found.services[name].detail).startswith(told(mounted)) for name in ("qdrant", "sessions"))
    with api_process(mounted, tmp_path / "log") as client:
        answers = [V1.ask(client, QUESTION), client.get("/api/v1/documents"), client.post("/api/v1/sessions")]
    for answer in answers:
        assert (answer.status_code, answer.json()["error_code"]) == (503, "SERVICE_UNAVAILABLE"), answer.text
        assert answer.json()["message"].startswith(told(mounted))
        assert answer.json()["details"]["folder"] == str(mounted)
