"""`python tests/ollama_server --port 11434`: a small real model behind Ollama's protocol, for evaluation runs."""

import argparse
import sys
from contextlib import suppress
from pathlib import Path
from threading import Event

sys.path.pop(0)  # this folder: its `openai` would hide the package
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # run by path: installed packages take the name `tests`

from ollama_server.brains import SmolLM2
from ollama_server.server import OllamaServer

if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python tests/ollama_server", description=__doc__)
    parser.add_argument("--port", type=int, default=11434)
    parser.add_argument("--threads", type=int, default=2, help="of the processor")
    chosen = parser.parse_args()
    brain = SmolLM2(threads=chosen.threads)
    with suppress(KeyboardInterrupt), OllamaServer(brain, port=chosen.port) as server:
        print(f"{brain.name} listens at {server.url}", flush=True)
        Event().wait()
