"""Which Candor this is, and where what it serves stands."""

from importlib.metadata import PackageNotFoundError, version
from pathlib import Path


def product_version() -> str:
    """Return the version of the installed package; `unknown` where it is run from a copy that is not installed."""
    try:
        return version("candor-rag")
    except PackageNotFoundError:
        return "unknown"


def served_folder() -> Path:
    """Return the folder of `server.py`, `app.py`, the dashboard and the samples.

    An installed package has them in `rag/served`, where `setup.py` puts them; a copy of the project beside `rag`.
    """
    package = Path(__file__).resolve().parents[1]  # `rag`
    installed = package / "served"
    return installed if installed.is_dir() else package.parent


def samples_folder() -> Path:
    """Return the folder of the sample documents."""
    return served_folder() / "samples"
