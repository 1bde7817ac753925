"""`python tests/ollama_server --brain smollm2|liar --port 11434`: a model server for evaluation runs."""

import argparse
import sys
from contextlib import suppress
from pathlib import Path
from threading import Event

sys.path.pop(0)  # this folder: its `openai` would hide the package
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # run by path: installed packages take the name `tests`

from ollama_server.brains import Liar, SmolLM2
from ollama_server.server import Fault, OllamaServer


def main() -> None:
    parser = argparse.ArgumentParser(prog="python tests/ollama_server", description=__doc__)
    parser.add_argument("--brain", choices=("smollm2", "liar"), default="smollm2")
    parser.add_argument("--port", type=int, default=11434)
    parser.add_argument("--seed", type=int, default=0, help="seed of the liar")
    parser.add_argument("--truths", type=float, default=0.0, help="share of the liar's sentences that are true")
    parser.add_argument("--threads", type=int, default=2, help="processor threads of smollm2")
    parser.add_argument("--fault", type=Fault, choices=list(Fault), default=Fault.NONE)
    parser.add_argument("--everywhere", action="store_true", help="the fault also hits the list of models")
    chosen = parser.parse_args()
    is_liar = chosen.brain == "liar"
    brain = Liar(chosen.seed, truths=chosen.truths) if is_liar else SmolLM2(threads=chosen.threads)
    with OllamaServer(brain, fault=chosen.fault, everywhere=chosen.everywhere, port=chosen.port) as server:
        print(f"{brain.name} listens at {server.url}", flush=True)
        Event().wait()


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        main()
