"""The forms of a model server's address."""

import pytest

from rag.adapters.ollama_generator import OllamaGenerator, connectable
from rag.errors import ConfigurationError


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("", "http://127.0.0.1:11434"),
        ("  'box' ", "http://box:11434"),
        (":5000", "http://127.0.0.1:5000"),
        ("1.2.3.4", "http://1.2.3.4:11434"),
        ("1.2.3.4:56789", "http://1.2.3.4:56789"),
        ("http://1.2.3.4", "http://1.2.3.4:80"),
        ("https://example.com", "https://example.com:443"),
        ("https://example.com:56789/path/", "https://example.com:56789/path"),
        ("example.com/path", "http://example.com:11434/path"),
        ("[0001:002:003:0004::1]:56789", "http://[0001:002:003:0004::1]:56789"),
        ("0.0.0.0:11434", "http://127.0.0.1:11434"),
        ("[::]", "http://[::1]:11434"),
    ],
)
def test_every_form_of_address_that_ollama_accepts_is_accepted(host: str, address: str) -> None:
    assert connectable(host) == address


@pytest.mark.parametrize("host", ["ftp://box", "box:port", "box:99999", "http://[::1"])
def test_address_that_is_none_is_a_configuration_error_with_its_value(host: str) -> None:
    with pytest.raises(ConfigurationError, match=r"OLLAMA_HOST=.*is not an address"):
        OllamaGenerator(host)
