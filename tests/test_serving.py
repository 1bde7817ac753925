"""`candor serve`: which address, which port, who may."""

import os
import shutil
from pathlib import Path

import pytest
from library import candor, free_port

from rag.candor import Candor
from rag.errors import ConfigurationError, IndexNotReady, InvalidQuery
from rag.serving import check_gate, check_index, index_notice, require_keys, serve
from rag.settings import Settings
from rag.stored.keys import create_key, list_keys, revoke_key


def settings_of(folder: Path, **more: object) -> Settings:
    return Settings(data_dir=folder, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1"])
def test_this_machines_own_address_needs_no_key(tmp_path: Path, host: str) -> None:
    require_keys(host, settings_of(tmp_path))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.7", "::", "candor.example"])
def test_another_address_is_refused_without_keys_unless_told_to(tmp_path: Path, host: str) -> None:
    with pytest.raises(ConfigurationError, match="candor keys create"):
        require_keys(host, settings_of(tmp_path))
    require_keys(host, settings_of(tmp_path, allow_open=True))


def test_keys_are_made_listed_and_revoked_and_only_a_hash_is_kept(tmp_path: Path) -> None:
    settings = settings_of(tmp_path)
    made = create_key(" desk ", "admin", settings=settings)
    require_keys("0.0.0.0", settings)
    assert [(key.name, key.role, key.revoked_at) for key in list_keys(settings=settings)] == [("desk", "admin", None)]
    secret = made.token.split("_", 2)[2].encode()
    assert all(secret not in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    revoke_key(made.key.key_id, settings=settings)
    assert list_keys(settings=settings)[0].revoked_at is not None
    with pytest.raises(ConfigurationError):
        require_keys("0.0.0.0", settings)
    with pytest.raises(InvalidQuery, match="no key"):
        revoke_key(made.key.key_id, settings=settings)
    for name, role in (("", "ask"), ("x" * 201, "ask"), ("desk", "king")):
        with pytest.raises(InvalidQuery):
            create_key(name, role, settings=settings)


def test_an_index_that_is_in_use_is_said_before_anything_is_served(tmp_path: Path) -> None:
    from rag.adapters.edge_store import EdgeStore

    store = EdgeStore(tmp_path / "index")
    try:
        with pytest.raises(IndexNotReady, match="in use by another process"):
            check_index(settings_of(tmp_path))
    finally:
        store.close()
    check_index(settings_of(tmp_path))


def test_an_index_that_another_version_made_is_said_when_it_is_served(library_home: Path, tmp_path: Path) -> None:
    shutil.copytree(library_home, tmp_path / "data")
    settings = settings_of(tmp_path / "data")
    assert index_notice(settings) is None
    with Candor.open(settings) as candor:
        candor.wiring.catalogue.set_meta("ingestion", "older")
    assert "`candor ingest --rebuild`" in str(index_notice(settings))


def test_a_port_that_is_none_is_refused_and_a_name_that_no_setting_has_is_said_with_the_nearest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
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
