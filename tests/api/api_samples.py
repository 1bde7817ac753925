"""Questions whose outcome over the sample library is known, and settings for tests."""

from pathlib import Path
from typing import Any

from library import FEW_WINDOWS

from rag.settings import Settings

NOBODY = "http://127.0.0.1:9"  # an address where nothing listens
ANSWERED = "At what density does firn become glacier ice?"
"""A question that the sample textbook answers, also by the written rule."""
ANSWERED_PDF = "What protective equipment is required for class A chemicals?"
"""A question that the sample PDF answers, also by the written rule."""
REFUSED = "What is the capital of Mongolia?"  # A question that nothing in the sample library answers


def settings_of(folder: Path, **more: Any) -> Settings:
    return Settings(data_dir=folder, **{"ollama_host": NOBODY, "windows": FEW_WINDOWS, **more})  # type: ignore[arg-type]
