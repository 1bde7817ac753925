"""What was taught, kept: the head in force and, for each lesson, what was in force before it.

data_dir/reader-head.json           what the reader adds to its own judgement; `rag.wiring` loads it
data_dir/reader-heads/0001.json     what stood there before the first lesson, and so on; null: nothing did
"""

import json
from pathlib import Path
from typing import Final

from rag.errors import ConfigurationError
from rag.process.data_folder import make_private
from rag.reader.head import Head, save_head
from rag.recording.replacing import replace
from rag.settings import Settings

FOLDER: Final = "reader-heads"


def put_in_force(settings: Settings, head: Head) -> int:
    """Let the reader judge with a head from now on; keep what stood there; return the number of the lesson.

    Raises:
        ConfigurationError: It cannot be written.
    """
    path, kept = settings.head_file, _kept(settings)
    number = int(kept[-1].stem) + 1 if kept else 1
    try:
        make_private(settings.data_dir)
        _folder(settings).mkdir(parents=True, exist_ok=True)
        former = path.read_text(encoding="utf-8") if path.is_file() else None
        replace(_folder(settings) / f"{number:04}.json", json.dumps({"head": former}).encode())
        save_head(path, head)
    except OSError as error:
        raise _unwritable(path, error) from error
    return number


def undo(settings: Settings) -> int:
    """Take the last lesson back; what was in force before it is again; return its number.

    Raises:
        ConfigurationError: There is none, or what was kept cannot be read or written.
    """
    kept = _kept(settings)
    if not kept:
        raise ConfigurationError(
            f"There is no lesson to take back: nothing is kept in {str(_folder(settings))!r}. The reader is as it came "
            "with Candor, unless a head was put there by hand."
        )
    newest, path = kept[-1], settings.head_file
    try:
        former = json.loads(newest.read_text(encoding="utf-8"))["head"]
        if former is None:
            path.unlink(missing_ok=True)
        else:
            replace(path, former.encode())
        newest.unlink()
    except OSError as error:
        raise _unwritable(path, error) from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ConfigurationError(
            f"What was in force before cannot be read from {str(newest)!r}: {error}. Remove {str(path)!r} to let the "
            "reader judge as it came with Candor."
        ) from error
    return int(newest.stem)


def _folder(settings: Settings) -> Path:
    return settings.head_file.with_name(FOLDER)


def _kept(settings: Settings) -> list[Path]:
    """Return what is kept, oldest first."""
    found = _folder(settings).glob("*.json") if _folder(settings).is_dir() else ()
    return sorted((path for path in found if path.stem.isdecimal()), key=lambda path: int(path.stem))


def _unwritable(path: Path, error: OSError) -> ConfigurationError:
    return ConfigurationError(
        f"What the reader learned cannot be kept in {str(path)!r}: {error.strerror or error}. Check its folder, the "
        "permissions and the space on the disk."
    )
