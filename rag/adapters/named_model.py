"""Models that the operator names, by hub name or folder: one that is not there is refused before anything is loaded."""

from pathlib import Path

from rag.errors import ConfigurationError


def require_model(model: str, *, kind: str, setting: str) -> None:
    """Refuse a path at which there is no folder, in one line and before anything heavy is imported.

    Args:
        model: Hub name or folder.
        kind: What it is to be, as a message says it.
        setting: Which setting names it.

    Raises:
        ConfigurationError: The name is written as a path is, and no folder is there.

    >>> require_model("/nosuch", kind="reader", setting="CANDOR_READER_MODEL")
    Traceback (most recent call last):
    rag.errors.ConfigurationError: The reader '/nosuch' is not there: no such folder. Correct CANDOR_READER_MODEL, or \
unset it for Candor's own.
    """
    is_path = Path(model).is_absolute() or model.startswith((".", "~")) or model.count("/") > 1
    if is_path and not Path(model).is_dir():
        raise ConfigurationError(
            f"The {kind} {model!r} is not there: no such folder. Correct {setting}, or unset it for Candor's own."
        )


def first_line(error: Exception) -> str:
    """Return the first line of what a library says of a failure, without its full stop.

    >>> first_line(OSError("No such model."))
    'No such model'
    """
    return (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")
