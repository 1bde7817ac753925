"""What a GGUF file says of the model in it, read from its first bytes: nothing is loaded."""

import struct
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from rag.errors import ConfigurationError

_MAGIC = b"GGUF"
_SIZES = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
"""How a value of each type is packed (little endian), by its number in the file."""
_STRING, _ARRAY = 8, 9
_LONGEST = 1 << 24  # most bytes of one string: what says more is no GGUF file


@dataclass(frozen=True, slots=True)
class GgufFile:
    """A model file.

    Attributes:
        path: Where it is.
        context_length: Tokens of the window that the model was trained with; None: the file does not say.
    """

    path: Path
    context_length: int | None

    @property
    def name(self) -> str:
        """The model's name: the file's own, which says how it was quantized too."""
        return self.path.name.removesuffix(".gguf")


def read_gguf(path: Path) -> GgufFile:
    """Return what a model file says of itself.

    Raises:
        ConfigurationError: There is no such file, it cannot be read, or it is not a GGUF file.
    """
    try:
        with path.open("rb") as file:
            if file.read(4) != _MAGIC:
                raise _not_usable(path, "it is not a GGUF file")
            return GgufFile(path, _context_length(file))
    except FileNotFoundError as error:
        raise _not_usable(path, "there is no such file") from error
    except OSError as error:
        raise _not_usable(path, error.strerror or str(error)) from error
    except (struct.error, ValueError, KeyError) as error:
        raise _not_usable(path, "it is a GGUF file that is cut off or broken") from error


def _not_usable(path: Path, why: str) -> ConfigurationError:
    return ConfigurationError(
        f"CANDOR_GGUF={str(path)!r} cannot be used: {why}. Name a model file that ends in .gguf, or unset CANDOR_GGUF."
    )


def _context_length(file: BinaryIO) -> int | None:
    """Return the window's tokens from the file's keys, which begin here."""
    _version, _tensors, keys = _unpacked(file, "IQQ")
    architecture = None
    lengths: dict[str, int] = {}
    for _ in range(keys):
        key, value = _string(file), _value(file, *_unpacked(file, "I"))
        if key == "general.architecture":
            architecture = value
        elif key.endswith(".context_length") and isinstance(value, int):
            lengths[key.removesuffix(".context_length")] = value
        if architecture in lengths:  # it stands before the vocabulary, which takes long to skip
            break
    return lengths.get(str(architecture)) or None


def _value(file: BinaryIO, kind: int) -> object:
    """Return a value; None for an array, which is passed over."""
    if kind == _STRING:
        return _string(file)
    if kind != _ARRAY:
        return _unpacked(file, _SIZES[kind])[0]
    of, count = _unpacked(file, "IQ")
    if of in _SIZES:
        file.seek(count * struct.calcsize(_SIZES[of]), 1)
    else:
        for _ in range(count):
            _value(file, of)
    return None


def _string(file: BinaryIO) -> str:
    (length,) = _unpacked(file, "Q")
    if length > _LONGEST:
        raise ValueError(f"a string of {length} bytes")
    return file.read(length).decode("utf-8", "replace")


def _unpacked(file: BinaryIO, form: str) -> tuple[int, ...]:
    form = f"<{form}"
    return struct.unpack(form, file.read(struct.calcsize(form)))
