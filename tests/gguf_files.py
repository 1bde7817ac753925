"""GGUF files of a few bytes, written by the format's own description: a head, and no model."""

import struct
from pathlib import Path


def text(value: str) -> bytes:
    """A string of the format: how many bytes, and the bytes."""
    raw = value.encode()
    return struct.pack("<Q", len(raw)) + raw


def pair(key: str, kind: int, value: bytes) -> bytes:
    """A key with its value of one kind."""
    return text(key) + struct.pack("<I", kind) + value


def number(key: str, value: int) -> bytes:
    return pair(key, 4, struct.pack("<I", value))


def words(key: str, *values: str) -> bytes:
    return pair(key, 9, struct.pack("<IQ", 8, len(values)) + b"".join(map(text, values)))


def scores(key: str, *values: float) -> bytes:
    return pair(key, 9, struct.pack(f"<IQ{len(values)}f", 6, len(values), *values))


def gguf(path: Path, *pairs: bytes) -> Path:
    """Write a file with some keys and no tensors."""
    path.write_bytes(b"GGUF" + struct.pack("<IQQ", 3, 0, len(pairs)) + b"".join(pairs))
    return path


LLAMA = pair("general.architecture", 8, text("llama"))
