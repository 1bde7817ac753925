"""A port that is taken is said in one line before anything is loaded."""

import socket

import pytest
from library import candor

from rag.errors import ConfigurationError
from rag.process.listening import require_free


def test_a_port_where_nobody_listens_may_be_taken_again_at_once() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
    require_free("127.0.0.1", port)
    require_free("localhost", port)
    with socket.create_server(("127.0.0.1", port)) as again:  # asking has not taken it
        assert again.getsockname()[1] == port


@pytest.mark.parametrize("host", ["192.0.2.7", "nobody.invalid"])
def test_an_address_that_is_not_this_machines_is_named(host: str) -> None:
    with pytest.raises(ConfigurationError, match=f"Cannot listen on {host}:8501"):
        require_free(host, 8501)


def test_serving_on_a_taken_port_is_one_clear_line_with_the_next_one_to_try(tmp_path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        ran = candor("serve", "--port", str(port), data_dir=tmp_path / "data")
    assert ran.code == 1
    assert f"127.0.0.1:{port}: Address already in use" in ran.err
    assert f"serve --port {port + 1}" in ran.err
    assert ran.err.strip().count("\n") == 0
    assert not (tmp_path / "data").exists()
