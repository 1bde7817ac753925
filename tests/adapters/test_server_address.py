"""Which addresses are this machine's own: documents go no further unless somebody allows it."""

import pytest

from rag.adapters.server_trouble import is_this_machine, knock, require_allowed
from rag.errors import ConfigurationError


@pytest.mark.parametrize(
    "address",
    ["http://127.0.0.1:11434", "http://localhost/v1", "http://[::1]:80", "https://127.8.9.1", "http://LOCALHOST"],
)
def test_loopback_is_this_machine(address: str) -> None:
    assert is_this_machine(address)
    require_allowed(address, is_allowed=False, setting="OLLAMA_HOST")


@pytest.mark.parametrize(
    "address",
    [
        "http://192.168.0.7:11434",
        "http://box:11434",
        "https://llm.example/v1",
        "http://127.0.0.1.llm.example/v1",  # begins like loopback, and is a name that anybody may own
        "http://localhost.llm.example/v1",
        "http://[2001:db8::1]:80",
    ],
)
def test_any_other_address_needs_leave_and_is_never_knocked_at(address: str) -> None:
    assert not is_this_machine(address)
    assert knock(address, timeout_s=0.01) is None
    with pytest.raises(ConfigurationError, match=r"is not on this machine.*CANDOR_ALLOW_REMOTE_MODEL=true") as caught:
        require_allowed(address, is_allowed=False, setting="OLLAMA_HOST")
    assert repr(address) in caught.value.message
    assert "correct OLLAMA_HOST" in caught.value.message
    require_allowed(address, is_allowed=True, setting="OLLAMA_HOST")
