"""What every test may use: the shared data sets where they are at hand, and no access to a model hub."""

import os
from pathlib import Path

import pytest

os.environ["HF_HUB_OFFLINE"] = "1"
ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of the shared data sets; tests that need it are skipped where it is absent."""
    folder = ROOT.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("the shared data sets are not at hand: ../shared/data")
    return folder


@pytest.fixture(scope="session")
def samples() -> Path:
    """The sample library."""
    return ROOT / "samples"
