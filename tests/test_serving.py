"""`candor serve`: which address, which port, who may; and `server.py`, as it and `uvicorn server:app` load it."""

import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from library import ROOT, candor, clean_environment, free_port

from rag.candor import Candor
from rag.errors import ConfigurationError, InvalidQuery
from rag.serving import check_gate, index_notice, require_free, require_keys, serve
from rag.settings import Settings
from rag.workspace.keys import create_key, revoke_key


def settings_of(folder: Path, **more: object) -> Settings:
    return Settings(data_dir=folder, **more)  # type: ignore[arg-type]


def test_only_addresses_of_this_machine_need_no_valid_key_unless_told_so(tmp_path: Path) -> None:
    for host in ("127.0.0.1", "localhost", "::1"):
        require_keys(host, settings_of(tmp_path))
    assert not list(tmp_path.iterdir())
    for host in ("0.0.0.0", "192.0.2.7", "::", "candor.example"):
        with pytest.raises(ConfigurationError, match="candor keys create"):
            require_keys(host, settings_of(tmp_path))
        require_keys(host, settings_of(tmp_path, allow_open=True))
    made = create_key(" desk ", "admin", settings=settings_of(tmp_path))
    require_keys("0.0.0.0", settings_of(tmp_path))
    revoke_key(made.key.key_id, settings=settings_of(tmp_path))
    with pytest.raises(ConfigurationError):
        require_keys("0.0.0.0", settings_of(tmp_path))
    for name, role in (("", "ask"), ("x" * 201, "ask"), ("desk", "king")):
        with pytest.raises(InvalidQuery):
            create_key(name, role, settings=settings_of(tmp_path))


def test_an_index_that_another_version_made_is_said_when_it_is_served(library_home: Path, tmp_path: Path) -> None:
    shutil.copytree(library_home, tmp_path / "data")
    settings = settings_of(tmp_path / "data")
    assert index_notice(settings) is None
    with Candor.open(settings) as candor:
        candor.wiring.catalogue.set_meta("ingestion", "older")
    assert "read again while the server runs" in str(index_notice(settings))


def test_a_port_that_is_none_is_refused_and_a_name_of_no_setting_said_with_the_nearest(tmp_path, monkeypatch, capsys):
    for name in [name for name in os.environ if name.startswith("CANDOR_")]:
        monkeypatch.delenv(name)
    given = {"CANDOR_DATA_DIR": str(tmp_path), "CANDOR_TYPO": "1", "OTHER_MODEL": "x", "PORT": "eighty"}
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(ConfigurationError, match="PORT='eighty'"):
        serve()
    said = "CANDOR_TYPO is not a setting and has no effect. The most similar setting is CANDOR_PORT.\n"
    assert capsys.readouterr().err == said


def test_a_gate_that_was_fitted_on_another_reader_ends_the_start_with_what_to_do(tmp_path: Path) -> None:
    ran = candor("serve", "--port", str(free_port()), data_dir=tmp_path / "data", CANDOR_READER_MODEL="some/reader")
    assert (ran.code, ran.out) == (1, "")
    assert "fitted on another reader" in ran.err
    assert "this is 'cross-encoder:reader'. Run 'candor calibrate'" in ran.err
    assert "Candor serves" not in ran.err
    check_gate(settings_of(tmp_path / "data", reader_model="some/reader", confidence_threshold=0.5))


def test_a_port_where_nobody_listens_may_be_taken_again_at_once_and_an_address_of_others_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
    require_free("127.0.0.1", port)
    require_free("localhost", port)
    with socket.create_server(("127.0.0.1", port)) as again:  # asking has not taken it
        assert again.getsockname()[1] == port
    for host in ("192.0.2.7", "nobody.invalid"):
        with pytest.raises(ConfigurationError, match=f"Cannot listen on {host}:8501"):
            require_free(host, 8501)


def test_serving_on_a_taken_port_is_one_clear_line_with_the_next_one_to_try(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        ran = candor("serve", "--port", str(port), data_dir=tmp_path / "data")
    assert ran.code == 1
    assert f"127.0.0.1:{port}: Address already in use" in ran.err
    assert f"serve --port {port + 1}" in ran.err
    assert ran.err.strip().count("\n") == 0
    assert not (tmp_path / "data").exists()


NOTHING = "import server; assert 'app' not in vars(server)"
MADE = "import server, streamlit; assert isinstance(server.app, streamlit.App); assert server.app is server.app"
BROKEN = "import server; server.create_api = lambda *_: object().nothing; server.app"


@pytest.mark.parametrize(
    ("script", "concurrency", "told"),
    [
        (NOTHING, "many", None),  # no setting is read
        (MADE, "2", None),  # once
        (MADE, "many", "CANDOR_CONCURRENCY"),
        (BROKEN, "2", "RuntimeError: The application could not be made"),  # and not that there is none
    ],
)
def test_the_application_is_made_when_a_server_asks_for_it_and_what_fails_is_told(tmp_path, script, concurrency, told):
    environment = clean_environment(tmp_path / "data", CANDOR_CONCURRENCY=concurrency)
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode == 0) == (told is None), done.stderr
    assert told is None or told in done.stderr
    assert script is not NOTHING or not (tmp_path / "data").exists()
