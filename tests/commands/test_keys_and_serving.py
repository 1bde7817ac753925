"""The commands for keys and for serving."""

import socket
from contextlib import closing


def test_every_command_for_keys_takes_json(inside, tmp_path):
    made = inside("keys", "create", "desk", "--json", data_dir=tmp_path / "data")
    key_id = made.json["key_id"]
    revoked = inside("keys", "revoke", key_id, "--json", data_dir=tmp_path / "data")
    listed = inside("keys", "list", "--json", data_dir=tmp_path / "data")
    again = inside("keys", "revoke", key_id, "--json", data_dir=tmp_path / "data")

    assert (revoked.code, revoked.json) == (0, {"key_id": key_id, "revoked": True})
    assert [key["key_id"] for key in listed.json if key["revoked_at"]] == [key_id]
    assert again.code == 1
    assert key_id in again.err


def test_others_are_not_served_without_keys(inside, tmp_path):
    ran = inside("serve", "--host", "0.0.0.0", data_dir=tmp_path / "data")

    assert ran.code == 1
    assert "candor keys create" in ran.err


def test_a_port_that_is_no_port_is_named(inside, tmp_path):
    with closing(socket.socket()):
        ran = inside("serve", data_dir=tmp_path / "data", PORT="eighty")

    assert ran.code == 1
    assert "PORT='eighty'" in ran.err
