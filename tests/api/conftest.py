"""The API over a real pipeline: the sample library indexed with the real embedding model, no model server."""

import pytest
from api_samples import settings_of
from fastapi.testclient import TestClient

from api.app import create_api
from rag.candor import Candor


@pytest.fixture(scope="session")
def candor(tmp_path_factory, samples):
    with Candor.open(settings_of(tmp_path_factory.mktemp("api"))) as opened:
        opened.ingest([samples / "textbook.md", samples / "safety_manual.pdf", samples / "faq.html"])
        opened.load()  # else whichever question is the first waits for it, also one whose time is limited
        yield opened


@pytest.fixture(scope="session")
def client(candor):
    with TestClient(create_api(lambda: candor, candor.settings)) as opened:
        yield opened
