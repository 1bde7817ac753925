"""The reader's weights: `reader.json`, which describes them, and the files that it names, checked by SHA-256."""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from numpy.typing import NDArray

from rag.adapters.openvino_graphs import Shape
from rag.adapters.packaged_model import weights_digest
from rag.errors import ConfigurationError

DESCRIBED: Final = "reader.json"
VERSION: Final = 2  # of the layout of `reader.json` and of the files


@dataclass(frozen=True, slots=True)
class Probe:
    """A question or claim and a text, with what torch computed for them when the weights were exported.

    Attributes:
        asked: The question or claim.
        text: The text.
        logit: That the text answers.
        entails: That the text supports, contradicts, does neither.
    """

    asked: str
    text: str
    logit: float
    entails: tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Described:
    """What `reader.json` says.

    Attributes:
        shape: The network's numbers.
        files: Names of the files with the tensors, and the SHA-256 of each.
        probes: What a processor must come near to.
        temperature: What the logits of entailment are divided by (Guo et al. 2017).
    """

    shape: Shape
    files: dict[str, str]
    probes: tuple[Probe, ...]
    temperature: float

    @property
    def digest(self) -> str:
        """Twelve hex digits that tell these weights from others."""
        return hashlib.sha256(json.dumps(sorted(self.files.values())).encode()).hexdigest()[:12]

    @property
    def name(self) -> str:
        """Name and version of the weights."""
        return f"mpnet-reader@{self.digest}"


def describe(folder: Path) -> Described:
    """Return what is said of the weights in a folder.

    Raises:
        ConfigurationError: `reader.json` is missing or damaged, or of another version.
    """
    path = folder / DESCRIBED
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        if found["version"] != VERSION:
            raise ValueError(f"version {found['version']!r}, {VERSION} is expected")
        return Described(
            shape=Shape(*(found[name] for name in ("layers", "heads", "hidden", "epsilon"))),
            files={each["name"]: each["sha256"] for each in found["files"]},
            probes=tuple(
                Probe(each["asked"], each["text"], each["logit"], tuple(each["entails"])) for each in found["probes"]
            ),
            temperature=float(found["temperature"]),
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise _unreadable(path, error) from error


def load_weights(folder: Path, described: Described) -> dict[str, NDArray[Any]]:
    """Return all tensors by name.

    Raises:
        ConfigurationError: A file is missing, or is not the one that `reader.json` names.
    """
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    tensors: dict[str, NDArray[Any]] = {}
    for name, expected in described.files.items():
        path = folder / name
        try:
            if (digest := weights_digest(path)) != expected:
                raise ValueError(f"it has SHA-256 {digest}, {expected} is expected: it is damaged or was replaced")
            tensors |= load_file(path)
        except (OSError, SafetensorError, ValueError) as error:
            raise _unreadable(path, error) from error
    return tensors


def _unreadable(path: Path, error: Exception) -> ConfigurationError:
    return ConfigurationError(f"The reader's weights {str(path)!r} cannot be used: {error}. Reinstall Candor.")
