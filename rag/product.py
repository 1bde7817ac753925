"""Which Candor this is."""

from importlib.metadata import PackageNotFoundError, version


def product_version() -> str:
    """Return the version of the installed package; `unknown` where it is run from a copy that is not installed."""
    try:
        return version("candor-rag")
    except PackageNotFoundError:
        return "unknown"
